//! Looks up the names of a query in a KB: by id first, then by label.
//!
//! A name that the KB does not have denotes nothing. That is an answer, not an error: the published executors and SPARQL servers do
//! the same. But it is nearly always a mistake, so it is reported with the answer and the nearest known name.

use hashbrown::HashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;
use std::sync::OnceLock;
use touchstone_kb::{ClassId, Kb, NodeId, Property, QualifierId, ValueKind, nearest_name};
use touchstone_logic::{KeyKind, SAME_AS, Vocabulary, only_entity};

/// A list with nearly always one item or two, such as the things that a name denotes.
pub type SmallList<T> = SmallVec<[T; 2]>;

/// The expected kind of a name.
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
    /// The kind in messages.
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

/// A name that the KB does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownWord {
    /// The expected kind.
    pub kind: WordKind,
    /// The name.
    pub word: String,
    /// The nearest known name.
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

/// The names of the schema: an id denotes itself, a label denotes everything with this label.
type SchemaWords<'kb> = HashMap<&'kb str, Meaning<'kb>>;

/// What a name of the schema denotes.
#[derive(Default)]
struct Meaning<'kb> {
    properties: SmallList<Property>,
    qualifiers: SmallList<QualifierId>,
    /// The kind of values under this key, as programs need it.
    kind: Option<KeyKind>,
    /// The inverse property.
    inverse: Option<&'kb str>,
}

/// Looks up names. One per KB, shared by all queries.
pub struct Words<'kb> {
    kb: &'kb Kb,
    schema: OnceLock<SchemaWords<'kb>>,
    suggest: bool,
}

impl<'kb> Words<'kb> {
    /// Look-up for a KB.
    pub fn new(kb: &'kb Kb) -> Words<'kb> {
        Words { kb, schema: OnceLock::new(), suggest: true }
    }

    /// Does not suggest the nearest name for unknown ones: that takes a thousand times as long as a query,
    /// which is wasted on queries that are run by the thousand.
    pub fn without_suggestions(mut self) -> Words<'kb> {
        self.suggest = false;
        self
    }

    /// Records an unknown name, with the nearest known one if suggestions are enabled.
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
            // Ids take precedence over labels; a relation and an attribute may share theirs.
            let mut by_id: HashMap<&str, SmallList<Property>> = HashMap::new();
            for property in properties() {
                by_id.entry(kb.property_id(property)).or_default().push(property);
            }
            for (id, properties) in by_id {
                words.entry(id).or_default().properties = properties;
            }
            for key in kb.qualifier_keys() {
                words.entry(kb.qualifier_id(key)).or_default().qualifiers = SmallList::from_slice(&[key]);
            }
            for (word, meaning) in &mut words {
                meaning.kind = meaning.key_kind(kb);
                meaning.inverse = meaning.inverse_of(kb, word);
            }
            words
        })
    }

    /// The entity or class with an id.
    pub(crate) fn entity(&self, word: &str, unknown: &Unknown) -> SmallList<u32> {
        let found = self.kb.node(word);
        if found.is_none() {
            self.add_unknown(unknown, WordKind::Entity, word, || nearest_node(self.kb, word));
        }
        found.into_iter().map(|node| node.0).collect()
    }

    /// Everything with a label; if there is nothing, everything with an alias.
    pub(crate) fn named(&self, word: &str, unknown: &Unknown) -> SmallList<u32> {
        let mut labelled = self.kb.nodes_labelled(word).map(|node| node.0);
        // Nearly always there is exactly one.
        let mut found: SmallList<u32> = match labelled.next() {
            Some(first) => SmallList::from_buf_and_len([first, 0], 1),
            None => SmallList::new(),
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

    /// The classes that a name denotes.
    pub(crate) fn classes(&self, word: &str, unknown: &Unknown) -> Vec<ClassId> {
        if let Some(class) = self.kb.class(word) {
            return vec![class];
        }
        let mut found: Vec<ClassId> =
            self.kb.nodes_named(word).into_iter().filter_map(|node| self.kb.as_class(node)).collect();
        if found.is_empty() {
            // A class without a label is known by the readable part of its id.
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

    /// The relations and attributes that a name denotes.
    pub(crate) fn properties(&self, word: &str, unknown: &Unknown) -> SmallList<Property> {
        let found =
            self.schema().get(word).map_or_else(SmallList::new, |meaning| small_list(&meaning.properties));
        if found.is_empty() {
            let labels = || {
                let relations = self.kb.relations().map(|relation| self.kb.relation_label(relation));
                relations.chain(self.kb.attributes().map(|attribute| self.kb.attribute_label(attribute)))
            };
            self.add_unknown(unknown, WordKind::Property, word, || nearest_sorted(word, labels()));
        }
        found
    }

    /// The qualifier keys that a name denotes.
    pub(crate) fn qualifiers(&self, word: &str, unknown: &Unknown) -> SmallList<QualifierId> {
        self.keyed_qualifiers(word, unknown).1
    }

    /// The qualifier keys that a name denotes, and how programs interpret values under them.
    pub(crate) fn keyed_qualifiers(
        &self,
        word: &str,
        unknown: &Unknown,
    ) -> (Option<KeyKind>, SmallList<QualifierId>) {
        let meaning = self.schema().get(word);
        let found = meaning.map_or_else(SmallList::new, |meaning| small_list(&meaning.qualifiers));
        if found.is_empty() {
            let labels = || self.kb.qualifier_keys().map(|key| self.kb.qualifier_label(key));
            self.add_unknown(unknown, WordKind::Qualifier, word, || nearest_sorted(word, labels()));
        }
        (meaning.and_then(|meaning| meaning.kind), found)
    }
}

impl<'kb> Meaning<'kb> {
    /// The inverse of a relation: an id for an id, a name for a name.
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

/// A KB knows all its names, by id and by label.
impl Vocabulary for Words<'_> {
    fn is_class(&self, word: &str) -> Option<bool> {
        let kb = self.kb;
        let is_named = || kb.nodes_named(word).iter().any(|&node| kb.as_class(node).is_some());
        Some(kb.class(word).is_some() || is_named())
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        Some(self.schema().get(word).is_some_and(|meaning| !meaning.properties.is_empty()))
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Some(self.kb.node(word).is_some_and(|node| self.kb.as_class(node).is_none()))
    }

    fn nearest_class(&self, wrong: &str) -> Option<String> {
        let labels = self.kb.classes().map(|class| self.kb.label(self.kb.class_node(class)));
        if self.suggest { nearest_name(wrong, labels).map(str::to_owned) } else { None }
    }

    fn nearest_property(&self, wrong: &str) -> Option<String> {
        let kb = self.kb;
        let relations = kb.relations().flat_map(|r| [kb.relation_id(r), kb.relation_label(r)]);
        let attributes = kb.attributes().flat_map(|a| [kb.attribute_id(a), kb.attribute_label(a)]);
        if self.suggest { nearest_name(wrong, relations.chain(attributes)).map(str::to_owned) } else { None }
    }

    fn inverse(&self, relation: &str) -> Option<&str> {
        self.schema().get(relation)?.inverse
    }

    fn same(&self, entity: &str) -> Option<&str> {
        self.schema().get(SAME_AS)?;
        let (relation, node) = (self.kb.relation(SAME_AS)?, self.kb.node(entity)?);
        let mut group = vec![node.0];
        let mut at = 0;
        while at < group.len() && group.len() < MAX_IDS {
            let node = NodeId(group[at]);
            for &other in self.kb.objects(node, relation).iter().chain(self.kb.subjects(relation, node)) {
                if !group.contains(&other) {
                    group.push(other);
                }
            }
            at += 1;
        }
        let first = group.into_iter().min().filter(|&first| first != node.0)?;
        Some(self.kb.node_id(NodeId(first)))
    }

    fn entity_name(&self, id: &str) -> Option<String> {
        let name = self.kb.label(self.kb.node(id)?);
        (self.kb.nodes_named(name).len() == 1).then(|| name.to_owned())
    }

    fn only_entity(&self, label: &str) -> Option<String> {
        only_entity(self.kb, label).map(|node| self.kb.node_id(node).to_owned())
    }

    fn class_name(&self, id: &str) -> Option<String> {
        Some(self.kb.label(self.kb.class_node(self.kb.class(id)?)).to_owned())
    }

    fn property_name(&self, id: &str) -> Option<String> {
        let kb = self.kb;
        let relation = kb.relation(id).map(|r| kb.relation_label(r));
        let attribute = || kb.attribute(id).map(|a| kb.attribute_label(a));
        let qualifier = || kb.qualifier_key(id).map(|q| kb.qualifier_label(q));
        relation.or_else(attribute).or_else(qualifier).map(str::to_owned)
    }

    fn key_kind(&self, key: &str) -> Option<KeyKind> {
        self.schema().get(key)?.kind
    }
}

/// Maximum number of ids of one entity; more indicate wrong links.
const MAX_IDS: usize = 100;

/// A copy; fast for one thing, which is nearly always the case.
fn small_list<T: Copy>(things: &[T]) -> SmallList<T> {
    match things {
        [only] => SmallList::from_buf_and_len([*only, *only], 1),
        several => SmallList::from_slice(several),
    }
}

/// The nearest of names in no fixed order.
fn nearest_sorted<'w>(word: &str, names: impl Iterator<Item = &'w str>) -> Option<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    nearest_name(word, names).map(str::to_owned)
}

fn nearest_node(kb: &Kb, word: &str) -> Option<String> {
    // Longer words are not typos.
    let found = if word.len() <= 100 { kb.nearest_named(word) } else { None };
    found.map(|found| kb.label(found.node).to_owned())
}

/// Collects unknown names.
#[derive(Debug, Default)]
pub(crate) struct Unknown(RefCell<Vec<UnknownWord>>);

impl Unknown {
    fn add(&self, kind: WordKind, word: &str, nearest: impl FnOnce() -> Option<String>) {
        let mut list = self.0.borrow_mut();
        // A query with a thousand unknown names does not need a thousand notes, and finding the nearest takes time.
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
    fn ids_and_names_mean_the_same() {
        let kb = touchstone_world::open(&touchstone_kb::NoProgress).expect("World");
        let words = Words::new(&kb);
        let mut n_inverse = 0;
        for relation in kb.relations() {
            let (id, label) = (kb.relation_id(relation), kb.relation_label(relation));
            let inverse = kb.relation_inverse(relation).filter(|_| !kb.is_symmetric(relation));
            let inverse = inverse.or(kb.is_symmetric(relation).then_some(relation));
            assert_eq!(words.inverse(id), inverse.map(|other| kb.relation_id(other)), "{id}");
            assert!(words.is_property(id) == Some(true) && words.is_property(label) == Some(true), "{id}");
            n_inverse += usize::from(inverse.is_some());
        }
        assert!(n_inverse > 0, "no relation has an inverse");
        for attribute in kb.attributes() {
            let (id, label) = (kb.attribute_id(attribute), kb.attribute_label(attribute));
            let kind = kb.attribute_kind(attribute);
            let has_kind = matches!(kind, ValueKind::Quantity | ValueKind::Time | ValueKind::Text);
            assert_eq!((words.is_property(id), words.key_kind(id).is_some()), (Some(true), has_kind), "{id}");
            assert_eq!(words.property_name(id).as_deref(), Some(label), "{id}");
        }
        for word in ["nothing", "", SAME_AS] {
            assert_eq!((words.is_property(word), words.inverse(word)), (Some(false), None), "{word}");
        }
    }
}
