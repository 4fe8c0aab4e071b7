//! Facts that make an answer true, found without the engine: a second opinion on it.

use serde::{Deserialize, Serialize};
use touchstone_engine::Found;
use touchstone_kb::compare::satisfies;
use touchstone_kb::{
    AttributeId, Comparison, FactId, Kb, LiteralFamily, LiteralId, NodeId, Property, RelationId,
    Value as KbValue,
};
use touchstone_logic::{Answer, Condition, Direction, Extreme, Mark, Query, Relate, Set, Step};

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
            let (of, path) = match set {
                Set::Superlative(superlative) => (&superlative.of, &superlative.path[..]),
                other => (other, &[][..]),
            };
            for &node in nodes.iter().take(MAX_ANSWERS) {
                prover.node(of, NodeId(node), &mut facts)?;
                if let Set::Superlative(superlative) = set {
                    prover.extreme(NodeId(node), path, superlative.extreme, &mut facts)?;
                }
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

/// Facts from a node on, the last node, and its value.
type Way = (Vec<Fact>, NodeId, u32);

/// No proof takes longer.
const MAX_STEPS: usize = 200_000;

/// What is still to be shown: a node is in all of these sets, and then the next goal.
struct Goal<'g> {
    sets: &'g [Set],
    node: NodeId,
    next: Option<&'g Goal<'g>>,
}

/// A fact in ids.
#[derive(Clone, Copy)]
enum Fact {
    Relation(NodeId, RelationId, NodeId),
    Attribute(NodeId, AttributeId, u32),
}

/// The way so far.
struct Search {
    marks: Vec<(Mark, NodeId)>,
    facts: Vec<Fact>,
    steps: usize,
}

struct Prover<'k> {
    kb: &'k Kb,
}

impl Prover<'_> {
    /// Adds the facts that make a node a member of a set.
    fn node(&self, set: &Set, node: NodeId, facts: &mut Vec<ProofFact>) -> Option<()> {
        let mut search = Search { marks: Vec::new(), facts: Vec::new(), steps: 0 };
        let goal = Goal { sets: std::slice::from_ref(set), node, next: None };
        let proved = self.solve(Some(&goal), &mut search);
        facts.extend(search.facts.into_iter().map(|fact| self.readable(fact)));
        proved.then_some(())
    }

    /// Whether all goals can be reached; the facts are then in the search.
    fn solve(&self, goal: Option<&Goal<'_>>, search: &mut Search) -> bool {
        search.steps += 1;
        if search.steps > MAX_STEPS {
            return false;
        }
        let Some(&Goal { sets, node, next }) = goal else { return true };
        let [set, others @ ..] = sets else { return self.solve(next, search) };
        let rest = Goal { sets: others, node, next };
        let kb = self.kb;
        match set {
            Set::All => self.solve(Some(&rest), search),
            Set::Entity(id) => kb.node_id(node) == id && self.solve(Some(&rest), search),
            Set::Named(name) => kb.label(node) == name && self.solve(Some(&rest), search),
            Set::Class(id) => {
                kb.class(id).is_some_and(|class| kb.is_member(node, class)) && self.solve(Some(&rest), search)
            }
            Set::And(parts) => self.solve(Some(&Goal { sets: parts, node, next: Some(&rest) }), search),
            Set::Or(parts) => parts.iter().any(|part| {
                self.solve(Some(&Goal { sets: std::slice::from_ref(part), node, next: Some(&rest) }), search)
            }),
            Set::Relate(relate) => self.related(relate, node, &rest, search),
            Set::Marked(mark, inner) => {
                search.marks.push((*mark, node));
                let inner = std::slice::from_ref(&**inner);
                let proved = self.solve(Some(&Goal { sets: inner, node, next: Some(&rest) }), search);
                search.marks.pop();
                proved
            }
            Set::Same(mark) => search.marks.contains(&(*mark, node)) && self.solve(Some(&rest), search),
            // No question has them inside: the engine's word is taken.
            Set::Superlative(_) | Set::During(_) | Set::Values(..) => self.solve(Some(&rest), search),
        }
    }

    fn related(&self, relate: &Relate, node: NodeId, rest: &Goal<'_>, search: &mut Search) -> bool {
        let kb = self.kb;
        let from = std::slice::from_ref(&relate.from);
        let mut through = |fact: u32, other: NodeId, proof: Fact| {
            if !self.qualified(fact, &relate.conditions) {
                return false;
            }
            search.facts.push(proof);
            let length = search.facts.len();
            let proved = self.solve(Some(&Goal { sets: from, node: other, next: Some(rest) }), search);
            if !proved {
                search.facts.truncate(length - 1);
            }
            proved
        };
        match (relate.direction, kb.relation(&relate.property)) {
            (Direction::Backward, Some(relation)) => {
                let ids = kb.facts_of(node, Property::Relation(relation));
                ids.zip(kb.objects(node, relation)).any(|(fact, &object)| {
                    through(fact, NodeId(object), Fact::Relation(node, relation, NodeId(object)))
                })
            }
            (Direction::Forward, Some(relation)) => {
                let ids = kb.facts_into(relation, node).iter();
                ids.zip(kb.subjects(relation, node)).any(|(&fact, &subject)| {
                    through(fact, NodeId(subject), Fact::Relation(NodeId(subject), relation, node))
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
                let Some((_, &literal)) = passing else { return false };
                search.facts.push(Fact::Attribute(node, attribute, literal));
                let length = search.facts.len();
                let proved = self.solve(Some(rest), search);
                if !proved {
                    search.facts.truncate(length - 1);
                }
                proved
            }
            (Direction::Forward, None) => false,
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

    /// Adds the way from a node to its greatest or smallest value.
    fn extreme(
        &self,
        node: NodeId,
        path: &[Step],
        extreme: Extreme,
        facts: &mut Vec<ProofFact>,
    ) -> Option<()> {
        let (way, end, literal) = self.ways(node, path).reduce(|best, other| {
            let better = match extreme {
                Extreme::Max => other.2 > best.2,
                Extreme::Min => other.2 < best.2,
            };
            if better { other } else { best }
        })?;
        facts.extend(way.into_iter().map(|fact| self.readable(fact)));
        let attribute = self.kb.attribute(&path.last()?.property)?;
        facts.push(self.readable(Fact::Attribute(end, attribute, literal)));
        Some(())
    }

    /// All ways along a path, each with the node before the value, and the value. Ids of literals are in the order of values.
    fn ways(&self, node: NodeId, path: &[Step]) -> Box<dyn Iterator<Item = Way> + '_> {
        let kb = self.kb;
        match path {
            [] => Box::new(std::iter::empty()),
            [last] => {
                let values =
                    kb.attribute(&last.property).map_or(&[][..], |attribute| kb.literals(node, attribute));
                Box::new(values.iter().map(move |&literal| (Vec::new(), node, literal)))
            }
            [step, rest @ ..] => {
                let Some(relation) = kb.relation(&step.property) else { return Box::new(std::iter::empty()) };
                let forward = step.direction == Direction::Forward;
                let others = if forward { kb.objects(node, relation) } else { kb.subjects(relation, node) };
                let rest = rest.to_vec();
                Box::new(others.iter().flat_map(move |&other| {
                    let other = NodeId(other);
                    let (subject, object) = if forward { (node, other) } else { (other, node) };
                    let fact = Fact::Relation(subject, relation, object);
                    self.ways(other, &rest)
                        .map(move |(mut way, end, literal)| {
                            way.push(fact);
                            (way, end, literal)
                        })
                        .collect::<Vec<_>>()
                }))
            }
        }
    }

    fn some_value(&self, node: NodeId, attribute: &str) -> Option<ProofFact> {
        let attribute = self.kb.attribute(attribute)?;
        let literal = *self.kb.literals(node, attribute).first()?;
        Some(self.readable(Fact::Attribute(node, attribute, literal)))
    }

    fn readable(&self, fact: Fact) -> ProofFact {
        let kb = self.kb;
        match fact {
            Fact::Relation(subject, relation, object) => ProofFact {
                subject: kb.node_id(subject).to_owned(),
                property: kb.relation_id(relation).to_owned(),
                value: kb.node_id(object).to_owned(),
            },
            Fact::Attribute(subject, attribute, literal) => {
                let literal = kb.literal(LiteralId(literal));
                let unit =
                    if literal.unit().is_empty() { String::new() } else { format!(" {}", literal.unit()) };
                ProofFact {
                    subject: kb.node_id(subject).to_owned(),
                    property: kb.attribute_id(attribute).to_owned(),
                    value: format!("{}{unit}", literal.text()),
                }
            }
        }
    }
}
