//! From the words of a query to the things of a KB: by id first, then by name.
//!
//! A word that the KB does not know stands for nothing. That is an answer, not an error: the published executors and SPARQL servers give
//! it, too. But it is nearly always a mistake, so it is reported with the answer, next to the nearest word that is known.

use hashbrown::HashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;
use std::sync::OnceLock;
use touchstone_kb::{ClassId, Kb, Property, QualifierId, ValueKind, nearest_name};
use touchstone_logic::{Inverses, KeyKind, Lookup, Names, SAME_AS};

/// What a word stands for: nearly always one thing.
pub type Few<T> = SmallVec<[T; 2]>;

/// What a word should have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum WordKind {
    Entity,
    Name,
    Class,
    Property,
    Qualifier,
}

impl WordKind {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            WordKind::Entity => "entity with the id",
            WordKind::Name => "entity named",
            WordKind::Class => "class",
            WordKind::Property => "relation or attribute",
            WordKind::Qualifier => "qualifier",
        }
    }
}

/// A word that the KB does not know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownWord {
    /// What it should have been.
    pub kind: WordKind,
    /// The word.
    pub word: String,
    /// The nearest word that is known.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the KB has no {} `{}`", self.kind.name(), self.word)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; the nearest is `{nearest}`"),
            None => Ok(()),
        }
    }
}

/// The words of the schema: an id stands for itself, a label for everything with this label.
type SchemaWords<'kb> = HashMap<&'kb str, Meaning<'kb>>;

/// What a word of the schema stands for.
#[derive(Default)]
struct Meaning<'kb> {
    properties: Few<Property>,
    qualifiers: Few<QualifierId>,
    /// What values under this key are, as programs want to know.
    kind: Option<KeyKind>,
    /// What says the same the other way round.
    inverse: Option<&'kb str>,
}

/// Looks words up. One per KB, shared by all queries.
pub struct Words<'kb> {
    kb: &'kb Kb,
    schema: OnceLock<SchemaWords<'kb>>,
    suggest: bool,
}

impl<'kb> Words<'kb> {
    /// For a KB.
    pub fn new(kb: &'kb Kb) -> Words<'kb> {
        Words { kb, schema: OnceLock::new(), suggest: true }
    }

    /// Does not look for the nearest of words that are not known: that takes a thousand times as long as a query,
    /// which is lost on queries that are run by the thousand.
    pub fn without_suggestions(mut self) -> Words<'kb> {
        self.suggest = false;
        self
    }

    /// Remembers an unknown word, with the nearest known one if suggestions are wanted.
    fn add_unknown(
        &self,
        unknown: &Unknown,
        kind: WordKind,
        word: &str,
        nearest: impl FnOnce() -> Option<String>,
    ) {
        unknown.add(kind, word, || if self.suggest { nearest() } else { None });
    }

    /// The KB.
    pub fn kb(&self) -> &'kb Kb {
        self.kb
    }

    fn schema(&self) -> &SchemaWords<'kb> {
        self.schema.get_or_init(|| {
            let mut words = SchemaWords::default();
            let kb = self.kb;
            let relations = || kb.relations().map(Property::Relation);
            let properties = || relations().chain(kb.attributes().map(Property::Attribute));
            for property in properties() {
                words.entry(kb.property_label(property)).or_default().properties.push(property);
            }
            for key in kb.qualifier_keys() {
                words.entry(kb.qualifier_label(key)).or_default().qualifiers.push(key);
            }
            // Ids go before labels; a relation and an attribute may share theirs.
            let mut by_id: HashMap<&str, Few<Property>> = HashMap::new();
            for property in properties() {
                by_id.entry(kb.property_id(property)).or_default().push(property);
            }
            for (id, properties) in by_id {
                words.entry(id).or_default().properties = properties;
            }
            for key in kb.qualifier_keys() {
                words.entry(kb.qualifier_id(key)).or_default().qualifiers = Few::from_slice(&[key]);
            }
            for (word, meaning) in &mut words {
                meaning.kind = meaning.key_kind(kb);
                meaning.inverse = meaning.inverse_of(kb, word);
            }
            words
        })
    }

    /// The entity or class with an id.
    pub(crate) fn entity(&self, word: &str, unknown: &Unknown) -> Few<u32> {
        let found = self.kb.node(word);
        if found.is_none() {
            self.add_unknown(unknown, WordKind::Entity, word, || nearest_node(self.kb, word));
        }
        found.into_iter().map(|node| node.0).collect()
    }

    /// Everything with a label; if there is nothing, everything with an alias.
    pub(crate) fn named(&self, word: &str, unknown: &Unknown) -> Few<u32> {
        let mut labelled = self.kb.nodes_labelled(word).map(|node| node.0);
        // Nearly always there is one.
        let mut found: Few<u32> = match labelled.next() {
            Some(first) => Few::from_buf_and_len([first, 0], 1),
            None => Few::new(),
        };
        labelled.for_each(|node| found.push(node));
        if found.is_empty() {
            found = self.kb.nodes_named(word).iter().map(|node| node.0).collect();
        }
        if found.is_empty() {
            self.add_unknown(unknown, WordKind::Name, word, || nearest_node(self.kb, word));
        }
        if found.len() > 1 {
            found.sort_unstable();
        }
        found
    }

    /// The classes that a word means.
    pub(crate) fn classes(&self, word: &str, unknown: &Unknown) -> Vec<ClassId> {
        if let Some(class) = self.kb.class(word) {
            return vec![class];
        }
        let mut found: Vec<ClassId> =
            self.kb.nodes_named(word).into_iter().filter_map(|node| self.kb.as_class(node)).collect();
        if found.is_empty() {
            // One without a label goes by the readable part of its id.
            let label = |class: ClassId| self.kb.label(self.kb.class_node(class));
            found.extend(self.kb.classes().filter(|&class| label(class) == word));
        }
        if found.is_empty() {
            let labels = || self.kb.classes().map(|class| self.kb.label(self.kb.class_node(class)));
            self.add_unknown(unknown, WordKind::Class, word, || {
                nearest_name(word, labels()).map(str::to_owned)
            });
        }
        found.sort_unstable();
        found
    }

    /// The relations and attributes that a word means.
    pub(crate) fn properties(&self, word: &str, unknown: &Unknown) -> Few<Property> {
        let found = self.schema().get(word).map_or_else(Few::new, |meaning| few(&meaning.properties));
        if found.is_empty() {
            let labels = || {
                let relations = self.kb.relations().map(|relation| self.kb.relation_label(relation));
                relations.chain(self.kb.attributes().map(|attribute| self.kb.attribute_label(attribute)))
            };
            self.add_unknown(unknown, WordKind::Property, word, || nearest_sorted(word, labels()));
        }
        found
    }

    /// The qualifier keys that a word means.
    pub(crate) fn qualifiers(&self, word: &str, unknown: &Unknown) -> Few<QualifierId> {
        self.keyed_qualifiers(word, unknown).1
    }

    /// The qualifier keys that a word means, and what programs take values under them for.
    pub(crate) fn keyed_qualifiers(
        &self,
        word: &str,
        unknown: &Unknown,
    ) -> (Option<KeyKind>, Few<QualifierId>) {
        let meaning = self.schema().get(word);
        let found = meaning.map_or_else(Few::new, |meaning| few(&meaning.qualifiers));
        if found.is_empty() {
            let labels = || self.kb.qualifier_keys().map(|key| self.kb.qualifier_label(key));
            self.add_unknown(unknown, WordKind::Qualifier, word, || nearest_sorted(word, labels()));
        }
        (meaning.and_then(|meaning| meaning.kind), found)
    }
}

/// Programs ask for the kind of values under a key: here without going through the whole schema.
impl Names for Words<'_> {
    fn entity_name(&self, id: &str) -> Option<String> {
        Names::entity_name(self.kb, id)
    }

    fn class_name(&self, word: &str) -> Option<String> {
        Names::class_name(self.kb, word)
    }

    fn property_name(&self, word: &str) -> Option<String> {
        Names::property_name(self.kb, word)
    }

    fn key_kind(&self, key: &str) -> Option<KeyKind> {
        self.schema().get(key)?.kind
    }
}

impl<'kb> Meaning<'kb> {
    /// As `Inverses` for a KB has it: an id for an id, a name for a name.
    fn inverse_of(&self, kb: &'kb Kb, word: &str) -> Option<&'kb str> {
        let relation = self.properties.iter().find_map(|property| match property {
            Property::Relation(relation) => Some(*relation),
            Property::Attribute(_) => None,
        })?;
        let inverse = if kb.is_symmetric(relation) { relation } else { kb.relation_inverse(relation)? };
        let is_id = kb.relation_id(relation) == word;
        Some(if is_id { kb.relation_id(inverse) } else { kb.relation_label(inverse) })
    }

    fn key_kind(&self, kb: &Kb) -> Option<KeyKind> {
        let is_attribute = |property: &Property| match property {
            Property::Attribute(attribute) => Some(*attribute),
            Property::Relation(_) => None,
        };
        let attribute = self.properties.iter().find_map(is_attribute);
        let attribute = attribute.map(|attribute| kb.attribute_kind(attribute));
        let qualifier = || self.qualifiers.first().map(|&key| kb.qualifier_kind(key));
        match attribute.or_else(qualifier)? {
            ValueKind::Quantity => Some(KeyKind::Number),
            ValueKind::Time => Some(KeyKind::Time),
            ValueKind::Text | ValueKind::Entity => Some(KeyKind::Text),
            _ => None,
        }
    }
}

/// As the KB, without a search for each word.
impl Lookup for Words<'_> {
    fn is_class(&self, word: &str) -> Option<bool> {
        Lookup::is_class(self.kb, word)
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        Some(self.schema().get(word).is_some_and(|meaning| !meaning.properties.is_empty()))
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Lookup::is_entity(self.kb, word)
    }

    fn nearest_class(&self, wrong: &str) -> Option<String> {
        if self.suggest { Lookup::nearest_class(self.kb, wrong) } else { None }
    }

    fn nearest_property(&self, wrong: &str) -> Option<String> {
        if self.suggest { Lookup::nearest_property(self.kb, wrong) } else { None }
    }
}

impl Inverses for Words<'_> {
    fn inverse(&self, relation: &str) -> Option<&str> {
        self.schema().get(relation)?.inverse
    }

    fn same(&self, entity: &str) -> Option<&str> {
        self.schema().get(SAME_AS)?;
        Inverses::same(self.kb, entity)
    }
}

/// A copy; of one thing, which is nearly always, a quick one.
fn few<T: Copy>(things: &[T]) -> Few<T> {
    match things {
        [only] => Few::from_buf_and_len([*only, *only], 1),
        several => Few::from_slice(several),
    }
}

/// The nearest of names that come in no fixed order.
fn nearest_sorted<'w>(word: &str, names: impl Iterator<Item = &'w str>) -> Option<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    nearest_name(word, names).map(str::to_owned)
}

fn nearest_node(kb: &Kb, word: &str) -> Option<String> {
    // Longer words are no slips of the pen.
    let found = if word.len() <= 100 { kb.nearest_named(word) } else { None };
    found.map(|found| kb.label(found.node).to_owned())
}

/// Collects the words that are not known.
#[derive(Debug, Default)]
pub(crate) struct Unknown(RefCell<Vec<UnknownWord>>);

impl Unknown {
    fn add(&self, kind: WordKind, word: &str, nearest: impl FnOnce() -> Option<String>) {
        let mut list = self.0.borrow_mut();
        // A query of a thousand unknown words needs no thousand notes, and looking for the nearest takes time.
        if list.len() < 5 && !list.iter().any(|known| known.kind == kind && known.word == word) {
            list.push(UnknownWord { kind, word: word.to_owned(), nearest: nearest() });
        }
    }

    pub(crate) fn into_words(self) -> Vec<UnknownWord> {
        self.0.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_what_the_kb_knows() {
        let kb = touchstone_world::open(&touchstone_kb::NoProgress).expect("World");
        let words = Words::new(&kb);
        let ids =
            kb.relations().map(|r| kb.relation_id(r)).chain(kb.attributes().map(|a| kb.attribute_id(a)));
        let labels = kb.relations().map(|r| kb.relation_label(r));
        let labels = labels.chain(kb.attributes().map(|a| kb.attribute_label(a)));
        let keys = kb.qualifier_keys().flat_map(|key| [kb.qualifier_id(key), kb.qualifier_label(key)]);
        let mut n_inverse = 0;
        for word in ids.chain(labels).chain(keys).chain(["nothing", "", SAME_AS]) {
            assert_eq!(Inverses::inverse(&words, word), Inverses::inverse(&kb, word), "{word}");
            assert_eq!(Lookup::is_property(&words, word), Lookup::is_property(&kb, word), "{word}");
            assert_eq!(Names::key_kind(&words, word), Names::key_kind(&kb, word), "{word}");
            n_inverse += usize::from(Inverses::inverse(&kb, word).is_some());
        }
        assert!(n_inverse > 0, "no relation has an inverse");
    }
}
