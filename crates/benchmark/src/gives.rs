//! What a system gives for a question: declared by the run, or found in the whole file, never guessed from its first lines.

use crate::prediction::{PredictionError, PredictionFormat, Predictions};
use serde::{Deserialize, Serialize};
use std::io::BufRead;

/// What a system gives for a question. It decides what a question without it scores: 0, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gives {
    /// Answers only: measures of logical forms are not measured.
    Answers,
    /// Logical forms only: the answers are what they return.
    Forms,
    /// Logical forms, and answers beside them.
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

    /// Whether the system gives answers beside its forms.
    pub fn answers(self) -> bool {
        self != Gives::Forms
    }

    /// What a file of predictions gives, whatever the order of its lines: forms if any prediction has one, answers if any prediction has
    /// some. A file in which no prediction has anything counts as one of answers.
    pub fn of_file(reader: impl BufRead, format: PredictionFormat) -> Result<Gives, PredictionError> {
        let (mut answers, mut forms) = (false, false);
        let mut predictions = Predictions::new(reader, format);
        // Lines that cannot decide anything are not parsed.
        let tells = |line: &str, answers: bool, forms: bool| {
            let has = |key: &str| memchr::memmem::find(line.as_bytes(), key.as_bytes()).is_some();
            !forms && has("\"logical_form\"") || !answers && has("\"answer")
        };
        while let Some(prediction) = predictions.next_if(|line| tells(line, answers, forms))? {
            answers |= prediction.answers.is_some();
            forms |= prediction.logical_form.is_some();
            if answers && forms {
                break;
            }
        }
        Ok(match (answers, forms) {
            (true, true) => Gives::Both,
            (false, true) => Gives::Forms,
            _ => Gives::Answers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let answers = "{\"id\": 1, \"answers\": [\"a\"]}\n".repeat(5000);
        let form = "{\"id\": 2, \"logical_form\": \"(JOIN a b)\"}\n";
        let empty = "{\"id\": 3, \"logical_form\": null, \"trace\": {\"logical_form\": 1}}\n";
        let gives = |text: String| Gives::of_file(text.as_bytes(), PredictionFormat::Lines).expect("read");
        assert_eq!(gives(format!("{form}{answers}")), Gives::Both);
        assert_eq!(gives(format!("{answers}{form}")), Gives::Both);
        assert_eq!(gives(format!("{answers}{empty}")), Gives::Answers);
        assert_eq!(gives(format!("{empty}{form}{empty}")), Gives::Forms);
        assert_eq!(gives(empty.to_owned()), Gives::Answers);
        assert_eq!(gives(String::new()), Gives::Answers);
        for (name, gives) in Gives::ALL {
            assert_eq!((Gives::from_name(name), gives.name()), (Some(gives), name));
        }
    }
}
