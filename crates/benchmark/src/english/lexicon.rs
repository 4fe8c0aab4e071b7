//! The words for classes, relations, attributes and qualifiers: curated in a TOML file, else derived from labels.

use super::inflect::plural;
use super::labels::{attribute_words, class_noun, readable};
use super::relation_labels::relation_words;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use touchstone_kb::{Kb, Property};

/// The name of the embedded KB.
const WORLD: &str = "World";

/// Nouns for people, at the end of the names of classes.
const PEOPLE: [&str; 22] = [
    "person",
    "people",
    "human",
    "actor",
    "politician",
    "scientist",
    "author",
    "player",
    "artist",
    "musician",
    "athlete",
    "director",
    "writer",
    "composer",
    "singer",
    "architect",
    "coach",
    "poet",
    "painter",
    "monarch",
    "employee",
    "footballer",
];

/// Words by the ids of a KB. See `lexicons/world.toml` for the format.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lexicon {
    /// Nouns.
    #[serde(default)]
    pub classes: BTreeMap<String, ClassWords>,
    /// Verb phrases for both ends.
    #[serde(default)]
    pub relations: BTreeMap<String, RelationWords>,
    /// Nouns, questions and comparisons.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeWords>,
    /// Phrases that follow a clause.
    #[serde(default)]
    pub qualifiers: BTreeMap<String, QualifierWords>,
}

/// The nouns of a class.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassWords {
    /// Singular.
    pub one: String,
    /// Plural.
    pub many: String,
    /// Whether its members are people.
    #[serde(default)]
    pub person: bool,
    /// Whether the names of its members take the article: the Danube, the Swiss franc.
    #[serde(default)]
    pub article: bool,
    /// How the name `{N}` of a member stands in a sentence, where it is not a noun on its own: `the {N} series`; `{a N}` has an article.
    #[serde(default)]
    pub name: String,
}

/// The words of a relation. `a|b` is singular and plural.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationWords {
    /// What the subject does; the object follows, or stands where `{X}` is.
    #[serde(deserialize_with = "one_or_several")]
    pub subject: Vec<String>,
    /// What the object does; the subject follows, or stands where `{X}` is.
    #[serde(deserialize_with = "one_or_several")]
    pub object: Vec<String>,
    /// The object is the NOUN of the subject.
    pub noun: String,
    /// The subject, seen from the object.
    #[serde(default)]
    pub inverse_noun: String,
    /// What stands after a noun for the subject in place of a relative clause: `directed by {X}`.
    #[serde(default, deserialize_with = "one_or_several")]
    pub subject_after: Vec<String>,
    /// What stands after a noun for the object in place of a relative clause.
    #[serde(default, deserialize_with = "one_or_several")]
    pub object_after: Vec<String>,
    /// The name of the object before a noun for the subject: `{X}` in `mercury isotopes`.
    #[serde(default, deserialize_with = "one_or_several")]
    pub subject_before: Vec<String>,
    /// Phrases for the subject in zero-shot questions only.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_subject: Vec<String>,
    /// Phrases for the object in zero-shot questions only.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_object: Vec<String>,
}

/// The words of an attribute; `{V}` is the value, `{T}` a time with its preposition, `{S}` the thing that has it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeWords {
    /// The NOUN of the thing.
    pub noun: String,
    /// Questions for the value.
    #[serde(deserialize_with = "one_or_several")]
    pub ask: Vec<String>,
    /// What follows a value without qualifiers, where a thing has several: `in some election`.
    #[serde(default)]
    pub unqualified: String,
    /// Whether there are values of many years: then a bare value is what a thing has had at some time.
    #[serde(default)]
    pub dated: bool,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub equal: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub less: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub greater: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub largest: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub smallest: Vec<String>,
    /// Of two things.
    #[serde(default)]
    pub between_greater: String,
    /// Of two things.
    #[serde(default)]
    pub between_less: String,
    /// Of booleans.
    #[serde(default)]
    pub yes: String,
    /// Of booleans.
    #[serde(default)]
    pub no: String,
    /// What stands after a noun in place of a relative clause with `equal`: `with an area of {V}`.
    #[serde(default, deserialize_with = "one_or_several")]
    pub equal_after: Vec<String>,
    /// The same for `less`.
    #[serde(default, deserialize_with = "one_or_several")]
    pub less_after: Vec<String>,
    /// The same for `greater`.
    #[serde(default, deserialize_with = "one_or_several")]
    pub greater_after: Vec<String>,
    /// The adjective before a noun: `longest`.
    #[serde(default)]
    pub largest_before: String,
    /// The adjective before a noun: `shortest`.
    #[serde(default)]
    pub smallest_before: String,
    /// Questions in zero-shot questions only; the others below likewise.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_ask: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_equal: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_less: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_greater: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_largest: Vec<String>,
    /// Verb phrases.
    #[serde(default, deserialize_with = "one_or_several")]
    pub test_smallest: Vec<String>,
}

impl AttributeWords {
    /// The phrases that can speak of any year, if there are values of many.
    pub fn of_any_year(&self, phrases: &[String]) -> Vec<String> {
        let perfect: Vec<String> =
            phrases.iter().filter(|phrase| self.dated && phrase.starts_with("has ")).cloned().collect();
        if perfect.is_empty() { phrases.to_vec() } else { perfect }
    }
}

/// The words of a qualifier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualifierWords {
    /// What follows a clause.
    #[serde(deserialize_with = "one_or_several")]
    pub phrase: Vec<String>,
    /// In questions for it.
    pub noun: String,
    /// Whether it is a point in time.
    #[serde(default)]
    pub when: bool,
    /// Questions for it, by the property of the fact; `{S}` is the subject, `{O}` the object or value.
    #[serde(default)]
    pub about: BTreeMap<String, Vec<String>>,
}

/// A list of phrases; one needs no brackets.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a phrase in quotation marks, or a list of them in square brackets")]
    enum Phrases {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Phrases::deserialize(deserializer)? {
        Phrases::One(phrase) => vec![phrase],
        Phrases::Several(phrases) => phrases,
    })
}

/// A lexicon that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LexiconError {
    /// No TOML, or other fields.
    #[error("the lexicon: {0}")]
    Toml(#[from] toml::de::Error),
}

impl Lexicon {
    /// Reads a TOML file; words that it does not have are derived from the labels of the KB.
    pub fn parse(text: &str, kb: &Kb) -> Result<Lexicon, LexiconError> {
        let mut lexicon: Lexicon = toml::from_str(text)?;
        lexicon.complete(kb);
        Ok(lexicon)
    }

    /// The curated one for the embedded World KB, one derived from labels for any other.
    pub fn of(kb: &Kb) -> Lexicon {
        let is_world = kb.manifest().name == WORLD;
        let curated =
            is_world.then(|| Lexicon::parse(include_str!("../../lexicons/world.toml"), kb).ok()).flatten();
        curated.unwrap_or_else(|| Lexicon::derived(kb))
    }

    /// The one that is derived from labels alone.
    pub fn derived(kb: &Kb) -> Lexicon {
        let mut lexicon = Lexicon::default();
        lexicon.complete(kb);
        lexicon
    }

    /// Derives what is missing.
    fn complete(&mut self, kb: &Kb) {
        for class in kb.classes() {
            let node = kb.class_node(class);
            self.classes.entry(kb.node_id(node).to_owned()).or_insert_with(|| {
                let one = class_noun(kb.label(node));
                let last = one.rsplit(' ').next().unwrap_or(&one).to_lowercase();
                let person = PEOPLE.contains(&last.as_str());
                ClassWords { many: plural(&one), one, person, article: false, name: String::new() }
            });
        }
        for relation in kb.relations() {
            self.relations
                .entry(kb.relation_id(relation).to_owned())
                .or_insert_with(|| relation_words(kb.relation_label(relation)));
        }
        for attribute in kb.attributes() {
            let has_unit = !kb.attribute_unit(attribute).is_empty();
            self.attributes.entry(kb.attribute_id(attribute).to_owned()).or_insert_with(|| {
                attribute_words(kb.attribute_label(attribute), kb.attribute_kind(attribute), has_unit)
            });
        }
        for key in kb.qualifier_keys() {
            let label = readable(kb.qualifier_label(key));
            self.qualifiers.entry(kb.qualifier_id(key).to_owned()).or_insert_with(|| QualifierWords {
                phrase: vec![format!("with the {label} {{V}}")],
                when: matches!(label.as_str(), "point in time" | "date" | "year"),
                noun: label,
                about: BTreeMap::new(),
            });
        }
    }

    /// The words that the lexicon lacks or has too many, for people who edit one.
    pub fn unknown(&self, kb: &Kb) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(self.classes.keys().filter(|id| kb.class(id).is_none()).map(|id| format!("class {id}")));
        let property = |id: &&String| kb.relation(id).map(Property::Relation).is_none();
        out.extend(self.relations.keys().filter(property).map(|id| format!("relation {id}")));
        out.extend(
            self.attributes
                .keys()
                .filter(|id| kb.attribute(id).is_none())
                .map(|id| format!("attribute {id}")),
        );
        out.extend(
            self.qualifiers
                .keys()
                .filter(|id| kb.qualifier_key(id).is_none())
                .map(|id| format!("qualifier {id}")),
        );
        out
    }
}
