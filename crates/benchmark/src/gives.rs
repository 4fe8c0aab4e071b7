//! What a system gives for a question: declared by the run, or found in the whole file, never guessed from its first lines.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What a system gives for a question. It decides what a question without it scores: 0, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Gives {
    /// Answers only: measures of logical forms are not measured.
    Answers,
    /// Logical forms only: the answers are what they return.
    Forms,
    /// Logical forms, and answers in addition.
    Both,
}

impl Gives {
    /// All of them, by name.
    pub const ALL: [(&str, Gives); 3] =
        [("answers", Gives::Answers), ("forms", Gives::Forms), ("both", Gives::Both)];

    /// The one with a name.
    pub fn from_name(name: &str) -> Option<Gives> {
        Gives::ALL.iter().find(|(known, _)| *known == name).map(|(_, gives)| *gives)
    }

    /// Its name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Gives::Answers => "answers",
            Gives::Forms => "forms",
            Gives::Both => "both",
        }
    }

    /// Whether measures of logical forms are measured: then a question without a form scores 0.
    pub fn forms(self) -> bool {
        self != Gives::Answers
    }

    /// Whether the system gives answers, alone or in addition to forms.
    pub fn answers(self) -> bool {
        self != Gives::Forms
    }

    /// What predictions give of which some have answers and some have forms. A file in which no prediction has anything counts as one of answers.
    pub fn of(answers: bool, forms: bool) -> Gives {
        match (answers, forms) {
            (true, true) => Gives::Both,
            (false, true) => Gives::Forms,
            _ => Gives::Answers,
        }
    }
}

/// No such choice of answers and forms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a system gives {}", Gives::ALL.map(|(name, _)| name).join(", "))]
#[non_exhaustive]
pub struct UnknownGives;

impl FromStr for Gives {
    type Err = UnknownGives;

    fn from_str(name: &str) -> Result<Gives, UnknownGives> {
        Gives::from_name(name).ok_or(UnknownGives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for (name, gives) in Gives::ALL {
            assert_eq!((Gives::from_name(name), gives.name()), (Some(gives), name));
        }
    }
}
