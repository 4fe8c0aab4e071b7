//! The values in a KB: which literals an attribute or a qualifier key has.
//!
//! A condition must be correct for these values only. That keeps conditions short (a test that all values of an attribute pass is
//! omitted), and lets the printer prove that its output is exact.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use touchstone_kb::{
    AttributeId, FactId, Kb, Literal, LiteralFamily, LiteralId, Precision, Property, QualifierId, Value,
};

/// Values that may occur at one position.
#[derive(Debug, Clone, Default)]
pub(super) struct Domain {
    /// Literals, sorted.
    pub(super) literals: Arc<[u32]>,
    /// Nodes, sorted; for qualifiers only.
    pub(super) nodes: Arc<[u32]>,
}

/// Looks up values and caches them.
pub(super) struct KbValues<'k> {
    pub(super) kb: &'k Kb,
    attributes: Mutex<HashMap<AttributeId, Arc<[u32]>>>,
    qualifiers: OnceLock<Vec<Domain>>,
    blank_nodes: OnceLock<bool>,
    odd_times: OnceLock<Vec<u32>>,
    /// Maximum number of literals to list rather than describe.
    pub(super) max_listed: usize,
}

impl<'k> KbValues<'k> {
    pub(super) fn new(kb: &'k Kb) -> KbValues<'k> {
        KbValues {
            kb,
            attributes: Mutex::default(),
            qualifiers: OnceLock::new(),
            blank_nodes: OnceLock::new(),
            odd_times: OnceLock::new(),
            max_listed: super::direct_values::MAX_LISTED,
        }
    }

    pub(super) fn literal(&self, id: u32) -> Literal<'k> {
        self.kb.literal(LiteralId(id))
    }

    /// The literals among these that are times, but not plain years or days. Plain ones compare correctly in every view, and no two of
    /// them are indistinguishable: only the others must be checked one by one.
    pub(super) fn odd_times(&self, own: &[u32]) -> Vec<u32> {
        let odd = self.odd_times.get_or_init(|| {
            let times = self.kb.literals_of(LiteralFamily::Time, "");
            times.filter(|&id| !is_plain_time(&self.literal(id))).collect()
        });
        let (few, many) = if odd.len() < own.len() { (&odd[..], own) } else { (own, &odd[..]) };
        few.iter().copied().filter(|id| many.binary_search(id).is_ok()).collect()
    }

    /// Whether some nodes have no IRI.
    pub(super) fn has_blank_nodes(&self) -> bool {
        let blank = |node| self.kb.node_id(node).starts_with("_:");
        *self.blank_nodes.get_or_init(|| self.kb.nodes().any(blank))
    }

    /// The values of an attribute.
    pub(super) fn attribute(&self, attribute: AttributeId) -> Arc<[u32]> {
        let remembered = || self.attributes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = remembered().get(&attribute).cloned();
        known.unwrap_or_else(|| {
            let column = self.kb.facts_by_value(attribute);
            let mut literals: Vec<u32> = (0..column.len()).map(|at| column.value(at).0).collect();
            literals.dedup();
            let literals: Arc<[u32]> = literals.into();
            remembered().insert(attribute, Arc::clone(&literals));
            literals
        })
    }

    /// The literals among the values of properties.
    pub(super) fn literals(&self, properties: &[Property]) -> Arc<[u32]> {
        let attributes: Vec<AttributeId> = properties
            .iter()
            .filter_map(|property| match property {
                Property::Attribute(attribute) => Some(*attribute),
                Property::Relation(_) => None,
            })
            .collect();
        match attributes.as_slice() {
            [only] => self.attribute(*only),
            several => union(several.iter().map(|&attribute| self.attribute(attribute))),
        }
    }

    /// The values of qualifiers.
    pub(super) fn qualifiers(&self, keys: &[QualifierId]) -> Domain {
        let all = self.qualifiers.get_or_init(|| {
            let mut found = vec![(Vec::new(), Vec::new()); self.kb.n_qualifier_keys()];
            let facts = self.kb.qualified_facts().iter();
            for qualifier in facts.flat_map(|&fact| self.kb.fact_qualifiers(FactId(fact))) {
                let (literals, nodes) = &mut found[qualifier.key.index()];
                match qualifier.value {
                    Value::Literal(literal) => literals.push(literal.0),
                    Value::Node(node) => nodes.push(node.0),
                }
            }
            let sorted = |mut ids: Vec<u32>| -> Arc<[u32]> {
                ids.sort_unstable();
                ids.dedup();
                ids.into()
            };
            found.into_iter().map(|(l, n)| Domain { literals: sorted(l), nodes: sorted(n) }).collect()
        });
        match keys {
            [only] => all[only.index()].clone(),
            several => Domain {
                literals: union(several.iter().map(|key| Arc::clone(&all[key.index()].literals))),
                nodes: union(several.iter().map(|key| Arc::clone(&all[key.index()].nodes))),
            },
        }
    }
}

/// A year or a day CE in its usual spelling.
pub(super) fn is_plain_time(literal: &Literal<'_>) -> bool {
    literal.as_time().is_some_and(|time| {
        matches!(time.precision(), Precision::Year | Precision::Day)
            && (1..=9999).contains(&time.year())
            && literal.text() == time.date_text()
    })
}

fn union(lists: impl Iterator<Item = Arc<[u32]>>) -> Arc<[u32]> {
    let mut all: Vec<u32> = Vec::new();
    for list in lists {
        all.extend_from_slice(&list);
    }
    all.sort_unstable();
    all.dedup();
    all.into()
}
