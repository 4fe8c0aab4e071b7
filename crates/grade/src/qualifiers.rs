//! The conditions of a query on qualifiers of facts: query graphs do not have them.

use touchstone_logic::{Ask, Condition, Query, Set, Vocabulary};

/// A condition on a qualifier of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Qualified<'q> {
    relation: &'q str,
    /// The qualifier.
    pub(crate) qualifier: &'q str,
    comparison: &'static str,
    /// The value that it is compared with.
    pub(crate) value: String,
}

impl Qualified<'_> {
    /// What it says. With `inverses`, a relation and its inverse say the same.
    pub(crate) fn text(&self, inverses: Option<&dyn Vocabulary>) -> String {
        let inverse = inverses.and_then(|inverses| inverses.inverse(self.relation));
        let relation = inverse.filter(|inverse| *inverse < self.relation).unwrap_or(self.relation);
        format!("{relation}: {} {} {}", self.qualifier, self.comparison, self.value)
    }
}

/// The conditions on qualifiers, as they come.
pub(crate) fn qualified(query: &Query) -> Vec<Qualified<'_>> {
    let mut found = Vec::new();
    if let Ask::Attribute { attribute, conditions, .. } | Ask::Verify { attribute, conditions, .. } =
        &query.answer
    {
        add(attribute, conditions, &mut found);
    }
    let mut stack: Vec<&Set> = match &query.answer {
        Ask::Members(set)
        | Ask::Count(set)
        | Ask::Exists(set)
        | Ask::Attribute { of: set, .. }
        | Ask::Verify { of: set, .. }
        | Ask::AttributeQualifier { of: set, .. }
        | Ask::SelectAmong { among: set, .. } => vec![set],
        Ask::Relation { from, to } | Ask::RelationQualifier { from, to, .. } => vec![from, to],
        Ask::SelectBetween { left, right, .. } => vec![left, right],
    };
    while let Some(set) = stack.pop() {
        match set {
            Set::And(parts) | Set::Or(parts) => stack.extend(parts),
            Set::Relate(relate) => {
                add(&relate.property, &relate.conditions, &mut found);
                stack.push(&relate.from);
            }
            Set::Superlative(superlative) => stack.push(&superlative.of),
            Set::Marked(_, inner) => stack.push(inner),
            _ => {}
        }
    }
    found
}

fn add<'q>(relation: &'q str, conditions: &'q [Condition], found: &mut Vec<Qualified<'q>>) {
    found.extend(conditions.iter().map(|condition| Qualified {
        relation,
        qualifier: &condition.qualifier,
        comparison: condition.comparison.symbol(),
        value: condition.value.to_string(),
    }));
}
