//! The scores of a run, over all questions and by facets.

use crate::cast::index32;
use crate::grader::{GoldAnswers, Grade};
use crate::measure::{Measure, Product};
use crate::overlap::{BleuCounts, Smoothing};
use crate::same::About;
use crate::statistics::Estimate;
use crate::usage::UsageSummary;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use touchstone_benchmark::PredictionOutcome;
use touchstone_datasets::DataSet;
use touchstone_kb::counts::{counted, grouped, percent};

/// The version of the summary format.
const FORMAT: u32 = 1;

/// The scores of a run: `summary.json`. Files of 0.1 lack some fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The version of this format.
    pub touchstone_summary: u32,
    /// The benchmark.
    #[serde(flatten)]
    pub about: About,
    /// The fingerprint of the KB that logical forms were run on; `None` if they were not run.
    pub kb: Option<String>,
    /// Number of questions.
    pub questions: usize,
    /// Number of questions with each outcome; the numbers add up to `questions`.
    pub outcomes: BTreeMap<String, usize>,
    /// Number of predictions for questions that are not in the benchmark.
    pub unknown: usize,
    /// Number of repeated predictions, which are not graded.
    pub repeated: usize,
    /// Number of questions that were not graded, and count nowhere else, because the time limit was reached.
    pub not_graded: usize,
    /// On a KB other than the benchmark's: number of questions whose gold query does not give the gold answers.
    pub gold_differs: Option<usize>,
    /// The cost of the predictions.
    pub usage: Option<UsageSummary>,
    /// Number of questions with a form, but no gold form to compare it with: 0 in all measures of forms.
    #[serde(skip_serializing_if = "is_zero")]
    pub incomparable: usize,
    /// Number of questions without gold answers in the benchmark, for which the gold query was run on the KB.
    #[serde(skip_serializing_if = "is_zero")]
    pub answers_from_kb: usize,
    /// Number of questions whose gold answers are unknown: answer measures are not computed.
    #[serde(skip_serializing_if = "is_zero")]
    pub answers_unknown: usize,
    /// Each measure over all questions for which it was computed, and over the answered ones.
    pub measures: BTreeMap<String, Score>,
    /// Corpus BLEU over all compared forms.
    pub corpus_bleu: Option<f64>,
    /// Number of predictions with the right answers that were run on neighbours of the KB, and of those whose answers differed from gold's
    /// there.
    pub robust: Option<Robust>,
    /// By facet and value: the number of questions and the measures over all of them.
    pub by: BTreeMap<String, BTreeMap<String, Cell>>,
    /// Number of questions by gold shape and predicted shape.
    pub shapes: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Summary {
    /// How many questions there are, and how many of them ended how.
    pub fn outcome_counts(&self) -> String {
        let outcomes: Vec<String> = self
            .outcomes
            .iter()
            .filter(|(_, n)| **n > 0)
            .map(|(word, n)| format!("{} {}", grouped(*n), word.replace('_', " ")))
            .collect();
        format!("{}: {}", counted(self.questions, "question", "questions"), outcomes.join(", "))
    }

    /// What the user should know after the scores.
    pub fn notes(&self, compat: Option<DataSet>) -> Vec<String> {
        let mut notes = Vec::new();
        let Summary { repeated, incomparable, answers_from_kb, answers_unknown, .. } = *self;
        if repeated > 0 {
            let predictions = counted(repeated, "duplicate prediction was", "duplicate predictions were");
            notes.push(format!("{predictions} ignored"));
        }
        if incomparable > 0 {
            let forms = counted(incomparable, "form is", "forms are");
            notes.push(format!(
                "{forms} in a language that gold lacks and cannot be translated to, which scores 0 in measures of forms"
            ));
        }
        let questions = |number: usize| counted(number, "question is", "questions are");
        if answers_from_kb > 0 {
            notes.push(format!(
                "{} without gold answers; the results of the gold query are used instead",
                questions(answers_from_kb)
            ));
        }
        if answers_unknown > 0 {
            notes.push(format!(
                "{} without gold answers, and the gold query could not be run; answer measures are not computed (give the KB with --kb)",
                questions(answers_unknown)
            ));
        }
        if let Some(difference) = compat.and_then(DataSet::official_difference) {
            notes.push(format!("why official scores differ from ours: {difference}"));
        }
        notes
    }
}

/// Whether right answers are right for the right reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Robust {
    /// Number of predictions with the right answers that were checked.
    pub checked: usize,
    /// Number of those that are right by luck.
    pub failed: usize,
}

impl fmt::Display for Robust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} with the right answers differ from gold on neighbours of the KB ({})",
            grouped(self.failed),
            counted(self.checked, "prediction", "predictions"),
            percent(self.failed, self.checked.max(1))
        )
    }
}

/// A score.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Score {
    /// The version of the measure.
    pub version: u32,
    /// Over all questions.
    #[serde(flatten)]
    pub all: Estimate,
    /// Over the answered questions.
    pub answered: Option<Estimate>,
}

/// The questions with one value of a facet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cell {
    /// Number of questions.
    pub n: usize,
    /// The measures.
    pub measures: BTreeMap<String, Estimate>,
}

/// Collects grades.
///
/// ```
/// use touchstone_benchmark::{Answer, Prediction, Split};
/// use touchstone_grade::summary::Collector;
/// use touchstone_grade::Grader;
/// use touchstone_grade::same::About;
/// use touchstone_logic::Knowledge;
///
/// # use touchstone_datasets::{DataSet, Importer, Records};
/// # let file = r#"[{"id": "q1", "question": "Who directed M?", "answers": ["Fritz Lang"], "query": "Find(M) > Relate(director, forward)"}]"#;
/// # let record = Records::new(file.as_bytes()).next().ok_or("empty")??;
/// # let importer = Importer { data_set: DataSet::Lines, knowledge: Knowledge::of_spelling(), kb: None };
/// # let question = importer.question(&record, Split::Test, "mine").map_err(|unread| unread.reason)?.question;
/// let grader = Grader::new(Knowledge::of_spelling());
/// let right = Prediction { answers: Some(vec![Answer::plain("Fritz Lang")]), ..Prediction::default() };
/// let mut collector = Collector::new(2, &[], &[], &[]);
/// for (at, prediction) in [Some(&right), None].into_iter().enumerate() {
///     collector.add(at, &grader.grade(&question, prediction), &question.shape, &[]);
/// }
/// let summary = collector.summary(About::default(), 0, 0);
/// assert_eq!((summary.questions, summary.measures["f1"].all.mean), (2, 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Collector {
    names: Vec<(String, u32)>,
    /// By question; `None` if it was not graded.
    outcomes: Vec<Option<PredictionOutcome>>,
    /// By measure, then by question; NaN if not measured.
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
    /// A collector for a number of questions with these compound measures and official scores, grouped by these facets.
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

    /// Adds the grade of the question with an index, with the values of its facets. The order of grades does not affect the scores.
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
    pub fn summary(&self, about: About, unknown: usize, repeated: usize) -> Summary {
        let with_outcome =
            |outcome| self.outcomes.iter().flatten().filter(|found| **found == outcome).count();
        let outcomes =
            PredictionOutcome::ALL.map(|outcome| (outcome.word().to_owned(), with_outcome(outcome)));
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
            about,
            kb: None,
            questions: self.outcomes.iter().flatten().count(),
            outcomes: outcomes.into(),
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
