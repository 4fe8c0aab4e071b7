//! TEXT2SPARQL: questions in several languages with SPARQL in YAML, answers as queries or as result sets in JSON, and the challenge's score.

use crate::compared_answer::ComparedAnswer;
use crate::data_set::Published;
use crate::item::{ItemSource, word};
use crate::official::{Evaluator, OfficialInput, Scores, ratio};
use crate::qald;
use crate::questions::{ReadQuestions, entity};
use crate::records::{Record, RecordsError};
use hashbrown::HashMap;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use touchstone_benchmark::{InvalidPrediction, Prediction, PredictionError};
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Answer, Language};

/// The data set.
pub(crate) struct Text2Sparql;

impl Published for Text2Sparql {
    fn name(&self) -> &'static str {
        "text2sparql"
    }

    fn description(&self) -> &'static str {
        "TEXT2SPARQL: YAML with questions in several languages and query with sparql"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn predictions(&self) -> Option<&'static str> {
        Some("TEXT2SPARQL's JSON: a list with qname and query, or an object of result sets")
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl ReadQuestions for Text2Sparql {
    fn expected(&self) -> &'static str {
        "`query` with `sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        qald::query(json)
    }
}

/// The file of the questions.
#[derive(Deserialize)]
struct QuestionFile {
    #[serde(default)]
    dataset: FileHead,
    questions: Vec<serde_saphyr::Spanned<Entry>>,
}

#[derive(Deserialize, Default)]
struct FileHead {
    #[serde(default)]
    prefix: String,
}

#[derive(Deserialize)]
struct Entry {
    id: Json,
    /// By language.
    question: BTreeMap<String, String>,
    query: Json,
    #[serde(default)]
    features: Vec<String>,
}

/// Whether a file begins like the questions of the challenge, after comments.
pub(crate) fn is_question_file(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| [&b"dataset:"[..], b"questions:", b"---"].contains(&line))
}

/// The questions of a YAML file: a record for each question and language, with the id that the challenge gives it (`db25:1-en`).
pub(crate) fn records(text: &str) -> Result<Vec<Record>, RecordsError> {
    let file: QuestionFile = serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map_or(1, |location| usize::try_from(location.line()).unwrap_or(1));
        RecordsError::Yaml { line, problem: error.without_snippet().to_string() }
    })?;
    let mut records = Vec::new();
    for entry in file.questions {
        let line = usize::try_from(entry.defined.line()).unwrap_or(1);
        let Entry { id, question, query, features } = entry.value;
        for (language, question) in question {
            let prefix = &file.dataset.prefix;
            let colon = if prefix.is_empty() { "" } else { ":" };
            let record = json!({
                "id": format!("{prefix}{colon}{}-{language}", word(&id)),
                "question": question,
                "language": language,
                "query": query,
                "features": features,
            });
            records.push(Record { line, text: record.to_string(), json: true });
        }
    }
    Ok(records)
}

/// A result set: cells with their relevance, which is 0 only for the answer no.
type ResultSet = BTreeMap<String, f64>;

/// Result sets by question.
#[derive(Debug, Clone, Default)]
pub struct ResultSets(BTreeMap<String, ResultSet>);

/// A file of result sets that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultSetsError {
    /// It cannot be opened.
    #[error("cannot read {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// It does not hold result sets.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PredictionError,
    },
}

impl ResultSets {
    /// Opens a file of result sets.
    pub fn open(path: &Path) -> Result<ResultSets, ResultSetsError> {
        let of = || path.to_path_buf();
        let file = File::open(path).map_err(|source| ResultSetsError::Open { path: of(), source })?;
        ResultSets::read(BufReader::new(file)).map_err(|source| ResultSetsError::Read { path: of(), source })
    }

    /// Reads result sets: `{"db25:1-en": {"2892": 1}, ...}`.
    pub fn read(mut reader: impl Read) -> Result<ResultSets, PredictionError> {
        let mut text = String::new();
        reader.read_to_string(&mut text)?;
        let sets = serde_json::from_value(PredictionError::parse_json(&text, 1)?);
        let not_result_sets =
            |_| PredictionError::Invalid { line: 1, problem: InvalidPrediction::NotResultSets };
        Ok(ResultSets(sets.map_err(not_result_sets)?))
    }

    /// The answers to a question, if the file has it.
    #[must_use]
    pub fn answers(&self, id: &str, namespaces: &Namespaces) -> Option<Vec<Answer>> {
        Some(answers(self.0.get(id)?, namespaces))
    }
}

/// Cells as answers. The result of ASK is one cell, `true`, whose relevance is the result.
fn answers(set: &ResultSet, namespaces: &Namespaces) -> Vec<Answer> {
    if let (1, Some(relevance)) = (set.len(), set.get("true")) {
        return vec![Answer::Boolean { value: *relevance > 0.0 }];
    }
    let answer = |cell: &String| match is_iri(cell) {
        true => entity(&namespaces.node(cell), ""),
        false => Answer::plain(cell.as_str()),
    };
    set.keys().map(answer).collect()
}

fn is_iri(cell: &str) -> bool {
    ["http://", "https://", "urn:"].iter().any(|scheme| cell.starts_with(scheme))
        && !cell.contains(char::is_whitespace)
}

/// Predictions: a list of queries, or an object of result sets.
pub(crate) struct ChallengePredictions<R> {
    reader: R,
    namespaces: Namespaces,
    /// The remaining predictions, once the file is read.
    predictions: Option<std::vec::IntoIter<Prediction>>,
}

impl<R: BufRead> ChallengePredictions<R> {
    pub(crate) fn new(reader: R, namespaces: Namespaces) -> ChallengePredictions<R> {
        ChallengePredictions { reader, namespaces, predictions: None }
    }

    pub(crate) fn next_prediction(&mut self) -> Result<Option<Prediction>, PredictionError> {
        if self.predictions.is_none() {
            self.predictions = Some(self.read_all()?.into_iter());
        }
        Ok(self.predictions.as_mut().and_then(Iterator::next))
    }

    fn read_all(&mut self) -> Result<Vec<Prediction>, PredictionError> {
        let mut text = String::new();
        self.reader.read_to_string(&mut text)?;
        let invalid = |problem| PredictionError::Invalid { line: 1, problem };
        match PredictionError::parse_json(&text, 1)? {
            Json::Array(list) => list
                .iter()
                .map(|answer| {
                    let id = answer.get("qname").map(word);
                    let id = id.ok_or_else(|| invalid(InvalidPrediction::NoId))?;
                    let query = answer.get("query").and_then(Json::as_str);
                    let query = query.filter(|query| !query.trim().is_empty());
                    Ok(Prediction {
                        id,
                        logical_form: query.map(str::to_owned),
                        language: query.map(|_| Language::Sparql),
                        ..Prediction::default()
                    })
                })
                .collect(),
            sets => {
                let sets: BTreeMap<String, ResultSet> =
                    serde_json::from_value(sets).map_err(|_| invalid(InvalidPrediction::NotResultSets))?;
                let prediction = |(id, set): (String, ResultSet)| Prediction {
                    id,
                    answers: Some(answers(&set, &self.namespaces)),
                    ..Prediction::default()
                };
                Ok(sets.into_iter().map(prediction).collect())
            }
        }
    }
}

/// The cells of answers, with whether they are relevant. Each cell counts once.
fn cells<'a>(answers: &'a [ComparedAnswer<'_>]) -> HashMap<Cow<'a, str>, bool> {
    let mut found = HashMap::new();
    for answer in answers {
        let cells = answer.cells.as_deref().unwrap_or(std::slice::from_ref(answer));
        for cell in cells {
            match cell.boolean {
                Some(value) => found.insert(Cow::Borrowed("true"), value),
                // An unbound cell is not in the result.
                None if cell.id.is_none() && cell.text.is_empty() => None,
                None => found.insert(Cow::Borrowed(cell.id_or_value()), true),
            };
        }
    }
    found
}

/// The challenge compares cells without their columns and rows. If nothing is found that gold has, all scores are 0, also if both are empty.
/// No as an answer is the cell `true` that is not relevant: predicting it for yes is right, and nothing is right where it is gold.
impl Evaluator for Text2Sparql {
    fn scores(&self) -> &'static [&'static str] {
        &["set_P", "set_recall", "set_F"]
    }

    fn difference(&self) -> &'static str {
        "TEXT2SPARQL compares cells without their columns and rows; two empty results score 0, and `no` counts as right where gold is `yes`"
    }

    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64> {
        let (predicted, gold) = (cells(input.predicted), cells(input.gold));
        let is_relevant = |cell: &&Cow<'_, str>| gold.get(&***cell) == Some(&true);
        let common = predicted.keys().filter(is_relevant).count();
        if common == 0 {
            return Scores { precision: 0.0, recall: 0.0, f1: 0.0 }.list();
        }
        let relevant = gold.values().filter(|relevant| **relevant).count();
        let (precision, recall) = (ratio(common, predicted.len()), ratio(common, relevant));
        Scores { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }.list()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::compared_answer::known;
    use crate::records::Records;

    const FILE: &str = "\
# A comment.
---
dataset:
  id: https://example.org/
  prefix: ex
questions:
- id: 3
  question:
    en: What is it?
    es: ¿Qué es?
  query:
    sparql: |
      SELECT ?x WHERE { ?x <urn:p> <urn:o> }
  features: [RESULT_ORDER_MATTERS]
- id: b
  question: { en: Is it? }
  query: { sparql: \"ASK { <urn:a> <urn:p> <urn:o> }\" }
";

    #[test]
    fn every_language_is_a_question() {
        let records: Vec<Record> = Records::new(FILE.as_bytes()).map(Result::unwrap).collect();
        let read: Vec<(usize, String, String)> = records
            .iter()
            .map(|record| {
                let json: Json = serde_json::from_str(&record.text).unwrap();
                (record.line, word(&json["id"]), word(&json["question"]))
            })
            .collect();
        let expected = [(7, "ex:3-en", "What is it?"), (7, "ex:3-es", "¿Qué es?"), (15, "ex:b-en", "Is it?")];
        let expected = expected.map(|(line, id, text)| (line, id.to_owned(), text.to_owned()));
        assert_eq!(read, expected);
        let broken = Records::new(&b"questions:\n- id: 1\n  question: [\n"[..]).next().unwrap().unwrap_err();
        assert!(matches!(broken, RecordsError::Yaml { line: 3.., .. }), "{broken}");
    }

    #[test]
    fn predictions_are_queries_or_result_sets() {
        let read = |text: &str| -> Vec<Prediction> {
            let mut predictions = ChallengePredictions::new(text.as_bytes(), Namespaces::default());
            std::iter::from_fn(|| predictions.next_prediction().unwrap()).collect()
        };
        let queries =
            read(r#"[{"qname": "ex:1-en", "query": "ASK {}"}, {"qname": "ex:2-en", "query": " "}]"#);
        assert_eq!(queries[0].logical_form.as_deref(), Some("ASK {}"));
        assert!(queries[1].logical_form.is_none() && queries[1].answers.is_none());
        let sets = read(r#"{"ex:1-en": {"true": 0}, "ex:2-en": {"http://a": 1, "5": 1}, "ex:3-en": {}}"#);
        assert_eq!(sets[0].answers, Some(vec![Answer::Boolean { value: false }]));
        assert_eq!(sets[1].answers, Some(vec![Answer::plain("5"), entity("http://a", "")]));
        assert_eq!(sets[2].answers, Some(Vec::new()));
        for (text, expected) in
            [("[{}]", InvalidPrediction::NoId), ("{\"a\": 1}", InvalidPrediction::NotResultSets)]
        {
            let error = ChallengePredictions::new(text.as_bytes(), Namespaces::default()).next_prediction();
            assert!(matches!(error, Err(PredictionError::Invalid { problem, .. }) if problem == expected));
        }
    }

    #[test]
    fn cells_are_compared() {
        let score = |predicted: Json, gold: Json| {
            let (predicted, gold) = (known(predicted), known(gold));
            let input =
                OfficialInput { predicted: &predicted, gold: &gold, other_gold: &[], is_exact_match: false };
            Text2Sparql.evaluate(&input)
        };
        assert_eq!(score(json!(["a", "b"]), json!(["a"])), [0.5, 1.0, 2.0 / 3.0]);
        assert_eq!(score(json!([]), json!([])), [0.0; 3]);
        assert_eq!(score(json!([true]), json!([true])), [1.0; 3]);
        assert_eq!(score(json!([false]), json!([true])), [1.0; 3], "as published");
        assert_eq!(score(json!([false]), json!([false])), [0.0; 3], "as published");
        let row = json!([{ "type": "tuple", "cells": [{ "type": "text", "value": "a" }, null] }]);
        assert_eq!(score(row, json!(["a"])), [1.0; 3]);
    }
}
