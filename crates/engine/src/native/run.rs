//! Runs the steps of a plan, depth first: each step sets the cells that it finds in one row and calls the next one.

use super::cells::{Cell, Slot, Slots, Table, Terms, one, slots_of};
use super::plan::{Goal, Numbers, Planner, State, Step};
use super::rows::Index;
use super::tree::{Existence, PathPart, Pos};
use crate::budget::{Budget, Limit, Stopped};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use spareval::{ExpressionTerm, QueryEvaluator};
use std::ops::ControlFlow;
use std::rc::Rc;
use touchstone_kb::rdf::{RdfTerm, RdfView};

/// Why a run ended early.
#[derive(Debug)]
pub(super) enum Halt {
    /// A limit was reached.
    Stopped(Stopped),
    /// The query is to be run in another way.
    GiveUp,
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Halt {
        Halt::Stopped(stopped)
    }
}

/// Whether more rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    More,
    Enough,
}

pub(super) type Outcome = Result<Flow, Halt>;

/// Receives rows.
pub(super) type Sink<'s, 'a> = &'s mut dyn FnMut(&mut Runner<'a>, &mut [Cell]) -> Outcome;

pub(super) type Key = SmallVec<[Cell; 3]>;

/// The steps of a pattern of `EXISTS`, for certain bound variables.
struct Inspection {
    steps: Vec<Step>,
    slots: Vec<Slot>,
    memo: usize,
}

/// Bytes of an entry in a table of what was seen.
pub(super) const ENTRY: u64 = 80;

/// The state of a run.
pub(super) struct Runner<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) evaluator: QueryEvaluator,
    budget: &'a Budget<'a>,
    numbers: Numbers,
    width: usize,
    /// The longest text that may be computed, in bytes.
    pub(super) longest_text: usize,
    seen: HashMap<usize, HashSet<Key>>,
    known: HashMap<usize, HashMap<Key, bool>>,
    pub(super) indexes: HashMap<usize, Rc<Index>>,
    pub(super) kept: HashMap<usize, Rc<Table>>,
    inspections: HashMap<(usize, Slots), Rc<Inspection>>,
    /// Values of calls by the only variable that they depend on.
    pub(super) calls: Vec<HashMap<Cell, Option<ExpressionTerm>>>,
    held: u64,
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        terms: Terms<'a>,
        budget: &'a Budget<'a>,
        compiled: &super::compile::Compiled,
    ) -> Runner<'a> {
        let longest_text = usize::try_from(budget.limits().memory / 64).unwrap_or(usize::MAX).min(16 << 20);
        Runner {
            terms,
            evaluator: QueryEvaluator::new(),
            budget,
            numbers: Numbers { kept: compiled.kept, ..Numbers::default() },
            width: compiled.slots,
            longest_text,
            seen: HashMap::new(),
            known: HashMap::new(),
            indexes: HashMap::new(),
            kept: HashMap::new(),
            inspections: HashMap::new(),
            calls: (0..compiled.calls).map(|_| HashMap::new()).collect(),
            held: 0,
        }
    }

    pub(super) fn view(&self) -> &'a dyn RdfView {
        self.terms.view
    }

    #[inline]
    pub(super) fn spend(&self, operations: u64) -> Result<(), Halt> {
        Ok(self.budget.spend(operations)?)
    }

    /// Counts bytes that are held until the run ends.
    #[inline]
    pub(super) fn hold(&mut self, bytes: u64) -> Result<(), Halt> {
        self.held += bytes;
        Ok(self.budget.hold(bytes)?)
    }

    /// Gives back what was held.
    pub(super) fn release(&mut self) {
        self.budget.release(std::mem::take(&mut self.held));
    }

    /// Refuses texts that are too long.
    pub(super) fn measure(&self, bytes: usize) -> Result<(), Halt> {
        if bytes > self.longest_text { Err(self.budget.stopped(Limit::Memory).into()) } else { Ok(()) }
    }

    /// A row without values.
    pub(super) fn empty_row(&self) -> Vec<Cell> {
        vec![Cell::Unbound; self.width]
    }

    /// The steps of a group that is evaluated by itself.
    pub(super) fn plan(&mut self, group: &super::tree::Group, goal: Goal) -> Result<Vec<Step>, Halt> {
        let mut planner = Planner { view: self.terms.view, numbers: &mut self.numbers, substituted: false };
        planner.group(group, &mut State::default(), goal)
    }

    /// Runs steps on a row, and calls the sink for each row that they find.
    pub(super) fn run(&mut self, steps: &[Step], row: &mut [Cell], sink: Sink<'_, 'a>) -> Outcome {
        let Some((step, rest)) = steps.split_first() else { return sink(self, row) };
        match step {
            Step::Scan(positions) => self.scan(positions, rest, row, sink),
            Step::Quoted(slot, positions) => self.quoted(*slot, positions, rest, row, sink),
            Step::Path(path) => self.path(path, rest, row, sink),
            Step::Rows { rows, bound, index } => {
                let table = self.table(rows)?;
                self.join(&table, *bound, *index, rest, row, sink)
            }
            Step::Union(branches) => {
                for branch in branches {
                    let flow = self.run(branch, row, &mut |this, row| this.run(rest, row, sink))?;
                    if flow == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            Step::Bind(slot, expression) => self.bind(*slot, expression, rest, row, sink),
            Step::Filter(expression) => {
                if self.is_true(expression, row)? {
                    return self.run(rest, row, sink);
                }
                Ok(Flow::More)
            }
            Step::Once { slots, memo } => {
                self.spend(1)?;
                if !self.seen.entry(*memo).or_default().insert(key(slots, row)) {
                    return Ok(Flow::More);
                }
                self.hold(ENTRY)?;
                self.run(rest, row, sink)
            }
            Step::Recall { slots, memo } => self.recall(*memo, slots, rest, row, sink),
            Step::Check { steps, finds, slots, memo } => {
                let found = match memo {
                    Some(memo) => self.recall(*memo, slots, steps, row, &mut |_, _| Ok(Flow::Enough))?,
                    None => self.run(steps, row, &mut |_, _| Ok(Flow::Enough))?,
                };
                if (found == Flow::Enough) == *finds {
                    return self.run(rest, row, sink);
                }
                Ok(Flow::More)
            }
            Step::Minus { rows, shared, bound, index } => {
                let table = self.table(rows)?;
                if self.is_excluded(&table, shared, *bound, *index, row)? {
                    return Ok(Flow::More);
                }
                self.run(rest, row, sink)
            }
            Step::Optional(steps, filter) => {
                let mut found = false;
                let flow = self.run(steps, row, &mut |this, row| {
                    if let Some(filter) = filter
                        && !this.is_true(filter, row)?
                    {
                        return Ok(Flow::More);
                    }
                    found = true;
                    this.run(rest, row, sink)
                })?;
                if found || flow == Flow::Enough { Ok(flow) } else { self.run(rest, row, sink) }
            }
        }
    }

    /// Runs the steps, whose sink stops at the first row, unless its result is known.
    fn recall(
        &mut self,
        memo: usize,
        slots: &[Slot],
        steps: &[Step],
        row: &mut [Cell],
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        self.spend(1)?;
        let key = key(slots, row);
        if let Some(&found) = self.known.entry(memo).or_default().get(&key) {
            return Ok(if found { Flow::Enough } else { Flow::More });
        }
        let flow = self.run(steps, row, sink)?;
        self.hold(ENTRY)?;
        self.known.entry(memo).or_default().insert(key, flow == Flow::Enough);
        Ok(flow)
    }

    /// What a position stands for in a row; `Err` if no triple can have it.
    fn known(&self, pos: Pos, row: &[Cell]) -> Result<Option<RdfTerm>, ()> {
        let cell = match pos {
            Pos::Const(cell) => cell,
            Pos::Slot(slot) => row[slot],
        };
        match cell {
            Cell::Unbound => Ok(None),
            Cell::Term(term) => Ok(Some(term)),
            Cell::Made(_) => Err(()),
        }
    }

    fn known_triple(&self, positions: &[Pos; 3], row: &[Cell]) -> Result<[Option<RdfTerm>; 3], ()> {
        let [subject, predicate, object] = *positions;
        Ok([self.known(subject, row)?, self.known(predicate, row)?, self.known(object, row)?])
    }

    fn scan(&mut self, positions: &[Pos; 3], rest: &[Step], row: &mut [Cell], sink: Sink<'_, 'a>) -> Outcome {
        self.spend(1)?;
        let Ok(wanted) = self.known_triple(positions, row) else { return Ok(Flow::More) };
        let (view, mut outcome) = (self.view(), Ok(Flow::More));
        let _ = view.for_each_match(wanted[0], wanted[1], wanted[2], &mut |triple| {
            outcome = self.matched(positions, triple, rest, row, sink);
            if matches!(outcome, Ok(Flow::More)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome
    }

    /// Continues with a triple that fits.
    #[inline]
    fn matched(
        &mut self,
        positions: &[Pos; 3],
        triple: [RdfTerm; 3],
        rest: &[Step],
        row: &mut [Cell],
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        self.spend(1)?;
        let (mut set, mut fits): (SmallVec<[Slot; 3]>, bool) = (SmallVec::new(), true);
        for (pos, term) in positions.iter().zip(triple) {
            if let Pos::Slot(slot) = *pos {
                match row[slot] {
                    Cell::Unbound => {
                        row[slot] = Cell::Term(term);
                        set.push(slot);
                    }
                    // The same variable twice.
                    cell => fits &= cell == Cell::Term(term),
                }
            }
        }
        let outcome = if fits { self.run(rest, row, sink) } else { Ok(Flow::More) };
        set.iter().for_each(|&slot| row[slot] = Cell::Unbound);
        outcome
    }

    /// A triple term and its parts.
    fn quoted(
        &mut self,
        slot: Slot,
        positions: &[Pos; 3],
        rest: &[Step],
        row: &mut [Cell],
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        self.spend(1)?;
        let view = self.view();
        match row[slot] {
            Cell::Term(term) => {
                let Some(triple) = view.quoted_triple(term) else { return Ok(Flow::More) };
                let Ok(wanted) = self.known_triple(positions, row) else { return Ok(Flow::More) };
                if wanted.iter().zip(triple).any(|(wanted, found)| wanted.is_some_and(|w| w != found)) {
                    return Ok(Flow::More);
                }
                self.matched(positions, triple, rest, row, sink)
            }
            Cell::Made(_) => Ok(Flow::More),
            Cell::Unbound => {
                let Ok(wanted) = self.known_triple(positions, row) else { return Ok(Flow::More) };
                let mut outcome = Ok(Flow::More);
                let _ = view.for_each_match(wanted[0], wanted[1], wanted[2], &mut |triple| {
                    if let Some(term) = view.triple_term(triple) {
                        row[slot] = Cell::Term(term);
                        outcome = self.matched(positions, triple, rest, row, sink);
                        row[slot] = Cell::Unbound;
                    }
                    let goes_on = matches!(outcome, Ok(Flow::More));
                    if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                outcome
            }
        }
    }

    fn path(&mut self, path: &PathPart, rest: &[Step], row: &mut [Cell], sink: Sink<'_, 'a>) -> Outcome {
        let [start, end] = path.ends.map(|pos| match pos {
            Pos::Const(cell) => cell,
            Pos::Slot(slot) => row[slot],
        });
        for (start, end) in self.path_pairs(path, start, end)? {
            // The predicate is of no interest.
            let positions = [path.ends[0], Pos::Const(Cell::Unbound), path.ends[1]];
            if self.matched(&positions, [start, start, end], rest, row, sink)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::More)
    }

    fn bind(
        &mut self,
        slot: Slot,
        expression: &super::tree::Expr,
        rest: &[Step],
        row: &mut [Cell],
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        self.spend(1)?;
        let value = self.cell(expression, row)?;
        let before = row[slot];
        if value != Cell::Unbound && before != Cell::Unbound && value != before {
            return Ok(Flow::More);
        }
        if before == Cell::Unbound {
            row[slot] = value;
        }
        let outcome = self.run(rest, row, sink);
        row[slot] = before;
        outcome
    }

    /// Whether the pattern of `EXISTS` has a row that agrees with a row.
    pub(super) fn exists(&mut self, existence: &Existence, row: &mut [Cell]) -> Result<bool, Halt> {
        let mentions = existence.group.mentions();
        let bound =
            slots_of(mentions).filter(|&slot| row[slot] != Cell::Unbound).fold(0, |set, s| set | one(s));
        let at = (existence.id, bound);
        let inspection = match self.inspections.get(&at) {
            Some(inspection) => Rc::clone(inspection),
            None => {
                let mut state = State { certain: bound, possible: bound, dropped: bound };
                let memo = self.numbers.memos;
                self.numbers.memos += 1;
                let mut planner =
                    Planner { view: self.terms.view, numbers: &mut self.numbers, substituted: true };
                let steps = planner.group(&existence.group, &mut state, Goal::Exists)?;
                let made = Rc::new(Inspection { steps, slots: slots_of(bound).collect(), memo });
                self.inspections.insert(at, Rc::clone(&made));
                made
            }
        };
        let Inspection { steps, slots, memo } = &*inspection;
        Ok(self.recall(*memo, slots, steps, row, &mut |_, _| Ok(Flow::Enough))? == Flow::Enough)
    }
}

/// The cells of some slots.
pub(super) fn key(slots: &[Slot], row: &[Cell]) -> Key {
    slots.iter().map(|&slot| row[slot]).collect()
}
