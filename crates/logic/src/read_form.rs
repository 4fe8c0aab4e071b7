//! A logical form that is read once, with everything that later steps need to know about its text.

use crate::loss::{Language, Loss};
use crate::query::Query;
use crate::reading::{Knowledge, ReadError, Reading, read_parsed, read_text};
use crate::sparql::tokens::{SparqlTokens, sparql_tokens};
use crate::sparql::{self, Dialect, Parsed, QueryIris, Repair};
use std::sync::OnceLock;

/// A logical form that was read: its text, what it asks, and what was found out on the way.
///
/// ```
/// use touchstone_logic::sparql::{Dialect, Namespaces};
/// use touchstone_logic::{Knowledge, Language, ReadForm, Spelling};
/// let knowledge = Knowledge { lookup: &Spelling, names: &(), namespaces: Namespaces::default() };
/// let form = ReadForm::read(Language::Sparql, "SELECT ?x WHERE { ?x ns:film.film.directed_by ns:m.1 }", &knowledge);
/// assert!(form.query.is_ok());
/// assert_eq!(form.dialect(), Some(&Dialect::Freebase));
/// assert!(form.iris().contains("http://rdf.freebase.com/ns/m.1"));
/// ```
#[derive(Debug, Clone)]
pub struct ReadForm {
    /// The language of the text.
    pub language: Language,
    /// The text as it was given.
    pub text: String,
    /// SPARQL after repair and parsing, also where the algebra cannot express it; `None` in other languages and if it cannot be parsed.
    pub parsed: Option<Parsed>,
    /// What the form asks, or why it could not be read.
    pub query: Result<Query, ReadError>,
    /// Where the query differs from the text.
    pub losses: Vec<Loss>,
    /// The KB's base, for the dialect.
    base: Option<String>,
    dialect: OnceLock<Option<Dialect>>,
    iris: OnceLock<QueryIris>,
}

impl ReadForm {
    /// Reads a text. What cannot be read is kept with the reason.
    #[must_use]
    pub fn read(language: Language, text: &str, knowledge: &Knowledge<'_>) -> ReadForm {
        let parsed = if language == Language::Sparql { Some(sparql::parse(text)) } else { None };
        let (parsed, reading) = match parsed {
            None => (None, read_text(language, text, knowledge)),
            Some(Err(error)) => (None, Err(error.into())),
            Some(Ok(parsed)) => {
                let reading = read_parsed(&parsed.query, knowledge);
                (Some(parsed), reading)
            }
        };
        let (query, losses, dialect) = match reading {
            Ok(Reading { query, lost, dialect, .. }) => (Ok(query), lost, OnceLock::from(dialect)),
            Err(error) => (Err(error), Vec::new(), OnceLock::new()),
        };
        let base = knowledge.namespaces.base.clone();
        ReadForm {
            language,
            text: text.to_owned(),
            parsed,
            query,
            losses,
            base,
            dialect,
            iris: OnceLock::new(),
        }
    }

    /// The graph that a SPARQL text is written for, also of texts that cannot be parsed; `None` in other languages.
    pub fn dialect(&self) -> Option<&Dialect> {
        let of_text = || {
            let is_sparql = self.language == Language::Sparql;
            is_sparql.then(|| Dialect::of_text(&self.text, self.base.as_deref()))
        };
        self.dialect.get_or_init(of_text).as_ref()
    }

    /// The IRIs of SPARQL that could be parsed.
    pub fn iris(&self) -> &QueryIris {
        let parsed = || self.parsed.as_ref().map(|parsed| QueryIris::of(&parsed.query));
        self.iris.get_or_init(|| parsed().unwrap_or_default())
    }

    /// What was repaired before the text could be parsed.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        self.parsed.as_ref().map_or(&[], |parsed| &parsed.repairs)
    }

    /// The tokens of a SPARQL text.
    #[must_use]
    pub fn tokens(&self) -> SparqlTokens<'_> {
        sparql_tokens(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Spelling, SyntaxErrorKind};

    fn read(language: Language, text: &str) -> ReadForm {
        let knowledge = Knowledge { lookup: &Spelling, names: &(), namespaces: Default::default() };
        ReadForm::read(language, text, &knowledge)
    }

    #[test]
    fn forms_of_every_language_are_read() {
        let sexpr = read(Language::Sexpr, "(JOIN a.b m.1)");
        let sparql = read(Language::Sparql, "SELECT DISTINCT ?x { ?x ns:a.b ns:m.1 }");
        assert_eq!(sexpr.query.as_ref().ok(), sparql.query.as_ref().ok());
        assert!(sexpr.dialect().is_none() && sexpr.parsed.is_none());
        assert_eq!(sparql.repairs().len(), 1);
        assert_eq!(sparql.tokens().map(|token| token.text).collect::<String>(), sparql.text);
        assert!(read(Language::Kopl, "Find(A) > What()").query.is_ok());
    }

    #[test]
    fn what_cannot_be_read_keeps_what_is_known() {
        let outside = read(Language::Sparql, "SELECT ?x { ?x <pred:name> ?y OPTIONAL { ?x ?p ?o } }");
        assert!(outside.parsed.is_some() && outside.iris().has_kqapro_predicate());
        assert!(matches!(outside.query, Err(ReadError::NotRecognised(_))), "{:?}", outside.query);
        let broken = read(Language::Sparql, "SELECT ?x { ?x <pred:name> ");
        assert_eq!(broken.dialect(), Some(&Dialect::KqaPro));
        assert!(broken.parsed.is_none());
        let long = format!("ASK {{ ?x <urn:p> ?y FILTER(1 {}) }}", "+ 1 ".repeat(3_000));
        let Err(ReadError::Syntax(error)) = read(Language::Sparql, &long).query else { panic!("{long}") };
        assert_eq!(error.kind, SyntaxErrorKind::TooManyOperators { maximum: 2_000 });
    }
}
