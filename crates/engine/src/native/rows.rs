//! Rows that are worked out once, and joined with the row so far.

use super::cells::{Cell, Slot, Slots, Table, one, slots_of};
use super::plan::{Goal, RowSource, Step};
use super::run::{ENTRY, Flow, Halt, Key, Outcome, Runner, Sink, key};
use super::tree::Kept;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// The rows of a table by the cells of some slots.
pub(super) struct Index {
    columns: Vec<(usize, Slot)>,
    rows: HashMap<Key, Vec<u32>>,
}

impl<'a> Runner<'a> {
    /// The rows of a source, which are worked out when they are first needed.
    pub(super) fn table(&mut self, source: &RowSource) -> Result<Rc<Table>, Halt> {
        let (kept, goal) = match source {
            RowSource::Table(table) => return Ok(Rc::clone(table)),
            RowSource::Kept(kept, goal) => (kept, *goal),
        };
        if let Some(table) = self.kept.get(&kept.id) {
            return Ok(Rc::clone(table));
        }
        let table = Rc::new(self.collect(kept, goal)?);
        self.kept.insert(kept.id, Rc::clone(&table));
        Ok(table)
    }

    fn collect(&mut self, kept: &Kept, goal: Goal) -> Result<Table, Halt> {
        let slots: Vec<Slot> = match goal {
            Goal::Set(needed) => slots_of(needed).collect(),
            Goal::Bag | Goal::Exists => slots_of(kept.node.possible()).collect(),
        };
        let mut table = Table::new(slots.clone());
        let mut seen = HashSet::new();
        let bytes = 16 * slots.len() as u64 + 8;
        self.node(&kept.node, goal, None, &mut |this, row| {
            if matches!(goal, Goal::Set(_)) && !seen.insert(key(&slots, row)) {
                return Ok(Flow::More);
            }
            this.hold(if goal == Goal::Bag { bytes } else { bytes + ENTRY })?;
            table.push(slots.iter().map(|&slot| row[slot]));
            Ok(Flow::More)
        })?;
        Ok(table)
    }

    /// The index of a table by slots that are bound; `None` if there are none, or if one of them has no value after all.
    fn index(
        &mut self,
        table: &Table,
        bound: Slots,
        index: usize,
        row: &[Cell],
    ) -> Result<Option<Rc<Index>>, Halt> {
        let usable = bound & table.certain;
        if usable == 0 || table.len() < 2 || slots_of(usable).any(|slot| row[slot] == Cell::Unbound) {
            return Ok(None);
        }
        if let Some(index) = self.indexes.get(&index) {
            return Ok(Some(Rc::clone(index)));
        }
        let columns = table.slots.iter().copied().enumerate().filter(|(_, slot)| usable & one(*slot) != 0);
        let columns: Vec<(usize, Slot)> = columns.collect();
        let mut rows: HashMap<Key, Vec<u32>> = HashMap::new();
        self.spend(table.len() as u64)?;
        self.hold(ENTRY * table.len() as u64)?;
        for (at, number) in (0..table.len()).zip(0..) {
            let cells = table.row(at);
            rows.entry(columns.iter().map(|&(column, _)| cells[column]).collect()).or_default().push(number);
        }
        let made = Rc::new(Index { columns, rows });
        self.indexes.insert(index, Rc::clone(&made));
        Ok(Some(made))
    }

    /// Joins the row so far with the rows of a table.
    pub(super) fn join(
        &mut self,
        table: &Rc<Table>,
        bound: Slots,
        index: usize,
        rest: &[Step],
        row: &mut [Cell],
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        self.spend(1)?;
        if let Some(index) = self.index(table, bound, index, row)? {
            let key: Key = index.columns.iter().map(|&(_, slot)| row[slot]).collect();
            for &at in index.rows.get(&key).map_or(&[][..], Vec::as_slice) {
                if self.merged(table, at as usize, rest, row, sink)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
            }
            return Ok(Flow::More);
        }
        for at in 0..table.len() {
            if self.merged(table, at, rest, row, sink)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::More)
    }

    /// Continues with the row so far and a row of a table, if they agree.
    fn merged(
        &mut self,
        table: &Table,
        at: usize,
        rest: &[Step],
        row: &mut [Cell],
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        self.spend(1)?;
        let mut set: SmallVec<[Slot; 4]> = SmallVec::new();
        let mut agrees = true;
        for (&cell, &slot) in table.row(at).iter().zip(&table.slots) {
            match (row[slot], cell) {
                (_, Cell::Unbound) => {}
                (Cell::Unbound, cell) => {
                    row[slot] = cell;
                    set.push(slot);
                }
                (before, cell) => agrees &= before == cell,
            }
        }
        let outcome = if agrees { self.run(rest, row, sink) } else { Ok(Flow::More) };
        set.iter().for_each(|&slot| row[slot] = Cell::Unbound);
        outcome
    }

    /// Whether a row of a table agrees with the row so far and has a variable in common with it.
    pub(super) fn is_excluded(
        &mut self,
        table: &Table,
        shared: &[Slot],
        bound: Slots,
        index: usize,
        row: &[Cell],
    ) -> Result<bool, Halt> {
        let all;
        let index = self.index(table, bound, index, row)?;
        let candidates = match &index {
            Some(index) => {
                let key: Key = index.columns.iter().map(|&(_, slot)| row[slot]).collect();
                index.rows.get(&key).map_or(&[][..], Vec::as_slice)
            }
            None => {
                all = (0..u32::try_from(table.len()).unwrap_or(u32::MAX)).collect::<Vec<u32>>();
                &all
            }
        };
        self.spend(1 + candidates.len() as u64)?;
        let agrees = |&at: &u32| {
            let (mut common, mut agrees) = (false, true);
            for (&cell, &slot) in table.row(at as usize).iter().zip(&table.slots) {
                if cell != Cell::Unbound && row[slot] != Cell::Unbound && shared.contains(&slot) {
                    common = true;
                    agrees &= cell == row[slot];
                }
            }
            common && agrees
        };
        Ok(candidates.iter().any(agrees))
    }
}
