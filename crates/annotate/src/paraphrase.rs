//! Asks a system for paraphrases, and keeps those that mean the same.

use crate::checks::{Fault, check_mentions, check_values, distance, is_request};
use crate::near_misses::near_misses;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Paraphrase, Prediction, Question, Random};
use touchstone_engine::Words;
use touchstone_kb::{Kb, Progress};
use touchstone_logic::{Knowledge, Query};
use touchstone_run::{System, SystemError, SystemInput, Worker};

const ASK: &str = include_str!("../prompts/paraphrase.txt");
const PICK: &str = include_str!("../prompts/pick.txt");
/// What a reader picks if no sentence fits.
const NONE: &str = "None of these sentences asks for the same, or it is not a question.";

/// What to paraphrase, and how.
pub struct ParaphraseConfig<'c> {
    /// Writes paraphrases and picks sentences. A language model must pass the question on as its prompt.
    pub system: &'c dyn System,
    /// The KB of the questions.
    pub kb: &'c Kb,
    /// The words of near misses.
    pub lexicon: &'c Lexicon,
    /// What is known about the names in forms.
    pub knowledge: &'c Knowledge<'c>,
    /// Number of paraphrases to ask for, for each question.
    pub wanted: usize,
    /// Minimum share of words that differ.
    pub min_distance: f64,
    /// Maximum number of near misses to choose among.
    pub near_misses: usize,
    /// Number of questions to work on at once.
    pub workers: usize,
}

/// Why paraphrasing stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParaphraseError {
    /// The user stopped it.
    #[error("stopped")]
    Interrupted,
    /// The system failed on all of the first questions.
    #[error("the system failed on the first questions: {0}; check that it runs, and its address and name")]
    System(SystemError),
}

/// Number of questions after which it is given up if the system failed on all of them.
const FIRST: usize = 3;

/// The result of the paraphrases.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ParaphraseReport {
    /// Number of questions.
    pub questions: usize,
    /// Number of questions with at least one paraphrase.
    pub paraphrased: usize,
    /// Number of texts that the system wrote.
    pub written: usize,
    /// Number of paraphrases that were kept.
    pub kept: usize,
    /// Numbers of texts that were not kept, by fault.
    pub rejected: BTreeMap<Fault, usize>,
    /// Number of questions on which the system failed.
    pub errors: usize,
    /// The texts that were not kept, by question.
    pub rejections: Vec<Rejected>,
}

/// A text that was not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// The question.
    pub id: String,
    /// The text.
    pub text: String,
    /// The check that it failed.
    pub fault: Fault,
}

/// Adds paraphrases to questions.
pub fn paraphrase(
    questions: &mut [Question],
    config: &ParaphraseConfig<'_>,
    progress: &dyn Progress,
) -> Result<ParaphraseReport, ParaphraseError> {
    progress.stage("paraphrasing", Some(questions.len() as u64));
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let (n_failed, n_answered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_hopeless = || n_answered.load(Ordering::Relaxed) == 0 && n_failed.load(Ordering::Relaxed) >= FIRST;
    let all: &[Question] = questions;
    std::thread::scope(|scope| {
        for _ in 0..config.workers.clamp(1, all.len().max(1)) {
            scope.spawn(|| {
                let mut worker = config.system.worker();
                while let Some((at, question)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    all.get(at).map(|question| (at, question))
                } {
                    if progress.cancelled() || is_hopeless() {
                        return;
                    }
                    let outcome = one(question, config, &mut *worker);
                    let counter = if outcome.is_ok() { &n_answered } else { &n_failed };
                    counter.fetch_add(1, Ordering::Relaxed);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(at, outcome);
                    progress.advance(1);
                }
            });
        }
    });
    if progress.cancelled() {
        return Err(ParaphraseError::Interrupted);
    }
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut report = ParaphraseReport { questions: questions.len(), ..ParaphraseReport::default() };
    let mut first_error = None;
    for (at, outcome) in results {
        let question = &mut questions[at];
        match outcome {
            Ok((kept, rejected)) => {
                report.written += kept.len() + rejected.len();
                report.kept += kept.len();
                report.paraphrased += usize::from(!kept.is_empty());
                for (text, fault) in rejected {
                    *report.rejected.entry(fault).or_default() += 1;
                    report.rejections.push(Rejected { id: question.id.clone(), text, fault });
                }
                question.paraphrases.extend(kept);
            }
            Err(error) => {
                report.errors += 1;
                first_error.get_or_insert(error);
            }
        }
    }
    match first_error {
        Some(error) if is_hopeless() || report.errors == report.questions => {
            Err(ParaphraseError::System(error))
        }
        _ => Ok(report),
    }
}

type Outcome = (Vec<Paraphrase>, Vec<(String, Fault)>);

/// The prompt that asks for paraphrases of a question.
pub fn paraphrase_prompt(question: &Question, wanted: usize) -> String {
    let names: Vec<&str> = question.entities.iter().map(|mention| mention.text.as_str()).collect();
    let wanted = wanted.to_string();
    filled(ASK, &[("n", &wanted), ("names", &names.join("; ")), ("question", &question.question)])
}

/// The reply, or why there is none. A text that is no answer to a question is a reply here, although the adapter reports an error.
fn answered(reply: Prediction) -> Result<Prediction, SystemError> {
    match &reply.error {
        Some(error) if reply_text(&reply).trim().is_empty() => Err(SystemError::Other(error.clone().into())),
        _ => Ok(reply),
    }
}

/// The paraphrases of one question.
fn one(
    question: &Question,
    config: &ParaphraseConfig<'_>,
    worker: &mut dyn Worker,
) -> Result<Outcome, SystemError> {
    let prompt = paraphrase_prompt(question, config.wanted);
    let reply = answered(worker.answer(&SystemInput::new(&question.id, &prompt))?)?;
    let query = question.query(config.knowledge);
    let reader = Reader::new(question, query.as_ref(), config);
    let (mut kept, mut rejected): Outcome = Default::default();
    for text in lines(&reply_text(&reply)).into_iter().take(config.wanted) {
        match checked(question, query.as_ref(), config, &text, &kept) {
            Ok(paraphrase) if reader.reads(&text, worker)? => kept.push(paraphrase),
            Ok(_) => rejected.push((text, Fault::Misread)),
            Err(fault) => rejected.push((text, fault)),
        }
    }
    Ok((kept, rejected))
}

/// The checks that need no further call.
fn checked(
    question: &Question,
    query: Option<&Query>,
    config: &ParaphraseConfig<'_>,
    text: &str,
    kept: &[Paraphrase],
) -> Result<Paraphrase, Fault> {
    let entities = check_mentions(question, config.kb, text)?;
    check_values(question, query, text, &entities)?;
    if !is_request(text) {
        return Err(Fault::NotAQuestion);
    }
    let from_question = distance(&question.question, text);
    let from_others = kept.iter().map(|other| distance(&other.text, text));
    if from_others.fold(from_question, f64::min) < config.min_distance {
        return Err(Fault::TooClose);
    }
    Ok(Paraphrase { text: text.to_owned(), entities, system: config.system.name(), distance: from_question })
}

/// Offers sentences to choose among; the same for all paraphrases of a question.
struct Reader {
    id: String,
    sentences: Vec<String>,
    right: usize,
}

impl Reader {
    fn new(question: &Question, query: Option<&Query>, config: &ParaphraseConfig<'_>) -> Reader {
        let words = Words::new(config.kb);
        let mut sentences = query.map_or_else(Vec::new, |query| {
            near_misses(question, query, &words, config.lexicon, config.near_misses)
        });
        sentences.push(question.question.clone());
        Random::new(1, &question.question).shuffle(&mut sentences);
        let right = sentences.iter().position(|sentence| *sentence == question.question).unwrap_or(0);
        sentences.push(NONE.to_owned());
        Reader { id: question.id.clone(), sentences, right }
    }

    /// Whether the system picks the question itself for a paraphrase.
    fn reads(&self, text: &str, worker: &mut dyn Worker) -> Result<bool, SystemError> {
        let lettered: Vec<String> = self
            .sentences
            .iter()
            .zip('A'..='Z')
            .map(|(sentence, letter)| format!("{letter}. {sentence}"))
            .collect();
        let prompt = filled(PICK, &[("question", text), ("sentences", &lettered.join("\n"))]);
        let input =
            SystemInput { choices: Some(self.sentences.clone()), ..SystemInput::new(&self.id, &prompt) };
        let reply = reply_text(&answered(worker.answer(&input)?)?);
        Ok(self.picked(&reply) == Some(self.right))
    }

    /// The sentence that a reply names: by its letter, or as a whole.
    fn picked(&self, reply: &str) -> Option<usize> {
        let reply = reply.trim().trim_matches(['"', '*', '`', '(', ')']);
        let whole = self.sentences.iter().position(|sentence| sentence == reply);
        let letter = || {
            let mut chars = reply.chars();
            let letter = chars.next().filter(char::is_ascii_uppercase)?;
            let is_alone = chars.next().is_none_or(|next| !next.is_alphanumeric());
            let at = usize::from(u8::try_from(letter).ok()? - b'A');
            (is_alone && at < self.sentences.len()).then_some(at)
        };
        whole.or_else(letter)
    }
}

/// The text of a reply: that of a language model, or the answers of any other system.
fn reply_text(prediction: &Prediction) -> String {
    let of_model =
        prediction.trace.as_ref().and_then(|trace| trace.get("reply")).and_then(|reply| reply.as_str());
    let answers = prediction.answers.iter().flatten().map(|answer| answer.text().into_owned());
    of_model.map_or_else(|| answers.collect::<Vec<_>>().join("\n"), str::to_owned)
}

/// The lines of a reply, without numbers, bullets and quotation marks around them.
fn lines(reply: &str) -> Vec<String> {
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(['-', '*', '•']).trim_start();
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let line = match line[digits..].strip_prefix(['.', ')']) {
            Some(rest) if digits > 0 && rest.starts_with(' ') => rest.trim_start(),
            _ => line,
        };
        line.trim_matches(['"', '“', '”']).trim().to_owned()
    };
    reply.lines().map(bare).filter(|line| !line.is_empty()).collect()
}

/// A prompt with its places filled in one pass, so that nothing in a question is mistaken for a place.
fn filled(template: &str, places: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}').and_then(|(name, rest)| {
            places.iter().find(|(place, _)| *place == name).map(|(_, text)| (*text, rest))
        }) {
            Some((text, after)) => {
                out.push_str(text);
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_many_forms_are_read() {
        assert_eq!(
            lines("1. Who?\n- \"What?\"\n\n3) 1990 was it?\n1990 it was?"),
            ["Who?", "What?", "1990 was it?", "1990 it was?"]
        );
        let reader =
            Reader { id: String::new(), sentences: vec!["One?".to_owned(), NONE.to_owned()], right: 0 };
        for (reply, picked) in
            [("A", Some(0)), ("B.", Some(1)), ("One?", Some(0)), ("C", None), ("All", None), ("", None)]
        {
            assert_eq!(reader.picked(reply), picked, "{reply}");
        }
    }

    #[test]
    fn prompts_are_filled_once() {
        assert_eq!(filled("{a} {b} {c}", &[("a", "{b}"), ("b", "x")]), "{b} x {c}");
    }
}
