//! Properties of a KB that matter for a benchmark: how many entities have a name and in which languages, how many have a class, and which
//! properties look like names that were not used as such.

use crate::counts::{counted, grouped};
use crate::ids::{AttributeId, LiteralId, NodeId};
use crate::literal::LiteralFamily;
use crate::names::shortened;
use crate::store::{Kb, ValueKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Statistics of the names and classes of entities.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survey {
    /// Entities.
    pub entities: u64,
    /// Those that are blank nodes.
    #[serde(rename = "blank_nodes")]
    pub blank: u64,
    /// Entities with a label.
    pub named: u64,
    /// Entities with a class.
    pub with_class: u64,
    /// By language tag: the number of labels of entities; the empty tag for labels without one.
    #[serde(rename = "labels_by_language")]
    pub languages: BTreeMap<String, u64>,
    /// Properties that look like names of entities without a label, the most likely first.
    #[serde(rename = "properties_like_names")]
    pub name_like: Vec<NameLike>,
}

/// A property whose values look like names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameLike {
    /// The id of the property.
    pub id: String,
    /// The number of entities without a label that have it.
    pub entities: u64,
    /// One of its values.
    pub example: String,
    /// Whether it is called a name, a title or a label.
    #[serde(skip)]
    pub is_called_so: bool,
}

/// Maximum number of properties to list.
const LISTED: usize = 5;

impl Survey {
    /// Examines all labels, and the text values of entities without a label.
    pub fn of(kb: &Kb) -> Survey {
        let mut survey = Survey {
            entities: kb.n_entities() as u64,
            blank: 0,
            named: 0,
            with_class: 0,
            languages: BTreeMap::new(),
            name_like: Vec::new(),
        };
        let mut unnamed_of_class: Vec<u64> = vec![0; kb.n_classes()];
        let mut last_language: (&str, u64) = ("", 0);
        for node in kb.nodes().take(kb.n_entities()) {
            survey.with_class += u64::from(kb.classes_of(node).len() > 0);
            match kb.label_literal(node) {
                Some(label) => {
                    survey.named += 1;
                    let language = kb.literal(label).language();
                    if language != last_language.0 {
                        survey.add_labels(last_language);
                        last_language = (language, 0);
                    }
                    last_language.1 += 1;
                }
                None => {
                    survey.blank += u64::from(kb.node_id(node).starts_with("_:"));
                    for class in kb.classes_of(node) {
                        unnamed_of_class[class.index()] += 1;
                    }
                }
            }
        }
        survey.add_labels(last_language);
        if survey.unnamed() > 0 {
            survey.name_like = survey.looks_like_names(kb, &unnamed_of_class);
        }
        survey
    }

    /// Entities without a label that are not blank nodes.
    pub fn unnamed(&self) -> u64 {
        self.entities - self.named - self.blank
    }

    /// Whether too many entities have no name to ask questions about.
    pub fn lacks_names(&self) -> bool {
        self.unnamed() * 4 >= (self.entities - self.blank).max(1)
    }

    /// A warning about entities without a name, with what to do about it; `is_rdf` if the KB was imported from RDF.
    pub fn advice(&self, is_rdf: bool) -> String {
        let unnamed = self.unnamed();
        let mut text = format!(
            "{} of {} {} no name. Such entities are shown by the last part of their id,\nand few questions can be built about them.",
            grouped(unnamed),
            counted(self.entities - self.blank, "entity", "entities"),
            if unnamed == 1 { "has" } else { "have" },
        );
        if !self.name_like.is_empty() {
            text.push_str("\nThese properties look like names:");
            for property in &self.name_like {
                let entities = counted(property.entities, "entity", "entities");
                let example = shortened(&property.example);
                let _ = write!(text, "\n  {} ({entities}, such as {example})", property.id);
            }
            if is_rdf {
                text.push_str("\nImport again with those that are:");
                for property in &self.name_like {
                    let _ = write!(text, "\n  --label-property '{}'", property.id);
                }
            }
        } else if is_rdf {
            text.push_str("\nIf a property holds their names, import again with --label-property IRI;\nfor names in a language other than English, with --lang.");
        }
        text
    }

    fn add_labels(&mut self, (language, n): (&str, u64)) {
        if n > 0 {
            *self.languages.entry(language.to_owned()).or_default() += n;
        }
    }

    fn looks_like_names(&self, kb: &Kb, unnamed_of_class: &[u64]) -> Vec<NameLike> {
        let text_valued = kb.attributes().filter(|&a| kb.attribute_kind(a) == ValueKind::Text);
        let mut found: Vec<NameLike> = text_valued
            .filter_map(|attribute| self.looks_like_name(kb, attribute, unnamed_of_class))
            .collect();
        if found.iter().any(|property| property.is_called_so) {
            found.retain(|property| property.is_called_so);
        }
        // Attributes come in the order of their ids, and the sort is stable.
        found.sort_by_key(|property| std::cmp::Reverse(property.entities));
        found.truncate(LISTED);
        found
    }

    /// A name is text with letters, not too long, one for each entity, and hardly any two entities share it. Most unnamed
    /// entities have it, or, if the property is called a name, most of some class.
    fn looks_like_name(&self, kb: &Kb, attribute: AttributeId, unnamed_of_class: &[u64]) -> Option<NameLike> {
        let facts = kb.facts_by_value(attribute);
        let (mut n_facts, mut distinct, mut like_names) = (0u64, 0u64, 0u64);
        let mut last: Option<LiteralId> = None;
        let mut subjects: Vec<u32> = Vec::new();
        let mut example = None;
        for (position, &subject) in facts.subjects.iter().enumerate() {
            let node = NodeId(subject);
            let is_entity = node.index() < kb.n_entities() && kb.label_literal(node).is_none();
            if !is_entity || kb.node_id(node).starts_with("_:") {
                continue;
            }
            let value = facts.value(position);
            n_facts += 1;
            subjects.push(subject);
            if last != Some(value) {
                distinct += 1;
                last = Some(value);
            }
            let text = kb.literal_text(value);
            let is_like = kb.literal_family(value) == LiteralFamily::Text
                && text.len() <= 100
                && text.chars().filter(|c| c.is_alphabetic()).count() * 2 > text.chars().count();
            if is_like {
                like_names += 1;
                example.get_or_insert(value);
            }
        }
        subjects.sort_unstable();
        subjects.dedup();
        let n_subjects = subjects.len() as u64;
        let is_name = n_facts > 0
            && n_facts * 10 <= n_subjects * 11
            && distinct * 10 >= n_facts * 7
            && like_names * 10 >= n_facts * 8;
        if !is_name {
            return None;
        }
        let mut of_class: BTreeMap<usize, u64> = BTreeMap::new();
        for &subject in &subjects {
            for class in kb.classes_of(NodeId(subject)) {
                *of_class.entry(class.index()).or_default() += 1;
            }
        }
        let most_of_a_class = of_class.iter().any(|(&class, &n)| n * 10 >= unnamed_of_class[class] * 8);
        let called = kb.attribute_label(attribute).to_lowercase();
        let is_called_so = ["name", "title", "label"].iter().any(|word| called.ends_with(word));
        if n_subjects * 2 < self.unnamed() && !(most_of_a_class && is_called_so) {
            return None;
        }
        let example = example.map(|value| kb.literal_text(value).to_owned()).unwrap_or_default();
        let id = kb.attribute_id(attribute).to_owned();
        Some(NameLike { id, entities: n_subjects, example, is_called_so })
    }
}
