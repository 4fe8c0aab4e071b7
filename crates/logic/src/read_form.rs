//! A logical form that is parsed once, with everything that later steps need.

use crate::equal::Canonical;
use crate::graph::QueryGraph;
use crate::kopl::{Program, ProgramError};
use crate::level::SchemaItems;
use crate::loss::{Language, Loss};
use crate::query::Query;
use crate::reading::{Knowledge, ReadError, UnknownWords, check_words};
use crate::schema_ids::entities;
use crate::sexpr::Form;
use crate::sparql::tokens::{SparqlTokens, sparql_tokens};
use crate::sparql::{self, Dialect, Namespaces, NotRecognised, Parsed, QueryIris, Recognised, Simplified};
use crate::sparql::{Statements, Structure};
use crate::vocabulary::Vocabulary;
use hashbrown::HashSet;
use std::sync::OnceLock;

/// A parsed form that engines run. It may contain unknown names.
#[derive(Debug, Clone)]
pub enum ParsedForm {
    /// The query of an S-expression.
    Sexpr(Query),
    /// A program.
    Kopl(Program),
    /// SPARQL.
    Sparql(Box<SparqlForm>),
}

/// Parsed SPARQL, and its query in the algebra.
#[derive(Debug, Clone)]
pub struct SparqlForm {
    /// The query after repair and parsing.
    pub parsed: Parsed,
    /// The query in the algebra, or why it is outside the algebra.
    pub recognised: Result<Recognised, NotRecognised>,
    simplified: OnceLock<Option<Simplified>>,
}

impl SparqlForm {
    /// Parsed SPARQL, recognised where the algebra can express it.
    #[must_use]
    pub fn new(parsed: Parsed, namespaces: &Namespaces) -> SparqlForm {
        let recognised = sparql::recognise(&parsed.query, namespaces);
        SparqlForm { parsed, recognised, simplified: OnceLock::new() }
    }

    /// The query without what does not change its meaning; for CONSTRUCT, DESCRIBE and what is nested too deep, the query as it is.
    pub fn simplified(&self) -> &spargebra::Query {
        let simplified = self.simplified.get_or_init(|| Simplified::of(&self.parsed.query));
        simplified.as_ref().map_or(&self.parsed.query, |simplified| &simplified.query)
    }
}

impl SparqlForm {
    /// The names of the columns; empty for queries without.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let spargebra::Query::Select { pattern, .. } = &self.parsed.query else { return Vec::new() };
        let mut columns = Vec::new();
        pattern.on_in_scope_variable(|variable| columns.push(variable.as_str().to_owned()));
        columns
    }

    /// The names of the columns that only name or describe what is found.
    pub fn decoration(&self) -> &[String] {
        let simplified = self.simplified.get_or_init(|| Simplified::of(&self.parsed.query));
        simplified.as_ref().map_or(&[], |simplified| &simplified.decoration)
    }

    /// The languages of the names that it asks for in place of things, sorted; empty if it does not say which.
    pub fn languages(&self) -> &[String] {
        let simplified = self.simplified.get_or_init(|| Simplified::of(&self.parsed.query));
        simplified.as_ref().map_or(&[], |simplified| &simplified.languages)
    }
}

impl ParsedForm {
    /// Parses a text. Unknown names are accepted.
    pub fn parse(
        language: Language,
        text: &str,
        words: &dyn Vocabulary,
        namespaces: &Namespaces,
    ) -> Result<ParsedForm, ReadError> {
        Ok(match language {
            Language::Sexpr => ParsedForm::Sexpr(Form::read(text, words, UnknownWords::Accept)?.to_query()?),
            Language::Kopl => ParsedForm::Kopl(Program::parse(text)?),
            Language::Sparql => {
                ParsedForm::Sparql(Box::new(SparqlForm::new(sparql::parse(text)?, namespaces)))
            }
        })
    }
}

/// A parsed logical form: its text, its query, and other results of parsing.
///
/// ```
/// use touchstone_logic::sparql::Dialect;
/// use touchstone_logic::{Knowledge, Language, ReadForm};
/// let text = "SELECT ?x WHERE { ?x ns:film.film.directed_by ns:m.1 }";
/// let form = ReadForm::read(Language::Sparql, text, &Knowledge::of_spelling());
/// assert!(form.query().is_some());
/// assert_eq!(form.dialect(), Some(&Dialect::Freebase));
/// assert!(form.iris().contains("http://rdf.freebase.com/ns/m.1"));
/// ```
#[derive(Debug, Clone)]
pub struct ReadForm {
    /// The language of the text.
    pub language: Language,
    /// The text as given.
    pub text: String,
    /// What can be run, or why the text cannot be parsed. Unknown names are accepted.
    pub parsed: Result<ParsedForm, ReadError>,
    /// The query of a program.
    program_query: Option<Result<Query, ProgramError>>,
    /// An unknown name, if unknown names are rejected.
    refused: Option<ReadError>,
    /// The namespaces of IRIs, for the dialect and for graphs.
    namespaces: Namespaces,
    dialect: OnceLock<Option<Dialect>>,
    iris: OnceLock<QueryIris>,
}

impl ReadForm {
    /// Parses a text. Text that cannot be parsed is kept with the reason.
    #[must_use]
    pub fn read(language: Language, text: &str, knowledge: &Knowledge<'_>) -> ReadForm {
        let Knowledge { words, namespaces, unknown_words } = knowledge;
        let (mut program_query, mut refused) = (None, None);
        let parsed = match language {
            Language::Sexpr => match read_sexpr(text, *words, *unknown_words) {
                Ok(query) => Ok(ParsedForm::Sexpr(query)),
                Err(error) => {
                    // Unknown names may be the only problem.
                    let accepting = read_sexpr(text, *words, UnknownWords::Accept);
                    refused = Some(error);
                    accepting.map(ParsedForm::Sexpr)
                }
            },
            _ => ParsedForm::parse(language, text, *words, namespaces),
        };
        match &parsed {
            Ok(ParsedForm::Kopl(program)) => {
                let query = program.to_query(*words);
                refused = query.as_ref().ok().and_then(|query| check_words(query, knowledge).err());
                program_query = Some(query);
            }
            Ok(ParsedForm::Sparql(sparql)) => {
                // Models write names that do not exist. Such a query is refused only where a suggestion is wanted; elsewhere it is
                // compared as it was written.
                let recognised = sparql.recognised.as_ref().ok();
                let recognised = recognised.filter(|_| *unknown_words == UnknownWords::Suggest);
                refused = recognised.and_then(|recognised| check_words(&recognised.query, knowledge).err());
            }
            // This parser checks the names itself, and knows their positions.
            Ok(ParsedForm::Sexpr(_)) | Err(_) => {}
        }
        ReadForm {
            language,
            text: text.to_owned(),
            parsed,
            program_query,
            refused,
            namespaces: namespaces.clone(),
            dialect: OnceLock::new(),
            iris: OnceLock::new(),
        }
    }

    /// The query of the form, if it can be parsed.
    #[must_use]
    pub fn query(&self) -> Option<&Query> {
        match (&self.refused, &self.parsed) {
            (None, Ok(ParsedForm::Sexpr(query))) => Some(query),
            (None, Ok(ParsedForm::Kopl(_))) => self.program_query.as_ref()?.as_ref().ok(),
            (None, Ok(ParsedForm::Sparql(sparql))) => Some(&sparql.recognised.as_ref().ok()?.query),
            (Some(_), _) | (None, Err(_)) => None,
        }
    }

    /// Why the form cannot be parsed.
    #[must_use]
    pub fn error(&self) -> Option<ReadError> {
        match (&self.refused, &self.parsed) {
            (Some(error), _) | (None, Err(error)) => Some(error.clone()),
            (None, Ok(ParsedForm::Sexpr(_))) => None,
            (None, Ok(ParsedForm::Kopl(_))) => {
                Some(self.program_query.as_ref()?.as_ref().err()?.clone().into())
            }
            (None, Ok(ParsedForm::Sparql(sparql))) => Some(sparql.recognised.as_ref().err()?.clone().into()),
        }
    }

    /// SPARQL after repair and parsing, even if the algebra cannot express it.
    #[must_use]
    pub fn sparql(&self) -> Option<&Parsed> {
        Some(&self.sparql_form()?.parsed)
    }

    /// Parsed SPARQL with what was recognised in it.
    #[must_use]
    pub fn sparql_form(&self) -> Option<&SparqlForm> {
        match &self.parsed {
            Ok(ParsedForm::Sparql(sparql)) => Some(sparql),
            _ => None,
        }
    }

    /// The graph of the query; of SPARQL outside the algebra, the graph of its patterns.
    pub fn graph(&self) -> Result<QueryGraph, ReadError> {
        if let Some(query) = self.query() {
            return Ok(QueryGraph::of(query));
        }
        match (self.outside_algebra(), self.error()) {
            (Some(sparql), _) => Ok(QueryGraph::of_sparql(sparql, &self.namespaces)),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(QueryGraph::default()),
        }
    }

    /// SPARQL that can be parsed but that the algebra cannot express, without what does not change its meaning.
    #[must_use]
    pub fn outside_algebra(&self) -> Option<&spargebra::Query> {
        match (self.query(), self.sparql_form(), self.error()) {
            (None, Some(sparql), Some(ReadError::NotRecognised(_))) => Some(sparql.simplified()),
            _ => None,
        }
    }

    /// The classes and properties of the form; empty if it cannot be read.
    #[must_use]
    pub fn schema_items(&self) -> SchemaItems {
        match (self.query(), self.outside_algebra()) {
            (Some(query), _) => SchemaItems::of(query),
            (None, Some(sparql)) => SchemaItems::of_sparql(sparql, &self.namespaces),
            (None, None) => SchemaItems::default(),
        }
    }

    /// A key that forms with the same template share; `None` if the form cannot be read.
    pub fn template(&self, inverses: &dyn Vocabulary) -> Option<String> {
        match (self.query(), self.outside_algebra()) {
            (Some(query), _) => Some(Canonical::template(query, inverses).key().to_owned()),
            // A query that is too deep or too regular for a key has only itself for a template.
            (None, Some(sparql)) => {
                let key = Structure::template_key(sparql, &self.namespaces);
                Some(key.unwrap_or_else(|| sparql.to_string()))
            }
            (None, None) => None,
        }
    }

    /// The entities that the form names, without duplicates, in order.
    #[must_use]
    pub fn entities(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if let Some(query) = self.query() {
            return entities(query).into_iter().map(str::to_owned).collect();
        }
        let Some(sparql) = self.outside_algebra() else { return found };
        let statements = Statements::of(sparql);
        let items = self.schema_items();
        let properties: HashSet<&str> = statements.properties.iter().copied().collect();
        for iri in statements.iris.iter().filter(|iri| !properties.contains(&***iri)) {
            let id = self.namespaces.node(iri);
            if !items.classes.contains(id.as_str()) && !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    /// Where the query differs from the text.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        match &self.parsed {
            Ok(ParsedForm::Sparql(sparql)) => sparql.recognised.as_ref().map_or(&[], |found| &found.lost),
            _ => &[],
        }
    }

    /// The graph that a SPARQL text is written for, even if it cannot be parsed; `None` in other languages.
    pub fn dialect(&self) -> Option<&Dialect> {
        if let Ok(ParsedForm::Sparql(sparql)) = &self.parsed
            && let Ok(recognised) = &sparql.recognised
        {
            return Some(&recognised.dialect);
        }
        let of_text = || {
            let is_sparql = self.language == Language::Sparql;
            is_sparql.then(|| Dialect::of_text(&self.text, self.namespaces.base.as_deref()))
        };
        self.dialect.get_or_init(of_text).as_ref()
    }

    /// The IRIs of SPARQL that can be parsed.
    pub fn iris(&self) -> &QueryIris {
        let parsed = || self.sparql().map(|parsed| QueryIris::of(&parsed.query));
        self.iris.get_or_init(|| parsed().unwrap_or_default())
    }

    /// The tokens of a SPARQL text.
    #[must_use]
    pub fn tokens(&self) -> SparqlTokens<'_> {
        sparql_tokens(&self.text)
    }
}

fn read_sexpr(text: &str, words: &dyn Vocabulary, unknown: UnknownWords) -> Result<Query, ReadError> {
    Ok(Form::read(text, words, unknown)?.to_query()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ontology, SyntaxErrorKind};

    fn read(language: Language, text: &str) -> ReadForm {
        ReadForm::read(language, text, &Knowledge::of_spelling())
    }

    #[test]
    fn sparql_outside_the_algebra_has_items_a_template_and_entities() {
        let form = |class: &str, thing: &str, property: &str| {
            read(
                Language::Sparql,
                &format!(
                    "SELECT ?x ?n {{ ?x a <urn:{class}> ; <urn:{property}>/<urn:q>* <urn:{thing}> ; <urn:n> ?n }}"
                ),
            )
        };
        let one = form("c", "a", "p");
        assert!(one.query().is_none() && one.outside_algebra().is_some());
        let items = one.schema_items();
        assert_eq!(items.classes.iter().map(|c| c.as_str()).collect::<Vec<_>>(), ["urn:c"]);
        assert_eq!(
            items.properties.iter().map(|p| p.as_str()).collect::<Vec<_>>(),
            ["urn:n", "urn:p", "urn:q"]
        );
        assert_eq!(one.entities(), ["urn:a"]);
        let words = crate::vocabulary::Spelling;
        let template = |form: &ReadForm| form.template(&words).expect("a template");
        assert_eq!(template(&one), template(&form("c", "b", "p")));
        assert_ne!(template(&one), template(&form("d", "a", "p")), "another class");
        assert_ne!(template(&one), template(&form("c", "a", "r")), "another property");
        assert!(read(Language::Sparql, "SELECT").template(&words).is_none());
    }

    #[test]
    fn forms_of_every_language_are_read() {
        let sexpr = read(Language::Sexpr, "(JOIN a.b m.1)");
        let sparql = read(Language::Sparql, "SELECT DISTINCT ?x { ?x ns:a.b ns:m.1 }");
        assert!(sexpr.query().is_some() && sexpr.error().is_none());
        assert_eq!(sexpr.query(), sparql.query());
        assert!(sexpr.dialect().is_none() && sexpr.sparql().is_none());
        assert_eq!(sparql.sparql().map(|parsed| parsed.repairs.len()), Some(1));
        assert_eq!(sparql.tokens().map(|token| token.text).collect::<String>(), sparql.text);
        assert!(read(Language::Kopl, "Find(A) > What()").query().is_some());
    }

    #[test]
    fn what_cannot_be_read_keeps_what_is_known() {
        let outside = read(Language::Sparql, "SELECT ?x { ?x <pred:name> ?y OPTIONAL { ?x ?p ?o } }");
        assert!(outside.sparql().is_some() && outside.iris().has_kqapro_predicate());
        assert!(matches!(outside.error(), Some(ReadError::NotRecognised(_))), "{:?}", outside.error());
        let broken = read(Language::Sparql, "SELECT ?x { ?x <pred:name> ");
        assert_eq!(broken.dialect(), Some(&Dialect::KqaPro));
        assert!(broken.sparql().is_none() && broken.query().is_none());
        let long = format!("ASK {{ ?x <urn:p> ?y FILTER(1 {}) }}", "+ 1 ".repeat(3_000));
        let Some(ReadError::Syntax(error)) = read(Language::Sparql, &long).error() else { panic!("{long}") };
        assert_eq!(error.kind, SyntaxErrorKind::TooManyOperators { maximum: 2_000 });
    }

    #[test]
    fn the_order_of_columns_does_not_change_the_shape() {
        let body = "{ ?x a <urn:country> . ?x <urn:continent> <urn:europe> . ?x <urn:capital> ?y . ?y <urn:mayor> ?z }";
        let shape = |columns: &str| {
            let form = read(Language::Sparql, &format!("SELECT {columns} {body}"));
            form.graph().expect("parses").shape().code
        };
        assert_eq!(shape("?x ?y"), shape("?y ?x"));
        assert_eq!(shape("?x ?y ?z"), shape("?z ?y ?x"));
        assert_eq!(shape("?x ?z"), shape("?z ?x"));
    }

    #[test]
    fn forms_with_unknown_words_can_be_run() {
        let ontology = Ontology::from_parts([("a.b", "a.b.relation", "a.c")], [("a.b", "a.x")], []);
        let knowledge = Knowledge::new(&ontology, Namespaces::default()).without_suggestions();
        for text in [
            "(AND a.b (JOIN a.b.relatoin m.1))",
            "SELECT DISTINCT ?x WHERE { ?x ns:a.b.relatoin ns:m.1 }",
            "Find(A) > Relate(a.b.relatoin, forward) > What()",
        ] {
            let suggesting = Knowledge::new(&ontology, Namespaces::default());
            let form = ReadForm::read(Language::guess(text), text, &suggesting);
            assert!(form.parsed.is_ok() && form.query().is_none() && form.error().is_some(), "{text}");
            let form = ReadForm::read(Language::guess(text), text, &knowledge);
            let is_accepted = form.language == Language::Sparql;
            assert_eq!(
                (form.query().is_some(), form.error().is_none()),
                (is_accepted, is_accepted),
                "{text}"
            );
        }
    }
}
