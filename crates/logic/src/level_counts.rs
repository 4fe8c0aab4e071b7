//! Counts the levels of many questions.

use crate::cast::float;
use crate::level::{Judgement, Level, Training};
use serde::Serialize;

/// A question with its level: a line of JSON.
#[derive(Debug, Serialize)]
pub struct QuestionLevel<'q> {
    id: &'q str,
    level: &'static str,
    /// #Z: the number of schema items that are not in training.
    z: usize,
    unseen: &'q [String],
}

impl<'q> QuestionLevel<'q> {
    /// The level of a question.
    pub fn new(id: &'q str, judgement: &'q Judgement) -> QuestionLevel<'q> {
        let Judgement { level, unseen } = judgement;
        QuestionLevel { id, level: level.name(), z: unseen.len(), unseen }
    }
}

/// A question without a level: a line of JSON.
#[derive(Debug, Serialize)]
pub struct NoLevel<'q> {
    /// The id of the question.
    pub id: &'q str,
    /// Why it has none.
    pub error: &'q str,
}

/// The number of questions at each level.
#[derive(Debug, Clone, Copy, Default)]
pub struct LevelCounts {
    /// By level: the number of questions, and of their unseen schema items.
    counts: [(usize, usize); Level::ALL.len()],
}

/// A level with its questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LevelRow {
    /// The level.
    pub level: &'static str,
    /// The number of questions.
    pub count: usize,
    /// Their share of all questions.
    pub share: f64,
    /// The mean number of unseen schema items.
    pub mean_z: f64,
}

/// The size of a training set, and the levels of test questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelSummary {
    /// The number of training questions.
    pub training_questions: usize,
    /// The number of distinct schema items in training.
    pub schema_items: usize,
    /// The number of distinct templates in training.
    pub templates: usize,
    /// The number of test questions with a level.
    pub questions: usize,
    /// The number of test questions that cannot be read.
    pub unreadable: usize,
    /// The levels.
    pub levels: Vec<LevelRow>,
}

impl LevelCounts {
    /// Counts a question.
    pub fn add(&mut self, judgement: &Judgement) {
        let (count, unseen) = &mut self.counts[judgement.level as usize];
        *count += 1;
        *unseen += judgement.unseen.len();
    }

    /// The summary, with the number of training questions.
    pub fn summary(&self, training: &Training, training_questions: usize, unreadable: usize) -> LevelSummary {
        let questions = self.counts.iter().map(|(count, _)| count).sum();
        let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { float(part) / float(whole) };
        let row = |(level, &(count, unseen)): (&Level, &(usize, usize))| LevelRow {
            level: level.name(),
            count,
            share: ratio(count, questions),
            mean_z: ratio(unseen, count),
        };
        LevelSummary {
            training_questions,
            schema_items: training.item_count(),
            templates: training.template_count(),
            questions,
            unreadable,
            levels: Level::ALL.iter().zip(&self.counts).map(row).collect(),
        }
    }
}
