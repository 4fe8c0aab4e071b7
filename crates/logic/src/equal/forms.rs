//! Compares two logical forms that were read, in any languages.

use super::canonical::{Canonical, Verdict};
use crate::loss::Loss;
use crate::query::{Ask, Operand, Query};
use crate::read_form::{ReadForm, SparqlForm};
use crate::reading::ReadError;
use crate::schema_ids::{entities, resolve_names};
use crate::sparql::{Statements, Structure, difference};
use crate::value::Symbol;
use crate::vocabulary::Vocabulary;
use std::collections::{BTreeMap, BTreeSet};

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
        if let Some(why) = differ_besides(Some(gold), predicted) {
            return Ok(Verdict { equal: false, why: Some(why) });
        }
        let excluded = (excluded_strangers(gold_query), excluded_strangers(predicted_query));
        if excluded.0 != excluded.1 {
            let why = "other things are excluded from the answers".to_owned();
            return Ok(Verdict { equal: false, why: Some(why) });
        }
        let canonical = |query: &Query| {
            let mut query = query.clone();
            if gold.language != predicted.language {
                query.forget_conventions();
            }
            resolve_names(&mut query, &|name| words.only_entity(name).map(Symbol::from));
            Canonical::of(&query, words)
        };
        return Ok(canonical(gold_query).compare(&canonical(predicted_query)));
    }
    match (gold.sparql_form(), predicted.sparql_form()) {
        (Some(gold), Some(predicted)) => Ok(compare_sparql(gold, predicted)),
        _ => {
            if let Some(why) = other_columns(gold, predicted) {
                return Ok(Verdict { equal: false, why: Some(why) });
            }
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

/// How a query of the algebra differs in its columns from SPARQL outside of it; `None` if it does not.
fn other_columns(gold: &ReadForm, predicted: &ReadForm) -> Option<String> {
    let width = |form: &ReadForm| match form.query().map(|query| &query.answer) {
        Some(Ask::Exists(_) | Ask::Verify { .. }) => Some(0),
        Some(_) => Some(1),
        None => form.sparql_form().and_then(|form| Structure::n_columns(form.simplified())),
    };
    let (gold, predicted) = (width(gold)?, width(predicted)?);
    let shown = |columns: usize| match columns {
        0 => "is a yes/no question".to_owned(),
        1 => "has 1 column".to_owned(),
        n => format!("has {n} columns"),
    };
    (gold != predicted).then(|| format!("gold {}, predicted {}", shown(gold), shown(predicted)))
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

/// How two forms differ in what their queries of the algebra do not say; `None` for gold that is not SPARQL.
pub fn differ_besides(gold: Option<&ReadForm>, predicted: &ReadForm) -> Option<String> {
    let has = |form: &ReadForm, is_loss: fn(&Loss) -> bool| form.losses().iter().any(is_loss);
    let counts_rows = |form| has(form, |loss| matches!(loss, Loss::CountsRows));
    let counts = |form: &ReadForm| form.query().is_none_or(|query| matches!(query.answer, Ask::Count(_)));
    if gold.is_some_and(counts_rows) != counts_rows(predicted) && counts(predicted) && gold.is_none_or(counts)
    {
        return Some("COUNT with DISTINCT on one side only".to_owned());
    }
    let gold = gold?;
    let has_names = |form| has(form, |loss| matches!(loss, Loss::Labels { .. } | Loss::Simplified));
    if has_names(gold)
        && has_names(predicted)
        && let Some(why) = other_languages(gold.sparql_form()?, predicted.sparql_form()?)
    {
        return Some(why);
    }
    let finds_by_name = |form| has(form, |loss| matches!(loss, Loss::FindsByName));
    if finds_by_name(gold)
        && finds_by_name(predicted)
        && let Some(why) = other_languages_of_texts(gold.sparql_form()?, predicted.sparql_form()?)
    {
        return Some(why);
    }
    // A cast to an integer cuts decimals and makes numbers of texts.
    let cuts = |form| has(form, |loss| matches!(loss, Loss::Cast { function } if is_integer_type(function)));
    if cuts(gold) != cuts(predicted) {
        return compare_sparql(gold.sparql_form()?, predicted.sparql_form()?).why;
    }
    let omits = |form| has(form, |loss| matches!(loss, Loss::Different { .. }));
    if !omits(gold) && !omits(predicted) {
        return None;
    }
    compare_sparql(gold.sparql_form()?, predicted.sparql_form()?).why
}

/// Whether a cast makes integers.
fn is_integer_type(function: &str) -> bool {
    ["integer", "int", "long", "short", "byte"].iter().any(|name| function.strip_prefix("xsd:") == Some(name))
}

/// How two queries differ in the languages of names that stand for things; `None` if one of them accepts any language.
pub fn other_languages(gold: &SparqlForm, predicted: &SparqlForm) -> Option<String> {
    let (gold, predicted) = (gold.languages(), predicted.languages());
    let differ = !gold.is_empty() && !predicted.is_empty() && gold != predicted;
    differ.then(|| {
        format!("gold asks for names in `{}`, predicted in `{}`", gold.join("`, `"), predicted.join("`, `"))
    })
}

/// How two queries differ in the languages of the names that they find things by; a name without a language stands for any.
fn other_languages_of_texts(gold: &SparqlForm, predicted: &SparqlForm) -> Option<String> {
    let languages = |form: &SparqlForm| {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (text, language) in Statements::of(&form.parsed.query).texts {
            found.entry(text.to_owned()).or_default().insert(language.to_ascii_lowercase());
        }
        found
    };
    let (gold_languages, predicted_languages) = (languages(gold), languages(predicted));
    for (text, wanted) in &gold_languages {
        let Some(found) = predicted_languages.get(text) else { continue };
        if wanted != found {
            let joined = |languages: &BTreeSet<String>| {
                languages.iter().map(String::as_str).collect::<Vec<_>>().join("`, `")
            };
            let (wanted, found) = (joined(wanted), joined(found));
            return Some(format!(
                "gold finds something by the name {text:?} in `{wanted}`, predicted in `{found}`"
            ));
        }
        // Which of several things has the name in which language.
        if wanted.len() > 1 {
            return compare_sparql(gold, predicted).why;
        }
    }
    None
}

/// Whether two SPARQL queries ask the same, after simplification.
pub fn compare_sparql(gold: &SparqlForm, predicted: &SparqlForm) -> Verdict {
    if let Some(why) = other_languages(gold, predicted) {
        return Verdict { equal: false, why: Some(why) };
    }
    let (gold, predicted) = (gold.simplified(), predicted.simplified());
    let equal = match (Structure::of(gold), Structure::of(predicted)) {
        (Some(gold), Some(predicted)) => gold.is_isomorphic_to(&predicted),
        // Too deep to compare in any other way.
        _ => gold == predicted,
    };
    Verdict { equal, why: (!equal).then(|| difference(gold, predicted)) }
}
