//! One question to any system.

use crate::system::{System, SystemInput};
use crate::system_error::SystemError;
use serde::Serialize;
use touchstone_benchmark::Prediction;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Reply, Session, Settings};
use touchstone_kb::Kb;
use touchstone_logic::Language;

/// What a system gave for a question.
#[derive(Debug, Clone, Serialize)]
pub struct AskedSystem {
    /// The question.
    pub question: String,
    /// The name of the system.
    pub system: String,
    /// Its prediction.
    pub prediction: Prediction,
    /// What the form of the prediction returns; `None` without a form or a KB.
    pub reply: Option<Reply>,
}

/// Asks a system a question, and runs the form that it gives.
pub fn ask_system(
    system: &dyn System,
    question: &str,
    kb: Option<&Kb>,
    cancel: &Cancel,
) -> Result<AskedSystem, SystemError> {
    let prediction = system.worker().answer(&SystemInput::new("1", question))?;
    let reply = prediction.logical_form.as_deref().zip(kb).map(|(form, kb)| {
        let language = prediction.language.unwrap_or_else(|| Language::guess(form));
        Session::new(kb).run(language, form, &Settings::default(), cancel)
    });
    Ok(AskedSystem { question: question.to_owned(), system: system.name(), prediction, reply })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FixedPredictions;

    #[test]
    fn a_system_is_asked_without_a_kb() {
        let prediction = Prediction {
            id: "1".to_owned(),
            logical_form: Some("Find(M) > What()".to_owned()),
            ..Prediction::default()
        };
        let system = FixedPredictions::new("fixed", vec![prediction]);
        let asked = ask_system(&system, "Who?", None, &Cancel::default()).expect("asked");
        assert_eq!(asked.prediction.logical_form.as_deref(), Some("Find(M) > What()"));
        assert!(asked.reply.is_none() && asked.question == "Who?");
    }
}
