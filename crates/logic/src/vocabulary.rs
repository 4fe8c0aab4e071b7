//! The meaning of names, as far as a KB, an ontology or their spelling gives it.

use crate::ontology::Ontology;
use touchstone_kb::nearest_name;

/// Knows names: their kinds, their labels, and which of them mean the same. `None` means "unknown to this vocabulary", so that a
/// parser without a schema accepts every name.
pub trait Vocabulary: Sync {
    /// Whether the name is a class.
    fn is_class(&self, _word: &str) -> Option<bool> {
        None
    }

    /// Whether the name is a relation or attribute.
    fn is_property(&self, _word: &str) -> Option<bool> {
        None
    }

    /// Whether the name is the id of an entity.
    fn is_entity(&self, _word: &str) -> Option<bool> {
        None
    }

    /// The known class nearest to a wrong name. This may take a thousand times as long as parsing a query.
    fn nearest_class(&self, _wrong: &str) -> Option<String> {
        None
    }

    /// The known relation or attribute nearest to a wrong name. This may take a thousand times as long as parsing a query.
    fn nearest_property(&self, _wrong: &str) -> Option<String> {
        None
    }

    /// The inverse relation.
    fn inverse(&self, _relation: &str) -> Option<&str> {
        None
    }

    /// The first id of an entity that has several (`owl:sameAs`), if it is a different one.
    fn same(&self, _entity: &str) -> Option<&str> {
        None
    }

    /// The name of an entity, if no other entity has it.
    fn entity_name(&self, _id: &str) -> Option<String> {
        None
    }

    /// The id of the only entity with a label.
    fn only_entity(&self, _label: &str) -> Option<String> {
        None
    }

    /// The name of a class.
    fn class_name(&self, _id: &str) -> Option<String> {
        None
    }

    /// The name of a relation, attribute or qualifier key.
    fn property_name(&self, _id: &str) -> Option<String> {
        None
    }

    /// The kind of the values under an attribute or qualifier key.
    fn key_kind(&self, _key: &str) -> Option<KeyKind> {
        None
    }
}

/// The kind of the values under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Texts.
    Text,
    /// Quantities.
    Number,
    /// Years and dates.
    Time,
}

/// The relation between the ids of one entity.
pub const SAME_AS: &str = "http://www.w3.org/2002/07/owl#sameAs";

/// Knows no names.
impl Vocabulary for () {}

/// Knows only the spelling of Freebase and Wikidata ids.
pub struct Spelling;

impl Spelling {
    /// Whether a name is spelled like an entity of Freebase (`m.0abc`, `g.11xyz`) or Wikidata (`Q42`).
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

impl Vocabulary for Spelling {
    /// Wikidata's classes are spelled like its entities.
    fn is_class(&self, word: &str) -> Option<bool> {
        (Spelling::looks_like_entity(word) && !is_of_wikidata(word)).then_some(false)
    }

    /// Models write Wikidata's entities in the place of properties.
    fn is_property(&self, word: &str) -> Option<bool> {
        (Spelling::looks_like_entity(word) && !is_of_wikidata(word)).then_some(false)
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Spelling::looks_like_entity(word).then_some(true)
    }
}

fn is_of_wikidata(word: &str) -> bool {
    word.starts_with('Q') || word.starts_with("http://www.wikidata.org/")
}

/// Freebase: a name that is not a relation is a class, including the mediator types that `fb_types` does not list.
impl Vocabulary for Ontology {
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

    fn inverse(&self, relation: &str) -> Option<&str> {
        Ontology::inverse(self, relation)
    }
}
