//! Systems under test.

use crate::system_error::SystemError;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use touchstone_benchmark::{Gives, Mention, Prediction, Question};
use touchstone_logic::Language;

/// The input of a system: the text of a question, and the extra input that the run declares.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SystemInput {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// The entities that it names, with their positions, if the run gives gold entities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<Mention>>,
    /// The choices, if the run gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The part of the schema that the question is about, if the run gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

impl SystemInput {
    /// A question without extra input.
    pub fn new(id: &str, question: &str) -> SystemInput {
        SystemInput { id: id.to_owned(), question: question.to_owned(), ..SystemInput::default() }
    }

    /// A question of a benchmark.
    pub fn of(question: &Question, gold_entities: bool, choices: bool) -> SystemInput {
        SystemInput {
            entities: gold_entities.then(|| question.entities.clone()),
            choices: (choices && !question.choices.is_empty()).then(|| question.choices.clone()),
            ..SystemInput::new(&question.id, &question.question)
        }
    }
}

/// A system that answers questions.
///
/// ```
/// use touchstone_benchmark::{Answer, Prediction};
/// use touchstone_run::{System, SystemError, SystemInput, Worker};
///
/// struct Always(&'static str);
///
/// impl System for Always {
///     fn name(&self) -> String {
///         format!("always {}", self.0)
///     }
///
///     fn worker(&self) -> Box<dyn Worker + '_> {
///         Box::new(Always(self.0))
///     }
/// }
///
/// impl Worker for Always {
///     fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
///         let answers = Some(vec![Answer::plain(self.0)]);
///         Ok(Prediction { id: input.id.clone(), answers, ..Prediction::default() })
///     }
/// }
///
/// let answer = Always("Marie Curie").worker().answer(&SystemInput::new("q1", "Who discovered radium?"));
/// assert_eq!(answer.unwrap().answers.unwrap()[0].text(), "Marie Curie");
/// ```
pub trait System: Sync {
    /// Its name, with everything that influences its predictions.
    fn name(&self) -> String;

    /// Whether to measure the time of an answer: not if answers are only looked up, or the system measures the time itself.
    fn is_timed(&self) -> bool {
        true
    }

    /// What it gives for a question, if known in advance; the run declares it, and grading relies on it.
    fn gives(&self) -> Option<Gives> {
        None
    }

    /// The data that it was trained on; the run declares it.
    fn trained_on(&self) -> Option<String> {
        None
    }

    /// Whether it accepts entities, choices or a schema besides the question.
    fn takes_side_information(&self) -> bool {
        true
    }

    /// A worker that answers one question after another.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// See [`System::worker`].
pub trait Worker {
    /// The prediction for a question. An error is recorded as the prediction's `error`, except [`SystemError::Stopped`]: then the question
    /// is asked again when the run is resumed.
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError>;
}

/// Predictions that are known in advance: gold, degraded gold, or those of a file.
pub struct FixedPredictions {
    name: String,
    gives: Option<Gives>,
    predictions: HashMap<String, Prediction>,
}

impl FixedPredictions {
    /// A system with a name and predictions; of several for one question the last one counts.
    pub fn new(name: &str, predictions: impl IntoIterator<Item = Prediction>) -> FixedPredictions {
        let by_id = predictions.into_iter().map(|prediction| (prediction.id.clone(), prediction));
        let predictions: HashMap<String, Prediction> = by_id.collect();
        let has_answers = predictions.values().any(|prediction| prediction.answers.is_some());
        let has_forms = predictions.values().any(|prediction| prediction.logical_form.is_some());
        let gives = match (has_answers, has_forms) {
            (true, true) => Some(Gives::Both),
            (true, false) => Some(Gives::Answers),
            (false, true) => Some(Gives::Forms),
            (false, false) => None,
        };
        FixedPredictions { name: name.to_owned(), gives, predictions }
    }

    /// Gold: the answers and the first form of each question.
    pub fn oracle(questions: &[&Question]) -> FixedPredictions {
        let gold = questions.iter().map(|question| {
            let forms = &question.forms;
            let forms = [
                (Language::Sexpr, &forms.sexpr),
                (Language::Kopl, &forms.program),
                (Language::Sparql, &forms.sparql),
            ];
            let form = forms.into_iter().find_map(|(language, form)| Some((language, form.as_ref()?)));
            Prediction {
                id: question.id.clone(),
                answers: question.has_gold_answers().then(|| question.answers.clone()),
                logical_form: form.map(|(_, form)| form.clone()),
                language: form.map(|(language, _)| language),
                ..Prediction::default()
            }
        });
        FixedPredictions::new("oracle", gold)
    }
}

impl System for FixedPredictions {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn is_timed(&self) -> bool {
        false
    }

    fn gives(&self) -> Option<Gives> {
        self.gives
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(LookUp(self))
    }
}

struct LookUp<'p>(&'p FixedPredictions);

impl Worker for LookUp<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        // A missing prediction counts as an abstention.
        let abstained = || Prediction { id: input.id.clone(), ..Prediction::default() };
        Ok(self.0.predictions.get(&input.id).cloned().unwrap_or_else(abstained))
    }
}
