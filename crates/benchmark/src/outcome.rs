//! The outcome of a prediction.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The outcome of a prediction: every graded question has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PredictionOutcome {
    /// There are answers, or a form that runs; an empty result is also an answer.
    Answered,
    /// The prediction has neither answers nor a form.
    Abstained,
    /// The logical form cannot be read.
    Unparsable,
    /// The logical form cannot be run.
    FailedToExecute,
    /// Running the logical form exceeded a limit.
    OverBudget,
    /// The system failed.
    SystemError,
    /// There is no prediction.
    #[default]
    Missing,
}

impl PredictionOutcome {
    /// All of them.
    pub const ALL: [PredictionOutcome; 7] = [
        PredictionOutcome::Answered,
        PredictionOutcome::Abstained,
        PredictionOutcome::Unparsable,
        PredictionOutcome::FailedToExecute,
        PredictionOutcome::OverBudget,
        PredictionOutcome::SystemError,
        PredictionOutcome::Missing,
    ];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            PredictionOutcome::Answered => "answered",
            PredictionOutcome::Abstained => "abstained",
            PredictionOutcome::Unparsable => "unparsable",
            PredictionOutcome::FailedToExecute => "failed_to_execute",
            PredictionOutcome::OverBudget => "over_budget",
            PredictionOutcome::SystemError => "system_error",
            PredictionOutcome::Missing => "missing",
        }
    }
}

impl fmt::Display for PredictionOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_files() {
        for outcome in PredictionOutcome::ALL {
            assert_eq!(serde_json::to_string(&outcome).expect("JSON"), format!("\"{outcome}\""));
        }
    }
}
