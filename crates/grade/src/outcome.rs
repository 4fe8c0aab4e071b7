//! What came of a question.

use serde::{Deserialize, Serialize};

/// What came of a question: every question has exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There are answers; none is an answer, too.
    Answered,
    /// The system said that it does not know.
    Abstained,
    /// The logical form cannot be read.
    Unparsable,
    /// The logical form cannot be run.
    FailedToExecute,
    /// Running it took too much.
    OverBudget,
    /// The system failed.
    SystemError,
    /// There is no prediction.
    Missing,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 7] = [
        Outcome::Answered,
        Outcome::Abstained,
        Outcome::Unparsable,
        Outcome::FailedToExecute,
        Outcome::OverBudget,
        Outcome::SystemError,
        Outcome::Missing,
    ];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Abstained => "abstained",
            Outcome::Unparsable => "unparsable",
            Outcome::FailedToExecute => "failed_to_execute",
            Outcome::OverBudget => "over_budget",
            Outcome::SystemError => "system_error",
            Outcome::Missing => "missing",
        }
    }
}
