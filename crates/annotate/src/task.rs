//! Tasks: questions of a benchmark with what people do about them. A line of `tasks.jsonl`.

use crate::event::SameMeaning;
use serde::{Deserialize, Serialize};
use touchstone_benchmark::Question;

/// Why a task is in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskRole {
    /// It is what the project is for.
    #[default]
    Ordinary,
    /// Several people do it before the ordinary tasks, to compare what they write.
    Pilot,
    /// Everybody does it first, to learn. It is counted apart.
    Training,
    /// Its result is known, so that it shows how careful people are.
    Control,
}

impl TaskRole {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            TaskRole::Ordinary => "ordinary",
            TaskRole::Pilot => "pilot",
            TaskRole::Training => "training",
            TaskRole::Control => "control",
        }
    }
}

/// A task. It holds everything that is shown, so that a project does not need its benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Unique in the project.
    pub id: String,
    /// Why it is in the project.
    #[serde(default)]
    pub role: TaskRole,
    /// The shape or category under which the question was drawn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stratum: String,
    /// The question with its forms and answers, as in the benchmark.
    pub question: Question,
    /// A text to judge that was written elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What judges should say, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<SameMeaning>,
}

impl Task {
    /// An ordinary task.
    pub fn new(id: &str, question: Question) -> Task {
        Task {
            id: id.to_owned(),
            role: TaskRole::Ordinary,
            stratum: String::new(),
            question,
            text: None,
            expected: None,
        }
    }

    /// The name of the shape of the query: as in the literature, or its code.
    pub fn shape(&self) -> &str {
        shape_of(&self.question)
    }
}

/// The name of the shape of a query: as in the literature, or its code.
pub(crate) fn shape_of(question: &Question) -> &str {
    question.alias.as_deref().unwrap_or(&question.shape)
}
