//! Counts the kinds of generated queries.

use std::collections::BTreeMap;
use touchstone_logic::{Ask, Query, QueryGraph, Set};

/// The number of queries of each kind.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Statistics {
    /// By kind of question.
    pub answers: BTreeMap<&'static str, usize>,
    /// By kind of set, once per query.
    pub sets: BTreeMap<&'static str, usize>,
    /// By code of the shape.
    pub shapes: BTreeMap<String, usize>,
}

impl Statistics {
    /// Counts a query.
    pub fn add(&mut self, query: &Query) {
        *self.answers.entry(answer_kind(query)).or_default() += 1;
        for kind in set_kinds(query) {
            *self.sets.entry(kind).or_default() += 1;
        }
        *self.shapes.entry(QueryGraph::of(query).shape().code).or_default() += 1;
    }
}

/// The name of the kind of question.
pub fn answer_kind(query: &Query) -> &'static str {
    match &query.answer {
        Ask::Members(_) => "members",
        Ask::Count(_) => "count",
        Ask::Exists(_) => "exists",
        Ask::Attribute { .. } => "attribute",
        Ask::Verify { .. } => "verify",
        Ask::Relation { .. } => "relation",
        Ask::AttributeQualifier { .. } => "attribute qualifier",
        Ask::RelationQualifier { .. } => "relation qualifier",
        Ask::SelectBetween { .. } => "select between",
        Ask::SelectAmong { .. } => "select among",
    }
}

/// The kinds of sets and rules in a query, each once.
pub fn set_kinds(query: &Query) -> Vec<&'static str> {
    fn visit(set: &Set, kinds: &mut Vec<&'static str>) {
        kinds.push(match set {
            Set::All => "all",
            Set::Entity(_) => "entity",
            Set::Named(_) => "named",
            Set::Class(_) => "class",
            Set::Values(..) => "values",
            Set::Relate(relate) if relate.conditions.is_empty() => "relate",
            Set::Relate(_) => "relate with conditions",
            Set::And(_) => "and",
            Set::Or(_) => "or",
            Set::Superlative(superlative) if superlative.start.is_some() => "superlative with start",
            Set::Superlative(_) => "superlative",
            Set::During(_) => "during",
            Set::Marked(..) => "marked",
            Set::Same(_) => "same",
        });
        set.children(&mut |child| visit(child, kinds));
    }
    let mut kinds = Vec::new();
    query.sets(&mut |set| visit(set, &mut kinds));
    if !query.rules.different.is_empty() {
        kinds.push("different");
    }
    if query.rules.english {
        kinds.push("english");
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
