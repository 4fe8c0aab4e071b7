//! Facts that make an answer true, found independently of the engine.

use hashbrown::{HashMap, HashSet};
use std::cell::RefCell;
use touchstone_benchmark::ProofFact;
use touchstone_engine::Found;
use touchstone_kb::compare::satisfies;
use touchstone_kb::{
    AttributeId, ClassId, Comparison, FactId, Kb, LiteralFamily, LiteralId, NodeId, Property, RelationId,
    Value as KbValue,
};
use touchstone_logic::{Ask, Condition, Direction, Extreme, Mark, Query, Relate, Set, Step};

/// Maximum number of answers to prove.
const MAX_ANSWERS: usize = 10;

/// The facts for the first answers of a query that asks for things, in schema ids; `None` if one of the answers has no proof.
pub(crate) fn proof(kb: &Kb, query: &Query, found: &Found<'_>) -> Option<Vec<ProofFact>> {
    let mut facts = Vec::new();
    let prover = Prover { kb, words: RefCell::default() };
    match (&query.answer, found) {
        (Ask::Members(set), Found::Things { nodes, .. }) => {
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
        (Ask::SelectAmong { among: of, attribute, .. }, Found::Things { nodes, .. }) => {
            for &node in nodes.iter().take(MAX_ANSWERS) {
                prover.node(of, NodeId(node), &mut facts)?;
                facts.extend(prover.some_value(NodeId(node), attribute));
            }
        }
        (Ask::SelectBetween { left, right, attribute, .. }, Found::Things { nodes, .. }) => {
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

/// By number of remaining steps and node: the best value, and the next node on the path to it.
type Best = HashMap<(usize, NodeId), Option<(u32, Option<NodeId>)>>;

/// Maximum number of steps of a proof search.
const MAX_STEPS: usize = 200_000;

/// What remains to be shown: a node is in all of these sets, followed by the next goal.
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

/// The path so far.
struct Search {
    marks: Vec<(Mark, NodeId)>,
    facts: Vec<Fact>,
    /// Sets without marks, by their address, and nodes that are not in them.
    failed: HashSet<(usize, NodeId)>,
    steps: usize,
}

fn has_marks(set: &Set) -> bool {
    let mut found = matches!(set, Set::Marked(..) | Set::Same(_));
    set.children(&mut |child| found |= has_marks(child));
    found
}

/// The meaning of a name in the query.
#[derive(Clone, Copy)]
enum Meaning {
    /// A relation or attribute, and whether the set that it starts from has marks.
    Property(Option<Property>, bool),
    Class(Option<ClassId>),
    Entity(Option<NodeId>),
}

struct Prover<'k> {
    kb: &'k Kb,
    /// Names that were looked up, by their address in the query: a search visits the same ones repeatedly.
    words: RefCell<Vec<(usize, Meaning)>>,
}

impl Prover<'_> {
    fn meaning(&self, word: &str, look_up: impl FnOnce() -> Meaning) -> Meaning {
        let place = word.as_ptr() as usize;
        let mut words = self.words.borrow_mut();
        match words.iter().find(|(known, _)| *known == place) {
            Some((_, meaning)) => *meaning,
            None => {
                let meaning = look_up();
                words.push((place, meaning));
                meaning
            }
        }
    }

    fn entity(&self, id: &str) -> Option<NodeId> {
        match self.meaning(id, || Meaning::Entity(self.kb.node(id))) {
            Meaning::Entity(node) => node,
            _ => None,
        }
    }

    fn is_member(&self, node: NodeId, id: &str) -> bool {
        match self.meaning(id, || Meaning::Class(self.kb.class(id))) {
            Meaning::Class(Some(class)) => self.kb.is_member(node, class),
            _ => false,
        }
    }

    /// The property of a step, and whether the set that the step starts from has marks.
    fn step(&self, relate: &Relate) -> (Option<Property>, bool) {
        let look_up = || {
            let relation = self.kb.relation(&relate.property).map(Property::Relation);
            let attribute = || self.kb.attribute(&relate.property).map(Property::Attribute);
            Meaning::Property(relation.or_else(attribute), has_marks(&relate.from))
        };
        match self.meaning(&relate.property, look_up) {
            Meaning::Property(property, with_marks) => (property, with_marks),
            _ => (None, false),
        }
    }

    /// Adds the facts that make a node a member of a set.
    fn node(&self, set: &Set, node: NodeId, facts: &mut Vec<ProofFact>) -> Option<()> {
        let mut search = Search { marks: Vec::new(), facts: Vec::new(), failed: HashSet::new(), steps: 0 };
        let goal = Goal { sets: std::slice::from_ref(set), node, next: None };
        let proved = self.solve(Some(&goal), &mut search);
        facts.extend(search.facts.into_iter().map(|fact| self.readable(fact)));
        proved.then_some(())
    }

    /// Whether all goals can be reached; the search then holds the facts.
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
            Set::Entity(id) => self.entity(id) == Some(node) && self.solve(Some(&rest), search),
            Set::Named(name) => kb.label(node) == name && self.solve(Some(&rest), search),
            Set::Class(id) => self.is_member(node, id) && self.solve(Some(&rest), search),
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
            // No question contains these inside a set: trust the engine.
            Set::Superlative(_) | Set::During(_) | Set::Values(..) => self.solve(Some(&rest), search),
        }
    }

    fn related(&self, relate: &Relate, node: NodeId, rest: &Goal<'_>, search: &mut Search) -> bool {
        let kb = self.kb;
        let from = std::slice::from_ref(&relate.from);
        let (property, with_marks) = self.step(relate);
        // Look for a named entity in the list of neighbours, which may be long.
        if let (Set::Entity(id), [], Some(Property::Relation(relation))) =
            (&relate.from, &relate.conditions[..], property)
        {
            let Some(other) = self.entity(id) else { return false };
            let (subject, object) = match relate.direction {
                Direction::Forward => (other, node),
                Direction::Backward => (node, other),
            };
            if kb.objects(subject, relation).binary_search(&object.0).is_err() {
                return false;
            }
            search.facts.push(Fact::Relation(subject, relation, object));
            return self.solve(Some(rest), search);
        }
        let mut through = |fact: u32, other: NodeId, proof: Fact| {
            if !self.qualified(fact, &relate.conditions) {
                return false;
            }
            let key = (std::ptr::from_ref(&relate.from) as usize, other);
            if search.failed.contains(&key) {
                return false;
            }
            search.facts.push(proof);
            let length = search.facts.len();
            let goal = Goal { sets: from, node: other, next: None };
            // A set without marks can be shown independently of the remaining goals.
            let proved = match with_marks {
                true => self.solve(Some(&Goal { next: Some(rest), ..goal }), search),
                false => {
                    let own = self.solve(Some(&goal), search);
                    if !own {
                        search.failed.insert(key);
                    }
                    own
                }
            };
            if !proved {
                search.facts.truncate(length - 1);
            }
            proved
        };
        let reached = match (relate.direction, property) {
            (Direction::Backward, Some(Property::Relation(relation))) => {
                let ids = kb.facts_of(node, Property::Relation(relation));
                ids.zip(kb.objects(node, relation)).any(|(fact, &object)| {
                    through(fact, NodeId(object), Fact::Relation(node, relation, NodeId(object)))
                })
            }
            (Direction::Forward, Some(Property::Relation(relation))) => {
                let ids = kb.facts_into(relation, node).iter();
                ids.zip(kb.subjects(relation, node)).any(|(&fact, &subject)| {
                    through(fact, NodeId(subject), Fact::Relation(NodeId(subject), relation, node))
                })
            }
            (Direction::Backward, Some(Property::Attribute(attribute))) => {
                let Set::Values(comparison, value) = &relate.from else { return false };
                let target = value.literal();
                let ids = kb.facts_of(node, Property::Attribute(attribute));
                let passing = ids.zip(kb.literals(node, attribute)).find(|(fact, literal)| {
                    satisfies(&kb.literal(LiteralId(**literal)), *comparison, &target) == Ok(true)
                        && self.qualified(*fact, &relate.conditions)
                });
                let Some((_, &literal)) = passing else { return false };
                search.facts.push(Fact::Attribute(node, attribute, literal));
                true
            }
            (Direction::Forward, Some(Property::Attribute(_))) | (_, None) => false,
        };
        // With marks, the remaining goals were part of the search.
        reached && (with_marks || self.solve(Some(rest), search))
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

    /// Adds the path from a node to its greatest or smallest value.
    fn extreme(
        &self,
        node: NodeId,
        path: &[Step],
        extreme: Extreme,
        facts: &mut Vec<ProofFact>,
    ) -> Option<()> {
        let mut best = HashMap::new();
        self.best(node, path, extreme, &mut best)?;
        let mut at = node;
        for length in (1..=path.len()).rev() {
            let (literal, next) = (*best.get(&(length, at))?)?;
            let step = &path[path.len() - length];
            let fact = match (next, step.direction) {
                (None, _) => Fact::Attribute(at, self.kb.attribute(&step.property)?, literal),
                (Some(next), Direction::Forward) => {
                    Fact::Relation(at, self.kb.relation(&step.property)?, next)
                }
                (Some(next), Direction::Backward) => {
                    Fact::Relation(next, self.kb.relation(&step.property)?, at)
                }
            };
            facts.push(self.readable(fact));
            at = next.unwrap_or(at);
        }
        Some(())
    }

    /// The greatest or smallest value at the end of a path, and the first node on the path. Ids of literals are in the order of values.
    fn best(
        &self,
        node: NodeId,
        path: &[Step],
        extreme: Extreme,
        known: &mut Best,
    ) -> Option<(u32, Option<NodeId>)> {
        if let Some(&found) = known.get(&(path.len(), node)) {
            return found;
        }
        let kb = self.kb;
        let better = |new: u32, old: u32| if extreme == Extreme::Max { new > old } else { new < old };
        let mut found: Option<(u32, Option<NodeId>)> = None;
        match path {
            [] => {}
            [last] => {
                let attribute = kb.attribute(&last.property)?;
                for &literal in kb.literals(node, attribute) {
                    if found.is_none_or(|(old, _)| better(literal, old)) {
                        found = Some((literal, None));
                    }
                }
            }
            [step, rest @ ..] => {
                let relation = kb.relation(&step.property)?;
                let others = match step.direction {
                    Direction::Forward => kb.objects(node, relation),
                    Direction::Backward => kb.subjects(relation, node),
                };
                for &other in others {
                    if let Some((literal, _)) = self.best(NodeId(other), rest, extreme, known)
                        && found.is_none_or(|(old, _)| better(literal, old))
                    {
                        found = Some((literal, Some(NodeId(other))));
                    }
                }
            }
        }
        known.insert((path.len(), node), found);
        found
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
