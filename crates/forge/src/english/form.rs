//! Verbalises the text of a logical form.

use super::rows;
use super::verbalise::{VerbalisedQuestion, Wording, verbalise};
use crate::reject::RejectReason;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::plan::Plan;
use touchstone_engine::{UnknownWord, Words};
use touchstone_kb::Kb;
use touchstone_logic::sparql::{self, Namespaces, RowQuery};
use touchstone_logic::{Ask, Form, Language, Program, Query, ReadError, Set};

/// Why a logical form cannot be verbalised.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerbaliseError {
    /// It cannot be parsed.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// It has a name that the KB does not know.
    #[error("this cannot be expressed in English: {0}")]
    UnknownWord(UnknownWord),
    /// There is no English question for it.
    #[error("this cannot be expressed in English: {0}")]
    Rejected(RejectReason),
}

/// Verbalises a logical form in any language. `many`: whether to ask for several things. The same seed gives the same phrasing.
pub fn verbalise_form(
    text: &str,
    kb: &Kb,
    lexicon: &Lexicon,
    many: bool,
    seed: u64,
) -> Result<VerbalisedQuestion, VerbaliseError> {
    let words = Words::new(kb);
    let wording = Wording { many, seed, new_words: false };
    let query = match read(text, kb, &words)? {
        Read::Query(query) => query,
        Read::Rows(rows) => return verbalise_rows(&rows, &words, lexicon, wording),
    };
    if let Some(unknown) = Plan::of(&query, &words).ok().and_then(|plan| plan.unknown.into_iter().next()) {
        return Err(VerbaliseError::UnknownWord(unknown));
    }
    verbalise(&query, &words, lexicon, wording).map_err(VerbaliseError::Rejected)
}

/// What a logical form asks for.
enum Read {
    Query(Query),
    /// SPARQL outside the algebra.
    Rows(RowQuery),
}

fn verbalise_rows(
    rows: &RowQuery,
    words: &Words<'_>,
    lexicon: &Lexicon,
    wording: Wording,
) -> Result<VerbalisedQuestion, VerbaliseError> {
    let plan = Plan::of(&all_words(rows), words).ok();
    if let Some(unknown) = plan.and_then(|plan| plan.unknown.into_iter().next()) {
        return Err(VerbaliseError::UnknownWord(unknown));
    }
    rows::verbalise(rows, words, lexicon, wording).map_err(VerbaliseError::Rejected)
}

/// Does not check names: unknown names are reported for the whole query.
fn read(text: &str, kb: &Kb, words: &Words<'_>) -> Result<Read, ReadError> {
    Ok(Read::Query(match Language::guess(text) {
        Language::Sexpr => Form::parse(text, words)?.to_query()?,
        Language::Kopl => Program::parse(text)?.to_query(words)?,
        Language::Sparql => {
            let (parsed, names) = (sparql::parse(text)?, Namespaces::of(kb));
            match sparql::recognise(&parsed.query, &names) {
                Ok(recognised) => recognised.query,
                Err(why) => match sparql::rows(&parsed.query, &names) {
                    Some(rows) => return Ok(Read::Rows(rows)),
                    None => return Err(why.into()),
                },
            }
        }
    }))
}

/// A query with all names of a query for rows.
fn all_words(rows: &RowQuery) -> Query {
    let grouped = rows.group.iter();
    let grouped = grouped.flat_map(|group| group.keys.iter().chain(group.aggregates.iter().map(|a| &a.of)));
    let ordered = rows.order.iter().map(|(column, _)| column);
    let steps = rows.columns.iter().chain(ordered).chain(grouped).flat_map(|column| &column.path);
    let parts = steps.map(|step| Set::relate(Set::All, step.property.clone(), step.direction.flipped()));
    Query::new(Ask::Members(Set::and(std::iter::once(rows.of.clone()).chain(parts))))
}
