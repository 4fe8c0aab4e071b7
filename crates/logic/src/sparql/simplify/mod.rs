//! The same query in fewer ways of writing it.
//!
//! People and language models write one question in many ways: with columns for labels, optional parts that nothing uses, variables that
//! stand for one thing, paths or chains of triples, filters or tables. Here a query is laid out flat and rewritten so that many of them become
//! one. Each rule keeps the set of answers, with four exceptions that follow what the writer means: columns that only name or describe
//! what is found go, with the condition that it has such a name; casts around a sort key go; an order without a limit goes; and a statement
//! of Wikidata without qualifiers is the direct property, whatever its rank.
//!
//! The result is a query of the parser, so recognition, comparison and graphs need no second way to read SPARQL.

mod conditions;
mod decoration;
mod flatten;
mod group;
mod having;
mod languages;
mod parts;
mod paths;
pub(super) mod rows;
mod select;
mod statements;
mod substitute;
#[cfg(test)]
mod tests;
mod texts;
mod variables;
mod view;

pub(super) use decoration::{NAME_PROPERTIES, says_more_than_meant};
pub(super) use flatten::conjuncts;
pub(crate) use variables::operands;

use select::Select;
use spargebra::Query;
use std::collections::BTreeSet;

/// Maximum depth of patterns to lay out: this is recursive.
const MAX_DEPTH: usize = 100;

/// A simplified query.
#[derive(Debug, Clone)]
pub struct Simplified {
    /// The query: its answers are a set of rows without the columns of `decoration`.
    pub query: Query,
    /// The columns that only name or describe what is found.
    pub decoration: Vec<String>,
    /// The languages of the names that it asks for in place of things, sorted; empty if it does not say which.
    pub languages: Vec<String>,
    /// The number of rules applied that follow what is meant rather than what is written.
    pub(super) n_meant: usize,
}

/// What the rules share.
#[derive(Default)]
struct Simplifier {
    depth: usize,
    /// How often a nested query was taken apart once more.
    n_again: usize,
    /// The number of names made up so far.
    fresh: usize,
    /// Whether it counts how often each row of what is looked at comes up: it is inside an aggregate such as COUNT.
    rows_count: bool,
    /// Whether the query asks the label service for names.
    label_service: bool,
    /// The languages that it asks the label service for.
    service_languages: Vec<String>,
    decoration: Vec<String>,
    /// The languages of names that stand for things.
    languages: BTreeSet<String>,
    /// The number of labels and statement nodes that were removed.
    n_meant: usize,
}

/// How often nested queries are taken apart once more: each of them may hold others.
const MAX_AGAIN: usize = 30;

impl Simplifier {
    /// Whether a nested query may be taken apart once more.
    fn may_look_again(&mut self) -> bool {
        self.n_again += 1;
        self.n_again <= MAX_AGAIN
    }
}

impl Simplified {
    /// Of a parsed query; `None` for CONSTRUCT, DESCRIBE and what is nested too deep.
    #[must_use]
    pub fn of(query: &Query) -> Option<Simplified> {
        let mut simplifier = Simplifier::default();
        let query = match query {
            Query::Select { dataset, pattern, base_iri } => {
                let mut select = Select::of(pattern, &mut simplifier)?;
                select.simplify(&mut simplifier, true);
                Query::Select {
                    dataset: dataset.clone(),
                    pattern: select.pattern(false),
                    base_iri: base_iri.clone(),
                }
            }
            Query::Ask { dataset, pattern, base_iri } => {
                let mut select = Select::existing(pattern, &mut simplifier)?;
                select.simplify(&mut simplifier, true);
                Query::Ask {
                    dataset: dataset.clone(),
                    pattern: select.pattern_of_ask(),
                    base_iri: base_iri.clone(),
                }
            }
            Query::Construct { .. } | Query::Describe { .. } => return None,
        };
        let Simplifier { decoration, languages, n_meant, .. } = simplifier;
        Some(Simplified { query, decoration, languages: languages.into_iter().collect(), n_meant })
    }
}
