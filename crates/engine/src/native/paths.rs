//! Property paths: `*`, `+`, `?` and negated sets, all of which yield sets. Sequences, inverses and alternatives outside of them are patterns.

use super::cells::Cell;
use super::run::{Halt, Runner};
use super::tree::PathPart;
use hashbrown::HashSet;
use std::ops::ControlFlow;
use touchstone_kb::rdf::{RdfTerm, RdfTriple};

/// A path whose inverses stand at its single steps.
#[derive(Debug, Clone)]
pub(super) enum Path {
    /// A predicate, `None` if the view does not have it, and whether it is walked from object to subject.
    Step(Option<RdfTerm>, bool),
    /// Any predicate but these.
    Not(Vec<RdfTerm>, bool),
    Sequence(Box<Path>, Box<Path>),
    Alternative(Box<Path>, Box<Path>),
    Star(Box<Path>),
    Plus(Box<Path>),
    Maybe(Box<Path>),
}

impl Path {
    /// The path walked from its end to its start.
    pub(super) fn reversed(&self) -> Path {
        match self {
            Path::Step(predicate, inverse) => Path::Step(*predicate, !inverse),
            Path::Not(predicates, inverse) => Path::Not(predicates.clone(), !inverse),
            Path::Sequence(a, b) => Path::Sequence(Box::new(b.reversed()), Box::new(a.reversed())),
            Path::Alternative(a, b) => Path::Alternative(Box::new(a.reversed()), Box::new(b.reversed())),
            Path::Star(inner) => Path::Star(Box::new(inner.reversed())),
            Path::Plus(inner) => Path::Plus(Box::new(inner.reversed())),
            Path::Maybe(inner) => Path::Maybe(Box::new(inner.reversed())),
        }
    }

    /// Whether it leads from every node to itself.
    pub(super) fn is_nullable(&self) -> bool {
        match self {
            Path::Step(..) | Path::Not(..) => false,
            Path::Sequence(a, b) => a.is_nullable() && b.is_nullable(),
            Path::Alternative(a, b) => a.is_nullable() || b.is_nullable(),
            Path::Star(_) | Path::Maybe(_) => true,
            Path::Plus(inner) => inner.is_nullable(),
        }
    }
}

type Nodes = HashSet<RdfTerm>;

impl Runner<'_> {
    /// The pairs of terms that a path connects, each once, among those with the given ends.
    pub(super) fn path_pairs(
        &mut self,
        part: &PathPart,
        start: Cell,
        end: Cell,
    ) -> Result<Vec<(RdfTerm, RdfTerm)>, Halt> {
        self.spend(1)?;
        match (start, end) {
            (Cell::Made(_), _) | (_, Cell::Made(_)) => Ok(Vec::new()),
            (Cell::Term(start), Cell::Term(end)) => {
                let reached = self.reached(&part.forward, start)?;
                Ok(reached.contains(&end).then_some((start, end)).into_iter().collect())
            }
            (Cell::Term(start), Cell::Unbound) => {
                Ok(self.reached(&part.forward, start)?.into_iter().map(|end| (start, end)).collect())
            }
            (Cell::Unbound, Cell::Term(end)) => {
                Ok(self.reached(&part.backward, end)?.into_iter().map(|start| (start, end)).collect())
            }
            (Cell::Unbound, Cell::Unbound) => {
                let mut starts = Nodes::new();
                self.starts(&part.forward, &mut starts)?;
                let mut pairs = Vec::new();
                for start in starts {
                    let reached = self.reached(&part.forward, start)?;
                    self.spend(reached.len() as u64)?;
                    self.hold(32 * reached.len() as u64)?;
                    pairs.extend(reached.into_iter().map(|end| (start, end)));
                }
                Ok(pairs)
            }
        }
    }

    /// The terms that a path leads to.
    fn reached(&mut self, path: &Path, from: RdfTerm) -> Result<Nodes, Halt> {
        let mut reached = Nodes::new();
        if path.is_nullable() && !self.is_graph_node(from)? {
            return Ok(reached);
        }
        self.reach(path, from, &mut reached)?;
        Ok(reached)
    }

    /// Whether a term is the subject or object of a triple.
    pub(super) fn is_graph_node(&mut self, term: RdfTerm) -> Result<bool, Halt> {
        self.spend(2)?;
        let mut found = false;
        let mut stop = |_: RdfTriple| {
            found = true;
            ControlFlow::Break(())
        };
        let view = self.view();
        if view.for_each_match(Some(term), None, None, &mut stop).is_continue() {
            let _ = view.for_each_match(None, None, Some(term), &mut stop);
        }
        Ok(found)
    }

    fn reach(&mut self, path: &Path, from: RdfTerm, reached: &mut Nodes) -> Result<(), Halt> {
        match path {
            Path::Step(None, _) => Ok(()),
            Path::Step(Some(predicate), inverse) => {
                self.neighbours(from, Some(*predicate), &[], *inverse, reached)
            }
            Path::Not(excluded, inverse) => self.neighbours(from, None, excluded, *inverse, reached),
            Path::Sequence(a, b) => {
                let mut middle = Nodes::new();
                self.reach(a, from, &mut middle)?;
                for node in middle {
                    self.reach(b, node, reached)?;
                }
                Ok(())
            }
            Path::Alternative(a, b) => {
                self.reach(a, from, reached)?;
                self.reach(b, from, reached)
            }
            Path::Maybe(inner) => {
                reached.insert(from);
                self.reach(inner, from, reached)
            }
            Path::Star(inner) => self.closure(inner, [from].into_iter().collect(), reached),
            Path::Plus(inner) => {
                let mut first = Nodes::new();
                self.reach(inner, from, &mut first)?;
                self.closure(inner, first, reached)
            }
        }
    }

    fn closure(&mut self, step: &Path, first: Nodes, reached: &mut Nodes) -> Result<(), Halt> {
        let mut todo: Vec<RdfTerm> = first.iter().copied().collect();
        let mut seen = first;
        while let Some(node) = todo.pop() {
            let mut next = Nodes::new();
            self.reach(step, node, &mut next)?;
            for node in next {
                if seen.insert(node) {
                    self.hold(32)?;
                    todo.push(node);
                }
            }
        }
        reached.extend(seen);
        Ok(())
    }

    /// The other ends of the triples at a node.
    fn neighbours(
        &mut self,
        from: RdfTerm,
        predicate: Option<RdfTerm>,
        excluded: &[RdfTerm],
        inverse: bool,
        reached: &mut Nodes,
    ) -> Result<(), Halt> {
        self.spend(1)?;
        let (subject, object) = if inverse { (None, Some(from)) } else { (Some(from), None) };
        let (view, mut result) = (self.view(), Ok(()));
        let _ = view.for_each_match(subject, predicate, object, &mut |triple| {
            result = self.spend(1);
            if result.is_err() {
                return ControlFlow::Break(());
            }
            if !excluded.contains(&triple[1]) {
                reached.insert(if inverse { triple[0] } else { triple[2] });
            }
            ControlFlow::Continue(())
        });
        result
    }

    /// Terms among which all starts of a path are.
    fn starts(&mut self, path: &Path, starts: &mut Nodes) -> Result<(), Halt> {
        match path {
            Path::Step(None, _) => Ok(()),
            Path::Step(Some(predicate), inverse) => self.ends(Some(*predicate), *inverse, !*inverse, starts),
            Path::Not(_, inverse) => self.ends(None, *inverse, !*inverse, starts),
            Path::Sequence(a, _) if a.is_nullable() => self.ends(None, true, true, starts),
            Path::Sequence(a, _) => self.starts(a, starts),
            Path::Alternative(a, b) => {
                self.starts(a, starts)?;
                self.starts(b, starts)
            }
            Path::Star(_) | Path::Maybe(_) => self.ends(None, true, true, starts),
            Path::Plus(inner) if inner.is_nullable() => self.ends(None, true, true, starts),
            Path::Plus(inner) => self.starts(inner, starts),
        }
    }

    /// The objects or subjects, or both, of all triples with a predicate.
    fn ends(
        &mut self,
        predicate: Option<RdfTerm>,
        objects: bool,
        subjects: bool,
        found: &mut Nodes,
    ) -> Result<(), Halt> {
        let (view, mut result) = (self.view(), Ok(()));
        let _ = view.for_each_match(None, predicate, None, &mut |[subject, _, object]| {
            result = self.spend(1);
            if result.is_ok() && subjects && found.insert(subject) {
                result = self.hold(32);
            }
            if result.is_ok() && objects && found.insert(object) {
                result = self.hold(32);
            }
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }
}
