//! What a report is about.

use std::collections::BTreeMap;
use touchstone_benchmark::{GradeRow, KbIdentity, PredictionOutcome, RunManifest};
use touchstone_grade::regression::Regression;
use touchstone_grade::sensitivity::SensitivityRow;
use touchstone_grade::statistics::Estimate;
use touchstone_grade::summary::{Score, Summary};

/// What a report shows.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Its heading.
    pub title: String,
    /// The runs, side by side.
    pub runs: Vec<ReportRun>,
    /// The KB that the questions are about, if it was found.
    pub kb: Option<KbIdentity>,
    /// The names of what the query graphs name by ids.
    pub names: BTreeMap<String, String>,
    /// The day on which it is written, as `2026-11-19`; empty if it is not to be shown.
    pub date: String,
}

/// A graded run.
#[derive(Debug, Clone, Default)]
pub struct ReportRun {
    /// Its name.
    pub name: String,
    /// `run.json`, unless the predictions come from a file.
    pub manifest: Option<RunManifest>,
    /// `summary.json`.
    pub summary: Summary,
    /// `grades.jsonl`.
    pub grades: Vec<GradeRow>,
    /// `sensitivity.json`, if there is one.
    pub sensitivity: Option<Vec<SensitivityRow>>,
    /// `regression.json`, if there is one.
    pub regression: Option<Regression>,
}

impl ReportRun {
    /// Whether the system repeats the gold queries, so that nobody compares themselves with it.
    pub(crate) fn is_oracle(&self) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.header.system == "oracle")
    }

    /// The mean of a measure over all questions, if it was computed.
    pub(crate) fn mean(&self, measure: &str) -> Option<f64> {
        self.summary.measures.get(measure).map(|score| score.all.mean).filter(|mean| mean.is_finite())
    }
}

impl Report {
    /// With the scores, outcomes and shapes of runs that have no summary, computed from their rows.
    pub(crate) fn completed(mut self) -> Report {
        self.runs.iter_mut().filter(|run| !run.is_complete()).for_each(ReportRun::complete);
        self
    }
}

impl ReportRun {
    /// Whether its scores are known, or there is nothing to score.
    pub(crate) fn is_complete(&self) -> bool {
        !self.summary.measures.is_empty()
            || self.grades.iter().all(|row| row.measures.iter().next().is_none())
    }

    fn complete(&mut self) {
        let mut values: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for row in &self.grades {
            for (name, value) in row.measures.iter() {
                let (all, answered) = values.entry(name).or_default();
                all.push(*value);
                if row.outcome == PredictionOutcome::Answered {
                    answered.push(*value);
                }
            }
        }
        let score = |(name, (all, answered)): (&str, (Vec<f64>, Vec<f64>))| {
            let score = Score { version: 0, all: Estimate::of(&all)?, answered: Estimate::of(&answered) };
            Some((name.to_owned(), score))
        };
        let measures = values.into_iter().filter_map(score).collect();
        let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
        let mut shapes: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for row in &self.grades {
            *outcomes.entry(row.outcome.word().to_owned()).or_default() += 1;
            if let Some(predicted) = &row.predicted_shape {
                *shapes.entry(row.shape.clone()).or_default().entry(predicted.clone()).or_default() += 1;
            }
        }
        let questions = self.grades.len();
        self.summary = Summary { measures, outcomes, shapes, questions, ..std::mem::take(&mut self.summary) };
    }
}
