//! Things that occur twice: cycles, and inequalities between inner things.
//!
//! A thing is in a set with marks if the marked things can be chosen such that everything holds. The choices are searched one after
//! another, filtered by the sets that `evaluate.rs` computes.

use super::evaluate::{Evaluator, Outcome};
use super::superlative::winning;
use super::things::{Thing, Things};
use crate::plan::{Extremes, PlanSet, SetKind, Side};
use std::borrow::Cow;

/// The thing chosen for each mark.
pub(super) type Marks = Vec<Option<Thing>>;

/// Handles one choice; returns whether that is enough.
pub(super) type Then<'t> = &'t mut dyn FnMut(&mut Marks) -> Outcome<bool>;

impl<'k> Evaluator<'k, '_> {
    /// Calls `then` for each choice in which a thing is in a set, until it returns that this is enough.
    pub(super) fn ways(
        &self,
        set: &PlanSet,
        thing: Thing,
        marks: &mut Marks,
        then: Then<'_>,
    ) -> Outcome<bool> {
        self.budget.spend(1)?;
        if !set.has_marks {
            return if self.has(set, thing)? { then(marks) } else { Ok(false) };
        }
        match &set.kind {
            SetKind::And(parts) => {
                // Sets without marks decide quickly.
                for part in parts.iter().filter(|part| !part.has_marks) {
                    if !self.has(part, thing)? {
                        return Ok(false);
                    }
                }
                let rest: Vec<&PlanSet> = parts.iter().filter(|part| part.has_marks).collect();
                self.all_ways(&rest, thing, marks, then)
            }
            SetKind::Or(parts) => {
                for part in parts {
                    if self.ways(part, thing, marks, then)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            SetKind::Marked(mark, inner) => match marks[*mark] {
                Some(known) if known != thing => Ok(false),
                Some(_) => self.ways(inner, thing, marks, then),
                None => {
                    marks[*mark] = Some(thing);
                    let enough = self.ways(inner, thing, marks, then);
                    marks[*mark] = None;
                    enough
                }
            },
            SetKind::Same(mark) => match marks[*mark] {
                Some(known) => {
                    if known == thing {
                        then(marks)
                    } else {
                        Ok(false)
                    }
                }
                // It is described later: the thing marked then must be this one.
                None => {
                    marks[*mark] = Some(thing);
                    let enough = then(marks);
                    marks[*mark] = None;
                    enough
                }
            },
            SetKind::Relate(relate) => {
                let possible = self.cached(&relate.from)?;
                self.neighbours(relate, thing, &mut |other| {
                    if !possible.contains(other) {
                        return Ok(false);
                    }
                    self.ways(&relate.from, other, marks, then)
                })
            }
            SetKind::Superlative(extremes) => self.extreme_ways(set, extremes, thing, marks, then),
            _ => Ok(false),
        }
    }

    /// As [`Evaluator::ways`], for a superlative with marks.
    fn extreme_ways(
        &self,
        set: &PlanSet,
        extremes: &Extremes,
        thing: Thing,
        marks: &mut Marks,
        then: Then<'_>,
    ) -> Outcome<bool> {
        if self.extremes(set).get().is_none() {
            let contenders = self.contenders_by_solutions(extremes, &[], false)?;
            let values = || contenders.iter().map(|(literal, _)| *literal);
            let wins = winning(self.kb, values(), extremes.extreme);
            let mut literals: Vec<u32> = values().filter(|&literal| wins(literal)).collect();
            literals.sort_unstable();
            literals.dedup();
            let _ = self.extremes(set).set(literals);
        }
        let best = self.extremes(set).get().map_or(&[][..], Vec::as_slice);
        self.ways(&extremes.of, thing, marks, &mut |marks| {
            let values = self.path_values(extremes, start(extremes, thing, marks))?;
            if values.iter().any(|value| best.binary_search(value).is_ok()) { then(marks) } else { Ok(false) }
        })
    }

    pub(super) fn all_ways(
        &self,
        parts: &[&PlanSet],
        thing: Thing,
        marks: &mut Marks,
        then: Then<'_>,
    ) -> Outcome<bool> {
        match parts {
            [] => then(marks),
            [first, rest @ ..] => {
                self.ways(first, thing, marks, &mut |marks| self.all_ways(rest, thing, marks, then))
            }
        }
    }

    /// Whether the inequalities hold for one choice.
    pub(super) fn allowed(&self, thing: Thing, marks: &Marks) -> bool {
        let value = |side: &Side| match side {
            Side::Answer => Some(thing),
            Side::Marked(mark) => marks[*mark],
            Side::Node(node) => node.map(Thing::Node),
        };
        self.plan.different.iter().all(|(a, b)| {
            // A thing that the KB does not know differs from everything in the KB.
            if matches!(a, Side::Node(None)) || matches!(b, Side::Node(None)) {
                return true;
            }
            match (value(a), value(b)) {
                (Some(a), Some(b)) => a != b,
                // A thing that was never chosen cannot be compared: as in SPARQL, the comparison is not true.
                _ => false,
            }
        })
    }

    /// The members of a set with marks, as answers, which follow the rules of the query, or as part of it.
    pub(super) fn solved(&self, set: &PlanSet, as_answers: bool) -> Outcome<Things<'k>> {
        let (candidates, is_everything) =
            if as_answers { self.listed_answers(set)? } else { (self.listed_inside(set)?, false) };
        let n_entities = self.kb.n_entities();
        let (mut nodes, mut literals) = (Vec::new(), Vec::new());
        let mut marks: Marks = vec![None; self.plan.n_marks];
        self.budget.enter(Some((set.step, self.plan.n_steps)));
        for thing in candidates.iter() {
            self.budget.spend(1)?;
            let is_entity = matches!(thing, Thing::Node(node) if (node as usize) < n_entities);
            let then: Then<'_> = &mut |marks| Ok(!as_answers || self.allowed(thing, marks));
            // If it is not an entity, the set must restrict it in some way.
            let found = if is_everything && !is_entity {
                self.naming_ways(set, thing, &mut marks, then)?
            } else {
                self.ways(set, thing, &mut marks, then)?
            };
            if found {
                match thing {
                    Thing::Node(node) => nodes.push(node),
                    Thing::Literal(literal) => literals.push(literal),
                }
            }
        }
        self.keep(nodes.len() + literals.len())?;
        Ok(Things::Listed { nodes: Cow::Owned(nodes), literals: Cow::Owned(literals) })
    }

    /// The candidates of a superlative with the values that they reach, choice by choice.
    pub(super) fn contenders_by_solutions(
        &self,
        extremes: &Extremes,
        banned: &[u32],
        rules: bool,
    ) -> Outcome<Vec<(u32, Thing)>> {
        let candidates = self.listed_inside(&extremes.of)?;
        let mut contenders = Vec::new();
        let mut marks: Marks = vec![None; self.plan.n_marks];
        for thing in candidates.iter() {
            if matches!(thing, Thing::Node(node) if banned.binary_search(&node).is_ok()) {
                continue;
            }
            self.ways(&extremes.of, thing, &mut marks, &mut |marks| {
                if !rules || self.allowed(thing, marks) {
                    let values = self.path_values(extremes, start(extremes, thing, marks))?;
                    self.keep(values.len() * 3)?;
                    contenders.extend(values.into_iter().map(|value| (value, thing)));
                }
                Ok(false)
            })?;
        }
        Ok(contenders)
    }
}

fn start(extremes: &Extremes, thing: Thing, marks: &Marks) -> Thing {
    extremes.start.and_then(|mark| marks[mark]).unwrap_or(thing)
}
