//! Sorting, slices, projection and distinct rows.

use super::cells::{Cell, Slot, one, slots_of};
use super::plan::Goal;
use super::run::{Flow, Halt, Outcome, Runner, Sink, key};
use super::tree::{Node, SortKey};
use super::values::sort_order;
use hashbrown::HashSet;
use spareval::ExpressionTerm;
use std::cmp::Ordering;

/// A row to be sorted.
struct Sorted {
    keys: Vec<Option<ExpressionTerm>>,
    cells: Box<[Cell]>,
}

impl<'a> Runner<'a> {
    /// Passes the rows of a node to a sink. `most` is the number of rows after which no more are wanted.
    pub(super) fn node(
        &mut self,
        node: &Node,
        goal: Goal,
        most: Option<usize>,
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        match node {
            Node::Group(group) => {
                let steps = self.plan(group, goal)?;
                let mut row = self.empty_row();
                self.run(&steps, &mut row, sink)
            }
            Node::Project { input, slots } => {
                let goal = match goal {
                    Goal::Set(needed) => Goal::Set(needed & slots),
                    other => other,
                };
                self.node(input, goal, most, sink)
            }
            Node::Distinct { input } => self.distinct(input, goal, sink),
            Node::Order { input, keys } => self.order(input, keys, goal, most, sink),
            Node::Slice { input, start, length } => self.slice(node, input, (*start, *length), goal, sink),
            Node::Aggregate(aggregation) => self.aggregate(aggregation, sink),
        }
    }

    fn distinct(&mut self, input: &Node, goal: Goal, sink: Sink<'_, 'a>) -> Outcome {
        if goal != Goal::Bag {
            return self.node(input, goal, None, sink);
        }
        let set = input.possible();
        let slots: Vec<Slot> = slots_of(set).collect();
        let mut seen = HashSet::new();
        self.node(input, Goal::Set(set), None, &mut |this, row| {
            if !seen.insert(key(&slots, row)) {
                return Ok(Flow::More);
            }
            this.hold(24 * slots.len() as u64 + 32)?;
            sink(this, row)
        })
    }

    fn slice(
        &mut self,
        node: &Node,
        input: &Node,
        (start, length): (usize, Option<usize>),
        goal: Goal,
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        if length == Some(0) {
            return Ok(Flow::More);
        }
        // The first row is the same, however often each comes up.
        let inner_goal = match (start, length, goal) {
            (0, Some(1), Goal::Set(needed)) => Goal::Set(needed),
            (0, Some(1), Goal::Bag) => Goal::Set(node.possible()),
            (0, Some(1), Goal::Exists) => Goal::Exists,
            _ => Goal::Bag,
        };
        let most = length.map(|length| start.saturating_add(length));
        let (mut count, mut stopped) = (0usize, false);
        let flow = self.node(input, inner_goal, most, &mut |this, row| {
            count += 1;
            if count <= start {
                return Ok(Flow::More);
            }
            let flow = sink(this, row)?;
            stopped = flow == Flow::Enough;
            Ok(if most.is_some_and(|most| count >= most) { Flow::Enough } else { flow })
        })?;
        Ok(if stopped { flow } else { Flow::More })
    }

    fn order(
        &mut self,
        input: &Node,
        keys: &[SortKey],
        goal: Goal,
        most: Option<usize>,
        sink: Sink<'_, 'a>,
    ) -> Outcome {
        let by = keys.iter().fold(0, |set, key| set | key.expression.slots);
        let (wanted, inner_goal) = match goal {
            Goal::Set(needed) => (needed, Goal::Set(needed | (by & input.possible()))),
            Goal::Exists => return self.node(input, goal, None, sink),
            Goal::Bag => (input.possible(), Goal::Bag),
        };
        let slots: Vec<Slot> = slots_of(wanted & input.possible()).collect();
        let directions: Vec<bool> = keys.iter().map(|key| key.descending).collect();
        let mut rows: Vec<Sorted> = Vec::new();
        let flush = most.map_or(usize::MAX, |most| most.saturating_mul(2).max(16));
        // The keys of the last row of those that are kept: what does not come before it is not needed.
        let mut last: Option<Vec<Option<ExpressionTerm>>> = None;
        let bytes = 16 * slots.len() as u64 + 64 * keys.len() as u64 + 48;
        self.node(input, inner_goal, None, &mut |this, row| {
            let values = keys.iter().map(|key| this.value(&key.expression, row));
            let values = values.collect::<Result<Vec<_>, Halt>>()?;
            if last.as_ref().is_some_and(|last| order_of(&directions, &values, last) != Ordering::Less) {
                return Ok(Flow::More);
            }
            rows.push(Sorted { keys: values, cells: slots.iter().map(|&slot| row[slot]).collect() });
            if rows.len() >= flush {
                rows.sort_by(|a, b| order_of(&directions, &a.keys, &b.keys));
                rows.truncate(most.unwrap_or(usize::MAX));
                last = rows.last().map(|row| row.keys.clone());
            } else if rows.len() < 2048 || most.is_none() {
                this.hold(bytes)?;
            }
            Ok(Flow::More)
        })?;
        self.spend(rows.len() as u64)?;
        rows.sort_by(|a, b| order_of(&directions, &a.keys, &b.keys));
        let mut row = self.empty_row();
        for sorted in rows.iter().take(most.unwrap_or(usize::MAX)) {
            slots.iter().zip(&sorted.cells).for_each(|(&slot, &cell)| row[slot] = cell);
            if sink(self, &mut row)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::More)
    }
}

fn order_of(descending: &[bool], a: &[Option<ExpressionTerm>], b: &[Option<ExpressionTerm>]) -> Ordering {
    for ((a, b), &descending) in a.iter().zip(b).zip(descending) {
        let order = sort_order(a.as_ref(), b.as_ref());
        if order != Ordering::Equal {
            return if descending { order.reverse() } else { order };
        }
    }
    Ordering::Equal
}

/// The set of a list of slots.
pub(super) fn set_of(slots: &[Slot]) -> super::cells::Slots {
    slots.iter().fold(0, |set, &slot| set | one(slot))
}
