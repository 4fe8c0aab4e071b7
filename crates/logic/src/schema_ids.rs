//! Queries with schema ids: programs refer to classes and properties by name, but levels are defined on ids.

use crate::{Query, Set, Symbol, Word};
use touchstone_kb::{Kb, NodeId};

/// The query with each name of a class, property or qualifier replaced by its id, and an entity in place of a name that only it has. Names
/// that the KB does not have are kept.
#[must_use]
pub fn with_ids(mut query: Query, kb: &Kb) -> Query {
    let ids = Ids { kb };
    resolve_names(&mut query, &|name| only_entity(kb, name).map(|node| kb.node_id(node).into()));
    query.sets_mut(&mut |set| resolve_in_class(set, kb));
    query.words_mut(&mut |word| match word {
        Word::Class(word) => ids.class(word),
        Word::Property(word) => ids.property(word),
        Word::Qualifier(word) => ids.qualifier(word),
        Word::Entity(_) | Word::Name(_) | Word::Value(_) => {}
    });
    query
}

/// Whether an id is one of Freebase's for entities.
pub(crate) fn is_freebase(id: &str) -> bool {
    id.starts_with("m.") || id.starts_with("g.")
}

/// The only entity with a label.
pub fn only_entity(kb: &Kb, label: &str) -> Option<NodeId> {
    let mut entities = kb.nodes_labelled(label).filter(|&node| kb.as_class(node).is_none());
    let only = entities.next()?;
    entities.next().is_none().then_some(only)
}

/// Puts an entity in place of a name and a class that together find it.
fn resolve_in_class(set: &mut Set, kb: &Kb) {
    match set {
        Set::And(parts) => {
            parts.iter_mut().for_each(|part| resolve_in_class(part, kb));
            let named = parts.iter().position(|part| matches!(part, Set::Named(_)));
            let class = parts.iter().position(|part| matches!(part, Set::Class(_)));
            let (Some(named), Some(at)) = (named, class) else { return };
            let (Set::Named(name), Set::Class(word)) = (&parts[named], &parts[at]) else { return };
            let mut id = word.clone();
            Ids { kb }.class(&mut id);
            let Some(class) = kb.class(&id) else { return };
            let members = kb.members(class);
            let found: Vec<NodeId> =
                kb.nodes_labelled(name).filter(|node| members.binary_search(&node.0).is_ok()).collect();
            let [node] = found[..] else { return };
            let mut rest = std::mem::take(parts);
            rest[named] = Set::Entity(kb.node_id(node).into());
            rest.remove(at);
            *set = Set::and(rest);
        }
        Set::Or(parts) => parts.iter_mut().for_each(|part| resolve_in_class(part, kb)),
        Set::Relate(relate) => resolve_in_class(&mut relate.from, kb),
        Set::Superlative(superlative) => resolve_in_class(&mut superlative.of, kb),
        Set::Marked(_, inner) => resolve_in_class(inner, kb),
        Set::All
        | Set::Same(_)
        | Set::Named(_)
        | Set::Entity(_)
        | Set::Class(_)
        | Set::Values(..)
        | Set::During(_) => {}
    }
}

/// Puts entities in place of the names that find them.
pub(crate) fn resolve_names(query: &mut Query, find: &dyn Fn(&str) -> Option<Symbol>) {
    fn resolve(set: &mut Set, find: &dyn Fn(&str) -> Option<Symbol>) {
        match set {
            Set::Named(name) => {
                if let Some(id) = find(name) {
                    *set = Set::Entity(id);
                }
            }
            Set::And(parts) | Set::Or(parts) => parts.iter_mut().for_each(|part| resolve(part, find)),
            Set::Relate(relate) => resolve(&mut relate.from, find),
            Set::Superlative(superlative) => resolve(&mut superlative.of, find),
            Set::Marked(_, inner) => resolve(inner, find),
            Set::All | Set::Same(_) | Set::Entity(_) | Set::Class(_) | Set::Values(..) | Set::During(_) => {}
        }
    }
    query.sets_mut(&mut |set| resolve(set, find));
}

/// The entities that a query names, without duplicates, in order.
pub fn entities(query: &Query) -> Vec<&str> {
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
    fn class(&self, word: &mut Symbol) {
        let labelled = || self.kb.nodes_labelled(word).find_map(|node| self.kb.as_class(node));
        let label = |class| self.kb.label(self.kb.class_node(class));
        let named = || labelled().or_else(|| self.kb.classes().find(|&class| label(class) == word));
        if let (None, Some(class)) = (self.kb.class(word), named()) {
            *word = self.kb.node_id(self.kb.class_node(class)).into();
        }
    }

    fn property(&self, word: &mut Symbol) {
        let kb = self.kb;
        if kb.relation(word).is_some() || kb.attribute(word).is_some() {
            return;
        }
        let relation = kb.relations().find(|&r| kb.relation_label(r) == word).map(|r| kb.relation_id(r));
        let attribute =
            || kb.attributes().find(|&a| kb.attribute_label(a) == word).map(|a| kb.attribute_id(a));
        if let Some(id) = relation.or_else(attribute) {
            *word = id.into();
        }
    }

    fn qualifier(&self, word: &mut Symbol) {
        let kb = self.kb;
        if kb.qualifier_key(word).is_none()
            && let Some(key) = kb.qualifier_keys().find(|&key| kb.qualifier_label(key) == word)
        {
            *word = kb.qualifier_id(key).into();
        }
    }
}
