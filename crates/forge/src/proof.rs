//! Facts that make an answer true, found without the engine: a second opinion on it.

use serde::{Deserialize, Serialize};
use touchstone_engine::Found;
use touchstone_kb::compare::satisfies;
use touchstone_kb::{
    AttributeId, Comparison, FactId, Kb, LiteralFamily, LiteralId, NodeId, Property, RelationId,
    Value as KbValue,
};
use touchstone_logic::{Answer, Condition, Direction, Query, Relate, Set};

/// A fact as people read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProofFact {
    /// The id of the subject.
    pub subject: String,
    /// The id of the relation or attribute.
    pub property: String,
    /// The id of the entity, or the literal.
    pub value: String,
}

/// So many answers are proved.
const MAX_ANSWERS: usize = 10;

/// The facts for the first answers of a query, in the ids of the schema, that asks for things; `None` if one of the answers has no proof.
pub(crate) fn proof(kb: &Kb, query: &Query, found: &Found<'_>) -> Option<Vec<ProofFact>> {
    let mut facts = Vec::new();
    let prover = Prover { kb };
    match (&query.answer, found) {
        (Answer::Members(set), Found::Things { nodes, .. }) => {
            let (of, value) = match set {
                Set::Superlative(superlative) => {
                    (&superlative.of, superlative.path.last().map(|step| step.property.as_str()))
                }
                other => (other, None),
            };
            for &node in nodes.iter().take(MAX_ANSWERS) {
                prover.node(of, NodeId(node), &mut facts)?;
                facts.extend(value.and_then(|attribute| prover.some_value(NodeId(node), attribute)));
            }
        }
        (Answer::SelectAmong { among: of, attribute, .. }, Found::Things { nodes, .. }) => {
            for &node in nodes.iter().take(MAX_ANSWERS) {
                prover.node(of, NodeId(node), &mut facts)?;
                facts.extend(prover.some_value(NodeId(node), attribute));
            }
        }
        (Answer::SelectBetween { left, right, attribute, .. }, Found::Things { nodes, .. }) => {
            for &node in nodes.iter().take(MAX_ANSWERS) {
                let proved = [left, right]
                    .into_iter()
                    .any(|side| prover.node(side, NodeId(node), &mut facts).is_some());
                facts.extend(prover.some_value(NodeId(node), attribute));
                if !proved {
                    return None;
                }
            }
        }
        _ => {}
    }
    facts.sort();
    facts.dedup();
    Some(facts)
}

struct Prover<'k> {
    kb: &'k Kb,
}

impl Prover<'_> {
    /// Adds the facts that make a node a member of a set.
    fn node(&self, set: &Set, node: NodeId, facts: &mut Vec<ProofFact>) -> Option<()> {
        let kb = self.kb;
        let before = facts.len();
        let proved = match set {
            Set::All => true,
            Set::Entity(id) => kb.node_id(node) == id,
            Set::Named(name) => kb.label(node) == name,
            Set::Class(id) => kb.is_member(node, kb.class(id)?),
            Set::And(parts) => parts.iter().all(|part| self.node(part, node, facts).is_some()),
            Set::Or(parts) => parts.iter().any(|part| self.node(part, node, facts).is_some()),
            Set::Relate(relate) => self.related(relate, node, facts),
            // Marks and the like: the engine's word is taken.
            _ => true,
        };
        if !proved {
            facts.truncate(before);
        }
        proved.then_some(())
    }

    fn related(&self, relate: &Relate, node: NodeId, facts: &mut Vec<ProofFact>) -> bool {
        let kb = self.kb;
        let relation = kb.relation(&relate.property);
        match (relate.direction, relation) {
            (Direction::Backward, Some(relation)) => {
                let ids = kb.facts_of(node, Property::Relation(relation));
                ids.zip(kb.objects(node, relation)).any(|(fact, &object)| {
                    self.qualified(fact, &relate.conditions)
                        && self.node(&relate.from, NodeId(object), facts).is_some()
                        && self.add(node, relation, NodeId(object), facts)
                })
            }
            (Direction::Forward, Some(relation)) => {
                let ids = kb.facts_into(relation, node).iter();
                ids.zip(kb.subjects(relation, node)).any(|(&fact, &subject)| {
                    self.qualified(fact, &relate.conditions)
                        && self.node(&relate.from, NodeId(subject), facts).is_some()
                        && self.add(NodeId(subject), relation, node, facts)
                })
            }
            (Direction::Backward, None) => {
                let Some(attribute) = kb.attribute(&relate.property) else { return false };
                let Set::Values(comparison, value) = &relate.from else { return false };
                let target = value.literal();
                let ids = kb.facts_of(node, Property::Attribute(attribute));
                let passing = ids.zip(kb.literals(node, attribute)).find(|(fact, literal)| {
                    satisfies(&kb.literal(LiteralId(**literal)), *comparison, &target) == Ok(true)
                        && self.qualified(*fact, &relate.conditions)
                });
                facts.extend(passing.map(|(_, &literal)| self.literal_fact(node, attribute, literal)));
                passing.is_some()
            }
            _ => false,
        }
    }

    fn qualified(&self, fact: u32, conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| {
            let target = condition.value.literal();
            self.kb.fact_qualifiers(FactId(fact)).any(|qualifier| {
                let key = self.kb.qualifier_id(qualifier.key) == condition.qualifier;
                key && match qualifier.value {
                    KbValue::Node(node) => {
                        condition.comparison == Comparison::Equal
                            && target.kind().family() == LiteralFamily::Text
                            && self.kb.label(node) == target.text()
                    }
                    KbValue::Literal(id) => {
                        satisfies(&self.kb.literal(id), condition.comparison, &target) == Ok(true)
                    }
                }
            })
        })
    }

    fn some_value(&self, node: NodeId, attribute: &str) -> Option<ProofFact> {
        let attribute = self.kb.attribute(attribute)?;
        let literal = *self.kb.literals(node, attribute).first()?;
        Some(self.literal_fact(node, attribute, literal))
    }

    fn literal_fact(&self, node: NodeId, attribute: AttributeId, literal: u32) -> ProofFact {
        let literal = self.kb.literal(LiteralId(literal));
        let unit = if literal.unit().is_empty() { String::new() } else { format!(" {}", literal.unit()) };
        ProofFact {
            subject: self.kb.node_id(node).to_owned(),
            property: self.kb.attribute_id(attribute).to_owned(),
            value: format!("{}{unit}", literal.text()),
        }
    }

    fn add(&self, subject: NodeId, relation: RelationId, object: NodeId, facts: &mut Vec<ProofFact>) -> bool {
        facts.push(ProofFact {
            subject: self.kb.node_id(subject).to_owned(),
            property: self.kb.relation_id(relation).to_owned(),
            value: self.kb.node_id(object).to_owned(),
        });
        true
    }
}
