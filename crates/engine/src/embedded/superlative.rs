//! Superlatives.
//!
//! Only numbers in the usual unit of the attribute are compared: values in other units are not comparable with them. If there are no such
//! numbers, times are compared. A time wins if no other is strictly better at the coarser of both precisions: 1990 and 1990-05-06 tie.

use super::evaluate::{Evaluator, Outcome};
use super::things::{Thing, Things};
use crate::plan::{Extremes, PlanSet};
use crate::sorted::{intersection, sorted};
use crate::values::{comparable, partition};
use crate::words::SmallList;
use std::borrow::Cow;
use std::ops::Range;
use touchstone_kb::{AttributeId, Kb, Literal, LiteralId, NodeId, Precision, Property};
use touchstone_logic::{Direction, Extreme};

/// The candidates of a superlative.
enum Candidates<'c, 'k> {
    /// Described, not computed.
    Described(&'c PlanSet),
    /// Computed.
    Listed(Cow<'k, [u32]>),
}

impl<'k> Evaluator<'k, '_> {
    /// The members with the extreme value, excluding those in `banned`.
    pub(super) fn superlative(
        &self,
        extremes: &Extremes,
        banned: &[u32],
        step: usize,
    ) -> Outcome<Things<'k>> {
        if extremes.of.has_marks {
            let contenders = self.contenders_by_solutions(extremes, banned, false)?;
            return Ok(self.winners(contenders, extremes.extreme));
        }
        let Some((last, before)) = extremes.path.split_last() else { return Ok(Things::none()) };
        let attributes = attributes(last);
        if before.is_empty() {
            let described = Candidates::Described(&extremes.of);
            let winners = self.extreme_nodes(described, &attributes, extremes.extreme, banned, step)?;
            return Ok(Things::nodes(Cow::Owned(winners)));
        }
        // Forwards to everything that the candidates reach, then backwards from the winners to the candidates.
        let of = without(self.things(&extremes.of)?, banned);
        let mut level = of.clone();
        for (properties, direction) in before {
            level = self.related(&level, properties, *direction, &[])?;
        }
        let Things::Listed { nodes, .. } = level else { return Ok(Things::none()) };
        let listed = Candidates::Listed(nodes);
        let winners = self.extreme_nodes(listed, &attributes, extremes.extreme, &[], step)?;
        let mut back = Things::nodes(Cow::Owned(winners));
        for (properties, direction) in before.iter().rev() {
            back = self.related(&back, properties, direction.flipped(), &[])?;
        }
        self.budget.spend(back.len().unwrap_or(0) as u64)?;
        Ok(of.intersection(back))
    }

    /// The candidates with the extreme value of an attribute.
    fn extreme_nodes(
        &self,
        candidates: Candidates<'_, 'k>,
        attributes: &[AttributeId],
        extreme: Extreme,
        banned: &[u32],
        step: usize,
    ) -> Outcome<Vec<u32>> {
        let block = competing(self.kb, attributes);
        if block.is_empty() {
            return Ok(Vec::new());
        }
        let Some(candidates) = self.listed_if_cheaper(candidates, attributes, banned)? else {
            return Ok(Vec::new());
        };
        self.budget.enter(Some((step, self.plan.n_steps)));
        let is_candidate = |node: u32| -> Outcome<bool> {
            Ok(match &candidates {
                Candidates::Described(set) => !banned.contains(&node) && self.has(set, Thing::Node(node))?,
                Candidates::Listed(nodes) => nodes.binary_search(&node).is_ok(),
            })
        };
        let mut best: Option<u32> = None;
        for &attribute in attributes {
            let column = self.kb.facts_by_value(attribute);
            let positions = column.positions(block.start as usize..block.end as usize);
            match &candidates {
                Candidates::Listed(nodes) if nodes.len() < positions.len() => {
                    self.best_of_nodes(nodes, attribute, &block, extreme, &mut best)?;
                }
                _ => {
                    let mut is_found = |at: usize| -> Outcome<bool> {
                        self.budget.spend(1)?;
                        let literal = column.value(at).0;
                        if !is_better(literal, best, extreme) {
                            return Ok(true);
                        }
                        if is_candidate(column.subjects[at])? {
                            best = Some(literal);
                        }
                        Ok(best.is_some())
                    };
                    match extreme {
                        Extreme::Max => walk(positions.rev(), &mut is_found)?,
                        Extreme::Min => walk(positions, &mut is_found)?,
                    }
                }
            }
        }
        let Some(best) = best else { return Ok(Vec::new()) };
        let zone = self.tying(best, &block);
        let mut contenders = Vec::new();
        for &attribute in attributes {
            let column = self.kb.facts_by_value(attribute);
            for at in column.positions(zone.start as usize..zone.end as usize) {
                self.budget.spend(1)?;
                if is_candidate(column.subjects[at])? {
                    contenders.push((column.value(at).0, Thing::Node(column.subjects[at])));
                }
            }
        }
        self.keep(contenders.len() * 3)?;
        match self.winners(contenders, extreme) {
            Things::Listed { nodes, .. } => Ok(nodes.into_owned()),
            _ => Ok(Vec::new()),
        }
    }

    /// Lists described candidates if that is cheaper: scanning values from the top finds a candidate after about `values / candidates` of
    /// them; scanning the candidates takes all of them. `None` if there are no nodes among them.
    fn listed_if_cheaper<'c>(
        &self,
        candidates: Candidates<'c, 'k>,
        attributes: &[AttributeId],
        banned: &[u32],
    ) -> Outcome<Option<Candidates<'c, 'k>>> {
        let Candidates::Described(set) = candidates else { return Ok(Some(candidates)) };
        let n_values: usize = attributes.iter().map(|&a| self.kb.facts_by_value(a).len()).sum();
        let estimate = self.estimate(set);
        if set.reach <= 1 && estimate.saturating_mul(estimate) > n_values {
            return Ok(Some(candidates));
        }
        Ok(match without(self.things(set)?, banned) {
            Things::Listed { nodes, .. } => Some(Candidates::Listed(nodes)),
            Things::All => Some(candidates),
            Things::Ranges(_) => None,
        })
    }

    /// Improves the best value by the values of some nodes.
    fn best_of_nodes(
        &self,
        nodes: &[u32],
        attribute: AttributeId,
        block: &Range<u32>,
        extreme: Extreme,
        best: &mut Option<u32>,
    ) -> Outcome<()> {
        for &node in nodes {
            self.budget.spend(1)?;
            let literals = in_block(self.kb.literals(NodeId(node), attribute), block);
            let end = if extreme == Extreme::Max { literals.last() } else { literals.first() };
            if let Some(&literal) = end
                && is_better(literal, *best, extreme)
            {
                *best = Some(literal);
            }
        }
        Ok(())
    }

    /// The literals that may tie with the best one: the same number, or the same year.
    fn tying(&self, best: u32, block: &Range<u32>) -> Range<u32> {
        let year = |id: u32| self.kb.literal_time(LiteralId(id)).map(|time| time.key_at(Precision::Year));
        let number = |id: u32| self.kb.literal_number(LiteralId(id)).unwrap_or(0.0);
        let place = |id: u32| year(id).cmp(&year(best)).then_with(|| number(id).total_cmp(&number(best)));
        let start = partition(block.start..best, |id| place(id).is_lt());
        start..partition(best..block.end, |id| place(id).is_le())
    }

    /// The things whose values are not beaten by any other.
    pub(super) fn winners(&self, contenders: Vec<(u32, Thing)>, extreme: Extreme) -> Things<'k> {
        let winning = winning(self.kb, contenders.iter().map(|(literal, _)| *literal), extreme);
        let (mut nodes, mut literals) = (Vec::new(), Vec::new());
        for (literal, thing) in contenders {
            if winning(literal) {
                match thing {
                    Thing::Node(node) => nodes.push(node),
                    Thing::Literal(literal) => literals.push(literal),
                }
            }
        }
        Things::Listed {
            nodes: Cow::Owned(sorted(nodes, self.kb.n_nodes())),
            literals: Cow::Owned(sorted(literals, self.kb.n_literals())),
        }
    }

    /// The competing values at the end of a superlative's path that starts at a thing.
    pub(super) fn path_values(&self, extremes: &Extremes, start: Thing) -> Outcome<Vec<u32>> {
        let Some((last, before)) = extremes.path.split_last() else { return Ok(Vec::new()) };
        let attributes = attributes(last);
        let block = competing(self.kb, &attributes);
        let mut level = match start {
            Thing::Node(node) => Things::nodes(Cow::Owned(vec![node])),
            Thing::Literal(literal) => Things::literals(Cow::Owned(vec![literal])),
        };
        for (properties, direction) in before {
            level = self.related(&level, properties, *direction, &[])?;
        }
        let properties: Vec<Property> = attributes.into_iter().map(Property::Attribute).collect();
        match self.related(&level, &properties, Direction::Forward, &[])? {
            Things::Listed { literals, .. } => Ok(in_block(&literals, &block).to_vec()),
            _ => Ok(Vec::new()),
        }
    }
}

/// The attributes of the last step of a path.
fn attributes((properties, direction): &(SmallList<Property>, Direction)) -> Vec<AttributeId> {
    let attribute = |property: &Property| match property {
        Property::Attribute(attribute) if *direction == Direction::Forward => Some(*attribute),
        _ => None,
    };
    properties.iter().filter_map(attribute).collect()
}

/// The literals to compare: quantities in the usual unit, otherwise times.
fn competing(kb: &Kb, attributes: &[AttributeId]) -> Range<u32> {
    for &attribute in attributes {
        let column = kb.facts_by_value(attribute);
        let quantity = Literal::quantity("0", kb.attribute_unit(attribute));
        for probe in [quantity, Literal::year("2000")].into_iter().flatten() {
            let block = comparable(kb, &probe);
            if !column.positions(block.start as usize..block.end as usize).is_empty() {
                return block;
            }
        }
    }
    0..0
}

/// Whether a literal is more extreme than the best one so far.
#[inline]
fn is_better(found: u32, best: Option<u32>, extreme: Extreme) -> bool {
    match (best, extreme) {
        (None, _) => true,
        (Some(best), Extreme::Max) => found > best,
        (Some(best), Extreme::Min) => found < best,
    }
}

/// Scans positions until `is_found` returns true.
#[inline]
fn walk(
    positions: impl Iterator<Item = usize>,
    is_found: &mut impl FnMut(usize) -> Outcome<bool>,
) -> Outcome<()> {
    for at in positions {
        if is_found(at)? {
            break;
        }
    }
    Ok(())
}

fn in_block<'l>(literals: &'l [u32], block: &Range<u32>) -> &'l [u32] {
    let from = literals.partition_point(|&literal| literal < block.start);
    let to = literals.partition_point(|&literal| literal < block.end);
    &literals[from..to]
}

/// A test for the literals that are not beaten by any other.
pub(super) fn winning(
    kb: &Kb,
    literals: impl Iterator<Item = u32>,
    extreme: Extreme,
) -> impl Fn(u32) -> bool + '_ {
    const PRECISIONS: [Precision; 4] = [Precision::Year, Precision::Month, Precision::Day, Precision::Second];
    let better = move |a: i64, b: i64| if extreme == Extreme::Max { a > b } else { a < b };
    let mut best_number: Option<f64> = None;
    let mut best_time: [Option<i64>; 4] = [None; 4];
    for id in literals {
        if let Some(time) = kb.literal_time(LiteralId(id)) {
            for (precision, best) in PRECISIONS.into_iter().zip(&mut best_time) {
                if precision <= time.precision()
                    && best.is_none_or(|best| better(time.key_at(precision), best))
                {
                    *best = Some(time.key_at(precision));
                }
            }
        } else if let Some(number) = kb.literal_number(LiteralId(id)) {
            let wins = |best: f64| if extreme == Extreme::Max { number > best } else { number < best };
            if best_number.is_none_or(wins) {
                best_number = Some(number);
            }
        }
    }
    move |id| match kb.literal_time(LiteralId(id)) {
        Some(time) => PRECISIONS
            .into_iter()
            .zip(&best_time)
            .all(|(precision, best)| precision > time.precision() || Some(time.key_at(precision)) == *best),
        None => kb.literal_number(LiteralId(id)) == best_number,
    }
}

/// A set without some nodes.
pub(super) fn without<'k>(things: Things<'k>, banned: &[u32]) -> Things<'k> {
    match things {
        Things::Listed { nodes, literals }
            if !banned.is_empty() && !intersection(&nodes, banned).is_empty() =>
        {
            let kept = nodes.iter().copied().filter(|node| banned.binary_search(node).is_err()).collect();
            Things::Listed { nodes: Cow::Owned(kept), literals }
        }
        other => other,
    }
}
