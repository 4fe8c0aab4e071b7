//! Look-ups of the qualifiers of facts.

use super::facts::{FactColumns, LITERAL_BIT};
use super::kb::Kb;
use crate::cast::to_usize;
use crate::ids::{FactId, LiteralId, NodeId, QualifierId, Value};
use std::ops::Range;

/// A statement about a fact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Qualifier {
    /// The key.
    pub key: QualifierId,
    /// The value.
    pub value: Value,
}

impl Kb {
    /// The qualifiers of a fact, sorted by key and value.
    pub fn fact_qualifiers(&self, fact: FactId) -> impl ExactSizeIterator<Item = Qualifier> + '_ {
        self.qualifier_positions(fact).map(|at| self.qualifier_at(at))
    }

    /// All facts that have qualifiers, sorted. On an overlay a fact may have another number here than elsewhere: [`Kb::fact`] returns
    /// the same fact for both.
    pub fn qualified_facts(&self) -> &[u32] {
        if let Some(delta) = &self.delta
            && let Some(changed) = self.changed_qualified(delta)
        {
            return changed;
        }
        &self.facts.qualified
    }

    /// The positions of a fact's qualifiers in the table of all qualifiers.
    pub(crate) fn qualifier_positions(&self, fact: FactId) -> Range<usize> {
        let stored = match &self.delta {
            None => Some(fact),
            Some(delta) => self.origin(delta, fact),
        };
        match stored.and_then(|fact| self.facts.place_among_qualified(fact)) {
            Some(at) => self.facts.qualifier_start[at] as usize..self.facts.qualifier_start[at + 1] as usize,
            None => 0..0,
        }
    }

    /// The qualifier at a position of the table of all qualifiers.
    pub(crate) fn qualifier_at(&self, position: usize) -> Qualifier {
        let value = self.facts.qualifier_value[position];
        let index = value & !LITERAL_BIT;
        let is_literal = value & LITERAL_BIT != 0;
        Qualifier {
            key: QualifierId(self.facts.qualifier_key[position]),
            value: if is_literal { Value::Literal(LiteralId(index)) } else { Value::Node(NodeId(index)) },
        }
    }

    /// The number of qualifiers of all facts together.
    pub fn n_qualifiers(&self) -> usize {
        let gone = self.delta.as_ref().map_or(0, |delta| delta.n_qualifiers_gone());
        self.facts.qualifier_key.len() - gone
    }

    /// All positions of the table of qualifiers; on an overlay without those whose facts were removed.
    pub(crate) fn all_qualifier_positions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.facts.qualifier_key.len()).filter(|&position| self.has_qualifier(position))
    }

    /// Whether there is a qualifier at a position.
    pub(crate) fn has_qualifier(&self, position: usize) -> bool {
        position < self.facts.qualifier_key.len()
            && (self.delta.is_none() || self.fact_of_qualifier(position).is_some())
    }

    /// The fact that a position of the table of all qualifiers belongs to; `None` if it was removed.
    pub(crate) fn fact_of_qualifier(&self, position: usize) -> Option<FactId> {
        let at = self.facts.qualifier_start.partition_point(|&start| start as usize <= position) - 1;
        let stored = FactId(*self.facts.qualified.get(at)?);
        match &self.delta {
            None => Some(stored),
            Some(delta) => self.changed_fact(delta, stored).map(|fact| fact.id),
        }
    }
}

impl FactColumns {
    /// The place of a fact among those with qualifiers. They are spread over all facts, so that the search begins where the fact would be if
    /// they were spread evenly, and continues near by, so that it touches few cache lines.
    fn place_among_qualified(&self, fact: FactId) -> Option<usize> {
        let all: &[u32] = &self.qualified;
        let guess = to_usize(u64::from(fact.0) * all.len() as u64 / (self.value.len() as u64).max(1));
        let (mut low, mut high, mut step) = (guess.min(all.len()), guess.min(all.len()), 8);
        while low > 0 && all[low - 1] >= fact.0 {
            high = low;
            low = low.saturating_sub(step);
            step *= 2;
        }
        while high < all.len() && all[high] < fact.0 {
            low = high + 1;
            high = (high + step).min(all.len());
            step *= 2;
        }
        let at = low + all[low..high].partition_point(|&qualified| qualified < fact.0);
        (all.get(at) == Some(&fact.0)).then_some(at)
    }
}
