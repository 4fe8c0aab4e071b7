//! Neighbours of a KB: overlays of the KB with a few facts removed, added or changed.
//!
//! Useful for: checking whether two queries agree on a KB with different facts. Not useful for: independent KBs; names, classes and
//! the schema are always those of the underlying KB.

use serde::{Deserialize, Serialize};
use std::fmt;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{EmbeddedEngine, Engine, EngineError, Found, KbContext, PlanRequest, Words};
use touchstone_kb::{Change, FactId, Kb, LineValue, NodeId, Property, Value};
use touchstone_logic::Query;

/// A fact in a file, `[subject, property, value]`: ids, and a value in the notation for qualifiers in KB lines (`docs/kb-lines.md`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement(pub(crate) String, pub(crate) String, pub(crate) LineValue);

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}, {:?}, {}]", self.0, self.1, self.2)
    }
}

/// A neighbour in a file: by ids and values, which are stable, not by numbers of facts, which are not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// Facts of the KB that this neighbour does not have: all facts of each triple, whatever their qualifiers.
    #[serde(default)]
    pub removed: Vec<Statement>,
    /// Facts that this neighbour has in addition, without qualifiers.
    #[serde(default)]
    pub added: Vec<Statement>,
}

/// Why a neighbour cannot be overlaid on a KB.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeighbourError {
    /// The subject is unknown.
    #[error("the KB has no entity or class `{id}`, which {0} names", id = .0.as_ref().0)]
    Subject(Box<Statement>),
    /// The value is unknown or invalid.
    #[error("the KB has no value {value}, which {0} names", value = .0.as_ref().2)]
    Value(Box<Statement>),
    /// The property is unknown.
    #[error("the KB has no relation or attribute `{id}` for values like that of {0}", id = .0.as_ref().1)]
    Property(Box<Statement>),
    /// The fact to remove does not exist.
    #[error("the KB does not have the fact {0}, so it cannot be removed")]
    Fact(Box<Statement>),
}

impl Neighbour {
    /// A change in the notation of files. It must remove all facts of each triple that it removes; see [`facts_of_triple`].
    pub(crate) fn of(kb: &Kb, change: &Change) -> Neighbour {
        let statement = |(subject, property, value): (NodeId, Property, Value)| {
            let (subject, property) = (kb.node_id(subject).to_owned(), kb.property_id(property).to_owned());
            Statement(subject, property, LineValue::of(kb, value))
        };
        let removed = change.removed.iter().filter_map(|&id| kb.fact(id));
        let mut removed: Vec<_> = removed.map(|fact| (fact.subject, fact.property, fact.value)).collect();
        removed.sort_unstable();
        removed.dedup();
        Neighbour {
            removed: removed.into_iter().map(statement).collect(),
            added: change.added.iter().copied().map(statement).collect(),
        }
    }

    /// The change in the ids of a KB.
    pub fn change(&self, kb: &Kb) -> Result<Change, NeighbourError> {
        let mut change = Change::default();
        for statement in &self.removed {
            let facts = facts_of_triple(kb, known(kb, statement)?);
            if facts.is_empty() {
                return Err(NeighbourError::Fact(statement.clone().into()));
            }
            change.removed.extend(facts);
        }
        for statement in &self.added {
            change.added.push(known(kb, statement)?);
        }
        Ok(change)
    }
}

/// A statement in the ids of a KB.
fn known(kb: &Kb, statement: &Statement) -> Result<(NodeId, Property, Value), NeighbourError> {
    let Statement(subject, property, value) = statement;
    let subject = kb.node(subject).ok_or_else(|| NeighbourError::Subject(statement.clone().into()))?;
    let value = value.find(kb).ok_or_else(|| NeighbourError::Value(statement.clone().into()))?;
    let property = match value {
        Value::Node(_) => kb.relation(property).map(Property::Relation),
        Value::Literal(_) => kb.attribute(property).map(Property::Attribute),
    };
    Ok((subject, property.ok_or_else(|| NeighbourError::Property(statement.clone().into()))?, value))
}

/// All facts with a triple; they differ in their qualifiers.
pub(crate) fn facts_of_triple(kb: &Kb, (subject, property, value): (NodeId, Property, Value)) -> Vec<FactId> {
    let facts = kb.facts_of(subject, property);
    let (Value::Node(NodeId(wanted)) | Value::Literal(touchstone_kb::LiteralId(wanted))) = value;
    let candidates = facts.clone().zip(kb.values_of(facts));
    candidates.filter(|(_, found)| **found == wanted).map(|(fact, _)| FactId(fact)).collect()
}

/// The limits of one query on one neighbour: operations are counted, not time, so that the result is reproducible.
const LIMITS: Limits = Limits { operations: 1_000_000, ..Limits::none() };

/// Runs a plan within limits. A plan for a KB is valid for its overlays: names and ids are the same.
pub(crate) fn run<'k>(kb: &'k Kb, plan: &Plan) -> (Result<Found<'k>, EngineError>, u64) {
    let budget = Budget::new(LIMITS);
    let reply = EmbeddedEngine.run_plan(&PlanRequest::new(plan), &KbContext::new(kb), &budget);
    (reply.result, budget.cost().operations)
}

/// Whether two queries give the same answers on a KB with each of these changes; `None` if no comparison was possible, because gold cannot
/// be run or all of them exceed the limits.
pub(crate) fn agree(kb: &Kb, changes: &[Change], gold: &Query, predicted: &Query) -> Option<bool> {
    let words = Words::new(kb).without_suggestions();
    let gold = Plan::of(gold, &words).ok()?;
    let predicted = Plan::of(predicted, &words);
    let mut checked = None;
    for neighbour in changes.iter().filter_map(|change| kb.overlay(change).ok()) {
        let Ok(right) = run(&neighbour, &gold).0 else { continue };
        let same = match &predicted {
            Ok(predicted) => match run(&neighbour, predicted).0 {
                Ok(found) => found == right,
                Err(_) => continue,
            },
            Err(_) => false,
        };
        checked = Some(checked.unwrap_or(true) && same);
    }
    checked
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    #[test]
    fn what_the_kb_does_not_know_is_an_error() {
        let kb = touchstone_world::open(&NoProgress).expect("the embedded KB");
        let fact = kb.nodes().find_map(|node| kb.facts_about(node).next()).expect("a fact");
        let change = Change {
            removed: facts_of_triple(&kb, (fact.subject, fact.property, fact.value)),
            added: Vec::new(),
        };
        let neighbour = Neighbour::of(&kb, &change);
        assert_eq!(neighbour.change(&kb), Ok(change));
        let json = serde_json::to_string(&neighbour).expect("JSON");
        assert_eq!(serde_json::from_str::<Neighbour>(&json).expect("read back"), neighbour);
        let Statement(subject, property, value) = neighbour.removed[0].clone();
        let with = |s: &str, p: &str, v: &LineValue| Statement(s.to_owned(), p.to_owned(), v.clone());
        let removing = |statement: &Statement| {
            Neighbour { removed: vec![statement.clone()], added: Vec::new() }.change(&kb)
        };
        let statement = with("nobody", &property, &value);
        assert_eq!(removing(&statement), Err(NeighbourError::Subject(statement.into())));
        let statement = with(&subject, "no property", &value);
        assert_eq!(removing(&statement), Err(NeighbourError::Property(statement.into())));
        for wrong in [r#"{"id": "nobody"}"#, r#"{"year": "soon"}"#, "null"] {
            let statement = with(&subject, &property, &serde_json::from_str(wrong).expect("JSON"));
            let error = removing(&statement);
            assert!(
                error.as_ref().is_err_and(|error| error.to_string().starts_with("the KB has no value")),
                "{error:?}"
            );
        }
        let relation = kb.relations().next().expect("a relation");
        let other = Value::Node(kb.class_node(kb.classes().next().expect("a class")));
        let statement = with(&subject, kb.relation_id(relation), &LineValue::of(&kb, other));
        assert_eq!(removing(&statement), Err(NeighbourError::Fact(statement.into())));
    }
}
