//! Other questions with the same template, for the types that ask about two things, about the truth of a value or about a qualifier of a fact.

use super::numbers;
use super::relocate::Relocator;
use touchstone_engine::Found;
use touchstone_kb::{
    AttributeId, Comparison, FactId, Literal, LiteralFamily, LiteralId, NodeId, Property, RelationId,
};
use touchstone_logic::{Ask, Query, Set, Symbol, Value};

/// Maximum number of things to try.
const ATTEMPTS: usize = 30;

impl Relocator<'_, '_, '_> {
    /// The question about other things; `None` if this attempt finds none, or if the question has conditions on qualifiers.
    pub(super) fn relocated_asking(&mut self, answer: &Ask) -> Option<Ask> {
        match answer {
            Ask::SelectBetween { left, right, attribute, extreme } => {
                let (left, one) = self.relocated_owner(left, attribute)?;
                let (right, other) = self.relocated_owner(right, attribute)?;
                let kb = self.context.kb();
                let id = kb.attribute(attribute)?;
                let has_one_value = |node| kb.literals(node, id).len() == 1;
                let is_clear = one != other && has_one_value(one) && has_one_value(other);
                is_clear.then(|| Ask::SelectBetween {
                    left,
                    right,
                    attribute: attribute.clone(),
                    extreme: *extreme,
                })
            }
            Ask::Verify { of, attribute, conditions, comparison, value } if conditions.is_empty() => {
                let (of, node) = self.relocated_owner(of, attribute)?;
                let value = Box::new(self.other_value(node, attribute, *comparison, value)?);
                let (attribute, comparison) = (attribute.clone(), *comparison);
                Some(Ask::Verify { of, attribute, conditions: Vec::new(), comparison, value })
            }
            Ask::Relation { from, to } => {
                let (from, to) = self.relocated_pair(from, to, None, None)?;
                Some(Ask::Relation { from, to })
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                let (of, node) = self.relocated_owner(of, attribute)?;
                let value = Box::new(self.qualified_value(node, attribute, qualifier, value)?);
                let (attribute, qualifier) = (attribute.clone(), qualifier.clone());
                Some(Ask::AttributeQualifier { of, attribute, value, qualifier })
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                let (from, to) = self.relocated_pair(from, to, Some(relation), Some(qualifier))?;
                let (relation, qualifier) = (relation.clone(), qualifier.clone());
                Some(Ask::RelationQualifier { from, relation, to, qualifier })
            }
            _ => None,
        }
    }

    /// The only thing that a name or a description stands for.
    fn only_member(&self, set: &Set) -> Option<NodeId> {
        if let Set::Entity(id) = set {
            return self.context.kb().node(id);
        }
        match self.context.run(&Query::new(Ask::Members(set.clone())))? {
            Found::Things { nodes, .. } if nodes.len() == 1 => nodes.first().copied().map(NodeId),
            _ => None,
        }
    }

    /// The name or description, for another thing; a description must fit it alone.
    fn relocated_to(&mut self, set: &Set, node: NodeId) -> Option<Set> {
        self.forget_marks();
        let relocated = self.relocated(set, node)?;
        (self.only_member(&relocated) == Some(node)).then_some(relocated)
    }

    /// Another thing of the same class that has an attribute.
    fn relocated_owner(&mut self, set: &Set, attribute: &str) -> Option<(Set, NodeId)> {
        let kb = self.context.kb();
        let class = self.context.class_of(self.only_member(set)?)?;
        let column = kb.facts_by_value(kb.attribute(attribute)?);
        (0..ATTEMPTS).find_map(|_| {
            let other = NodeId(*self.random.choose(column.subjects)?);
            let is_alike = self.context.class_of(other) == Some(class);
            let relocated = is_alike.then(|| self.relocated_to(set, other))??;
            Some((relocated, other))
        })
    }

    /// A value to compare with that of a thing: the comparison is true for about half of the values.
    fn other_value(
        &mut self,
        node: NodeId,
        attribute: &str,
        comparison: Comparison,
        value: &Value,
    ) -> Option<Value> {
        let kb = self.context.kb();
        let attribute = kb.attribute(attribute)?;
        let own = kb.literal(LiteralId(*self.random.choose(kb.literals(node, attribute))?));
        if comparison != Comparison::Equal {
            return numbers::near(self.random, &own).map(|(_, value)| value);
        }
        let is_own = self.random.percent(50);
        let column = kb.facts_by_value(attribute);
        let other = kb.literal(column.value(self.random.below(column.len())));
        like(value, &if is_own { own } else { other })
    }

    /// A value of a thing whose fact has a qualifier.
    fn qualified_value(
        &mut self,
        node: NodeId,
        attribute: &str,
        qualifier: &Symbol,
        value: &Value,
    ) -> Option<Value> {
        let kb = self.context.kb();
        let attribute: AttributeId = kb.attribute(attribute)?;
        let facts = kb.facts_of(node, Property::Attribute(attribute)).zip(kb.literals(node, attribute));
        let fitting: Vec<u32> = facts
            .filter(|(fact, _)| self.has_qualifier(*fact, qualifier))
            .map(|(_, &literal)| literal)
            .collect();
        like(value, &kb.literal(LiteralId(*self.random.choose(&fitting)?)))
    }

    fn has_qualifier(&self, fact: u32, qualifier: &Symbol) -> bool {
        let kb = self.context.kb();
        kb.fact_qualifiers(FactId(fact)).any(|known| kb.qualifier_id(known.key) == qualifier.as_str())
    }

    /// Two other things of the same class with the same relation, whose fact has a qualifier if one is given.
    fn relocated_pair(
        &mut self,
        from: &Set,
        to: &Set,
        relation: Option<&Symbol>,
        qualifier: Option<&Symbol>,
    ) -> Option<(Set, Set)> {
        let kb = self.context.kb();
        let (subject, object) = (self.only_member(from)?, self.only_member(to)?);
        let relation: RelationId = match relation {
            Some(relation) => kb.relation(relation)?,
            None => kb.relations().find(|&r| kb.objects(subject, r).binary_search(&object.0).is_ok())?,
        };
        let (class, object_class) = (self.context.class_of(subject)?, self.context.class_of(object)?);
        let members = kb.members(class);
        (0..ATTEMPTS).find_map(|_| {
            let other = NodeId(*self.random.choose(members)?);
            let objects = kb.objects(other, relation);
            let at = (!objects.is_empty()).then(|| self.random.below(objects.len()))?;
            let value = NodeId(objects[at]);
            let is_alike = self.context.class_of(value) == Some(object_class);
            let fact = kb.facts_of(other, Property::Relation(relation)).nth(at);
            let is_qualified = qualifier
                .is_none_or(|qualifier| fact.is_some_and(|fact| self.has_qualifier(fact, qualifier)));
            let fits = is_alike && is_qualified && (other, value) != (subject, object);
            let from = fits.then(|| self.relocated_to(from, other))??;
            Some((from, self.relocated_to(to, value)?))
        })
    }
}

/// A literal as a value with the datatype of another value: a year where that is a year.
fn like(value: &Value, literal: &Literal<'_>) -> Option<Value> {
    let is_same_family = value.literal().kind().family() == literal.kind().family();
    let is_year = value.xsd_name() == Some("gYear");
    match literal.as_time().filter(|_| is_year) {
        Some(time) => (time.year() > 0).then(|| Value::xsd(format!("{:04}", time.year()), "gYear")),
        None if is_year || !is_same_family => None,
        None if literal.kind().family() == LiteralFamily::Text && literal.text().len() > 60 => None,
        None => Some(Value::of(literal)),
    }
}
