//! Picks nodes, facts and names for random queries, without scanning all of them.

use super::random::RandomQueries;
use touchstone_kb::{Fact, FactId, LiteralId, NodeId, Property, QualifierId, RelationId, Value};
use touchstone_logic::Set;

impl RandomQueries<'_> {
    /// A node with facts, if one is found.
    pub(super) fn any_node(&mut self) -> NodeId {
        let mut node = NodeId(0);
        for _ in 0..20 {
            node = NodeId(self.rng.below(self.kb.n_nodes()) as u32);
            if self.kb.properties_of(node).len() > 0 {
                break;
            }
        }
        node
    }

    /// A fact with a node as its subject or value; each property is equally likely.
    pub(super) fn fact_at(&mut self, node: NodeId) -> Option<Fact> {
        if self.rng.percent(35) {
            self.fact_into(node).or_else(|| self.fact_about(node))
        } else {
            self.fact_about(node).or_else(|| self.fact_into(node))
        }
    }

    fn fact_about(&mut self, node: NodeId) -> Option<Fact> {
        let properties: Vec<(Property, &[u32])> = self.kb.properties_of(node).collect();
        let (property, _) = *self.rng.pick(&properties)?;
        let facts = self.kb.facts_of(node, property);
        self.kb.fact(FactId(facts.start + self.rng.below(facts.len()) as u32))
    }

    fn fact_into(&mut self, node: NodeId) -> Option<Fact> {
        let relations: Vec<(RelationId, &[u32])> = self.kb.relations_to(node).collect();
        let (relation, _) = *self.rng.pick(&relations)?;
        self.rng.pick(self.kb.facts_into(relation, node)).and_then(|&fact| self.kb.fact(FactId(fact)))
    }

    pub(super) fn attribute_fact(&mut self, node: NodeId) -> Option<Fact> {
        (0..6).find_map(|_| {
            self.fact_about(node).filter(|fact| matches!(fact.property, Property::Attribute(_)))
        })
    }

    pub(super) fn relation_fact(&mut self, node: NodeId) -> Option<Fact> {
        (0..6).find_map(|_| self.fact_at(node).filter(|fact| matches!(fact.property, Property::Relation(_))))
    }

    /// A fact with qualifiers, about this node or about any other.
    pub(super) fn qualified(&mut self, node: NodeId, relational: bool) -> Option<Fact> {
        let fits = |kb: &touchstone_kb::Kb, fact: &Fact| {
            kb.fact_qualifiers(fact.id).len() > 0
                && matches!(fact.property, Property::Relation(_)) == relational
        };
        let kb = self.kb;
        if let Some(fact) = self.fact_at(node).filter(|fact| fits(kb, fact)) {
            return Some(fact);
        }
        (0..20).find_map(|_| {
            let fact = *self.rng.pick(kb.qualified_facts())?;
            kb.fact(FactId(fact)).filter(|fact| fits(kb, fact))
        })
    }

    /// Another fact with the same literal, of the same attribute or of another.
    pub(super) fn fact_of_literal(&mut self, fact: &Fact) -> Option<Fact> {
        let Value::Literal(LiteralId(literal)) = fact.value else { return None };
        let attributes: Vec<_> = self.kb.attributes().collect();
        (0..20).find_map(|_| {
            let attribute = match fact.property {
                Property::Attribute(own) if self.rng.percent(50) => own,
                _ => *self.rng.pick(&attributes)?,
            };
            let column = self.kb.facts_by_value(attribute);
            let at = column.positions(literal as usize..literal as usize + 1);
            let found = column.facts.get(at.start + self.rng.below(at.len())).filter(|_| !at.is_empty())?;
            self.kb.fact(FactId(*found)).filter(|found| found.id != fact.id)
        })
    }

    /// A fact that connects two nodes, either way.
    pub(super) fn fact_between(&mut self, a: NodeId, b: NodeId) -> Option<Fact> {
        let connects = |from: NodeId, to: NodeId| {
            self.kb.properties_of(from).find_map(|(property, _)| {
                let Property::Relation(relation) = property else { return None };
                let at = self.kb.objects(from, relation).binary_search(&to.0).ok()?;
                self.kb.fact(FactId(self.kb.facts_of(from, property).start + at as u32))
            })
        };
        connects(a, b).or_else(|| connects(b, a))
    }

    /// A class that a node is in, directly or not.
    pub(super) fn class_of(&mut self, node: NodeId) -> Option<Set> {
        let direct: Vec<_> = self.kb.classes_of(node).collect();
        let mut class = *self.rng.pick(&direct)?;
        if self.rng.percent(30) {
            let ancestors: Vec<_> = self.kb.ancestors(class).collect();
            class = self.rng.pick(&ancestors).copied().unwrap_or(class);
        }
        let class = self.kb.class_node(class);
        Some(Set::Class(
            if self.rng.percent(70) { self.kb.node_id(class) } else { self.kb.label(class) }.into(),
        ))
    }

    /// The id of a property, sometimes its name, which others may share.
    pub(super) fn property_word(&mut self, property: Property) -> String {
        if self.rng.percent(70) { self.kb.property_id(property) } else { self.kb.property_label(property) }
            .to_owned()
    }

    pub(super) fn qualifier_word(&mut self, key: QualifierId) -> String {
        if self.rng.percent(70) { self.kb.qualifier_id(key) } else { self.kb.qualifier_label(key) }.to_owned()
    }
}
