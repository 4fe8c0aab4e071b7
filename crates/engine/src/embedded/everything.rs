//! Expands descriptions that restrict nothing.
//!
//! As an answer, everything means all entities. A union may add classes and literals to it: `Or([c, All])` is all entities and `c`.
//! Inside a query, everything includes classes and literals.

use super::evaluate::{Evaluator, Outcome};
use super::solutions::{Marks, Then};
use super::things::{Thing, Things};
use crate::cast::index32;
use crate::plan::{PlanSet, SetKind};
use std::borrow::Cow;

impl<'k> Evaluator<'k, '_> {
    /// The members of a set without marks as answers, and whether the set restricts nothing.
    pub(super) fn listed_answers(&self, set: &PlanSet) -> Outcome<(Things<'k>, bool)> {
        match self.things(set)? {
            Things::All => {
                let entities = self.listed(Things::All)?;
                let named = self.listed(self.named(set)?)?;
                self.budget.spend(named.len().unwrap_or(0) as u64)?;
                self.keep(named.len().unwrap_or(0))?;
                Ok((entities.union(named), true))
            }
            things => Ok((self.listed(things)?, false)),
        }
    }

    /// The members of a set inside a query, where everything includes classes and literals.
    pub(super) fn listed_inside(&self, set: &PlanSet) -> Outcome<Things<'k>> {
        match self.things(set)? {
            Things::All => {
                let (n_nodes, n_literals) = (self.kb.n_nodes(), self.kb.n_literals());
                self.budget.spend((n_nodes + n_literals) as u64)?;
                self.keep(n_nodes + n_literals)?;
                Ok(Things::Listed {
                    nodes: Cow::Owned((0..index32(n_nodes)).collect()),
                    literals: Cow::Owned((0..index32(n_literals)).collect()),
                })
            }
            things => self.listed(things),
        }
    }

    /// Expands everything to all entities, and ranges of literals to lists.
    fn listed(&self, things: Things<'k>) -> Outcome<Things<'k>> {
        Ok(match things {
            Things::All => {
                let n = self.kb.n_entities();
                self.budget.spend(n as u64)?;
                self.keep(n)?;
                Things::nodes(Cow::Owned((0..index32(n)).collect()))
            }
            Things::Ranges(ranges) => {
                self.budget.spend(ranges.len() as u64)?;
                self.keep(ranges.len())?;
                Things::literals(Cow::Owned(ranges.literals().collect()))
            }
            listed => listed,
        })
    }

    /// The members of an unrestricted set that some part of it describes.
    fn named(&self, set: &PlanSet) -> Outcome<Things<'k>> {
        match &set.kind {
            SetKind::All | SetKind::Same(_) => Ok(Things::none()),
            SetKind::Marked(_, inner) => self.named(inner),
            // Everything is in all parts of an unrestricted intersection: one part that describes a thing is sufficient.
            SetKind::Or(parts) | SetKind::And(parts) => {
                let mut union = Things::none();
                for part in parts {
                    union = union.union(self.named(part)?);
                    self.budget.spend(union.len().unwrap_or(0) as u64)?;
                }
                Ok(union)
            }
            _ => self.things(set),
        }
    }

    /// Like `ways`, but only those in which some part of the set describes the thing.
    pub(super) fn naming_ways(
        &self,
        set: &PlanSet,
        thing: Thing,
        marks: &mut Marks,
        then: Then<'_>,
    ) -> Outcome<bool> {
        match &set.kind {
            SetKind::All | SetKind::Same(_) => Ok(false),
            SetKind::Marked(mark, inner) => match marks[*mark] {
                Some(known) if known != thing => Ok(false),
                known => {
                    marks[*mark] = Some(thing);
                    let enough = self.naming_ways(inner, thing, marks, then);
                    marks[*mark] = known;
                    enough
                }
            },
            SetKind::Or(parts) => {
                for part in parts {
                    if self.naming_ways(part, thing, marks, then)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            SetKind::And(parts) => {
                for (at, naming) in parts.iter().enumerate() {
                    let others: Vec<&PlanSet> = parts
                        .iter()
                        .enumerate()
                        .filter(|(other, _)| *other != at)
                        .map(|(_, part)| part)
                        .collect();
                    let enough = self.naming_ways(naming, thing, marks, &mut |marks| {
                        self.all_ways(&others, thing, marks, then)
                    })?;
                    if enough {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => self.ways(set, thing, marks, then),
        }
    }
}
