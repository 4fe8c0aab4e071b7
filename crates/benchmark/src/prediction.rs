//! What systems predict: our lines, GrailQA's, KQA Pro's, QALD's.

use crate::prediction_line::{InvalidPrediction, read_answer};
use crate::usage::Usage;
use serde_json::{Map, Value as Json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufRead;
use touchstone_logic::sparql::Namespaces;
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

/// How predictions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredictionFormat {
    /// Lines of `{"id", "answers", "logical_form", "lang"}`; GrailQA's `{"qid", "logical_form", "answer"}` are read as well.
    Lines,
    /// An answer a line, in the order of the questions.
    KqaPro,
    /// QALD's JSON, with `questions`.
    Qald,
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
    /// JSON, but not predictions in this format.
    #[error(
        "line {line}: {message}; write {{\"id\": ..., \"answers\": [...]}} or {{\"id\": ..., \"logical_form\": ...}}"
    )]
    Shape {
        /// Where.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// Reads predictions one by one.
pub struct Predictions<R> {
    reader: R,
    format: PredictionFormat,
    line: usize,
    buffer: String,
    /// QALD's file is one object: what is left of it.
    rest: Option<std::vec::IntoIter<Json>>,
    /// Turns QALD's IRIs into ids.
    namespaces: Namespaces,
}

impl<R: BufRead> Predictions<R> {
    /// From a reader.
    pub fn new(reader: R, format: PredictionFormat) -> Predictions<R> {
        let namespaces = Namespaces::default();
        Predictions { reader, format, line: 0, buffer: String::new(), rest: None, namespaces }
    }

    /// With the namespaces of a KB, whose ids are short where QALD has IRIs.
    #[must_use]
    pub fn with_namespaces(self, namespaces: Namespaces) -> Predictions<R> {
        Predictions { namespaces, ..self }
    }

    fn next_line(&mut self) -> Result<bool, PredictionError> {
        self.buffer.clear();
        self.line += 1;
        Ok(self.reader.read_line(&mut self.buffer)? > 0)
    }

    fn next_prediction(&mut self) -> Result<Option<Prediction>, PredictionError> {
        match self.format {
            PredictionFormat::KqaPro => {
                if !self.next_line()? {
                    return Ok(None);
                }
                let text = self.buffer.trim();
                let answers = if text.is_empty() { Vec::new() } else { vec![Answer::plain(text)] };
                let answers = Some(answers);
                // Lines have no ids: the place is the question's.
                Ok(Some(Prediction { id: String::new(), answers, ..Prediction::default() }))
            }
            PredictionFormat::Lines => {
                while self.next_line()? {
                    if !self.buffer.trim().is_empty() {
                        let json = parse(self.buffer.trim_end(), self.line)?;
                        return self.read_line(&json).map(Some);
                    }
                }
                Ok(None)
            }
            PredictionFormat::Qald => {
                if self.rest.is_none() {
                    let mut text = String::new();
                    self.reader.read_to_string(&mut text)?;
                    let json = parse(&text, 1)?;
                    let questions = json.get("questions").and_then(Json::as_array);
                    let wrong =
                        || PredictionError::Shape { line: 1, message: "there are no `questions`".to_owned() };
                    self.rest = Some(questions.ok_or_else(wrong)?.clone().into_iter());
                }
                let next = self.rest.as_mut().and_then(Iterator::next);
                next.map(|question| self.of_qald(&question)).transpose()
            }
        }
    }

    /// The next prediction whose line is `wanted`; of other formats than lines, the next one.
    pub fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Result<Option<Prediction>, PredictionError> {
        if self.format != PredictionFormat::Lines {
            return self.next_prediction();
        }
        while self.next_line()? {
            if wanted(&self.buffer) {
                let json = parse(self.buffer.trim_end(), self.line)?;
                return self.read_line(&json).map(Some);
            }
        }
        Ok(None)
    }

    fn wrong(&self, message: &str) -> PredictionError {
        PredictionError::Shape { line: self.line.max(1), message: message.to_owned() }
    }

    fn read_line(&self, json: &Json) -> Result<Prediction, PredictionError> {
        let fields = json.as_object().ok_or(InvalidPrediction::NotAnObject);
        let line = self.line.max(1);
        fields.and_then(Prediction::from_fields).map_err(|problem| PredictionError::Invalid { line, problem })
    }

    fn of_qald(&self, json: &Json) -> Result<Prediction, PredictionError> {
        let id = json.get("id").ok_or_else(|| self.wrong("a question has no `id`"))?;
        let sparql = json.pointer("/query/sparql").and_then(Json::as_str);
        let mut answers = Vec::new();
        for given in json.get("answers").and_then(Json::as_array).into_iter().flatten() {
            if let Some(value) = given.get("boolean") {
                answers.push(read_answer(value));
            }
            let rows = given.pointer("/results/bindings").and_then(Json::as_array);
            for cell in rows.into_iter().flatten().filter_map(Json::as_object).flat_map(|row| row.values()) {
                let text = cell.get("value").and_then(Json::as_str).unwrap_or_default();
                let is_iri = cell.get("type").and_then(Json::as_str) == Some("uri");
                answers.push(if is_iri {
                    Answer::Entity { id: self.namespaces.node(text), label: text.to_owned() }
                } else {
                    Answer::plain(text)
                });
            }
        }
        Ok(Prediction {
            id: id.as_str().map_or_else(|| id.to_string(), str::to_owned),
            answers: json.get("answers").map(|_| answers),
            logical_form: sparql.map(str::to_owned),
            language: sparql.map(|_| Language::Sparql),
            ..Prediction::default()
        })
    }
}

fn parse(text: &str, line: usize) -> Result<Json, PredictionError> {
    serde_json::from_str(text).map_err(|error| PredictionError::Json {
        line: line + error.line().saturating_sub(1),
        column: error.column(),
        message: error.to_string().split(" at line").next().unwrap_or_default().to_owned(),
    })
}

impl<R: BufRead> Iterator for Predictions<R> {
    type Item = Result<Prediction, PredictionError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_prediction().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, format: PredictionFormat) -> Vec<Result<Prediction, String>> {
        Predictions::new(text.as_bytes(), format)
            .map(|found| found.map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn all_formats_are_read() {
        let lines = "{\"id\": 7, \"answers\": [\"Paris\"], \"log_probs\": [-1, -2]}\n\n{\"qid\": 8, \"logical_form\": \"(COUNT a.b)\", \"answer\": [\"3\"]}\n{\"id\": \"9\", \"error\": \"time-out\"}\n";
        let found = read(lines, PredictionFormat::Lines);
        let ids: Vec<&str> = found.iter().flatten().map(|prediction| prediction.id.as_str()).collect();
        assert_eq!(ids, ["7", "8", "9"]);
        let ranked = r#"{"id": 1, "logical_form": "(a b)", "lang": "sexpr", "alternatives": ["(c d)", {"logical_form": "What()", "lang": "kopl"}]}"#;
        let found = read(ranked, PredictionFormat::Lines).remove(0).expect("read").alternatives;
        let expected =
            [("(c d)".to_owned(), Some(Language::Sexpr)), ("What()".to_owned(), Some(Language::Kopl))];
        assert_eq!(found, expected);
        assert_eq!(read("yes\n\n206 cm\n", PredictionFormat::KqaPro).len(), 3);
        let qald =
            r#"{"questions": [{"id": "1", "query": {"sparql": "ASK {}"}, "answers": [{"boolean": true}]}]}"#;
        let found = read(qald, PredictionFormat::Qald);
        assert_eq!(found[0].as_ref().expect("read").answers.as_ref().expect("answers")[0].text(), "yes");
    }

    #[test]
    fn iris_of_qald_are_ids_of_the_kb() {
        let qald = r#"{"dataset": {}, "questions": [{"id": "1", "answers": [{"results": {"bindings": [
            {"x": {"type": "uri", "value": "urn:kb:country/US"}}, {"x": {"type": "uri", "value": "urn:other"}},
            {"x": {"type": "literal", "value": "7"}}]}}]}]}"#;
        let namespaces = Namespaces { base: Some("urn:kb:".to_owned()), ..Namespaces::default() };
        let mut read = Predictions::new(qald.as_bytes(), PredictionFormat::Qald).with_namespaces(namespaces);
        let answers = read.next().expect("one").expect("read").answers.expect("answers");
        let ids: Vec<Option<&str>> = answers.iter().map(|answer| answer.id()).collect();
        assert_eq!(ids, [Some("country/US"), Some("urn:other"), None]);
    }

    #[test]
    fn errors_tell_where() {
        let error = |text: &str| read(text, PredictionFormat::Lines).pop().expect("one").expect_err("wrong");
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
