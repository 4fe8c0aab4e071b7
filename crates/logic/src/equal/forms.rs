//! Compares two logical forms that were read, in any languages.

use super::canonical::{Canonical, Verdict};
use crate::loss::Loss;
use crate::query::{Ask, Operand, Query};
use crate::read_form::{ReadForm, SparqlForm};
use crate::reading::ReadError;
use crate::schema_ids::{entities, resolve_names};
use crate::sparql::{Structure, difference};
use crate::value::Symbol;
use crate::vocabulary::Vocabulary;
use std::collections::BTreeSet;

/// Why two forms cannot be compared.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum NotComparable {
    /// The gold form cannot be read.
    #[error("gold: {0}")]
    Gold(ReadError),
    /// The predicted form cannot be read.
    #[error("predicted: {0}")]
    Predicted(ReadError),
}

/// Whether two forms ask the same.
///
/// Queries of the algebra are compared by their normal forms, across languages. SPARQL outside the algebra is compared with SPARQL after
/// simplification: up to the names of variables and the order of what is joined.
pub fn compare_forms(
    gold: &ReadForm,
    predicted: &ReadForm,
    words: &dyn Vocabulary,
) -> Result<Verdict, NotComparable> {
    if let (Some(gold_query), Some(predicted_query)) = (gold.query(), predicted.query()) {
        if counts_rows(gold) != counts_rows(predicted)
            && matches!((&gold_query.answer, &predicted_query.answer), (Ask::Count(_), Ask::Count(_)))
        {
            let why = "COUNT with DISTINCT on one side only".to_owned();
            return Ok(Verdict { equal: false, why: Some(why) });
        }
        let excluded = (excluded_strangers(gold_query), excluded_strangers(predicted_query));
        if excluded.0 != excluded.1 {
            let why = "other things are excluded from the answers".to_owned();
            return Ok(Verdict { equal: false, why: Some(why) });
        }
        let canonical = |query: &Query| {
            let mut query = query.clone();
            resolve_names(&mut query, &|name| words.only_entity(name).map(Symbol::from));
            Canonical::of(&query, words)
        };
        return Ok(canonical(gold_query).compare(&canonical(predicted_query)));
    }
    match (gold.sparql_form(), predicted.sparql_form()) {
        (Some(gold), Some(predicted)) => Ok(compare_sparql(gold, predicted)),
        _ => {
            // What cannot be parsed is the problem, not what is merely outside the algebra.
            let is_parsed = |form: &ReadForm| form.query().is_some() || form.sparql_form().is_some();
            let gold_error = gold.error().filter(|_| is_parsed(predicted) || !is_parsed(gold));
            Err(match (gold.query(), gold_error, predicted.error()) {
                (None, Some(error), _) => NotComparable::Gold(error),
                (_, _, Some(error)) => NotComparable::Predicted(error),
                // A form has a query or an error.
                _ => return Ok(Verdict { equal: false, why: None }),
            })
        }
    }
}

/// The entities that must not be answers although the query does not name them anywhere else. Data sets exclude the entities that a question
/// names, which is not part of what is asked; excluding others is.
pub fn excluded_strangers(query: &Query) -> BTreeSet<&Symbol> {
    let strangers = query.rules.different.iter().flat_map(|(a, b)| [a, b]).filter_map(|side| match side {
        Operand::Entity(id) => Some(id),
        Operand::Answer | Operand::Marked(_) => None,
    });
    let mut strangers: BTreeSet<&Symbol> = strangers.collect();
    if !strangers.is_empty() {
        let named = entities(query);
        strangers.retain(|id| !named.iter().any(|named| *named == id.as_str()));
    }
    strangers
}

/// Whether a query counts solutions, where the algebra counts answers.
fn counts_rows(form: &ReadForm) -> bool {
    form.losses().contains(&Loss::CountsRows)
}

/// Whether two SPARQL queries ask the same, after simplification.
pub fn compare_sparql(gold: &SparqlForm, predicted: &SparqlForm) -> Verdict {
    let (gold, predicted) = (gold.simplified(), predicted.simplified());
    let equal = match (Structure::of(gold), Structure::of(predicted)) {
        (Some(gold), Some(predicted)) => gold.is_isomorphic_to(&predicted),
        // Too deep to compare in any other way.
        _ => gold == predicted,
    };
    Verdict { equal, why: (!equal).then(|| difference(gold, predicted)) }
}
