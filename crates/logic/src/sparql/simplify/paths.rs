//! One way to write paths that repeat a step: `p/p*` and `p*/p` are `p+`, as far as the set of what they connect is concerned.

use super::group::{Group, Path, predicate};
use super::variables::{Names, name_of};
use spargebra::algebra::PropertyPathExpression as P;
use spargebra::term::{TermPattern, TriplePattern};

/// Maximum number of paths to look for repeated steps beside.
const MAX_PATHS: usize = 50;

/// A path in one way. `rows_count`: whether it matters how often a pair comes up, which `p/p*` and `p+` do not agree on.
pub(super) fn one_way(path: &P, rows_count: bool) -> P {
    match path {
        P::NamedNode(_) | P::NegatedPropertySet(_) => path.clone(),
        P::Reverse(inner) => P::Reverse(Box::new(one_way(inner, rows_count))),
        P::Alternative(left, right) => {
            P::Alternative(Box::new(one_way(left, rows_count)), Box::new(one_way(right, rows_count)))
        }
        P::Sequence(..) => sequence(path, rows_count),
        // What is repeated connects each pair once.
        P::ZeroOrMore(inner) => match one_way(inner, false) {
            P::ZeroOrMore(inner) | P::OneOrMore(inner) | P::ZeroOrOne(inner) => P::ZeroOrMore(inner),
            inner => P::ZeroOrMore(Box::new(inner)),
        },
        P::OneOrMore(inner) => match one_way(inner, false) {
            P::ZeroOrMore(inner) | P::ZeroOrOne(inner) => P::ZeroOrMore(inner),
            inner @ P::OneOrMore(_) => inner,
            inner => P::OneOrMore(Box::new(inner)),
        },
        P::ZeroOrOne(inner) => match one_way(inner, false) {
            P::ZeroOrMore(inner) | P::OneOrMore(inner) => P::ZeroOrMore(inner),
            inner @ P::ZeroOrOne(_) => inner,
            inner => P::ZeroOrOne(Box::new(inner)),
        },
    }
}

fn sequence(path: &P, rows_count: bool) -> P {
    let (mut steps, mut stack) = (Vec::new(), vec![path]);
    while let Some(path) = stack.pop() {
        match path {
            P::Sequence(first, second) => stack.extend([second.as_ref(), first.as_ref()]),
            step => steps.push(one_way(step, rows_count)),
        }
    }
    let mut joined: Vec<P> = Vec::with_capacity(steps.len());
    for step in steps {
        match joined.last().filter(|_| !rows_count).and_then(|last| at_least_once(last, &step)) {
            Some(both) => {
                joined.pop();
                joined.push(both);
            }
            None => joined.push(step),
        }
    }
    if !rows_count {
        repeat_last(&mut joined);
    }
    in_sequence(joined).unwrap_or_else(|| path.clone())
}

fn in_sequence(steps: Vec<P>) -> Option<P> {
    steps.into_iter().rev().reduce(|second, first| P::Sequence(Box::new(first), Box::new(second)))
}

/// `p+/p` as `p/p+`.
fn repeat_last(steps: &mut [P]) {
    for end in 1..steps.len() {
        for at in (1..=end).rev() {
            match &steps[at - 1] {
                P::OneOrMore(inner) if **inner == steps[at] => steps.swap(at - 1, at),
                _ => break,
            }
        }
    }
}

/// `p+` for a step and its repetition, in either order.
fn at_least_once(first: &P, second: &P) -> Option<P> {
    let repeats = |repeated: &P, step: &P| match (repeated, step) {
        (P::ZeroOrMore(inner), P::OneOrMore(step)) => inner == step,
        (P::ZeroOrMore(inner), step) => **inner == *step,
        _ => false,
    };
    let step = if repeats(first, second) {
        second
    } else if repeats(second, first) {
        first
    } else {
        return None;
    };
    Some(match step {
        P::OneOrMore(_) => step.clone(),
        step => P::OneOrMore(Box::new(step.clone())),
    })
}

impl Group {
    /// `?x p ?m . ?m p* ?y` is `?x p+ ?y` if nothing else is said about `?m`.
    pub(super) fn join_repeated_steps(&mut self, used: &Names) {
        self.each_part(used, &mut |part, around| part.join_repeated_steps(around));
        if self.paths.len() > MAX_PATHS {
            return;
        }
        let mut at = 0;
        while at < self.paths.len() {
            if let Some((triple, before, after)) = self.step_after(at, used) {
                self.triples[triple] = before;
                self.paths[at] = after;
            }
            match self.step_beside(at, used) {
                Some((triple, joined)) => {
                    self.triples.remove(triple);
                    self.paths[at] = joined;
                }
                None => at += 1,
            }
        }
    }

    /// `?x p+ ?m . ?m p ?y` as `?x p ?m . ?m p+ ?y`: the number of the triple, and both.
    fn step_after(&self, at: usize, used: &Names) -> Option<(usize, TriplePattern, Path)> {
        let Path { subject, path, object } = &self.paths[at];
        let P::OneOrMore(step) = path else { return None };
        let P::NamedNode(property) = step.as_ref() else { return None };
        let name = name_of(object)?;
        let triple = self
            .triples
            .iter()
            .position(|triple| predicate(triple) == Some(property.as_str()) && triple.subject == *object)?;
        let mut rest = self.clone();
        let last = rest.triples.remove(triple).object;
        rest.paths.remove(at);
        let is_end = |term: &TermPattern| name_of(term).as_deref() == Some(name.as_str());
        if used.has(&name) || rest.mentions(&name) || is_end(subject) || is_end(&last) {
            return None;
        }
        let before = TriplePattern {
            subject: subject.clone(),
            predicate: self.triples[triple].predicate.clone(),
            object: object.clone(),
        };
        Some((triple, before, Path { subject: object.clone(), path: path.clone(), object: last }))
    }

    /// The triple with one more step of a path, and the path of both.
    fn step_beside(&self, at: usize, used: &Names) -> Option<(usize, Path)> {
        let repeated = &self.paths[at];
        let P::ZeroOrMore(step) = &repeated.path else { return None };
        let P::NamedNode(property) = step.as_ref() else { return None };
        let (triple, middle) = self.triples.iter().enumerate().find_map(|(number, triple)| {
            if predicate(triple) != Some(property.as_str()) {
                return None;
            }
            let is_before = triple.object == repeated.subject && name_of(&triple.object).is_some();
            let is_after = triple.subject == repeated.object && name_of(&triple.subject).is_some();
            match (is_before, is_after) {
                (true, false) => Some((number, &triple.object)),
                (false, true) => Some((number, &triple.subject)),
                _ => None,
            }
        })?;
        let name = name_of(middle)?;
        let mut rest = self.clone();
        let removed = rest.triples.remove(triple);
        rest.paths.remove(at);
        let is = |term: &TermPattern| name_of(term).as_deref() == Some(name.as_str());
        let (subject, object) = if is(&removed.object) && is(&repeated.subject) {
            (removed.subject, repeated.object.clone())
        } else {
            (repeated.subject.clone(), removed.object)
        };
        if used.has(&name) || rest.mentions(&name) || is(&subject) || is(&object) {
            return None;
        }
        Some((triple, Path { subject, path: P::OneOrMore(step.clone()), object }))
    }
}
