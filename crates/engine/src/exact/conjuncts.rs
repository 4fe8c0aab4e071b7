//! Rewrites a plan as alternatives, each of which is a flat list of conditions on variables.
//!
//! SPARQL's scoping makes "or" in the middle of a pattern error-prone: a filter in a branch does not see outer bindings. Therefore
//! alternatives are moved to the outside, where each branch is a separate group that binds everything it uses.

use super::NoExactForm;
use crate::plan::{Extremes, Period, PlanSet, SetKind, Test};
use touchstone_kb::{ClassId, Property};
use touchstone_logic::Direction;

/// A variable of a conjunct.
pub(super) type Var = usize;

/// The variable of the answer.
pub(super) const ANSWER: Var = 0;

/// Maximum number of alternatives; no server accepts longer queries.
const MAX_ALTERNATIVES: usize = 128;

/// The kind of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Node,
    Literal,
}

/// A condition on variables.
#[derive(Debug, Clone)]
pub(super) enum Atom<'p> {
    /// One of these nodes.
    Nodes(Var, Vec<u32>),
    /// Any entity.
    Entity(Var),
    /// A member of these classes or of their subclasses.
    Member {
        var: Var,
        classes: Vec<ClassId>,
        /// Excludes members that are classes themselves.
        entities_only: bool,
    },
    /// A literal that passes a test.
    Passes(Var, &'p Test),
    /// There is a fact.
    Fact(FactAtom<'p>),
    /// There is no fact with these properties.
    Lacks(Var, &'p [Property]),
    /// The value is the extreme one of a superlative.
    Extreme(Var, &'p Extremes),
}

/// See [`Atom::Fact`].
#[derive(Debug, Clone)]
pub(super) struct FactAtom<'p> {
    pub(super) subject: Var,
    pub(super) properties: Vec<Property>,
    pub(super) value: Var,
    pub(super) conditions: &'p [Test],
}

/// Conditions that must all hold.
#[derive(Debug, Clone)]
pub(super) struct Conjunct<'p> {
    pub(super) atoms: Vec<Atom<'p>>,
    /// By mark: its variable, if it has one here.
    pub(super) marks: Vec<Option<Var>>,
    /// By variable: the variable that it is equal to, or itself.
    same: Vec<Var>,
}

impl<'p> Conjunct<'p> {
    /// One variable, the answer, and no conditions.
    pub(super) fn new(n_marks: usize) -> Conjunct<'p> {
        Conjunct { atoms: Vec::new(), marks: vec![None; n_marks], same: vec![ANSWER] }
    }

    pub(super) fn new_var(&mut self) -> Var {
        self.same.push(self.same.len());
        self.same.len() - 1
    }

    pub(super) fn n_vars(&self) -> usize {
        self.same.len()
    }

    /// The representative of all variables that are equal.
    pub(super) fn root(&self, mut var: Var) -> Var {
        while self.same[var] != var {
            var = self.same[var];
        }
        var
    }

    /// The variable of a mark.
    pub(super) fn marked(&self, mark: usize) -> Option<Var> {
        self.marks[mark].map(|var| self.root(var))
    }

    fn mark(&mut self, mark: usize, var: Var) {
        match self.marks[mark] {
            None => self.marks[mark] = Some(var),
            Some(other) => {
                // The smaller number is the representative, so that the answer remains the answer.
                let (a, b) = (self.root(other), self.root(var));
                self.same[a.max(b)] = a.min(b);
            }
        }
    }

    fn with(mut self, atom: Atom<'p>) -> Conjunct<'p> {
        self.atoms.push(atom);
        self
    }
}

/// All alternatives of "`var` is in the set", each added to the given conditions.
pub(super) fn expand<'p>(
    set: &'p PlanSet,
    var: Var,
    known: Vec<Conjunct<'p>>,
) -> Result<Vec<Conjunct<'p>>, NoExactForm> {
    let all = |atom: &dyn Fn() -> Atom<'p>| known.iter().cloned().map(|c| c.with(atom())).collect();
    let expanded: Vec<Conjunct<'p>> = match &set.kind {
        SetKind::All => known,
        SetKind::Nodes(nodes) => all(&|| Atom::Nodes(var, nodes.to_vec())),
        SetKind::Classes(classes) => {
            all(&|| Atom::Member { var, classes: classes.clone(), entities_only: false })
        }
        SetKind::Values(test) => all(&|| Atom::Passes(var, test)),
        SetKind::Relate(relate) => {
            let mut alternatives = Vec::new();
            for mut conjunct in known {
                let from = conjunct.new_var();
                let properties = relate.properties.to_vec();
                let (subject, value) = ends(from, var, relate.direction);
                conjunct.atoms.push(Atom::Fact(FactAtom {
                    subject,
                    properties,
                    value,
                    conditions: &relate.conditions,
                }));
                alternatives.extend(expand(&relate.from, from, vec![conjunct])?);
            }
            alternatives
        }
        SetKind::And(parts) => {
            let mut alternatives = known;
            for part in parts {
                alternatives = expand(part, var, alternatives)?;
            }
            alternatives
        }
        SetKind::Or(parts) => {
            let mut alternatives = Vec::new();
            for part in parts {
                alternatives.extend(expand(part, var, known.clone())?);
            }
            alternatives
        }
        SetKind::Superlative(extremes) => {
            let mut alternatives = Vec::new();
            for conjunct in expand(&extremes.of, var, known)? {
                alternatives.push(with_path(conjunct, extremes, var));
            }
            alternatives
        }
        SetKind::During(period) => during(period, var, known),
        SetKind::Marked(mark, inner) => expand(inner, var, with_mark(known, *mark, var))?,
        SetKind::Same(mark) => with_mark(known, *mark, var),
    };
    if expanded.len() > MAX_ALTERNATIVES {
        return Err(NoExactForm::new("more alternatives than a query can hold"));
    }
    Ok(expanded)
}

/// The path of a superlative, with its value at the end, which must be the extreme one.
fn with_path<'p>(mut conjunct: Conjunct<'p>, extremes: &'p Extremes, candidate: Var) -> Conjunct<'p> {
    let value = add_path(&mut conjunct, extremes, candidate);
    conjunct.with(Atom::Extreme(value, extremes))
}

/// The path of a superlative; returns the variable of its value.
pub(super) fn add_path<'p>(conjunct: &mut Conjunct<'p>, extremes: &'p Extremes, candidate: Var) -> Var {
    let start = extremes.start.and_then(|mark| conjunct.marked(mark));
    let mut at = start.unwrap_or(candidate);
    for (properties, direction) in &extremes.path {
        let next = conjunct.new_var();
        let (subject, value) = ends(at, next, *direction);
        let properties = properties.to_vec();
        conjunct.atoms.push(Atom::Fact(FactAtom { subject, properties, value, conditions: &[] }));
        at = next;
    }
    at
}

fn ends(from: Var, to: Var, direction: Direction) -> (Var, Var) {
    match direction {
        Direction::Forward => (from, to),
        Direction::Backward => (to, from),
    }
}

fn with_mark(mut known: Vec<Conjunct<'_>>, mark: usize, var: Var) -> Vec<Conjunct<'_>> {
    known.iter_mut().for_each(|conjunct| conjunct.mark(mark, var));
    known
}

/// Start and end are each absent, or have a value that passes.
fn during<'p>(period: &'p Period, var: Var, known: Vec<Conjunct<'p>>) -> Vec<Conjunct<'p>> {
    let mut alternatives = known;
    for (properties, test) in [&period.start, &period.end] {
        let mut next = Vec::new();
        for conjunct in alternatives {
            next.push(conjunct.clone().with(Atom::Lacks(var, properties)));
            let mut dated = conjunct;
            let value = dated.new_var();
            let fact = FactAtom { subject: var, properties: properties.to_vec(), value, conditions: &[] };
            next.push(dated.with(Atom::Fact(fact)).with(Atom::Passes(value, test)));
        }
        alternatives = next;
    }
    alternatives
}
