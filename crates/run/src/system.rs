//! Systems under test.

use hashbrown::HashMap;
use serde::Serialize;
use serde_json::{Value as Json, json};
use touchstone_benchmark::Gives;
use touchstone_benchmark::Mention;
use touchstone_benchmark::Question;

/// A question as a system gets it: its text, and the side information that the run declares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// The entities that it names, with their places, if the run gives gold entities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<Mention>>,
    /// The choices, if the run gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The part of the schema that the question is about, if the run gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

impl Asked {
    /// Of a question of a benchmark.
    pub fn of(question: &Question, gold_entities: bool, choices: bool) -> Asked {
        let entities = gold_entities.then(|| question.entities.clone());
        let choices = (choices && !question.choices.is_empty()).then(|| question.choices.clone());
        Asked {
            id: question.id.clone(),
            question: question.question.clone(),
            entities,
            choices,
            schema: None,
        }
    }
}

/// Whatever answers questions.
pub trait System: Sync {
    /// Its name, with everything that influences what it says.
    fn name(&self) -> String;

    /// Whether the time that an answer takes means anything: not if answers are only looked up.
    fn is_timed(&self) -> bool {
        true
    }

    /// What it gives for a question, if that is known before it is asked; the run declares it, and grading goes by it.
    fn gives(&self) -> Option<Gives> {
        None
    }

    /// A worker that answers one question after the other.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// See [`System::worker`].
pub trait Worker {
    /// The prediction for a question: an object as `docs/grading.md` describes it. What goes wrong is an `error` in it. `None`: somebody
    /// stopped the run before there was an answer; the question will be asked again.
    fn answer(&mut self, asked: &Asked) -> Option<Json>;
}

/// Predictions that are known already: gold, degraded gold, or a file.
pub struct Given {
    name: String,
    gives: Option<Gives>,
    predictions: HashMap<String, Json>,
}

impl Given {
    /// With a name and predictions by id.
    pub fn new(name: &str, predictions: impl IntoIterator<Item = (String, Json)>) -> Given {
        let predictions: HashMap<String, Json> = predictions.into_iter().collect();
        let has = |keys: &[&str]| {
            let given =
                |json: &Json| keys.iter().any(|key| json.get(key).is_some_and(|value| !value.is_null()));
            predictions.values().any(given)
        };
        let gives = match (has(&["answers", "answer"]), has(&["logical_form"])) {
            (true, true) => Some(Gives::Both),
            (true, false) => Some(Gives::Answers),
            (false, true) => Some(Gives::Forms),
            (false, false) => None,
        };
        Given { name: name.to_owned(), gives, predictions }
    }

    /// Gold: the answers and the first form of each question.
    pub fn oracle(questions: &[&Question]) -> Given {
        let gold = questions.iter().map(|question| {
            let forms = &question.forms;
            let form = [("sexpr", &forms.sexpr), ("kopl", &forms.program), ("sparql", &forms.sparql)];
            let form = form.into_iter().find_map(|(language, form)| Some((language, form.as_ref()?)));
            let mut prediction = json!({ "id": question.id });
            if question.has_gold_answers() {
                prediction["answers"] = json!(question.answers);
            }
            if let Some((language, form)) = form {
                prediction["logical_form"] = json!(form);
                prediction["lang"] = json!(language);
            }
            (question.id.clone(), prediction)
        });
        Given::new("oracle", gold)
    }
}

impl System for Given {
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
        Box::new(Teller(self))
    }
}

struct Teller<'g>(&'g Given);

impl Worker for Teller<'_> {
    fn answer(&mut self, asked: &Asked) -> Option<Json> {
        // Without a prediction it has nothing to say: that is abstaining.
        Some(self.0.predictions.get(&asked.id).cloned().unwrap_or_else(|| json!({ "id": asked.id })))
    }
}
