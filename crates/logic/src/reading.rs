//! Parses the text of a logical form, in any of the three languages.

use crate::kopl::Program;
use crate::level::SchemaItems;
use crate::loss::{Language, Loss};
use crate::query::Query;
use crate::sexpr::{Form, GraphQuery};
use crate::sparql::{self, Dialect, Namespaces, Repair};
use crate::vocabulary::{Spelling, Vocabulary};
use crate::{Inexpressible, SyntaxError};

/// A parsed logical form.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its query.
    pub query: Query,
    /// The repairs.
    pub repairs: Vec<Repair>,
    /// Where the query differs from the text.
    pub lost: Vec<Loss>,
    /// The graph that a SPARQL text is written for.
    pub dialect: Option<Dialect>,
}

/// Why a logical form cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text does not follow the grammar of its language.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The program is invalid.
    #[error(transparent)]
    Program(#[from] crate::kopl::ProgramError),
    /// The graph is invalid.
    #[error(transparent)]
    Graph(#[from] crate::sexpr::GraphQueryError),
    /// The expression has no meaning in the algebra.
    #[error(transparent)]
    Meaning(#[from] Inexpressible),
    /// A name that the KB or the ontology does not have.
    #[error("unknown {what} `{word}`{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownWord {
        /// The expected kind.
        what: &'static str,
        /// The name.
        word: String,
        /// The nearest known name.
        nearest: Option<String>,
    },
    /// The SPARQL query is outside the algebra.
    #[error(transparent)]
    NotRecognised(#[from] sparql::NotRecognised),
}

/// What is known about the names in logical forms, and how unknown names are handled.
#[derive(Clone)]
pub struct Knowledge<'k> {
    /// The known names.
    pub words: &'k dyn Vocabulary,
    /// The namespaces of IRIs.
    pub namespaces: Namespaces,
    /// How names that `words` does not know are handled.
    pub unknown_words: UnknownWords,
}

/// How classes and properties that a vocabulary does not know are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownWords {
    /// They are an error that suggests the nearest known name. Finding it takes longer than parsing a query.
    #[default]
    Suggest,
    /// They are an error.
    Refuse,
    /// They are accepted: engines report them with their answers.
    Accept,
}

impl<'k> Knowledge<'k> {
    /// Knowledge that rejects unknown names with a suggestion.
    #[must_use]
    pub fn new(words: &'k dyn Vocabulary, namespaces: Namespaces) -> Knowledge<'k> {
        Knowledge { words, namespaces, unknown_words: UnknownWords::Suggest }
    }

    /// Only the spelling of ids.
    #[must_use]
    pub fn of_spelling() -> Knowledge<'static> {
        Knowledge::new(&Spelling, Namespaces::default())
    }

    /// Knowledge that rejects unknown names without a suggestion, for large numbers of forms.
    #[must_use]
    pub fn without_suggestions(self) -> Knowledge<'k> {
        Knowledge { unknown_words: UnknownWords::Refuse, ..self }
    }
}

impl Reading {
    /// A form without repairs and losses.
    fn plain(query: Query) -> Reading {
        Reading { query, repairs: Vec::new(), lost: Vec::new(), dialect: None }
    }
}

/// The query of a text.
///
/// ```
/// use touchstone_logic::{Knowledge, Language, Spelling, kopl, read_text};
///
/// let text = "(COUNT (AND film.film (JOIN film.film.directed_by m.0184jc)))";
/// // A KB or an ontology would say what the names are; here their spelling does.
/// let reading = read_text(Language::Sexpr, text, &Knowledge::of_spelling())?;
/// let (program, _lost) = kopl::from_query(&reading.query, &Spelling)?;
/// let readable = "Find(m.0184jc) > Relate(film.film.directed_by, backward) > FilterConcept(film.film) > Count()";
/// assert_eq!(program.to_readable()?, readable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_text(language: Language, text: &str, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
    match language {
        // This parser checks the names itself, and knows their positions.
        Language::Sexpr => {
            Ok(Reading::plain(Form::read(text, knowledge.words, knowledge.unknown_words)?.to_query()?))
        }
        Language::Kopl => read_program(&Program::parse(text)?, knowledge),
        Language::Sparql => {
            let parsed = sparql::parse(text)?;
            Ok(Reading { repairs: parsed.repairs, ..read_parsed(&parsed.query, knowledge)? })
        }
    }
}

/// The query of a program.
pub fn read_program(program: &Program, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
    let query = program.to_query(knowledge.words)?;
    check_words(&query, knowledge)?;
    Ok(Reading::plain(query))
}

/// The query of GrailQA's graph.
pub fn read_graph(graph: &GraphQuery) -> Result<Reading, ReadError> {
    Ok(Reading::plain(graph.to_form()?.to_query()?))
}

/// The query of parsed SPARQL.
fn read_parsed(query: &spargebra::Query, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
    let sparql::Recognised { query, lost, dialect } = sparql::recognise(query, &knowledge.namespaces)?;
    check_words(&query, knowledge)?;
    Ok(Reading { query, repairs: Vec::new(), lost, dialect: Some(dialect) })
}

/// Rejects classes and properties that the KB or the ontology does not have.
pub(crate) fn check_words(query: &Query, knowledge: &Knowledge<'_>) -> Result<(), ReadError> {
    if knowledge.unknown_words == UnknownWords::Accept {
        return Ok(());
    }
    let (words, suggests) = (knowledge.words, knowledge.unknown_words == UnknownWords::Suggest);
    let items = SchemaItems::of(query);
    if let Some(word) = items.properties.iter().find(|word| words.is_property(word) == Some(false)) {
        let nearest = if suggests { words.nearest_property(word) } else { None };
        return Err(ReadError::UnknownWord {
            what: "relation or attribute",
            word: word.to_string(),
            nearest,
        });
    }
    if let Some(word) = items.classes.iter().find(|word| words.is_class(word) == Some(false)) {
        let nearest = if suggests { words.nearest_class(word) } else { None };
        return Err(ReadError::UnknownWord { what: "class", word: word.to_string(), nearest });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn unknown_words_are_reported_in_all_languages() {
        let ontology = crate::Ontology::from_parts([("a.b", "a.b.relation", "a.c")], [("a.b", "a.x")], []);
        let knowledge = Knowledge::new(&ontology, Namespaces::default());
        for text in [
            "(AND a.b (JOIN a.b.relatoin m.1))",
            "SELECT DISTINCT ?x WHERE { ?x ns:a.b.relatoin ns:m.1 }",
            "Find(A) > Relate(a.b.relatoin, forward) > What()",
        ] {
            let error = read_text(Language::guess(text), text, &knowledge).unwrap_err().to_string();
            assert!(error.contains("did you mean `a.b.relation`?"), "{text}: {error}");
            let quiet = knowledge.clone().without_suggestions();
            let error = read_text(Language::guess(text), text, &quiet).unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{text}: {error}");
            let lenient = Knowledge { unknown_words: UnknownWords::Accept, ..quiet };
            assert!(read_text(Language::guess(text), text, &lenient).is_ok(), "{text}");
        }
    }
}
