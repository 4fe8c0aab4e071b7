//! What readers and engines know about the words of logical forms.

use crate::session::Session;
use crate::words::Words;
use touchstone_kb::Kb;
use touchstone_logic::Knowledge;
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Inverses, Lookup, Names, Ontology, Spelling};

/// A KB, an ontology, both, or nothing but the spelling of words.
///
/// An ontology describes Freebase's whole schema, a KB often only a part of it: where both are given, the ontology is asked about words and
/// inverse relations, the KB about names and ids.
pub struct QueryContext<'k> {
    words: Option<Words<'k>>,
    ontology: Option<&'k Ontology>,
}

impl<'k> QueryContext<'k> {
    /// With suggestions for unknown words.
    pub fn new(kb: Option<&'k Kb>, ontology: Option<&'k Ontology>) -> QueryContext<'k> {
        QueryContext { words: kb.map(Words::new), ontology }
    }

    /// Does not look for the nearest of unknown words (see [`Words::without_suggestions`]).
    #[must_use]
    pub fn without_suggestions(self) -> QueryContext<'k> {
        QueryContext { words: self.words.map(Words::without_suggestions), ..self }
    }

    /// The KB.
    pub fn kb(&self) -> Option<&'k Kb> {
        self.words.as_ref().map(Words::kb)
    }

    /// The ontology.
    pub fn ontology(&self) -> Option<&'k Ontology> {
        self.ontology
    }

    /// What reading a logical form takes.
    pub fn knowledge(&self) -> Knowledge<'_> {
        let lookup: &(dyn Lookup + Sync) = match (&self.words, self.ontology) {
            (_, Some(ontology)) => ontology,
            (Some(words), None) => words,
            (None, None) => &Spelling,
        };
        Knowledge { lookup, names: self.names(), namespaces: self.namespaces() }
    }

    /// The relations that say the same the other way round.
    pub fn inverses(&self) -> &(dyn Inverses + Sync) {
        match (&self.words, self.ontology) {
            (_, Some(ontology)) => ontology,
            (Some(words), None) => words,
            (None, None) => &(),
        }
    }

    /// The names of ids.
    pub fn names(&self) -> &(dyn Names + Sync) {
        match &self.words {
            Some(words) => words,
            None => &(),
        }
    }

    /// How IRIs become words.
    pub fn namespaces(&self) -> Namespaces {
        self.kb().map(Namespaces::of).unwrap_or_default()
    }

    /// Runs logical forms on the KB, without suggestions for unknown words.
    pub fn session(&self) -> Option<Session<'k>> {
        self.kb().map(|kb| Session::new(kb).without_suggestions())
    }
}
