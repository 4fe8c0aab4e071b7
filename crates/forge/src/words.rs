//! Queries with the ids of the schema: programs name classes and properties, and names are not what levels are about.

use touchstone_kb::Kb;
use touchstone_logic::{Answer, Condition, Query, Set};

/// The query with an id in place of each name of a class, property or qualifier. What the KB does not know stays as it is.
#[must_use]
pub fn with_ids(mut query: Query, kb: &Kb) -> Query {
    let words = Ids { kb };
    match &mut query.answer {
        Answer::Members(set) | Answer::Count(set) | Answer::Exists(set) => words.set(set),
        Answer::Attribute { of, attribute, conditions }
        | Answer::Verify { of, attribute, conditions, .. } => {
            words.set(of);
            words.property(attribute);
            words.conditions(conditions);
        }
        Answer::Relation { from, to } => {
            words.set(from);
            words.set(to);
        }
        Answer::AttributeQualifier { of, attribute, qualifier, .. } => {
            words.set(of);
            words.property(attribute);
            words.qualifier(qualifier);
        }
        Answer::RelationQualifier { from, relation, to, qualifier } => {
            words.set(from);
            words.set(to);
            words.property(relation);
            words.qualifier(qualifier);
        }
        Answer::SelectBetween { left, right, attribute, .. } => {
            words.set(left);
            words.set(right);
            words.property(attribute);
        }
        Answer::SelectAmong { among, attribute, .. } => {
            words.set(among);
            words.property(attribute);
        }
    }
    query
}

/// The entities that a query names, each once, in its order.
pub(crate) fn entities(query: &Query) -> Vec<&str> {
    fn visit<'q>(set: &'q Set, found: &mut Vec<&'q str>) {
        if let Set::Entity(word) | Set::Named(word) = set
            && !found.contains(&word.as_str())
        {
            found.push(word);
        }
        set.children(&mut |child| visit(child, found));
    }
    let mut found = Vec::new();
    query.sets(&mut |set| visit(set, &mut found));
    found
}

struct Ids<'k> {
    kb: &'k Kb,
}

impl Ids<'_> {
    fn set(&self, set: &mut Set) {
        match set {
            Set::Class(word) => {
                let labelled = || self.kb.nodes_labelled(word).find_map(|node| self.kb.as_class(node));
                let label = |class| self.kb.label(self.kb.class_node(class));
                let named = || labelled().or_else(|| self.kb.classes().find(|&class| label(class) == word));
                if let (None, Some(class)) = (self.kb.class(word), named()) {
                    *word = self.kb.node_id(self.kb.class_node(class)).to_owned();
                }
            }
            Set::Relate(relate) => {
                self.set(&mut relate.from);
                self.property(&mut relate.property);
                self.conditions(&mut relate.conditions);
            }
            Set::And(parts) | Set::Or(parts) => parts.iter_mut().for_each(|part| self.set(part)),
            Set::Superlative(superlative) => {
                self.set(&mut superlative.of);
                superlative.path.iter_mut().for_each(|step| self.property(&mut step.property));
            }
            Set::Marked(_, inner) => self.set(inner),
            _ => {}
        }
    }

    fn property(&self, word: &mut String) {
        let kb = self.kb;
        if kb.relation(word).is_some() || kb.attribute(word).is_some() {
            return;
        }
        let relation = kb.relations().find(|&r| kb.relation_label(r) == word).map(|r| kb.relation_id(r));
        let attribute =
            || kb.attributes().find(|&a| kb.attribute_label(a) == word).map(|a| kb.attribute_id(a));
        if let Some(id) = relation.or_else(attribute) {
            *word = id.to_owned();
        }
    }

    fn qualifier(&self, word: &mut String) {
        let kb = self.kb;
        if kb.qualifier_key(word).is_none()
            && let Some(key) = kb.qualifier_keys().find(|&key| kb.qualifier_label(key) == word)
        {
            *word = kb.qualifier_id(key).to_owned();
        }
    }

    fn conditions(&self, conditions: &mut [Condition]) {
        for condition in conditions {
            self.qualifier(&mut condition.qualifier);
        }
    }
}
