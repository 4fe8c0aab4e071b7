//! Official evaluators, oddities included.

use crate::compared_answer::ComparedAnswer;
use crate::data_set::DataSet;
use touchstone_logic::Answer;

/// The input of an official evaluator.
#[derive(Debug, Clone, Copy)]
pub struct OfficialInput<'a> {
    /// The predicted answers.
    pub predicted: &'a [ComparedAnswer<'a>],
    /// The gold answers.
    pub gold: &'a [ComparedAnswer<'a>],
    /// The gold answers of other readings of the question.
    pub other_gold: &'a [Vec<Answer>],
    /// Whether the predicted form matches the gold form by GrailQA's exact match.
    pub is_exact_match: bool,
}

/// A published evaluator.
pub(crate) trait Evaluator: Sync {
    /// The names of its scores.
    fn scores(&self) -> &'static [&'static str];

    /// Why its scores differ from Touchstone's.
    fn difference(&self) -> &'static str;

    /// The scores; empty if they do not compare answers.
    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64>;
}

impl DataSet {
    /// The official scores of one prediction, in the order of [`DataSet::official_scores`]. Empty for data sets without an evaluator, and for
    /// [`DataSet::Gek`], whose scores compare forms.
    pub fn evaluate(self, input: &OfficialInput<'_>) -> Vec<f64> {
        self.evaluator().map_or(Vec::new(), |evaluator| evaluator.evaluate(input))
    }
}

/// Precision, recall and F1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scores {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
}

impl Scores {
    pub(crate) fn list(self) -> Vec<f64> {
        vec![self.precision, self.recall, self.f1]
    }
}

/// The share of a number of answers.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
