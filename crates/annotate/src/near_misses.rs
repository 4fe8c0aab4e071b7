//! Sentences that say almost the same as a question.

use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Question, Random};
use touchstone_engine::Words;
use touchstone_forge::english::{Wording, verbalise};
use touchstone_grade::degrade::{Degradation, worse_query};
use touchstone_logic::Query;

/// The ways in which a paraphrase goes wrong.
const FAULTS: [Degradation; 5] =
    [Degradation::Drop, Degradation::Flip, Degradation::Function, Degradation::Unit, Degradation::Year];
/// Tries for each: a query has several constraints to drop.
const TRIES: u64 = 3;

/// Up to `most` sentences for queries that differ from the question's in one place: a constraint dropped, a direction, comparison, function,
/// unit or year changed. The same question gives the same sentences.
pub fn near_misses(
    question: &Question,
    query: &Query,
    words: &Words<'_>,
    lexicon: &Lexicon,
    most: usize,
) -> Vec<String> {
    let mut random = Random::new(1, &question.id);
    let mut found: Vec<String> = Vec::new();
    for _ in 0..TRIES {
        for fault in FAULTS {
            let Some(worse) = worse_query(query, fault, words, &mut random) else { continue };
            let wording =
                Wording { many: question.answers.len() > 1, seed: random.number(), new_words: false };
            let Ok(said) = verbalise(&worse, words, lexicon, wording) else { continue };
            if said.text != question.question && !found.contains(&said.text) && found.len() < most {
                found.push(said.text);
            }
        }
    }
    found
}
