//! Graph patterns: things, the conditions on each, and the facts between them. They connect SPARQL and query graphs with the algebra.

use crate::query::{Condition, Direction, Extreme, Mark, Relate, Set, Step, Superlative};
use crate::text::MAX_DEPTH;
use crate::value::Symbol;
use std::cell::Cell;
use std::rc::Rc;

/// A pattern to match against a KB.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pattern {
    /// The conditions on each thing by itself.
    pub(crate) things: Vec<Vec<Set>>,
    /// The facts between them.
    pub(crate) facts: Vec<PatternFact>,
    /// The next mark. The branches of a union share it with the enclosing pattern.
    pub(crate) marks: Rc<Cell<Mark>>,
}

/// A fact of a pattern.
#[derive(Debug, Clone)]
pub(crate) struct PatternFact {
    pub(crate) subject: usize,
    pub(crate) property: Symbol,
    pub(crate) object: usize,
    pub(crate) conditions: Vec<Condition>,
}

/// Why a pattern is not a set expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("the pattern falls into parts that are not connected")]
    Disconnected,
    #[error("the pattern is deeper than {MAX_DEPTH} facts")]
    TooDeep,
    #[error("the value that decides the superlative is not at the end of exactly one fact")]
    NotALeaf,
}

/// A described thing, and the assigned marks.
pub(crate) struct Described {
    pub(crate) set: Set,
    /// The mark of each thing that got one.
    pub(crate) marks: Vec<Option<Mark>>,
}

impl Pattern {
    pub(crate) fn thing(&mut self) -> usize {
        self.things.push(Vec::new());
        self.things.len() - 1
    }

    /// The facts of a thing.
    pub(crate) fn facts_at(&self, thing: usize) -> impl Iterator<Item = usize> + '_ {
        self.facts
            .iter()
            .enumerate()
            .filter(move |(_, f)| f.subject == thing || f.object == thing)
            .map(|(i, _)| i)
    }

    /// Describes a thing by everything that is connected to it. Things in `wanted` are marked; so are those at which a cycle closes.
    /// The whole pattern must be connected, except for things in `elsewhere`.
    pub(crate) fn describe(
        &self,
        root: usize,
        wanted: &[usize],
        elsewhere: &[bool],
    ) -> Result<Described, PatternError> {
        let mut walk = Walk {
            pattern: self,
            ways: self.ways(),
            used: vec![false; self.facts.len()],
            order: vec![None; self.things.len()],
            marked: vec![false; self.things.len()],
            next: self.marks.get(),
        };
        for &thing in wanted {
            walk.marked[thing] = true;
        }
        let set = walk.describe(root, 0)?;
        self.marks.set(walk.next);
        let missed = (0..self.things.len())
            .any(|t| walk.order[t].is_none() && !elsewhere.get(t).copied().unwrap_or(false));
        if missed {
            return Err(PatternError::Disconnected);
        }
        let marks = (0..self.things.len()).map(|t| walk.order[t].filter(|_| walk.marked[t])).collect();
        Ok(Described { set, marks })
    }

    /// The facts of each thing.
    fn ways(&self) -> Vec<Vec<usize>> {
        let mut ways = vec![Vec::new(); self.things.len()];
        for (i, fact) in self.facts.iter().enumerate() {
            ways[fact.subject].push(i);
            if fact.object != fact.subject {
                ways[fact.object].push(i);
            }
        }
        ways
    }

    /// The things that can be reached from one, without using a given fact.
    pub(crate) fn reach(&self, from: usize, without: Option<usize>) -> Vec<bool> {
        let ways = self.ways();
        let mut seen = vec![false; self.things.len()];
        let mut stack = vec![from];
        seen[from] = true;
        while let Some(at) = stack.pop() {
            for &fact in ways[at].iter().filter(|&&fact| Some(fact) != without) {
                let fact = &self.facts[fact];
                for other in [fact.subject, fact.object] {
                    if !std::mem::replace(&mut seen[other], true) {
                        stack.push(other);
                    }
                }
            }
        }
        seen
    }

    /// Describes the things at `root` whose value at `value` is extreme: the path to it becomes the superlative's path, as far as
    /// the things on it have no other conditions.
    pub(crate) fn superlative(
        &self,
        root: usize,
        value: usize,
        extreme: Extreme,
        wanted: &[usize],
    ) -> Result<Described, PatternError> {
        // Conditions on the value itself would be lost, and a value that is the answer has no path to it.
        if value == root || !self.things[value].is_empty() {
            return Err(PatternError::NotALeaf);
        }
        let mut rest = self.clone();
        let mut path = Vec::new();
        let mut at = value;
        let mut gone = vec![false; self.things.len()];
        let ways = self.ways();
        loop {
            let facts: Vec<usize> =
                ways[at].iter().copied().filter(|&f| !gone_fact(self, f, &gone)).collect();
            let [fact] = facts[..] else {
                // This thing has another condition, so the path starts here.
                if at == value {
                    return Err(PatternError::NotALeaf);
                }
                break;
            };
            if at == root
                || (at != value && !self.things[at].is_empty())
                || wanted.contains(&at) && at != value
            {
                break;
            }
            let fact = &self.facts[fact];
            let other = if fact.subject == at { fact.object } else { fact.subject };
            if other == at || !fact.conditions.is_empty() {
                return Err(PatternError::NotALeaf);
            }
            let direction = if fact.subject == other { Direction::Forward } else { Direction::Backward };
            path.push(Step { property: fact.property.clone(), direction });
            gone[at] = true;
            at = other;
        }
        path.reverse();
        // Without the path, its things are isolated: the path describes them.
        rest.facts.retain(|fact| !gone[fact.subject] && !gone[fact.object]);
        let mut marks_wanted = wanted.to_vec();
        marks_wanted.retain(|&thing| !gone[thing]);
        if at != root {
            marks_wanted.push(at);
        }
        let described = rest.describe(root, &marks_wanted, &gone)?;
        let start = if at == root { None } else { described.marks[at] };
        let set = Set::Superlative(Box::new(Superlative { of: described.set, path, extreme, start }));
        Ok(Described { set, marks: described.marks })
    }
}

fn gone_fact(pattern: &Pattern, fact: usize, gone: &[bool]) -> bool {
    let fact = &pattern.facts[fact];
    gone[fact.subject] || gone[fact.object]
}

struct Walk<'p> {
    pattern: &'p Pattern,
    ways: Vec<Vec<usize>>,
    used: Vec<bool>,
    /// When a thing was first visited; this is also its mark, if it needs one.
    order: Vec<Option<Mark>>,
    marked: Vec<bool>,
    next: Mark,
}

impl Walk<'_> {
    fn describe(&mut self, thing: usize, depth: usize) -> Result<Set, PatternError> {
        if depth > MAX_DEPTH {
            return Err(PatternError::TooDeep);
        }
        let mark = self.next;
        self.order[thing] = Some(mark);
        self.next += 1;
        let mut parts = self.pattern.things[thing].clone();
        for way in 0..self.ways[thing].len() {
            let number = self.ways[thing][way];
            if std::mem::replace(&mut self.used[number], true) {
                continue;
            }
            let fact = &self.pattern.facts[number];
            let (other, direction) = if fact.subject == thing {
                (fact.object, Direction::Backward)
            } else {
                (fact.subject, Direction::Forward)
            };
            // In a depth-first traversal, a thing that was visited before is still being described: a cycle closes.
            let from = match self.order[other] {
                Some(mark) => {
                    self.marked[other] = true;
                    Set::Same(mark)
                }
                None => self.describe(other, depth + 1)?,
            };
            let conditions = fact.conditions.clone();
            parts.push(Set::Relate(Box::new(Relate {
                from,
                property: fact.property.clone(),
                direction,
                conditions,
            })));
        }
        let set = Set::and(parts);
        Ok(if self.marked[thing] { Set::Marked(mark, Box::new(set)) } else { set })
    }
}

/// Whether a set is nested deeper than later stages allow.
pub(crate) fn is_too_deep(set: &Set) -> bool {
    let mut stack = vec![(set, 0)];
    while let Some((set, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return true;
        }
        set.children(&mut |child| stack.push((child, depth + 1)));
    }
    false
}
