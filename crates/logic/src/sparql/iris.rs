//! The IRIs of a parsed SPARQL query.

use super::statements::Statements;
use std::collections::BTreeSet;
use touchstone_kb::rdf::KQAPRO_BASE;

/// What KQA Pro's own predicates begin with.
const KQAPRO_PREDICATE: &str = "pred:";

/// All IRIs of a parsed query, written out: prefixes are expanded, relative IRIs are appended to KQA Pro's base.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryIris {
    all: BTreeSet<String>,
    relative: Option<String>,
}

impl QueryIris {
    /// Of a parsed query.
    #[must_use]
    pub fn of(query: &spargebra::Query) -> QueryIris {
        let Statements { iris, other_iris, .. } = Statements::of(query);
        let in_order = || iris.iter().map(AsRef::as_ref).chain(other_iris.iter().copied());
        let relative = in_order().find_map(|iri| iri.strip_prefix(KQAPRO_BASE)).map(str::to_owned);
        QueryIris { all: in_order().map(str::to_owned).collect(), relative }
    }

    /// Whether the query has an IRI.
    #[must_use]
    pub fn contains(&self, iri: &str) -> bool {
        self.all.contains(iri)
    }

    /// All of them, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    /// The first IRI that is relative, as it is written: without the base that the parser has put before it.
    #[must_use]
    pub fn relative(&self) -> Option<&str> {
        self.relative.as_deref()
    }

    /// Whether there is a predicate of KQA Pro's graph.
    #[must_use]
    pub fn has_kqapro_predicate(&self) -> bool {
        self.all
            .range(KQAPRO_PREDICATE.to_owned()..)
            .next()
            .is_some_and(|iri| iri.starts_with(KQAPRO_PREDICATE))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sparql::parse;

    #[test]
    fn every_iri_is_listed() {
        let text = "PREFIX : <urn:> CONSTRUCT { ?x :t \"1\"^^:d } FROM :g WHERE { ?x :p/:q* :o FILTER(:f(?x) = \"a\"^^:e) VALUES ?x { :v } }";
        let iris = QueryIris::of(&parse(text).unwrap().query);
        let short: Vec<&str> = iris.iter().map(|iri| iri.trim_start_matches("urn:")).collect();
        assert_eq!(short, ["d", "e", "f", "g", "o", "p", "q", "t", "v"]);
        assert!(iris.contains("urn:p") && !iris.contains("urn:") && iris.relative().is_none());
    }

    #[test]
    fn relative_iris_and_predicates_of_kqapro() {
        let iris = QueryIris::of(&parse("ASK { ?x <pred:name> \"a\" . ?x <b> <c> }").unwrap().query);
        assert!(iris.has_kqapro_predicate());
        assert_eq!(iris.relative(), Some("b"));
        let none = QueryIris::of(&parse("ASK { ?x <urn:a> \"<pred:name>\" }").unwrap().query);
        assert!(!none.has_kqapro_predicate());
    }
}
