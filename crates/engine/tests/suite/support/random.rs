//! Random queries about a KB, built around existing facts, so that most of them have answers.
//!
//! A query starts at a thing; each edge is a fact of that thing or of one that was already reached. Descriptions are true for the thing:
//! its class, its name, a comparison that its value satisfies (most of the time). Cycles come from facts that really close a cycle.

use super::random_values::near;
use super::rng::Rng;
use touchstone_kb::{
    AttributeId, Comparison, Fact, FactId, Kb, LiteralId, NodeId, Property, Qualifier, Value,
};
use touchstone_logic::{
    Ask, Condition, Direction, During, Extreme, Mark, Operand, Query, Relate, Rules, Set, Step, Superlative,
};

/// The marks that a query sets.
fn marks_in(query: &Query) -> Vec<Mark> {
    fn visit(set: &Set, marks: &mut Vec<Mark>) {
        if let Set::Marked(mark, _) = set {
            marks.push(*mark);
        }
        set.children(&mut |child| visit(child, marks));
    }
    let mut marks = Vec::new();
    query.sets(&mut |set| visit(set, &mut marks));
    marks
}

/// Makes queries about one KB.
pub struct RandomQueries<'k> {
    pub(super) kb: &'k Kb,
    pub(super) rng: Rng,
    /// Attributes that have times.
    dated: Vec<AttributeId>,
    /// Marks of the query under construction.
    marks: Vec<Mark>,
}

impl<'k> RandomQueries<'k> {
    /// The same seed gives the same queries.
    pub fn new(kb: &'k Kb, seed: u64) -> RandomQueries<'k> {
        let has_times = |a: &AttributeId| {
            let facts = kb.facts_by_value(*a);
            [0, facts.len() / 2]
                .iter()
                .any(|&at| at < facts.len() && kb.literal(facts.value(at)).as_time().is_some())
        };
        RandomQueries {
            kb,
            rng: Rng::new(seed),
            dated: kb.attributes().filter(has_times).collect(),
            marks: Vec::new(),
        }
    }

    /// The next query.
    pub fn query(&mut self) -> Query {
        self.marks.clear();
        let answer = loop {
            if let Some(answer) = self.answer() {
                break answer;
            }
            self.marks.clear();
        };
        let mut query = Query { answer, rules: Rules::default() };
        self.marks = marks_in(&query);
        let on_facts = matches!(
            query.answer,
            Ask::Relation { .. } | Ask::AttributeQualifier { .. } | Ask::RelationQualifier { .. }
        );
        if !on_facts && self.rng.percent(if self.marks.is_empty() { 5 } else { 40 }) {
            for _ in 0..1 + self.rng.below(2) {
                let pair = (self.operand(), self.operand());
                query.rules.different.push(pair);
            }
        }
        query.rules.english = self.rng.percent(6);
        query
    }

    fn operand(&mut self) -> Operand {
        match self.rng.below(4) {
            0 | 1 => Operand::Answer,
            2 if !self.marks.is_empty() => Operand::Marked(self.rng.pick(&self.marks).copied().unwrap_or(0)),
            _ if self.rng.percent(5) => Operand::Entity("no such entity".into()),
            _ => Operand::Entity(self.kb.node_id(self.any_node()).into()),
        }
    }

    fn answer(&mut self) -> Option<Ask> {
        let edges = 1 + self.rng.below(4);
        let node = self.any_node();
        Some(match self.rng.below(20) {
            0..=5 => Ask::Members(self.whole(node, edges)),
            6 | 7 => Ask::Count(self.whole(node, edges)),
            8 => Ask::Exists(self.whole(node, edges)),
            9 | 10 => {
                let fact = self.attribute_fact(node)?;
                let attribute = self.property_word(fact.property);
                Ask::Attribute {
                    of: self.grow(Value::Node(node), edges - 1),
                    attribute: attribute.into(),
                    conditions: self.conditions(fact.id),
                }
            }
            11 => {
                let fact = self.attribute_fact(node)?;
                let Value::Literal(literal) = fact.value else { return None };
                let (comparison, value) = near(self.kb, &mut self.rng, literal);
                let attribute = self.property_word(fact.property);
                let conditions = self.conditions(fact.id);
                Ask::Verify {
                    of: self.grow(Value::Node(node), edges - 1),
                    attribute: attribute.into(),
                    conditions,
                    comparison,
                    value: Box::new(value),
                }
            }
            12 | 13 => {
                let fact = self.relation_fact(node)?;
                let (from, to) = (
                    self.separate(Value::Node(fact.subject), edges / 2),
                    self.separate(fact.value, edges / 2),
                );
                Ask::Relation { from, to }
            }
            14 => {
                let fact = self.qualified(node, false)?;
                let Value::Literal(literal) = fact.value else { return None };
                let key = self.kb.fact_qualifiers(fact.id).next()?.key;
                Ask::AttributeQualifier {
                    of: self.separate(Value::Node(fact.subject), edges - 1),
                    attribute: self.property_word(fact.property).into(),
                    value: if self.rng.percent(80) {
                        Box::new(touchstone_logic::Value::of(&self.kb.literal(literal)))
                    } else {
                        Box::new(near(self.kb, &mut self.rng, literal).1)
                    },
                    qualifier: self.qualifier_word(key).into(),
                }
            }
            15 => {
                let fact = self.qualified(node, true)?;
                let keys: Vec<Qualifier> = self.kb.fact_qualifiers(fact.id).collect();
                let key = self.rng.pick(&keys)?.key;
                Ask::RelationQualifier {
                    from: self.separate(Value::Node(fact.subject), edges / 2),
                    relation: self.property_word(fact.property).into(),
                    to: self.separate(fact.value, edges / 2),
                    qualifier: self.qualifier_word(key).into(),
                }
            }
            16 | 17 => {
                let fact = self.attribute_fact(node)?;
                let Property::Attribute(attribute) = fact.property else { return None };
                let column = self.kb.facts_by_value(attribute);
                let other = NodeId(*column.subjects.get(self.rng.below(column.len()))?);
                Ask::SelectBetween {
                    left: self.leaf(Value::Node(node)),
                    right: if self.rng.percent(70) {
                        self.leaf(Value::Node(other))
                    } else {
                        self.grow(Value::Node(other), edges - 1)
                    },
                    attribute: self.kb.attribute_id(attribute).into(),
                    extreme: self.extreme(),
                }
            }
            _ => {
                let fact = self.attribute_fact(node)?;
                let Property::Attribute(attribute) = fact.property else { return None };
                Ask::SelectAmong {
                    among: self.grow(Value::Node(node), edges - 1),
                    attribute: self.kb.attribute_id(attribute).into(),
                    extreme: self.extreme(),
                }
            }
        })
    }

    /// A description that is the whole question.
    fn whole(&mut self, node: NodeId, edges: usize) -> Set {
        match self.rng.below(40) {
            0 => Set::All,
            1 => self.during(node).unwrap_or(Set::All),
            2 | 3 => match self.attribute_fact(node) {
                Some(fact) => self.along(&fact, fact.value, edges - 1),
                None => self.grow(Value::Node(node), edges),
            },
            4..=7 => self.superlative(node, edges - 1).unwrap_or(Set::All),
            8 => {
                // A value that two things share.
                let Some(fact) = self.attribute_fact(node) else {
                    return self.grow(Value::Node(node), edges);
                };
                let first = self.along(&fact, fact.value, 0);
                let again = self.fact_of_literal(&fact).map(|other| self.along(&other, fact.value, 0));
                Set::and([first].into_iter().chain(again))
            }
            _ => self.grow(Value::Node(node), edges),
        }
    }

    /// A description that shares no marks with another.
    fn separate(&mut self, thing: Value, edges: usize) -> Set {
        if self.rng.percent(10) { Set::All } else { self.grow(thing, edges) }
    }

    /// A description of a thing with this number of edges.
    fn grow(&mut self, thing: Value, edges: usize) -> Set {
        let Value::Node(node) = thing else { return self.leaf(thing) };
        if edges == 0 {
            return self.leaf(thing);
        }
        let special = match self.rng.below(30) {
            0 | 1 => Some(self.either(node, edges)),
            2 => self.superlative(node, edges - 1),
            3 => self.during(node).map(|during| Set::and([self.grow(thing, edges - 1), during])),
            4..=6 if edges >= 2 => self.cycle(node, edges),
            7 => self.back_to_itself(node),
            _ => None,
        };
        if let Some(set) = special {
            return set;
        }
        let mine = 1 + self.rng.below(edges);
        let Some(fact) = self.fact_at(node) else { return self.leaf(thing) };
        let mut parts = vec![self.along(&fact, thing, mine - 1)];
        if mine < edges {
            parts.push(self.grow(thing, edges - mine));
        }
        if self.rng.percent(25) {
            parts.extend(self.class_of(node));
        }
        if self.rng.percent(3) {
            parts.push(Set::All);
        }
        if self.rng.percent(50) {
            parts.reverse();
        }
        if parts.len() == 1 { parts.remove(0) } else { Set::And(parts) }
    }

    /// The condition that a fact gives for one of its ends, with the other end described further.
    fn along(&mut self, fact: &Fact, thing: Value, edges: usize) -> Set {
        let (other, direction) =
            if fact.value == thing && (fact.value != Value::Node(fact.subject) || self.rng.percent(50)) {
                (Value::Node(fact.subject), Direction::Forward)
            } else {
                (fact.value, Direction::Backward)
            };
        let from = self.grow(other, edges);
        self.step(fact, from, direction)
    }

    fn step(&mut self, fact: &Fact, from: Set, direction: Direction) -> Set {
        let (property, conditions) = (self.property_word(fact.property), self.conditions(fact.id));
        Set::Relate(Box::new(Relate { from, property: property.into(), direction, conditions }))
    }

    /// Only a name, a class or a value.
    fn leaf(&mut self, thing: Value) -> Set {
        match thing {
            Value::Literal(_) if self.rng.percent(3) => Set::All,
            Value::Literal(literal) => {
                let (comparison, value) = near(self.kb, &mut self.rng, literal);
                Set::Values(comparison, Box::new(value))
            }
            Value::Node(node) => match self.rng.below(20) {
                0..=8 => Set::Entity(self.kb.node_id(node).into()),
                9..=13 => Set::Named(self.kb.label(node).into()),
                14..=17 => self.class_of(node).unwrap_or(Set::All),
                18 => Set::All,
                _ if self.rng.percent(20) => Set::Entity("no such entity".into()),
                _ => {
                    let other = self.any_node();
                    let mut both = vec![
                        Set::Entity(self.kb.node_id(node).into()),
                        Set::Entity(self.kb.node_id(other).into()),
                    ];
                    if self.rng.percent(30) {
                        both.extend(self.class_of(other));
                    }
                    Set::or(both)
                }
            },
        }
    }

    fn either(&mut self, node: NodeId, edges: usize) -> Set {
        let other = self.any_node();
        let mine = self.grow(Value::Node(node), edges.div_ceil(2));
        let theirs = self.grow(Value::Node(other), edges / 2);
        let mut parts = vec![mine, theirs];
        if self.rng.percent(10) {
            // An unrestricted set: as a part of a conjunction it still means everything.
            let open = if self.rng.percent(50) { self.during(node).unwrap_or(Set::All) } else { Set::All };
            parts.push(open);
            let Some(fact) = self.fact_at(node) else { return Set::or(parts) };
            return Set::And(vec![self.along(&fact, Value::Node(node), 0), Set::or(parts)]);
        }
        Set::or(parts)
    }

    fn superlative(&mut self, node: NodeId, edges: usize) -> Option<Set> {
        let extreme = self.extreme();
        match self.rng.below(4) {
            // The value of something that the candidate leads to.
            0 => {
                let fact = self.relation_fact(node)?;
                let (other, direction) = if fact.subject == node {
                    (fact.value, Direction::Forward)
                } else {
                    (Value::Node(fact.subject), Direction::Backward)
                };
                let Value::Node(other) = other else { return None };
                let last = self.attribute_fact(other)?;
                let path = vec![
                    Step { property: self.property_word(fact.property).into(), direction },
                    Step {
                        property: self.kb.property_id(last.property).into(),
                        direction: Direction::Forward,
                    },
                ];
                let of = self.grow(Value::Node(node), edges);
                Some(Set::Superlative(Box::new(Superlative { of, path, extreme, start: None })))
            }
            // The value of an inner thing.
            1 => {
                let fact = self.relation_fact(node)?;
                let inner = if fact.subject == node { fact.value } else { Value::Node(fact.subject) };
                let Value::Node(other) = inner else { return None };
                let last = self.attribute_fact(other)?;
                let mark = self.new_mark();
                let marked = Set::Marked(mark, Box::new(self.grow(inner, edges / 2)));
                let direction = if fact.subject == node { Direction::Backward } else { Direction::Forward };
                let of = self.step(&fact, marked, direction);
                let of = if self.rng.percent(40) {
                    Set::and([of].into_iter().chain(self.class_of(node)))
                } else {
                    of
                };
                let path = vec![Step {
                    property: self.kb.property_id(last.property).into(),
                    direction: Direction::Forward,
                }];
                Some(Set::Superlative(Box::new(Superlative { of, path, extreme, start: Some(mark) })))
            }
            _ => {
                let last = self.attribute_fact(node)?;
                let path = vec![Step {
                    property: self.kb.property_id(last.property).into(),
                    direction: Direction::Forward,
                }];
                let of = if self.rng.percent(30) {
                    self.class_of(node)?
                } else {
                    self.grow(Value::Node(node), edges)
                };
                Some(Set::Superlative(Box::new(Superlative { of, path, extreme, start: None })))
            }
        }
    }

    fn during(&mut self, node: NodeId) -> Option<Set> {
        let own: Vec<AttributeId> =
            self.dated.iter().copied().filter(|&a| !self.kb.literals(node, a).is_empty()).collect();
        let start = self.rng.pick(&own).or(self.dated.first()).copied()?;
        let end = *self.rng.pick(&self.dated)?;
        let time = |this: &mut Self, attribute: AttributeId| {
            let column = this.kb.facts_by_value(attribute);
            let own = this.kb.literals(node, attribute).first().map(|&id| LiteralId(id));
            let literal = own.unwrap_or_else(|| column.value(this.rng.below(column.len())));
            let (_, value) = near(this.kb, &mut this.rng, literal);
            value.literal().as_time().is_some().then_some(value)
        };
        Some(Set::During(Box::new(During {
            start: self.property_word(Property::Attribute(start)).into(),
            end: self.property_word(Property::Attribute(end)).into(),
            latest_start: time(self, start)?,
            earliest_end: time(self, end)?,
        })))
    }

    /// Two or three mutually connected things.
    fn cycle(&mut self, node: NodeId, edges: usize) -> Option<Set> {
        let thing = Value::Node(node);
        let first = self.fact_at(node)?;
        let a = if first.subject == node { first.value } else { Value::Node(first.subject) };
        let direction = |fact: &Fact, from: Value| {
            if Value::Node(fact.subject) == from { Direction::Forward } else { Direction::Backward }
        };
        let mark = self.new_mark();
        let Value::Node(a_node) = a else {
            // Another fact with the same value.
            let second = self.fact_of_literal(&first)?;
            let other = Set::Marked(mark, Box::new(self.leaf(a)));
            let there = self.step(&first, other, Direction::Backward);
            let same = Set::relate(Set::Same(mark), self.property_word(second.property), Direction::Backward);
            let back = Set::relate(same, self.property_word(second.property), Direction::Forward);
            return Some(Set::And(vec![
                there,
                Set::relate(back, self.property_word(first.property), Direction::Backward),
            ]));
        };
        let inner = if edges > 2 { self.grow(a, edges - 2) } else { self.leaf(a) };
        let marked = self.step(&first, Set::Marked(mark, Box::new(inner)), direction(&first, a));
        for _ in 0..8 {
            let Some(second) = self.fact_at(node) else { break };
            let b = if second.subject == node { second.value } else { Value::Node(second.subject) };
            if second.id != first.id && b == a {
                let again = self.step(&second, Set::Same(mark), direction(&second, a));
                let mut parts = vec![marked, again];
                if self.rng.percent(50) {
                    parts.reverse();
                }
                return Some(Set::And(parts));
            }
            let Value::Node(b_node) = b else { continue };
            if b != a
                && let Some(between) = self.fact_between(a_node, b_node)
            {
                let from_a = self.step(&between, Set::Same(mark), direction(&between, a));
                let from_a = if self.rng.percent(30) {
                    Set::and([from_a].into_iter().chain(self.class_of(b_node)))
                } else {
                    from_a
                };
                let again = self.step(&second, from_a, direction(&second, b));
                return Some(Set::And(vec![again, marked]));
            }
        }
        // There and back through another thing: the answer occurs twice.
        let away = self.step(&first, Set::Same(mark), direction(&first, thing));
        let back = self.step(&first, away, direction(&first, a));
        Some(Set::Marked(mark, Box::new(back)))
    }

    /// What leads to itself.
    fn back_to_itself(&mut self, node: NodeId) -> Option<Set> {
        let fact = self.relation_fact(node)?;
        let mark = self.new_mark();
        let other = self.new_mark();
        let direction = if fact.subject == node { Direction::Backward } else { Direction::Forward };
        if self.rng.percent(20) {
            return Some(Set::Marked(mark, Box::new(self.step(&fact, Set::Same(mark), direction))));
        }
        // Another thing with the same neighbour: the case for all `different` rules.
        let inner = self.leaf(Value::Node(node));
        let there = self.step(&fact, Set::Marked(mark, Box::new(inner)), direction.flipped());
        let back =
            Set::relate(Set::Marked(other, Box::new(there)), self.property_word(fact.property), direction);
        Some(back)
    }

    fn extreme(&mut self) -> Extreme {
        if self.rng.percent(50) { Extreme::Max } else { Extreme::Min }
    }

    fn new_mark(&mut self) -> Mark {
        let mark = self.marks.len() as Mark;
        self.marks.push(mark);
        mark
    }

    fn conditions(&mut self, fact: FactId) -> Vec<Condition> {
        let qualifiers: Vec<Qualifier> = self.kb.fact_qualifiers(fact).collect();
        let n = if qualifiers.is_empty() || !self.rng.percent(40) { 0 } else { 1 + self.rng.below(2) };
        let mut conditions = Vec::new();
        for _ in 0..n {
            let Some(qualifier) = self.rng.pick(&qualifiers).copied() else { break };
            let (comparison, value) = match qualifier.value {
                Value::Literal(literal) => near(self.kb, &mut self.rng, literal),
                Value::Node(node) => {
                    let comparison =
                        if self.rng.percent(80) { Comparison::Equal } else { Comparison::NotEqual };
                    let label = self.kb.label(node);
                    let value = if self.rng.percent(70) {
                        touchstone_logic::Value::text(label)
                    } else {
                        touchstone_logic::Value::untyped(label)
                    };
                    (comparison, value)
                }
            };
            conditions.push(Condition {
                qualifier: self.qualifier_word(qualifier.key).into(),
                comparison,
                value,
            });
        }
        conditions
    }
}
