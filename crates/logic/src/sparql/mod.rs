//! SPARQL: repaired, parsed, and recognised into the algebra where it is one of the known dialects.

mod block;
mod close;
mod diagnose;
mod dialect;
mod facts;
mod filters;
mod iris;
mod isomorphism;
mod names;
mod neural;
mod not_recognised;
mod outline;
mod plain;
mod print;
mod print_facts;
mod recognise;
mod simplify;
mod statements;
mod tidy;
pub mod tokens;
mod variables;
pub mod write;

pub use close::parse_closed;
pub use dialect::Dialect;
pub use iris::QueryIris;
pub use isomorphism::{ConditionKind, Structure, StructureCondition, difference};
pub use names::Namespaces;
pub use neural::{decode_neural, encode_neural, is_neural_name, neural_mark};
pub use not_recognised::{NotRecognised, OutsideAlgebra};
pub use outline::SparqlOutline;
pub use print::print;
pub use recognise::recognise;
pub use simplify::Simplified;
pub(crate) use simplify::operands;
pub use simplify::rows::{Aggregate, Grouped, RowColumn, RowFunction, RowQuery, rows};
pub(crate) use statements::named_path as path_text;
pub use statements::{StatementTerm, Statements};
pub use tidy::{Repair, Tidied, known_prefix, tidy};

use crate::loss::Loss;
use crate::query::Query;
use crate::text::{Span, SyntaxError};
use diagnose::diagnose;
use touchstone_kb::rdf::KQAPRO_BASE;

/// A query that the algebra can express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// The query.
    pub query: Query,
    /// Where it differs from the SPARQL text.
    pub lost: Vec<Loss>,
    /// The graph that the SPARQL text is written for.
    pub dialect: Dialect,
}

/// A SPARQL text after repair and parsing.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The parsed query.
    pub query: spargebra::Query,
    /// The text after repair: valid SPARQL 1.1.
    pub text: String,
    /// What was repaired.
    pub repairs: Vec<Repair>,
}

/// Maximum depth of brackets for parsing on the caller's stack; deeper queries get a stack of their own.
const SHALLOW: usize = 8;
const DEEP_STACK: usize = 256 << 20;

/// Repairs and parses a SPARQL query. Relative IRIs are those of KQA Pro.
pub fn parse(source: &str) -> Result<Parsed, SyntaxError> {
    match plain::read(source) {
        Some(query) => Ok(Parsed { query, text: source.to_owned(), repairs: Vec::new() }),
        None => parse_any(source),
    }
}

/// Repairs and parses any query.
fn parse_any(source: &str) -> Result<Parsed, SyntaxError> {
    let tidied = tidy(source)?;
    let parsed = if tidied.depth <= SHALLOW {
        parse_text(&tidied.text)
    } else {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .stack_size(DEEP_STACK)
                .spawn_scoped(scope, || parse_text(&tidied.text));
            match thread.map(|thread| thread.join()) {
                Ok(Ok(result)) => result,
                _ => Err("the query is too deep to parse".to_owned()),
            }
        })
    };
    match parsed {
        Ok(query) => Ok(Parsed { query, text: tidied.text, repairs: tidied.repairs }),
        Err(message) => Err(located(&tidied, source, &message)),
    }
}

fn parse_text(text: &str) -> Result<spargebra::Query, String> {
    let parser =
        spargebra::SparqlParser::new().with_base_iri(KQAPRO_BASE).map_err(|error| error.to_string())?;
    parser.parse_query(text).map_err(|error| error.to_string())
}

/// The parser's message with its place in the source as the user wrote it.
fn located(tidied: &Tidied, source: &str, message: &str) -> SyntaxError {
    // "error at LINE:COLUMN: expected ..."
    let place = message.strip_prefix("error at ").and_then(|rest| {
        let (line, rest) = rest.split_once(':')?;
        let (column, rest) = rest.split_once(':')?;
        Some((line.parse::<usize>().ok()?, column.parse::<usize>().ok()?, rest.trim()))
    });
    let Some((line, column, expected)) = place else {
        return SyntaxError::new(Span::new(0, source.len()), message.to_owned()).located(source);
    };
    let line_start: usize =
        tidied.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let in_line = tidied.text[line_start..]
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(tidied.text.len() - line_start, |(i, _)| i);
    let at = tidied.source_place(line_start + in_line).min(source.len());
    if let Some(error) = unknown_keyword(source) {
        return error.located(source);
    }
    let error = diagnose(source).unwrap_or_else(|| SyntaxError::new(Span::new(at, at + 1), short(expected)));
    error.located(source)
}

/// A short form of the parser's message, which lists everything that could follow, down to the letters of names.
fn short(expected: &str) -> String {
    let options = || expected.trim_start_matches("expected ").trim_start_matches("one of ").split(", ");
    if options().any(|option| option == "Prefix not found") {
        return "unknown prefix".to_owned();
    }
    // What is written in several words is a sentence of the parser, not a token.
    let sentence =
        options().find(|option| option.contains(' ') && option.starts_with(|c: char| c.is_alphabetic()));
    sentence.unwrap_or("this is not valid SPARQL, here or just before").to_owned()
}

/// A query must begin with one of a few words.
fn unknown_keyword(source: &str) -> Option<SyntaxError> {
    const KEYWORDS: [&str; 6] = ["SELECT", "ASK", "PREFIX", "BASE", "CONSTRUCT", "DESCRIBE"];
    let text = source
        .lines()
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?
        .trim_start();
    let word: &str = text.split(|c: char| !c.is_alphanumeric()).next()?;
    if KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)) {
        return None;
    }
    let start = text.as_ptr() as usize - source.as_ptr() as usize;
    let shown: String = word.chars().take(40).collect();
    let error = SyntaxError::new(
        Span::new(start, start + word.len()),
        format!("a query cannot begin with `{shown}`"),
    );
    Some(
        error
            .hint("it begins with SELECT, ASK, PREFIX, BASE, CONSTRUCT or DESCRIBE")
            .nearest(&word.to_ascii_uppercase(), KEYWORDS),
    )
}
