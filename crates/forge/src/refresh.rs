//! A benchmark brought up to date with a newer KB: the same questions under the same ids, with new gold.

use crate::choices::choices;
use crate::context::SamplingContext;
use crate::proof::proof;
use serde::Serialize;
use touchstone_benchmark::package::KbIdentity;
use touchstone_benchmark::{Answer, Benchmark, BenchmarkManifest, Question, Random};
use touchstone_engine::{Found, QueryContext};
use touchstone_kb::{Kb, Progress};
use touchstone_logic::Query;

/// What a newer KB changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RefreshReport {
    /// Number of questions with the same answers.
    pub unchanged: usize,
    /// Questions with other answers.
    pub changed: Vec<ChangedQuestion>,
    /// Questions that were left out.
    pub dropped: Vec<DroppedQuestion>,
}

/// A question with other answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedQuestion {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// The answers before.
    pub before: Vec<String>,
    /// The answers now.
    pub after: Vec<String>,
}

/// A question that was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DroppedQuestion {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// Why it was left out.
    pub reason: RefreshDrop,
}

/// Why a question is not in the new benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshDrop {
    /// The KB no longer has an answer.
    Empty,
    /// The KB does not have a name of the query, or the query is not one of the algebra.
    CannotBeRun,
    /// Nothing in the KB proves the answers.
    NoProof,
}

impl RefreshDrop {
    /// A description for people.
    pub fn description(self) -> &'static str {
        match self {
            RefreshDrop::Empty => "no longer has an answer",
            RefreshDrop::CannotBeRun => "the query cannot be run on this KB",
            RefreshDrop::NoProof => "the answers cannot be proved",
        }
    }
}

/// Error: the user stopped it.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
#[non_exhaustive]
pub struct RefreshInterrupted;

/// The benchmark with the answers, choices and proofs of another KB.
pub fn refresh(
    benchmark: &Benchmark,
    kb: &Kb,
    progress: &dyn Progress,
) -> Result<(Benchmark, RefreshReport), RefreshInterrupted> {
    let context = SamplingContext::new(kb, Some(&[]));
    let queries = QueryContext::new(Some(kb), None).without_suggestions();
    let knowledge = queries.knowledge();
    let (mut report, mut questions) = (RefreshReport::default(), Vec::new());
    progress.stage("running queries", Some(benchmark.questions.len() as u64));
    for question in &benchmark.questions {
        if progress.cancelled() {
            return Err(RefreshInterrupted);
        }
        progress.advance(1);
        let query = question.query(&knowledge);
        match query.ok_or(RefreshDrop::CannotBeRun).and_then(|query| refreshed(question, &query, &context)) {
            Ok(new) if new.answers == question.answers => {
                report.unchanged += 1;
                questions.push(new);
            }
            Ok(new) => {
                let (before, after) = (texts(&question.answers), texts(&new.answers));
                let (id, text) = (new.id.clone(), new.question.clone());
                report.changed.push(ChangedQuestion { id, question: text, before, after });
                questions.push(new);
            }
            Err(reason) => {
                let (id, question) = (question.id.clone(), question.question.clone());
                report.dropped.push(DroppedQuestion { id, question, reason });
            }
        }
    }
    let manifest = BenchmarkManifest {
        kb: KbIdentity { name: kb.manifest().name.clone(), fingerprint: kb.manifest().fingerprint.clone() },
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        license: kb.manifest().license.clone(),
        as_of: kb.manifest().coverage.as_of().map(str::to_owned),
        completeness: crate::complete::treatment(kb),
        counts: BenchmarkManifest::counts(&questions),
        ..benchmark.manifest.clone()
    };
    Ok((Benchmark::new(manifest, questions), report))
}

fn refreshed(
    question: &Question,
    query: &Query,
    context: &SamplingContext<'_>,
) -> Result<Question, RefreshDrop> {
    let found = context.run_with_large_budget(query).ok_or(RefreshDrop::CannotBeRun)?;
    if found.is_empty() || found == Found::Count(0) {
        return Err(RefreshDrop::Empty);
    }
    let answers = found.answers(context.kb());
    if answers == question.answers {
        return Ok(question.clone());
    }
    let mut random = Random::new(1, &question.id);
    Ok(Question {
        choices: choices(context, &mut random, query, &answers),
        proof: proof(context.kb(), query, &found).ok_or(RefreshDrop::NoProof)?,
        answers,
        answers_empty: false,
        ..question.clone()
    })
}

fn texts(answers: &[Answer]) -> Vec<String> {
    answers.iter().map(|answer| answer.text().into_owned()).collect()
}
