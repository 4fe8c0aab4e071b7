//! What systems predict, and the lines that it is written in.

use crate::prediction_line::InvalidPrediction;
use crate::usage::Usage;
use serde_json::{Map, Value as Json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufRead;
use touchstone_logic::{Answer, Language};

/// A prediction for one question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// The question.
    pub id: String,
    /// The answers, best first; `None` if the logical form is to be run.
    pub answers: Option<Vec<Answer>>,
    /// The logical form.
    pub logical_form: Option<String>,
    /// Its language, if the prediction names it.
    pub language: Option<Language>,
    /// Further logical forms, the likelier ones first, with their languages.
    pub alternatives: Vec<(String, Option<Language>)>,
    /// Which of the choices.
    pub choice: Option<String>,
    /// Log-probabilities of the tokens.
    pub log_probs: Vec<f64>,
    /// How certain the system is, as it reports it.
    pub confidence: Option<f64>,
    /// Why there is no prediction.
    pub error: Option<String>,
    /// How the system found it: anything that it reports.
    pub trace: Option<Json>,
    /// What it cost.
    pub usage: Usage,
    /// The key of the cache under which the reply is kept.
    pub cache: Option<String>,
    /// The reply that the prediction was read from, with all its fields as the system wrote them. It is what is written to files, so that
    /// nothing of it is lost; only `id`, `cache` and what is missing in its `usage` are taken from the fields above.
    pub reply: Option<Box<Map<String, Json>>>,
}

impl Prediction {
    /// A number that is the same for predictions with the same content: everything that is graded, without the trace and the cost.
    pub fn content_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.id, &self.answers, &self.logical_form, self.language, &self.alternatives).hash(&mut hasher);
        (&self.choice, &self.error).hash(&mut hasher);
        self.log_probs.iter().for_each(|value| value.to_bits().hash(&mut hasher));
        hasher.finish()
    }
}

/// A prediction that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredictionError {
    /// Reading failed.
    #[error("cannot read predictions: {0}")]
    Io(#[from] std::io::Error),
    /// Not JSON.
    #[error("line {line}, column {column}: not JSON: {message}")]
    Json {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// JSON, but not a prediction.
    #[error(
        "line {line}: {problem}; write {{\"id\": ..., \"answers\": [...]}} or {{\"id\": ..., \"logical_form\": ...}}"
    )]
    Invalid {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: InvalidPrediction,
    },
    /// A file in QALD's format without its questions.
    #[error("there are no `questions`")]
    NoQuestions,
}

/// Reads predictions one by one: lines of `{"id", "answers", "logical_form", "lang"}`; GrailQA's `{"qid", "logical_form", "answer"}` are read as
/// well.
///
/// ```
/// use touchstone_benchmark::Predictions;
///
/// let file = r#"{"id": "q1", "answers": ["Berlin"]}
/// {"id": "q2", "logical_form": "(COUNT film)", "lang": "sexpr"}
/// "#;
/// let predictions = Predictions::new(file.as_bytes()).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(predictions[1].logical_form.as_deref(), Some("(COUNT film)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Predictions<R> {
    reader: R,
    line: usize,
    buffer: String,
}

impl<R: BufRead> Predictions<R> {
    /// From a reader.
    pub fn new(reader: R) -> Predictions<R> {
        Predictions { reader, line: 0, buffer: String::new() }
    }

    fn next_line(&mut self) -> Result<bool, PredictionError> {
        self.buffer.clear();
        self.line += 1;
        Ok(self.reader.read_line(&mut self.buffer)? > 0)
    }

    /// The next prediction whose line is `wanted`; other lines are not parsed.
    pub fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Result<Option<Prediction>, PredictionError> {
        while self.next_line()? {
            if wanted(&self.buffer) {
                let json = PredictionError::parse_json(self.buffer.trim_end(), self.line)?;
                return self.read_line(&json).map(Some);
            }
        }
        Ok(None)
    }

    fn read_line(&self, json: &Json) -> Result<Prediction, PredictionError> {
        let fields = json.as_object().ok_or(InvalidPrediction::NotAnObject);
        let line = self.line.max(1);
        fields.and_then(Prediction::from_fields).map_err(|problem| PredictionError::Invalid { line, problem })
    }
}

impl PredictionError {
    /// The JSON of a text that starts on a line of a file.
    pub fn parse_json(text: &str, line: usize) -> Result<Json, PredictionError> {
        serde_json::from_str(text).map_err(|error| PredictionError::Json {
            line: line + error.line().saturating_sub(1),
            column: error.column(),
            message: error.to_string().split(" at line").next().unwrap_or_default().to_owned(),
        })
    }
}

impl<R: BufRead> Iterator for Predictions<R> {
    type Item = Result<Prediction, PredictionError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_if(|line| !line.trim().is_empty()).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Prediction, String>> {
        Predictions::new(text.as_bytes()).map(|found| found.map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn lines_are_read() {
        let lines = "{\"id\": 7, \"answers\": [\"Paris\"], \"log_probs\": [-1, -2]}\n\n{\"qid\": 8, \"logical_form\": \"(COUNT a.b)\", \"answer\": [\"3\"]}\n{\"id\": \"9\", \"error\": \"time-out\"}\n";
        let found = read(lines);
        let ids: Vec<&str> = found.iter().flatten().map(|prediction| prediction.id.as_str()).collect();
        assert_eq!(ids, ["7", "8", "9"]);
        let ranked = r#"{"id": 1, "logical_form": "(a b)", "lang": "sexpr", "alternatives": ["(c d)", {"logical_form": "What()", "lang": "kopl"}]}"#;
        let found = read(ranked).remove(0).expect("read").alternatives;
        let expected =
            [("(c d)".to_owned(), Some(Language::Sexpr)), ("What()".to_owned(), Some(Language::Kopl))];
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_have_places() {
        let error = |text: &str| read(text).pop().expect("one").expect_err("wrong");
        assert!(
            error("{\"id\": 1}\n{\"id\" 2}").starts_with("line 2, column 7: not JSON"),
            "{}",
            error("{\"id\": 1}\n{\"id\" 2}")
        );
        assert!(error("{\"id\": 3\n").starts_with("line 1, column 8: not JSON"), "{}", error("{\"id\": 3\n"));
        assert!(error("{\"answers\": []}").contains("it has no `id`"));
        assert!(error("{\"id\": 1, \"lang\": \"prolog\"}").contains("`prolog` is not a language"));
    }
}
