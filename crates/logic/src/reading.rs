//! Reads the text of one logical form, in any of the three languages.

use crate::kopl::Program;
use crate::level::SchemaItems;
use crate::lookup::{Lookup, Names};
use crate::loss::{Language, Loss};
use crate::query::Query;
use crate::sexpr::{Form, GraphQuery};
use crate::sparql::{self, Dialect, Namespaces, Repair};
use crate::{Inexpressible, SyntaxError};

/// A logical form that was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The query it asks.
    pub query: Query,
    /// What was repaired in it.
    pub repairs: Vec<Repair>,
    /// Where the query differs from the text.
    pub lost: Vec<Loss>,
    /// The graph that a SPARQL text is written for.
    pub dialect: Option<Dialect>,
}

/// What is wrong with a logical form.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text does not follow its language.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The program makes no sense.
    #[error(transparent)]
    Program(#[from] crate::kopl::ProgramError),
    /// The graph makes no sense.
    #[error(transparent)]
    Graph(#[from] crate::sexpr::GraphQueryError),
    /// The expression has no meaning in the algebra.
    #[error(transparent)]
    Meaning(#[from] Inexpressible),
    /// A word that the KB or the ontology does not know.
    #[error("unknown {what} `{word}`{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownWord {
        /// What it should be.
        what: &'static str,
        /// The word.
        word: String,
        /// The nearest one that is known.
        nearest: Option<String>,
    },
    /// The SPARQL query is outside the algebra.
    #[error(transparent)]
    NotRecognised(#[from] sparql::NotRecognised),
}

/// What a reader may know about the words of logical forms.
pub struct Knowledge<'k> {
    /// What words are.
    pub lookup: &'k (dyn Lookup + Sync),
    /// The names and kinds of keys.
    pub names: &'k (dyn Names + Sync),
    /// The namespaces of IRIs.
    pub namespaces: Namespaces,
}

impl Reading {
    /// Without repairs and losses.
    fn plain(query: Query) -> Reading {
        Reading { query, repairs: Vec::new(), lost: Vec::new(), dialect: None }
    }
}

/// The query that a text asks.
pub fn read_text(language: Language, text: &str, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
    match language {
        // This parser knows the words by itself, and where they stand.
        Language::Sexpr => Ok(Reading::plain(Form::parse(text, knowledge.lookup)?.to_query()?)),
        Language::Kopl => read_program(&Program::parse(text)?, knowledge),
        Language::Sparql => {
            let parsed = sparql::parse(text)?;
            Ok(Reading { repairs: parsed.repairs, ..read_parsed(&parsed.query, knowledge)? })
        }
    }
}

/// The query that a program asks.
pub fn read_program(program: &Program, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
    let query = program.to_query(knowledge.names)?;
    check_words(&query, knowledge.lookup)?;
    Ok(Reading::plain(query))
}

/// The query that GrailQA's graph asks.
pub fn read_graph(graph: &GraphQuery) -> Result<Reading, ReadError> {
    Ok(Reading::plain(graph.to_form()?.to_query()?))
}

/// The query that parsed SPARQL asks.
pub fn read_parsed(query: &spargebra::Query, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
    let sparql::Recognised { query, lost, dialect } = sparql::recognise(query, &knowledge.namespaces)?;
    check_words(&query, knowledge.lookup)?;
    Ok(Reading { query, repairs: Vec::new(), lost, dialect: Some(dialect) })
}

/// Refuses classes and properties that the KB or the ontology does not have.
fn check_words(query: &Query, lookup: &dyn Lookup) -> Result<(), ReadError> {
    let items = SchemaItems::of(query);
    if let Some(word) = items.properties.iter().find(|word| lookup.is_property(word) == Some(false)) {
        return Err(ReadError::UnknownWord {
            what: "relation or attribute",
            word: word.to_string(),
            nearest: lookup.nearest_property(word),
        });
    }
    if let Some(word) = items.classes.iter().find(|word| lookup.is_class(word) == Some(false)) {
        return Err(ReadError::UnknownWord {
            what: "class",
            word: word.to_string(),
            nearest: lookup.nearest_class(word),
        });
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
        let knowledge = Knowledge { lookup: &ontology, names: &(), namespaces: Namespaces::default() };
        for text in [
            "(AND a.b (JOIN a.b.relatoin m.1))",
            "SELECT DISTINCT ?x WHERE { ?x ns:a.b.relatoin ns:m.1 }",
            "Find(A) > Relate(a.b.relatoin, forward) > What()",
        ] {
            let error = read_text(Language::guess(text), text, &knowledge).unwrap_err().to_string();
            assert!(error.contains("did you mean `a.b.relation`?"), "{text}: {error}");
        }
    }
}
