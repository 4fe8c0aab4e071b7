//! What is known about the names in logical forms.

use crate::words::Words;
use touchstone_kb::Kb;
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{KeyKind, Knowledge, Ontology, Spelling, Vocabulary};

/// A KB, an ontology, both, or only the spelling of names.
///
/// An ontology describes Freebase's whole schema, a KB often only a part of it: if both are given, the ontology decides about schema names and
/// inverse relations, the KB about labels and ids.
pub struct QueryContext<'k> {
    words: Option<Words<'k>>,
    ontology: Option<&'k Ontology>,
    suggests: bool,
}

impl<'k> QueryContext<'k> {
    /// A context with suggestions for unknown names.
    pub fn new(kb: Option<&'k Kb>, ontology: Option<&'k Ontology>) -> QueryContext<'k> {
        QueryContext { words: kb.map(Words::new), ontology, suggests: true }
    }

    /// Does not suggest the nearest name for unknown ones (see [`Words::without_suggestions`]).
    #[must_use]
    pub fn without_suggestions(self) -> QueryContext<'k> {
        QueryContext { words: self.words.map(Words::without_suggestions), suggests: false, ..self }
    }

    /// The KB.
    pub fn kb(&self) -> Option<&'k Kb> {
        self.words.as_ref().map(Words::kb)
    }

    /// The ontology.
    pub fn ontology(&self) -> Option<&'k Ontology> {
        self.ontology
    }

    /// The knowledge for parsing a logical form.
    pub fn knowledge(&self) -> Knowledge<'_> {
        let knowledge = Knowledge::new(self, self.namespaces());
        if self.suggests { knowledge } else { knowledge.without_suggestions() }
    }

    /// How IRIs become names.
    pub(crate) fn namespaces(&self) -> Namespaces {
        self.kb().map(Namespaces::of).unwrap_or_default()
    }

    /// Knows the schema.
    fn schema(&self) -> &dyn Vocabulary {
        match (&self.words, self.ontology) {
            (_, Some(ontology)) => ontology,
            (Some(words), None) => words,
            (None, None) => &Spelling,
        }
    }

    /// Knows names.
    fn names(&self) -> &dyn Vocabulary {
        match &self.words {
            Some(words) => words,
            None => &Spelling,
        }
    }
}

impl Vocabulary for QueryContext<'_> {
    fn is_class(&self, word: &str) -> Option<bool> {
        self.schema().is_class(word)
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        self.schema().is_property(word)
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        self.schema().is_entity(word)
    }

    fn nearest_class(&self, wrong: &str) -> Option<String> {
        self.schema().nearest_class(wrong)
    }

    fn nearest_property(&self, wrong: &str) -> Option<String> {
        self.schema().nearest_property(wrong)
    }

    fn inverse(&self, relation: &str) -> Option<&str> {
        self.schema().inverse(relation)
    }

    fn same(&self, entity: &str) -> Option<&str> {
        self.schema().same(entity)
    }

    fn entity_name(&self, id: &str) -> Option<String> {
        self.names().entity_name(id)
    }

    fn only_entity(&self, label: &str) -> Option<String> {
        self.names().only_entity(label)
    }

    fn class_name(&self, id: &str) -> Option<String> {
        self.names().class_name(id)
    }

    fn property_name(&self, id: &str) -> Option<String> {
        self.names().property_name(id)
    }

    fn key_kind(&self, key: &str) -> Option<KeyKind> {
        self.names().key_kind(key)
    }
}
