//! What a word is, as far as a KB or an ontology knows: the schema behind a parser's messages.

use crate::ontology::Ontology;
use touchstone_kb::{Kb, NodeId, ValueKind, nearest_name};

/// Knows words. `None` means "cannot tell", so that a parser without a schema stays silent.
pub trait Lookup {
    /// Whether it is a class.
    fn is_class(&self, word: &str) -> Option<bool>;
    /// Whether it is a relation or attribute.
    fn is_property(&self, word: &str) -> Option<bool>;
    /// Whether it is the id of an entity.
    fn is_entity(&self, word: &str) -> Option<bool>;
    /// The known class nearest to a wrong word.
    fn nearest_class(&self, wrong: &str) -> Option<String>;
    /// The known relation or attribute nearest to a wrong word.
    fn nearest_property(&self, wrong: &str) -> Option<String>;
}

/// Knows what another one knows, and makes no suggestions: looking for the nearest word takes longer than reading a query.
pub struct Silent<'l>(pub &'l (dyn Lookup + Sync));

impl Lookup for Silent<'_> {
    fn is_class(&self, word: &str) -> Option<bool> {
        self.0.is_class(word)
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        self.0.is_property(word)
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        self.0.is_entity(word)
    }

    fn nearest_class(&self, _: &str) -> Option<String> {
        None
    }

    fn nearest_property(&self, _: &str) -> Option<String> {
        None
    }
}

/// Knows nothing but the spelling of Freebase and Wikidata ids.
pub struct Spelling;

impl Spelling {
    /// Whether a word is spelled like an entity of Freebase (`m.0abc`, `g.11xyz`) or Wikidata (`Q42`).
    pub(crate) fn looks_like_entity(word: &str) -> bool {
        let bytes = word.as_bytes();
        match bytes {
            [b'm' | b'g', b'.', rest @ ..] => {
                !rest.is_empty() && rest.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
            }
            [b'Q', rest @ ..] => !rest.is_empty() && rest.iter().all(u8::is_ascii_digit),
            _ => {
                word.starts_with("http://dbpedia.org/resource/")
                    || word.starts_with("http://www.wikidata.org/entity/Q")
            }
        }
    }
}

impl Lookup for Spelling {
    fn is_class(&self, word: &str) -> Option<bool> {
        Spelling::looks_like_entity(word).then_some(false)
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        Spelling::looks_like_entity(word).then_some(false)
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Spelling::looks_like_entity(word).then_some(true)
    }

    fn nearest_class(&self, _: &str) -> Option<String> {
        None
    }

    fn nearest_property(&self, _: &str) -> Option<String> {
        None
    }
}

/// Freebase: a word that is not a relation is a class, also the mediator types that `fb_types` does not list.
impl Lookup for Ontology {
    fn is_class(&self, word: &str) -> Option<bool> {
        Some(self.knows(word) && !Ontology::is_relation(self, word))
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        Some(Ontology::is_relation(self, word))
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Some(Spelling::looks_like_entity(word))
    }

    fn nearest_class(&self, wrong: &str) -> Option<String> {
        nearest_name(wrong, self.classes()).map(str::to_owned)
    }

    fn nearest_property(&self, wrong: &str) -> Option<String> {
        nearest_name(wrong, self.relations()).map(str::to_owned)
    }
}

/// A KB knows all its words, by id and by name.
impl Lookup for Kb {
    fn is_class(&self, word: &str) -> Option<bool> {
        Some(
            self.class(word).is_some()
                || self.nodes_named(word).iter().any(|&node| self.as_class(node).is_some()),
        )
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        let known = self.relation(word).is_some() || self.attribute(word).is_some();
        Some(known || properties(self).any(|name| name == word))
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Some(self.node(word).is_some_and(|node| self.as_class(node).is_none()))
    }

    fn nearest_class(&self, wrong: &str) -> Option<String> {
        nearest_name(wrong, self.classes().map(|class| self.label(self.class_node(class)))).map(str::to_owned)
    }

    fn nearest_property(&self, wrong: &str) -> Option<String> {
        nearest_name(wrong, properties(self)).map(str::to_owned)
    }
}

/// The ids and names of relations and attributes.
fn properties(kb: &Kb) -> impl Iterator<Item = &str> {
    let relations = kb.relations().flat_map(|r| [kb.relation_id(r), kb.relation_label(r)]);
    relations.chain(kb.attributes().flat_map(|a| [kb.attribute_id(a), kb.attribute_label(a)]))
}

/// Knows what says the same: inverse relations, and entities with several ids.
pub trait Inverses {
    /// The relation that says the same the other way round.
    fn inverse(&self, relation: &str) -> Option<&str>;

    /// The first id of an entity that has several (`owl:sameAs`), if it is another one.
    fn same(&self, _entity: &str) -> Option<&str> {
        None
    }
}

/// Knows none.
impl Inverses for () {
    fn inverse(&self, _: &str) -> Option<&str> {
        None
    }
}

impl Inverses for Ontology {
    fn inverse(&self, relation: &str) -> Option<&str> {
        Ontology::inverse(self, relation)
    }
}

impl Inverses for Kb {
    fn inverse(&self, relation: &str) -> Option<&str> {
        let inverse =
            |known| if self.is_symmetric(known) { Some(known) } else { self.relation_inverse(known) };
        match self.relation(relation) {
            Some(known) => inverse(known).map(|other| self.relation_id(other)),
            None if self.attribute(relation).is_some() => None,
            None => {
                let known = self.relations().find(|&r| self.relation_label(r) == relation)?;
                inverse(known).map(|other| self.relation_label(other))
            }
        }
    }

    fn same(&self, entity: &str) -> Option<&str> {
        let (relation, node) = (self.relation(SAME_AS)?, self.node(entity)?);
        let mut group = vec![node.0];
        let mut at = 0;
        while at < group.len() && group.len() < MAX_IDS {
            let node = NodeId(group[at]);
            for &other in self.objects(node, relation).iter().chain(self.subjects(relation, node)) {
                if !group.contains(&other) {
                    group.push(other);
                }
            }
            at += 1;
        }
        let first = group.into_iter().min().filter(|&first| first != node.0)?;
        Some(self.node_id(NodeId(first)))
    }
}

/// The relation between the ids of one entity.
pub const SAME_AS: &str = "http://www.w3.org/2002/07/owl#sameAs";

/// Maximum number of ids of one entity; more are a sign of wrong links.
const MAX_IDS: usize = 100;

/// Knows names for ids, for languages that use names.
pub trait Names {
    /// The name of an entity, if no other entity has it.
    fn entity_name(&self, _id: &str) -> Option<String> {
        None
    }

    /// The name of a class.
    fn class_name(&self, _word: &str) -> Option<String> {
        None
    }

    /// The name of a relation, attribute or qualifier key.
    fn property_name(&self, _word: &str) -> Option<String> {
        None
    }

    /// What the values under an attribute or qualifier key are.
    fn key_kind(&self, _key: &str) -> Option<KeyKind> {
        None
    }
}

/// What the values under a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Texts.
    Text,
    /// Quantities.
    Number,
    /// Years and dates.
    Time,
}

/// Knows none.
impl Names for () {}

impl Names for Kb {
    fn entity_name(&self, id: &str) -> Option<String> {
        let name = self.label(self.node(id)?);
        (self.nodes_named(name).len() == 1).then(|| name.to_owned())
    }

    fn class_name(&self, word: &str) -> Option<String> {
        Some(self.label(self.class_node(self.class(word)?)).to_owned())
    }

    fn property_name(&self, word: &str) -> Option<String> {
        let relation = self.relation(word).map(|r| self.relation_label(r));
        let attribute = || self.attribute(word).map(|a| self.attribute_label(a));
        let qualifier = || self.qualifier_key(word).map(|q| self.qualifier_label(q));
        relation.or_else(attribute).or_else(qualifier).map(str::to_owned)
    }

    fn key_kind(&self, key: &str) -> Option<KeyKind> {
        let by_name = || self.attributes().find(|&a| self.attribute_label(a) == key);
        let qualifier = || {
            let by_name = || self.qualifier_keys().find(|&q| self.qualifier_label(q) == key);
            self.qualifier_key(key).or_else(by_name).map(|q| self.qualifier_kind(q))
        };
        let kind = self.attribute(key).or_else(by_name).map(|a| self.attribute_kind(a)).or_else(qualifier)?;
        match kind {
            ValueKind::Quantity => Some(KeyKind::Number),
            ValueKind::Time => Some(KeyKind::Time),
            ValueKind::Text | ValueKind::Entity => Some(KeyKind::Text),
            _ => None,
        }
    }
}
