//! Locating and asking (KQA Pro): finds entities by a description, which may contain other descriptions, then asks about them in one of
//! nine ways.

use super::numbers;
use crate::context::{SamplingContext, SchemaEdge};
use crate::reject::RejectReason;
use touchstone_benchmark::QuestionType;
use touchstone_benchmark::Random;
use touchstone_engine::Found;
use touchstone_kb::{
    ClassId, Comparison, FactId, LiteralFamily, LiteralId, NodeId, Property, Value as KbValue,
};
use touchstone_logic::{Ask, Condition, Direction, Extreme, Query, Set, Value};

type Sampled<T> = Result<T, RejectReason>;

/// How things are located.
#[derive(Clone, Copy)]
pub(crate) struct Depth {
    /// Maximum nesting depth of descriptions.
    pub(crate) depth: usize,
    /// Percent of things that are located by their name.
    pub(crate) by_name: u64,
}

/// A query of a type, with nested descriptions up to a depth.
pub(crate) fn sample(
    context: &SamplingContext<'_>,
    random: &mut Random,
    kind: QuestionType,
    depth: Depth,
    classes: &[ClassId],
) -> Sampled<Query> {
    let (class, witness) = witness(context, random, kind, classes)?;
    let Depth { depth, by_name } = depth;
    let mut asker = Asker { context, random, depth, by_name };
    Ok(Query::new(match kind {
        QuestionType::QueryName => Ask::Members(asker.unique_description(witness)?),
        QuestionType::Count => Ask::Count(asker.description(witness)?),
        QuestionType::SelectAmong => {
            let among = asker.description(witness)?;
            let (attribute, extreme) = (asker.ordered_attribute(witness)?.0, asker.extreme());
            Ask::SelectAmong { among, attribute: attribute.into(), extreme }
        }
        QuestionType::SelectBetween => asker.between(witness, class)?,
        QuestionType::QueryAttribute => {
            let of = asker.located(witness)?;
            let (attribute, conditions) = asker.attribute_with_conditions(witness)?;
            Ask::Attribute { of, attribute: attribute.into(), conditions }
        }
        QuestionType::Verify => asker.verify(witness)?,
        QuestionType::HighLevelLiteral => asker.literal_qualifier(witness)?,
        QuestionType::Relation => asker.relation(witness)?,
        QuestionType::HighLevelRelational => asker.relation_qualifier(witness)?,
    }))
}

/// A class and a member to ask about; for some types a member whose facts have qualifiers.
fn witness(
    context: &SamplingContext<'_>,
    random: &mut Random,
    kind: QuestionType,
    classes: &[ClassId],
) -> Sampled<(ClassId, NodeId)> {
    let members = |class: ClassId| match kind {
        QuestionType::HighLevelLiteral => &context.qualified().attributes[class.index()][..],
        QuestionType::HighLevelRelational => &context.qualified().relations[class.index()][..],
        _ => context.kb().direct_members(class),
    };
    let fitting = || classes.iter().copied().filter(|&class| !members(class).is_empty());
    let n = fitting().count();
    if n == 0 {
        return Err(RejectReason::NoClassWithFacts);
    }
    let class = fitting().nth(random.below(n)).ok_or(RejectReason::NoClass)?;
    let &node = random.choose(members(class)).ok_or(RejectReason::EmptyClass)?;
    Ok((class, NodeId(node)))
}

struct Asker<'g, 'k, 'r> {
    context: &'g SamplingContext<'k>,
    random: &'r mut Random,
    depth: usize,
    by_name: u64,
}

impl<'k> Asker<'_, 'k, '_> {
    fn extreme(&mut self) -> Extreme {
        if self.random.percent(50) { Extreme::Max } else { Extreme::Min }
    }

    /// An entity by its name, or by a unique description.
    fn located(&mut self, node: NodeId) -> Sampled<Set> {
        if self.depth == 0 || self.random.percent(self.by_name) {
            return self.by_name(node);
        }
        self.unique_description(node)
    }

    fn by_name(&self, node: NodeId) -> Sampled<Set> {
        if !self.context.has_speakable_name(node) {
            return Err(RejectReason::UnspeakableName);
        }
        Ok(Set::Entity(self.context.kb().node_id(node).into()))
    }

    fn unique_description(&mut self, node: NodeId) -> Sampled<Set> {
        let set = self.description(node)?;
        match self.context.run(&Query::new(Ask::Count(set.clone()))) {
            Some(Found::Count(1)) => Ok(set),
            _ => Err(RejectReason::AmbiguousDescription),
        }
    }

    /// A class with one or two conditions that an entity satisfies.
    fn description(&mut self, node: NodeId) -> Sampled<Set> {
        let kb = self.context.kb();
        let class = self.context.class_of(node).ok_or(RejectReason::EntityWithoutClass)?;
        let class = || Set::Class(kb.node_id(kb.class_node(class)).into());
        let first = self.condition(node)?;
        Ok(match self.random.below(10) {
            0..5 => Set::and([class(), first]),
            5..8 => {
                let second = self.condition(node)?;
                if second == first {
                    return Err(RejectReason::RepeatedConstraint);
                }
                Set::and([class(), first, second])
            }
            _ => {
                // The other branch describes another member of the class.
                let other = self.sibling(node)?;
                let second = self.condition(other)?;
                if second == first {
                    return Err(RejectReason::RepeatedConstraint);
                }
                Set::or([Set::and([class(), first]), Set::and([class(), second])])
            }
        })
    }

    fn sibling(&mut self, node: NodeId) -> Sampled<NodeId> {
        let class = self.context.class_of(node).ok_or(RejectReason::EntityWithoutClass)?;
        let &other =
            self.random.choose(self.context.kb().direct_members(class)).ok_or(RejectReason::NoOtherMember)?;
        if other == node.0 { Err(RejectReason::NoOtherMember) } else { Ok(NodeId(other)) }
    }

    /// A condition that an entity satisfies: on a value, or on a relation to another entity.
    fn condition(&mut self, node: NodeId) -> Sampled<Set> {
        if self.random.percent(40) { self.literal_condition(node) } else { self.relational_condition(node) }
    }

    fn literal_condition(&mut self, node: NodeId) -> Sampled<Set> {
        let kb = self.context.kb();
        let values = self.context.attributes(node);
        let &(attribute, literals) = self.random.choose(&values).ok_or(RejectReason::NoAttributes)?;
        let at = self.random.below(literals.len());
        let literal = kb.literal(LiteralId(literals[at]));
        let ordered = self.context.is_ordered(attribute);
        let (comparison, value) = if ordered && self.random.percent(70) {
            let (comparison, value) =
                numbers::near(self.random, &literal).ok_or(RejectReason::NoRoundNumber)?;
            // KoPL has no `<=` and `>=`.
            let strict = match comparison {
                Comparison::LessOrEqual => Comparison::Less,
                Comparison::GreaterOrEqual => Comparison::Greater,
                other => other,
            };
            (strict, value)
        } else if ordered && self.random.percent(25) {
            // Another number or time of the attribute, which the entity does not have: KoPL compares texts only for equality.
            let column = kb.facts_by_value(attribute);
            let other = column.value(self.random.below(column.len()));
            let other_literal = kb.literal(other);
            if literals.contains(&other.0) || !is_sayable(&other_literal) {
                return Err(RejectReason::NoOtherValue);
            }
            (Comparison::NotEqual, Value::of(&other_literal))
        } else {
            (Comparison::Equal, self.plain_value(&literal))
        };
        let fact = kb.facts_of(node, Property::Attribute(attribute)).nth(at);
        let fact = fact.filter(|_| comparison != Comparison::NotEqual);
        let mut set = Set::relate(
            Set::Values(comparison, Box::new(value)),
            kb.attribute_id(attribute),
            Direction::Backward,
        );
        self.qualify(&mut set, fact);
        Ok(set)
    }

    fn relational_condition(&mut self, node: NodeId) -> Sampled<Set> {
        let kb = self.context.kb();
        let random = &mut *self.random;
        let edges = self.context.edges(node, |n| random.below(n));
        let &edge = self.random.choose(&edges).ok_or(RejectReason::NoNeighbour)?;
        let other = if self.depth > 0 && self.random.percent((100 - self.by_name) * 4 / 5) {
            self.depth -= 1;
            let described = self.unique_description(edge.other);
            self.depth += 1;
            described?
        } else {
            self.by_name(edge.other)?
        };
        let mut set = Set::relate(other, kb.relation_id(edge.relation), edge.direction.flipped());
        // After a description, the qualifier would be read as part of it.
        if matches!(&set, Set::Relate(relate) if matches!(relate.from, Set::Entity(_) | Set::Named(_))) {
            self.qualify(&mut set, self.fact(node, edge));
        }
        Ok(set)
    }

    fn fact(&self, node: NodeId, edge: SchemaEdge) -> Option<u32> {
        let kb = self.context.kb();
        let (subject, value) = match edge.direction {
            Direction::Forward => (node, edge.other),
            Direction::Backward => (edge.other, node),
        };
        let at = kb.objects(subject, edge.relation).binary_search(&value.0).ok()?;
        kb.facts_of(subject, Property::Relation(edge.relation)).nth(at)
    }

    /// Sometimes adds a condition on a qualifier of the fact.
    fn qualify(&mut self, set: &mut Set, fact: Option<u32>) {
        if !self.random.percent(40) {
            return;
        }
        if let (Set::Relate(relate), Some(condition)) = (set, fact.and_then(|fact| self.qualifier(fact))) {
            relate.conditions.push(condition);
        }
    }

    fn qualifier(&mut self, fact: u32) -> Option<Condition> {
        let kb = self.context.kb();
        let mut qualifiers: Vec<_> = kb.fact_qualifiers(FactId(fact)).collect();
        // Most values are numbers and times; give texts a chance.
        let is_text = |value: &KbValue| match value {
            KbValue::Node(_) => true,
            KbValue::Literal(id) => kb.literal(*id).kind().family() == LiteralFamily::Text,
        };
        if self.random.percent(50) && qualifiers.iter().any(|qualifier| is_text(&qualifier.value)) {
            qualifiers.retain(|qualifier| is_text(&qualifier.value));
        }
        let qualifier = *self.random.choose(&qualifiers)?;
        let value = match qualifier.value {
            KbValue::Node(node) => Value::text(kb.label(node)),
            KbValue::Literal(literal) => {
                let literal = kb.literal(literal);
                if !is_sayable(&literal) {
                    return None;
                }
                if self.random.percent(70) { Value::of(&literal) } else { self.plain_value(&literal) }
            }
        };
        let key = kb.qualifier_id(qualifier.key).to_owned();
        Some(Condition { qualifier: key.into(), comparison: Comparison::Equal, value })
    }

    /// A value as it is; for most dates only the year.
    fn plain_value(&mut self, literal: &touchstone_kb::Literal<'_>) -> Value {
        match literal.as_time() {
            Some(time) if time.year() > 0 && self.random.percent(60) => {
                Value::xsd(format!("{:04}", time.year()), "gYear")
            }
            _ => Value::of(literal),
        }
    }

    fn ordered_attribute(&mut self, node: NodeId) -> Sampled<(String, LiteralId)> {
        let mut values = self.context.attributes(node);
        values.retain(|(attribute, _)| self.context.is_ordered(*attribute));
        let &(attribute, literals) = self.random.choose(&values).ok_or(RejectReason::NoOrderedAttribute)?;
        let &literal = self.random.choose(literals).ok_or(RejectReason::AttributeWithoutValues)?;
        Ok((self.context.kb().attribute_id(attribute).to_owned(), LiteralId(literal)))
    }

    fn between(&mut self, node: NodeId, class: ClassId) -> Sampled<Ask> {
        let (attribute, _) = self.ordered_attribute(node)?;
        let kb = self.context.kb();
        let known = kb.attribute(&attribute).ok_or(RejectReason::NoAttribute)?;
        let members = kb.direct_members(class);
        let other = (0..8)
            .filter_map(|_| self.random.choose(members).copied())
            .find(|&other| other != node.0 && !kb.literals(NodeId(other), known).is_empty())
            .ok_or(RejectReason::NoOtherEntityWithAttribute)?;
        // Each must have one value: otherwise the comparison is ambiguous.
        if kb.literals(node, known).len() != 1 || kb.literals(NodeId(other), known).len() != 1 {
            return Err(RejectReason::SeveralValues);
        }
        let (left, right) = (self.located(node)?, self.located(NodeId(other))?);
        Ok(Ask::SelectBetween { left, right, attribute: attribute.into(), extreme: self.extreme() })
    }

    /// An attribute, with a condition if its values need one.
    fn attribute_with_conditions(&mut self, node: NodeId) -> Sampled<(String, Vec<Condition>)> {
        let kb = self.context.kb();
        let values = self.context.attributes(node);
        let &(attribute, literals) = self.random.choose(&values).ok_or(RejectReason::NoAttributes)?;
        let at = self.random.below(literals.len());
        let fact = kb.facts_of(node, Property::Attribute(attribute)).nth(at);
        let condition = fact
            .filter(|_| literals.len() > 1 || self.random.percent(40))
            .and_then(|fact| self.qualifier(fact));
        Ok((kb.attribute_id(attribute).to_owned(), condition.into_iter().collect()))
    }

    /// Whether a value is as stated: true for half of the questions.
    fn verify(&mut self, node: NodeId) -> Sampled<Ask> {
        let kb = self.context.kb();
        let of = self.located(node)?;
        let values = self.context.attributes(node);
        let &(attribute, literals) = self.random.choose(&values).ok_or(RejectReason::NoAttributes)?;
        let at = self.random.below(literals.len());
        let literal = kb.literal(LiteralId(literals[at]));
        if !is_sayable(&literal) {
            return Err(RejectReason::UnspeakableValue);
        }
        let (mut comparison, mut value) = (Comparison::Equal, self.plain_value(&literal));
        if self.context.is_ordered(attribute) && self.random.percent(60) {
            (comparison, value) = numbers::near(self.random, &literal).ok_or(RejectReason::NoRoundNumber)?;
            comparison = match comparison {
                Comparison::Less | Comparison::LessOrEqual => Comparison::Less,
                _ => Comparison::Greater,
            };
        }
        if self.random.percent(50) {
            match comparison {
                Comparison::Less => comparison = Comparison::Greater,
                Comparison::Greater => comparison = Comparison::Less,
                // Another value of the attribute.
                _ => {
                    let column = kb.facts_by_value(attribute);
                    let other = kb.literal(column.value(self.random.below(column.len())));
                    if other.kind() != literal.kind() || !is_sayable(&other) {
                        return Err(RejectReason::NoOtherValue);
                    }
                    value = self.plain_value(&other);
                }
            }
        }
        let conditions = match (literals.len(), kb.facts_of(node, Property::Attribute(attribute)).nth(at)) {
            (2.., Some(fact)) => self.qualifier(fact).into_iter().collect(),
            _ => Vec::new(),
        };
        Ok(Ask::Verify {
            of,
            attribute: kb.attribute_id(attribute).into(),
            conditions,
            comparison,
            value: Box::new(value),
        })
    }

    fn literal_qualifier(&mut self, node: NodeId) -> Sampled<Ask> {
        let kb = self.context.kb();
        let mut facts = Vec::new();
        for (attribute, literals) in self.context.attributes(node) {
            let ids = kb.facts_of(node, Property::Attribute(attribute)).zip(literals);
            facts.extend(
                ids.filter(|(fact, _)| kb.fact_qualifiers(FactId(*fact)).len() > 0)
                    .map(|(fact, &l)| (attribute, fact, l)),
            );
        }
        let &(attribute, fact, literal) = self.random.choose(&facts).ok_or(RejectReason::NoQualifiedFact)?;
        let literal = kb.literal(LiteralId(literal));
        if !is_sayable(&literal) {
            return Err(RejectReason::UnspeakableValue);
        }
        let qualifiers: Vec<_> = kb.fact_qualifiers(FactId(fact)).collect();
        let qualifier = self.random.choose(&qualifiers).ok_or(RejectReason::NoQualifiedFact)?.key;
        let of = self.located(node)?;
        Ok(Ask::AttributeQualifier {
            of,
            attribute: kb.attribute_id(attribute).into(),
            value: Box::new(Value::of(&literal)),
            qualifier: kb.qualifier_id(qualifier).into(),
        })
    }

    /// Another entity that a relation leads to, and the relation.
    fn forward_edge(&mut self, node: NodeId) -> Sampled<SchemaEdge> {
        let random = &mut *self.random;
        let mut edges = self.context.edges(node, |n| random.below(n));
        edges.retain(|edge| edge.direction == Direction::Forward);
        self.random.choose(&edges).copied().ok_or(RejectReason::NoNeighbour)
    }

    fn relation(&mut self, node: NodeId) -> Sampled<Ask> {
        let edge = self.forward_edge(node)?;
        Ok(Ask::Relation { from: self.located(node)?, to: self.located(edge.other)? })
    }

    fn relation_qualifier(&mut self, node: NodeId) -> Sampled<Ask> {
        let kb = self.context.kb();
        let edge = self.forward_edge(node)?;
        let fact = self.fact(node, edge).ok_or(RejectReason::NoFact)?;
        let qualifiers: Vec<_> = kb.fact_qualifiers(FactId(fact)).collect();
        let qualifier = self.random.choose(&qualifiers).ok_or(RejectReason::NoQualifiedFact)?.key;
        Ok(Ask::RelationQualifier {
            from: self.located(node)?,
            relation: kb.relation_id(edge.relation).into(),
            to: self.located(edge.other)?,
            qualifier: kb.qualifier_id(qualifier).into(),
        })
    }
}

/// Whether a value can be used in a question: excludes kinds that programs cannot write, and long texts.
fn is_sayable(literal: &touchstone_kb::Literal<'_>) -> bool {
    use touchstone_kb::LiteralKind::{DateTime, Month, TypedText};
    literal.text().len() <= 60 && !matches!(literal.kind(), DateTime | Month | TypedText)
}
