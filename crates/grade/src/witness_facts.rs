//! The witnesses of a query: the facts that make its answers true. Without them its answers change.
//!
//! The query is traversed from its answers inwards; facts that do not lead to a member of the next set are skipped. Conditions on qualifiers
//! are ignored, so some of the facts may be irrelevant.

use crate::neighbour::run;
use hashbrown::HashSet;
use touchstone_benchmark::Random;
use touchstone_engine::plan::Plan;
use touchstone_engine::{Found, Words};
use touchstone_kb::{Fact, FactId, Kb, LiteralId, NodeId, Property, Value};
use touchstone_logic::{Ask, Direction, Query, Set};

/// Maximum number of members of each set to follow.
const MAX_THINGS: usize = 5;
/// Maximum number of facts to check at one thing.
const MAX_LOOKED_AT: usize = 1000;
/// Maximum number of facts of one property to follow at one thing.
const MAX_FAN: usize = 10;
/// Maximum number of facts in one support.
const MAX_SUPPORT: usize = 40;

/// The facts that make the answers of a query true.
#[derive(Debug, Clone, Default)]
pub(crate) struct WitnessFacts {
    /// Facts on the paths to some of the answers, outermost first.
    pub(crate) facts: Vec<Fact>,
    /// For some of the answers, all facts by which they satisfy one constraint: without these they are not answers.
    pub(crate) supports: Vec<Vec<Fact>>,
}

impl WitnessFacts {
    /// The witnesses of a query in the ids of the KB.
    pub(crate) fn of(words: &Words<'_>, query: &Query, random: &mut Random) -> WitnessFacts {
        let mut walk =
            Walk { kb: words.kb(), words, random, found: WitnessFacts::default(), known: HashSet::new() };
        walk.answer(&query.answer, query);
        walk.found
    }
}

/// The members of a set: sorted ids of nodes and of literals.
struct Members {
    nodes: Vec<u32>,
    literals: Vec<u32>,
}

impl Members {
    fn contains(&self, value: Value) -> bool {
        match value {
            Value::Node(NodeId(node)) => self.nodes.binary_search(&node).is_ok(),
            Value::Literal(LiteralId(literal)) => self.literals.binary_search(&literal).is_ok(),
        }
    }
}

struct Walk<'w, 'k> {
    kb: &'k Kb,
    words: &'w Words<'k>,
    random: &'w mut Random,
    found: WitnessFacts,
    known: HashSet<FactId>,
}

impl Walk<'_, '_> {
    fn answer(&mut self, answer: &Ask, query: &Query) {
        match answer {
            Ask::Members(set) => {
                let things = self.some(query);
                self.follow(set, &things, true);
            }
            Ask::Count(set) | Ask::Exists(set) => {
                let things = self.some_of(set);
                self.follow(set, &things, true);
            }
            Ask::Attribute { of, attribute, .. }
            | Ask::Verify { of, attribute, .. }
            | Ask::AttributeQualifier { of, attribute, .. } => {
                let things = self.some_of(of);
                self.step(&things, attribute, Direction::Backward, None, true);
                self.follow(of, &things, true);
            }
            Ask::SelectAmong { among, attribute, .. } => {
                let things = self.some(query);
                self.step(&things, attribute, Direction::Backward, None, true);
                self.follow(among, &things, true);
            }
            Ask::SelectBetween { left, right, attribute, .. } => {
                for side in [left, right] {
                    let things = self.some_of(side);
                    self.step(&things, attribute, Direction::Backward, None, true);
                }
            }
            Ask::RelationQualifier { from, relation, to, .. } => {
                let (things, to) = (self.some_of(from), self.members(to));
                self.step(&things, relation, Direction::Backward, to.as_ref(), true);
            }
            Ask::Relation { from, to } => {
                let (things, to) = (self.some_of(from), self.members(to));
                let kb = self.kb;
                let leads = |fact: &Fact| to.as_ref().is_none_or(|to| to.contains(fact.value));
                for node in things.into_iter().filter_map(as_node) {
                    let facts = kb.facts_about(node).take(MAX_LOOKED_AT);
                    let facts: Vec<Fact> = facts
                        .filter(|fact| matches!(fact.property, Property::Relation(_)) && leads(fact))
                        .collect();
                    for fact in facts {
                        self.note(fact);
                        self.found.supports.push(vec![fact]);
                    }
                }
            }
        }
    }

    /// Traverses the description of a set, from some of its members inwards.
    fn follow(&mut self, set: &Set, things: &[Value], outermost: bool) {
        match set {
            Set::And(parts) | Set::Or(parts) => {
                parts.iter().for_each(|part| self.follow(part, things, outermost));
            }
            Set::Marked(_, inner) => self.follow(inner, things, outermost),
            Set::Superlative(superlative) => {
                let mut level = things.to_vec();
                for (at, step) in superlative.path.iter().enumerate() {
                    // A path leads away from its start; the sets of a query lead to their members.
                    let back = step.direction.flipped();
                    level = self.step(&level, &step.property, back, None, outermost && at == 0);
                }
                self.follow(&superlative.of, things, outermost);
            }
            Set::Relate(relate) => {
                let from = match relate.from {
                    Set::All => None,
                    _ => self.members(&relate.from),
                };
                let reached = self.step(things, &relate.property, relate.direction, from.as_ref(), outermost);
                self.follow(&relate.from, &reached, false);
            }
            _ => {}
        }
    }

    /// Records the facts of a property that lead from members of a set to some things, and returns those members.
    fn step(
        &mut self,
        things: &[Value],
        property: &str,
        direction: Direction,
        from: Option<&Members>,
        outermost: bool,
    ) -> Vec<Value> {
        let kb = self.kb;
        let relation = kb.relation(property).map(Property::Relation);
        let properties: Vec<Property> =
            relation.into_iter().chain(kb.attribute(property).map(Property::Attribute)).collect();
        let mut reached = Vec::new();
        for &thing in things.iter().take(MAX_THINGS) {
            let mut support: Vec<Fact> = Vec::new();
            for &property in &properties {
                let leading = facts_to(kb, thing, property, direction);
                support.extend(
                    leading
                        .into_iter()
                        .filter_map(|id| kb.fact(id))
                        .filter(|fact| from.is_none_or(|from| from.contains(start(fact, direction)))),
                );
            }
            for &fact in support.iter().take(MAX_FAN) {
                self.note(fact);
                let start = start(&fact, direction);
                if !reached.contains(&start) {
                    reached.push(start);
                }
            }
            if outermost && (1..=MAX_SUPPORT).contains(&support.len()) {
                self.found.supports.push(support);
            }
        }
        reached
    }

    fn note(&mut self, fact: Fact) {
        if self.known.insert(fact.id) {
            self.found.facts.push(fact);
        }
    }

    fn members(&self, set: &Set) -> Option<Members> {
        self.answers(&Query::new(Ask::Members(set.clone())))
    }

    /// The results of a query, within the limits.
    fn answers(&self, query: &Query) -> Option<Members> {
        let plan = Plan::of(query, self.words).ok()?;
        match run(self.kb, &plan).0 {
            Ok(Found::Things { nodes, literals }) => {
                Some(Members { nodes: nodes.to_vec(), literals: literals.to_vec() })
            }
            _ => None,
        }
    }

    fn some_of(&mut self, set: &Set) -> Vec<Value> {
        self.some(&Query::new(Ask::Members(set.clone())))
    }

    /// Some of the results of a query.
    fn some(&mut self, query: &Query) -> Vec<Value> {
        let Some(Members { nodes, literals }) = self.answers(query) else { return Vec::new() };
        let nodes = nodes.into_iter().map(|node| Value::Node(NodeId(node)));
        let all: Vec<Value> =
            nodes.chain(literals.into_iter().map(|literal| Value::Literal(LiteralId(literal)))).collect();
        if all.len() <= MAX_THINGS {
            return all;
        }
        let mut some: Vec<Value> =
            (0..MAX_THINGS).filter_map(|_| self.random.choose(&all).copied()).collect();
        some.sort_unstable();
        some.dedup();
        some
    }
}

fn as_node(value: Value) -> Option<NodeId> {
    match value {
        Value::Node(node) => Some(node),
        Value::Literal(_) => None,
    }
}

/// Where a step along a fact starts.
fn start(fact: &Fact, direction: Direction) -> Value {
    match direction {
        Direction::Forward => Value::Node(fact.subject),
        Direction::Backward => fact.value,
    }
}

/// Facts of a property along which a step leads to a thing.
fn facts_to(kb: &Kb, thing: Value, property: Property, direction: Direction) -> Vec<FactId> {
    match (direction, thing, property) {
        (Direction::Backward, Value::Node(node), property) => {
            kb.facts_of(node, property).take(MAX_LOOKED_AT).map(FactId).collect()
        }
        (Direction::Forward, Value::Node(node), Property::Relation(relation)) => {
            kb.facts_into(relation, node).iter().take(MAX_LOOKED_AT).copied().map(FactId).collect()
        }
        (Direction::Forward, Value::Literal(LiteralId(literal)), Property::Attribute(attribute)) => {
            let column = kb.facts_by_value(attribute);
            let at = column.positions(literal as usize..literal as usize + 1);
            at.take(MAX_LOOKED_AT).map(|at| FactId(column.facts[at])).collect()
        }
        _ => Vec::new(),
    }
}
