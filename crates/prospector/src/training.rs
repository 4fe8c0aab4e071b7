//! Learns the weights from questions with gold queries, and how far the best reading can be trusted.

use crate::candidate::Candidate;
use crate::confidence::{Confidence, Evidence};
use crate::features::{Features, QuestionView};
use crate::leaves::Question;
use crate::model::{Example, Learning, Weights};
use crate::prospector::{Prospector, denotation};
use crate::search::Search;
use hashbrown::HashSet;
use rayon::prelude::*;
use touchstone_benchmark::Question as BenchmarkQuestion;
use touchstone_kb::Progress;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::SchemaItems;
use touchstone_logic::{Query, with_ids};

/// What the training of a [`Prospector`] saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct TrainingReport {
    /// Questions with a query that could be read.
    pub questions: usize,
    /// Questions whose gold query, or one that is equal to it, was found by the search.
    pub reached: usize,
    /// Questions of which only another query with the gold answers was found.
    pub answered: usize,
    /// Questions that the confidence was fitted to, some of which cannot be answered.
    pub calibrated_on: usize,
}

/// The training was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the training was interrupted")]
pub struct Cancelled;

/// A training question and its gold query.
pub type TrainingQuestion<'q> = (&'q BenchmarkQuestion, Query);

/// How a training question is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// With the entities that it names.
    Given,
    /// As it is written.
    Linked,
    /// As people type: in lower case, without punctuation.
    Typed,
    /// As people search: only the words that matter, in lower case.
    Keywords,
}

impl Variant {
    fn of(number: usize) -> Variant {
        [Variant::Given, Variant::Linked, Variant::Typed, Variant::Linked, Variant::Typed, Variant::Keywords]
            [number % 6]
    }
}

/// A question as people type it.
fn typed(question: &str) -> String {
    let is_kept = |c: &char| !matches!(c, '?' | '!' | ';' | '“' | '”' | '"');
    question.chars().filter(is_kept).flat_map(char::to_lowercase).collect()
}

/// The words of a question that matter.
fn keywords(question: &str) -> String {
    let kept = |word: &crate::text::QuestionWord| {
        !word.is_plain
            || matches!(word.lower.as_str(), "how" | "many" | "who" | "or" | "not" | "when" | "where")
    };
    let words = crate::text::words(question);
    let kept: Vec<&str> = words.iter().filter(|word| kept(word)).map(|word| word.lower.as_str()).collect();
    kept.join(" ")
}

/// Maximum number of wrong candidates of a training question.
const WRONG: usize = 80;

/// Number of candidates of a training question that are taken from the whole ranking.
const SAMPLED: usize = 50;

/// Maximum number of candidates whose queries are compared with gold.
const COMPARED: usize = 400;

/// Number of times that the search is repeated with what was learned.
const ROUNDS: usize = 2;

/// One in this many relations and attributes is left out of the training before the confidence is fitted.
const LEFT_OUT: u64 = 6;

/// One in this many of the other questions is left out as well.
const HELD_OUT: usize = 10;

/// Maximum number of questions that the confidence is fitted to.
const CALIBRATING: usize = 400;

/// One in this many of the questions that the confidence is fitted to is read again as if the KB did not have what it asks for.
const UNANSWERABLE: usize = 4;

/// Minimum number of training questions for which the confidence is fitted.
const MIN_CALIBRATED: usize = 200;

impl Prospector<'_> {
    /// Learns from questions with their gold queries: first from a part of them to see how far the best reading of the others can be trusted,
    /// then from all.
    pub fn learn(
        &mut self,
        questions: &[TrainingQuestion<'_>],
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<TrainingReport, Cancelled> {
        let mut calibrated_on = 0;
        if questions.len() >= MIN_CALIBRATED {
            let left_out = left_out(questions, seed);
            let uses = |query: &Query| items(query).iter().any(|item| left_out.contains(item));
            let (held, kept): (Vec<_>, Vec<_>) =
                questions.iter().enumerate().partition(|(at, (_, query))| at % HELD_OUT == 0 || uses(query));
            let kept: Vec<&TrainingQuestion<'_>> = kept.into_iter().map(|(_, question)| question).collect();
            let mut held: Vec<&TrainingQuestion<'_>> =
                held.into_iter().map(|(_, question)| question).collect();
            held.truncate(CALIBRATING);
            self.fit(&kept, seed, "learning from a part", progress)?;
            calibrated_on = self.calibrate(&held, left_out, progress)?;
        }
        let all: Vec<&TrainingQuestion<'_>> = questions.iter().collect();
        let report = self.fit(&all, seed, "learning", progress)?;
        self.learned_from = questions.len();
        Ok(TrainingReport { calibrated_on, ..report })
    }

    /// Learns the weights.
    fn fit(
        &mut self,
        questions: &[&TrainingQuestion<'_>],
        seed: u64,
        stage: &str,
        progress: &dyn Progress,
    ) -> Result<TrainingReport, Cancelled> {
        progress.stage(stage, Some((ROUNDS * questions.len()) as u64));
        let mut report = TrainingReport::default();
        let mut all: Vec<Example> = Vec::new();
        self.weights = Weights::start();
        for _ in 0..ROUNDS {
            let example = |(at, (question, query)): (usize, &&TrainingQuestion<'_>)| {
                if progress.cancelled() {
                    return None;
                }
                let found = self.example(question, query, Variant::of(at));
                progress.advance(1);
                Some(found)
            };
            let found: Option<Vec<(Option<Example>, bool)>> =
                questions.par_iter().enumerate().map(example).collect();
            let found = found.ok_or(Cancelled)?;
            report = TrainingReport { questions: questions.len(), ..TrainingReport::default() };
            for (example, is_reached) in found {
                if example.is_some() {
                    *(if is_reached { &mut report.reached } else { &mut report.answered }) += 1;
                }
                // What won wrongly in an earlier round stays an example.
                all.extend(example);
            }
            self.weights = Weights::start();
            self.weights.learn(&all, Learning::default(), seed);
        }
        Ok(report)
    }

    /// Fits the confidence to questions that were left out of training; some are read a second time, as if the KB did not have some of the
    /// relations and attributes that they may ask for.
    fn calibrate(
        &mut self,
        questions: &[&TrainingQuestion<'_>],
        left_out: HashSet<String>,
        progress: &dyn Progress,
    ) -> Result<usize, Cancelled> {
        let mut rows: Vec<(Evidence, bool)> = Vec::new();
        // People mostly ask what a KB can answer.
        let some: Vec<&TrainingQuestion<'_>> = questions.iter().step_by(UNANSWERABLE).copied().collect();
        for (hidden, questions) in [(HashSet::new(), questions), (left_out, &some)] {
            progress.stage("fitting the confidence", Some(questions.len() as u64));
            self.schema.hide(hidden);
            let row = |(at, (question, gold)): (usize, &&TrainingQuestion<'_>)| {
                if progress.cancelled() {
                    return None;
                }
                let text = match at % 4 {
                    0 => question.question.clone(),
                    1 => keywords(&question.question),
                    _ => typed(&question.question),
                };
                let readings = self.read(&text, None, 1);
                progress.advance(1);
                let best = readings.readings.first()?;
                let gold = self.run(gold).map(|found| denotation(&found))?;
                Some((readings.evidence?, denotation(&best.found) == gold))
            };
            let found: Vec<Option<(Evidence, bool)>> = questions.par_iter().enumerate().map(row).collect();
            rows.extend(found.into_iter().flatten());
        }
        self.schema.hide(HashSet::new());
        if progress.cancelled() {
            return Err(Cancelled);
        }
        self.confidence = Confidence::fit(&rows);
        Ok(rows.len())
    }

    /// The candidates of a training question, and whether one is equal to gold; `None` if none is right.
    fn example(
        &self,
        question: &BenchmarkQuestion,
        gold: &Query,
        variant: Variant,
    ) -> (Option<Example>, bool) {
        let given = variant == Variant::Given && !question.entities.is_empty();
        let given = given.then_some(&question.entities[..]);
        let text = match variant {
            Variant::Given | Variant::Linked => question.question.clone(),
            Variant::Typed => typed(&question.question),
            Variant::Keywords => keywords(&question.question),
        };
        let read = Question::read(&self.schema, &text, given);
        let mut view = QuestionView::new(&read, &self.schema, &self.weights);
        let mut search = Search::run(&self.schema, &self.words, &read, self.limits, &mut view);
        let ranked = self.ranked(&mut search, &mut view);
        let gold_denotation = self.run(gold).map(|found| denotation(&found));
        let gold_form = Canonical::of(&with_ids(gold.clone(), self.kb()), &self.words);
        let answers = |candidate: &Candidate| Some(&candidate.denotation) == gold_denotation.as_ref();
        let mut equal = vec![false; ranked.len()];
        let answering = ranked.iter().enumerate().filter(|(_, row)| answers(&row.1));
        for (at, (_, candidate)) in answering.take(COMPARED) {
            equal[at] = Canonical::of(&candidate.query(&search), &self.words).key() == gold_form.key();
        }
        let is_reached = equal.contains(&true);
        let mut example = Example { candidates: Vec::new(), right: Vec::new() };
        let mut n_wrong = 0;
        let stride = ranked.len().div_ceil(SAMPLED).max(1);
        for (at, (_, candidate)) in ranked.iter().enumerate() {
            let right = if is_reached { equal[at] } else { answers(candidate) };
            n_wrong += usize::from(!right);
            // Few questions that are generated ask whether something is so: they do not show that nobody does.
            if candidate.kind() == "exists" && !matches!(gold.answer, touchstone_logic::Ask::Exists(_)) {
                continue;
            }
            // Few of the rest, so that what is far below now does not rise unseen.
            if right || n_wrong <= WRONG || at % stride == 0 {
                let mut features = Features::new();
                view.features(&search, candidate, &mut features);
                example.candidates.push(features);
                example.right.push(right);
            }
        }
        if !example.right.contains(&true) {
            return (None, false);
        }
        (Some(example), is_reached)
    }
}

/// The ids of the relations and attributes of a query.
fn items(query: &Query) -> Vec<String> {
    SchemaItems::of(query).properties.iter().map(ToString::to_string).collect()
}

/// The relations and attributes that are left out of training, chosen by their ids.
fn left_out(questions: &[TrainingQuestion<'_>], seed: u64) -> HashSet<String> {
    let all = questions.iter().flat_map(|(_, query)| items(query));
    all.filter(|id| crate::feature_names::hash(id, seed).is_multiple_of(LEFT_OUT)).collect()
}
