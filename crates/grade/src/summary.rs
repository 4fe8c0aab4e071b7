//! The scores of a run: over all questions, and by facets.

use crate::cast::index32;
use crate::grader::{GoldAnswers, Grade};
use crate::measure::{Measure, Product};
use crate::overlap::{BleuCounts, Smoothing};
use crate::statistics::Estimate;
use crate::usage::UsageSummary;
use hashbrown::HashMap;
use serde::Serialize;
use std::collections::BTreeMap;
use touchstone_benchmark::PredictionOutcome;

/// The version of the summary's form.
pub const FORMAT: u32 = 1;

/// The scores of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The version of this form.
    pub touchstone_summary: u32,
    /// The benchmark.
    pub benchmark: String,
    /// The identity of the benchmark.
    pub identity: String,
    /// The fingerprint of the KB that logical forms were run on; without it they were not run.
    pub kb: Option<String>,
    /// How many questions.
    pub questions: usize,
    /// How many of them have each outcome; the numbers add up to `questions`.
    pub outcomes: BTreeMap<&'static str, usize>,
    /// Predictions for questions that the benchmark does not have.
    pub unknown: usize,
    /// Predictions after the first one for a question: not graded.
    pub repeated: usize,
    /// Questions that were not graded, and count nowhere else, because all the time there was is spent.
    pub not_graded: usize,
    /// On a KB that the benchmark was not made from: questions whose gold query does not give the gold answers there.
    pub gold_differs: Option<usize>,
    /// What the predictions cost.
    pub usage: Option<UsageSummary>,
    /// Questions with a form that gold has nothing to compare with: 0 in all measures of forms.
    #[serde(skip_serializing_if = "is_zero")]
    pub incomparable: usize,
    /// Questions without gold answers in the benchmark: those that the gold query returns on the KB were taken.
    #[serde(skip_serializing_if = "is_zero")]
    pub answers_from_kb: usize,
    /// Questions whose gold answers are unknown: measures of answers are not measured.
    #[serde(skip_serializing_if = "is_zero")]
    pub answers_unknown: usize,
    /// Each measure over all questions for which it is measured, and over those that were answered.
    pub measures: BTreeMap<String, Score>,
    /// BLEU over all forms that were compared, as of one text.
    pub corpus_bleu: Option<f64>,
    /// Predictions with the right answers that were run on neighbours of the KB, and how many of them gave something else than gold there.
    pub robust: Option<Robust>,
    /// By facet and value: the number of questions and the measures over all of them.
    pub by: BTreeMap<String, BTreeMap<String, Cell>>,
    /// Gold shape and predicted shape: how often.
    pub shapes: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Right for the right reason?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Robust {
    /// Predictions with the right answers that were checked.
    pub checked: usize,
    /// Those that are right by luck.
    pub failed: usize,
}

/// A score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The version of the measure.
    pub version: u32,
    /// Over all questions.
    #[serde(flatten)]
    pub all: Estimate,
    /// Over the questions that were answered.
    pub answered: Option<Estimate>,
}

/// The questions with one value of a facet.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Cell {
    /// How many.
    pub n: usize,
    /// The measures.
    pub measures: BTreeMap<String, Estimate>,
}

/// Collects grades.
pub struct Collector {
    names: Vec<(String, u32)>,
    /// By question; `None` where it was not graded.
    outcomes: Vec<Option<PredictionOutcome>>,
    /// By measure, then by question; NaN where it is not measured.
    columns: Vec<Vec<f64>>,
    facets: Vec<String>,
    cells: HashMap<(usize, String), Vec<u32>>,
    shapes: BTreeMap<String, BTreeMap<String, usize>>,
    robust: Robust,
    bleu: BleuCounts,
    incomparable: usize,
    answers_from_kb: usize,
    answers_unknown: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Collector {
    /// For runs on a number of questions with these compound measures and official scores, grouped by these facets.
    pub fn new(n_questions: usize, products: &[Product], official: &[&str], facets: &[String]) -> Collector {
        let measures = Measure::ALL.iter().map(|measure| (measure.name().to_owned(), measure.version()));
        let products = products.iter().map(|product| (product.name.clone(), product.version));
        let official = official.iter().map(|name| ((*name).to_owned(), 1));
        let names: Vec<(String, u32)> = measures.chain(products).chain(official).collect();
        Collector {
            columns: vec![vec![f64::NAN; n_questions]; names.len()],
            names,
            outcomes: vec![None; n_questions],
            facets: facets.to_vec(),
            cells: HashMap::new(),
            shapes: BTreeMap::new(),
            robust: Robust::default(),
            bleu: BleuCounts::default(),
            incomparable: 0,
            answers_from_kb: 0,
            answers_unknown: 0,
        }
    }

    /// The names of all columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// The values of a grade in the order of the names.
    pub fn row<'r>(grade: &'r Grade<'_>) -> impl Iterator<Item = Option<f64>> + use<'r> {
        let official = grade.official.iter().copied();
        grade.values.0.iter().copied().chain(grade.products.iter().copied()).chain(official)
    }

    /// Adds the grade of the question at a place with the values of its facets. Grades may come in any order: the scores are the same.
    pub fn add(&mut self, at: usize, grade: &Grade<'_>, gold_shape: &str, facets: &[Vec<String>]) {
        self.outcomes[at] = Some(grade.outcome);
        for (column, value) in self.columns.iter_mut().zip(Collector::row(grade)) {
            column[at] = value.unwrap_or(f64::NAN);
        }
        for (facet, values) in facets.iter().enumerate() {
            for value in values {
                self.cells.entry((facet, value.clone())).or_default().push(index32(at));
            }
        }
        self.incomparable += usize::from(grade.is_incomparable);
        match grade.gold_answers {
            GoldAnswers::Given => {}
            GoldAnswers::FromKb => self.answers_from_kb += 1,
            GoldAnswers::Unknown => self.answers_unknown += 1,
        }
        if let Some(counts) = &grade.bleu {
            self.bleu.add(counts);
        }
        if let Some(is_robust) = grade.robust {
            self.robust.checked += 1;
            self.robust.failed += usize::from(!is_robust);
        }
        if let Some(predicted) = &grade.predicted_shape {
            *self.shapes.entry(gold_shape.to_owned()).or_default().entry(predicted.clone()).or_default() += 1;
        }
    }

    /// The scores.
    pub fn summary(&self, benchmark: &str, unknown: usize, repeated: usize) -> Summary {
        let mut outcomes: BTreeMap<&'static str, usize> =
            PredictionOutcome::ALL.iter().map(|outcome| (outcome.word(), 0)).collect();
        for outcome in self.outcomes.iter().flatten() {
            *outcomes.entry(outcome.word()).or_default() += 1;
        }
        let measured =
            |column: &[f64]| -> Vec<f64> { column.iter().copied().filter(|v| !v.is_nan()).collect() };
        let mut measures = BTreeMap::new();
        for ((name, version), column) in self.names.iter().zip(&self.columns) {
            let answered: Vec<f64> = column
                .iter()
                .zip(&self.outcomes)
                .filter(|(value, outcome)| !value.is_nan() && **outcome == Some(PredictionOutcome::Answered))
                .map(|(value, _)| *value)
                .collect();
            if let Some(all) = Estimate::of(&measured(column)) {
                let score = Score { version: *version, all, answered: Estimate::of(&answered) };
                measures.insert(name.clone(), score);
            }
        }
        let mut by: BTreeMap<String, BTreeMap<String, Cell>> = BTreeMap::new();
        for ((facet, value), places) in &self.cells {
            let mut places = places.clone();
            places.sort_unstable();
            let mut cell = Cell { n: places.len(), measures: BTreeMap::new() };
            for ((name, _), column) in self.names.iter().zip(&self.columns) {
                let values: Vec<f64> = places.iter().map(|&at| column[at as usize]).collect();
                if let Some(estimate) = Estimate::of(&measured(&values)) {
                    cell.measures.insert(name.clone(), estimate);
                }
            }
            by.entry(self.facets[*facet].clone()).or_default().insert(value.clone(), cell);
        }
        Summary {
            touchstone_summary: FORMAT,
            benchmark: benchmark.to_owned(),
            identity: String::new(),
            kb: None,
            questions: self.outcomes.iter().flatten().count(),
            outcomes,
            unknown,
            repeated,
            not_graded: 0,
            gold_differs: None,
            usage: None,
            incomparable: self.incomparable,
            answers_from_kb: self.answers_from_kb,
            answers_unknown: self.answers_unknown,
            measures,
            corpus_bleu: Some(self.bleu)
                .filter(|counts| *counts != BleuCounts::default())
                .map(|counts| counts.score(Smoothing::None)),
            robust: Some(self.robust).filter(|robust| robust.checked > 0),
            by,
            shapes: self.shapes.clone(),
        }
    }
}
