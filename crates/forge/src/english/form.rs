//! Verbalises the text of a logical form.

use super::verbalise::{VerbalisedQuestion, Wording, verbalise};
use crate::reject::RejectReason;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::plan::Plan;
use touchstone_engine::{UnknownWord, Words};
use touchstone_kb::Kb;
use touchstone_logic::sparql::{self, Namespaces};
use touchstone_logic::{Form, Language, Program, Query, ReadError};

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
    let query = read(text, kb, &words)?;
    if let Some(unknown) = Plan::of(&query, &words).ok().and_then(|plan| plan.unknown.into_iter().next()) {
        return Err(VerbaliseError::UnknownWord(unknown));
    }
    verbalise(&query, &words, lexicon, Wording { many, seed, new_words: false })
        .map_err(VerbaliseError::Rejected)
}

/// Does not check names: unknown names are reported for the whole query.
fn read(text: &str, kb: &Kb, words: &Words<'_>) -> Result<Query, ReadError> {
    Ok(match Language::guess(text) {
        Language::Sexpr => Form::parse(text, words)?.to_query()?,
        Language::Kopl => Program::parse(text)?.to_query(words)?,
        Language::Sparql => {
            let parsed = sparql::parse(text)?;
            sparql::recognise(&parsed.query, &Namespaces::of(kb))?.query
        }
    })
}
