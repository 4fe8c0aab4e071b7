//! QALD: questions in several languages with SPARQL and its results; and the GERBIL platform, which exchanges the same JSON.

use crate::compared_answer::ComparedAnswer;
use crate::data_set::Published;
use crate::export::{Export, ExportError, ExportJob, Exported, LeftOut};
use crate::importer::Importer;
use crate::item::{ItemSource, word};
use crate::official::{Evaluator, OfficialInput, Scores, ratio};
use crate::questions::{ReadQuestions, any_answer, entity, local_name};
use hashbrown::HashSet;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::io::BufRead;
use touchstone_benchmark::{Function, InvalidPrediction, Prediction, PredictionError, Question};
use touchstone_kb::{Kb, iri};
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Answer, Language};

/// The data set.
pub(crate) struct Qald;

/// The platform.
pub(crate) struct Gerbil;

impl Published for Qald {
    fn name(&self) -> &'static str {
        "qald"
    }

    fn description(&self) -> &'static str {
        "QALD: query with sparql"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn predictions(&self) -> Option<&'static str> {
        Some("QALD's JSON")
    }

    fn export(&self) -> Option<&dyn Export> {
        Some(self)
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl Published for Gerbil {
    fn name(&self) -> &'static str {
        "gerbil"
    }

    fn description(&self) -> &'static str {
        "the scores of the GERBIL platform"
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl ReadQuestions for Qald {
    fn expected(&self) -> &'static str {
        "`query` with `sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        query(json)
    }

    fn answers(&self, json: &Json, _function: Function, importer: &Importer<'_>) -> Vec<Answer> {
        if let Some(value) = json.pointer("/answers/0/boolean").and_then(Json::as_bool) {
            return vec![Answer::Boolean { value }];
        }
        let bindings = json.pointer("/answers/0/results/bindings").and_then(Json::as_array);
        let terms = bindings.into_iter().flatten().filter_map(|row| row.as_object()?.values().next());
        let answer = |term: &Json| {
            let value = term.get("value").and_then(Json::as_str).unwrap_or_default();
            if term.get("type").is_some_and(|kind| kind == "uri") {
                entity(&importer.knowledge.namespaces.node(value), &local_name(value))
            } else {
                Answer::plain(value)
            }
        };
        terms.map(answer).collect()
    }

    fn lists_answers(&self, json: &Json) -> bool {
        json.pointer("/answers/0")
            .is_some_and(|answer| ["boolean", "results", "head"].iter().any(|key| answer.get(key).is_some()))
    }
}

/// The query of a record.
pub(crate) fn query(json: &Json) -> Option<ItemSource> {
    Some(ItemSource::Text(Language::Sparql, json.get("query")?.get("sparql")?.as_str()?.to_owned()))
}

/// Predictions: the file is one object with `questions`.
pub(crate) struct QaldPredictions<R> {
    reader: R,
    namespaces: Namespaces,
    /// The remaining questions, once the file is read.
    questions: Option<std::vec::IntoIter<Json>>,
}

impl<R: BufRead> QaldPredictions<R> {
    pub(crate) fn new(reader: R, namespaces: Namespaces) -> QaldPredictions<R> {
        QaldPredictions { reader, namespaces, questions: None }
    }

    pub(crate) fn next_prediction(&mut self) -> Result<Option<Prediction>, PredictionError> {
        if self.questions.is_none() {
            let mut text = String::new();
            self.reader.read_to_string(&mut text)?;
            let mut json = PredictionError::parse_json(&text, 1)?;
            let questions = match json.get_mut("questions").map(Json::take) {
                Some(Json::Array(questions)) => questions,
                _ => return Err(PredictionError::NoQuestions),
            };
            self.questions = Some(questions.into_iter());
        }
        let Some(question) = self.questions.as_mut().and_then(Iterator::next) else { return Ok(None) };
        let no_id = PredictionError::Invalid { line: 1, problem: InvalidPrediction::NoId };
        let id = question.get("id").map(word).ok_or(no_id)?;
        Ok(Some(Prediction { id, ..prediction(&question, &self.namespaces) }))
    }
}

/// The prediction in a question of QALD's JSON, without its id. IRIs become ids of the KB.
pub fn prediction(question: &Json, namespaces: &Namespaces) -> Prediction {
    let sparql = question.pointer("/query/sparql").and_then(Json::as_str);
    // Some servers send one object where the format has a list.
    let listed = question.get("answers").filter(|answers| !answers.is_null());
    let result_sets: &[Json] = match listed {
        Some(Json::Array(list)) => list,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut answers = Vec::new();
    for result_set in result_sets {
        answers.extend(result_set.get("boolean").map(any_answer));
        let rows = result_set.pointer("/results/bindings").and_then(Json::as_array);
        for cell in rows.into_iter().flatten().filter_map(Json::as_object).flat_map(|row| row.values()) {
            let text = cell.get("value").and_then(Json::as_str).unwrap_or_default();
            let is_iri = cell.get("type").and_then(Json::as_str) == Some("uri");
            answers.push(if is_iri { entity(&namespaces.node(text), "") } else { Answer::plain(text) });
        }
    }
    Prediction {
        answers: listed.map(|_| answers),
        logical_form: sparql.map(str::to_owned),
        language: sparql.map(|_| Language::Sparql),
        ..Prediction::default()
    }
}

impl Export for Qald {
    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError> {
        let name = &job.benchmark.manifest.name;
        let whole = |records: Vec<Json>| json!({ "dataset": { "id": name }, "questions": records });
        job.write_json(|question| record(job.kb, question), whole)
    }
}

fn record(kb: &Kb, question: &Question) -> Result<Json, LeftOut> {
    let sparql = question.forms.sparql.as_ref().ok_or(LeftOut::NoSparql)?;
    let base = &kb.manifest().base;
    let binding = |answer: &Answer| {
        let value = match answer {
            Answer::Entity { id, .. } | Answer::Class { id, .. } => {
                let is_iri = id.contains("://") || id.starts_with("urn:");
                let iri = if is_iri { id.clone() } else { format!("{base}{id}") };
                json!({ "type": "uri", "value": iri })
            }
            value => json!({ "type": "literal", "value": value.text() }),
        };
        json!({ "answer": value })
    };
    let answers = match &question.answers[..] {
        [Answer::Boolean { value }] => json!({ "head": {}, "boolean": value }),
        many => json!({
            "head": { "vars": ["answer"] },
            "results": { "bindings": many.iter().map(binding).collect::<Vec<_>>() },
        }),
    };
    Ok(json!({
        "id": question.id,
        "question": [{ "language": "en", "string": question.question }],
        "query": { "sparql": sparql },
        "answers": [answers],
    }))
}

/// An empty answer has precision 1.
impl Evaluator for Qald {
    fn scores(&self) -> &'static [&'static str] {
        &["qald_precision", "qald_recall", "qald_f1"]
    }

    fn difference(&self) -> &'static str {
        "QALD gives a precision of 1 to an empty answer; ours 0"
    }

    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64> {
        by_text(input.predicted, input.gold, 1.0).list()
    }
}

/// An empty answer has precision 0.
impl Evaluator for Gerbil {
    fn scores(&self) -> &'static [&'static str] {
        &["gerbil_precision", "gerbil_recall", "gerbil_f1"]
    }

    fn difference(&self) -> &'static str {
        "GERBIL's scores are ours, with answers compared as texts only"
    }

    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64> {
        by_text(input.predicted, input.gold, 0.0).list()
    }
}

/// QALD's and GERBIL's precision, recall and F1, with the precision of an empty answer. Ids are compared without percent-encoding.
fn by_text(predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>], empty_precision: f64) -> Scores {
    // A literal has no id, while the gold answer may have one, or a unit next to its value.
    let same_text = |answer: &ComparedAnswer<'_>| {
        gold.iter().find(|gold| answer.id.is_none() && gold.text == answer.text)
    };
    fn decoded<'a>(answer: &'a ComparedAnswer<'_>) -> Cow<'a, str> {
        match answer.id.as_deref() {
            Some(id) => iri::decode(id),
            None => Cow::Borrowed(answer.id_or_value()),
        }
    }
    let predicted: HashSet<Cow<'_, str>> =
        predicted.iter().map(|answer| same_text(answer).map_or_else(|| decoded(answer), decoded)).collect();
    let gold: HashSet<Cow<'_, str>> = gold.iter().map(decoded).collect();
    match (gold.is_empty(), predicted.is_empty()) {
        (true, true) => return Scores { precision: 1.0, recall: 1.0, f1: 1.0 },
        (true, false) => return Scores { precision: 0.0, recall: 0.0, f1: 0.0 },
        (false, true) => return Scores { precision: empty_precision, recall: 0.0, f1: 0.0 },
        _ => {}
    }
    let common = predicted.intersection(&gold).count();
    let (precision, recall) = (ratio(common, predicted.len()), ratio(common, gold.len()));
    let sum = precision + recall;
    Scores { precision, recall, f1: if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared_answer::known;

    #[test]
    fn ids_are_compared_without_percent_encoding() {
        let id = |text: &'static str| {
            [ComparedAnswer { id: Some(text.into()), text: text.into(), ..ComparedAnswer::default() }]
        };
        assert_eq!(by_text(&id("caf%C3%A9"), &id("café"), 1.0).list(), [1.0, 1.0, 1.0]);
        assert_eq!(by_text(&id("café"), &id("caf%C3%A9"), 0.0).list(), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn literals_meet_gold_by_text() {
        let gold = [ComparedAnswer {
            text: "206 centimetre".into(),
            value: Some("206".into()),
            ..ComparedAnswer::default()
        }];
        for text in ["206 centimetre", "206"] {
            assert_eq!(by_text(&[ComparedAnswer::plain(text)], &gold, 1.0).list(), [1.0, 1.0, 1.0], "{text}");
        }
        let relation = [ComparedAnswer {
            id: Some("capital".into()),
            text: "has capital".into(),
            ..ComparedAnswer::default()
        }];
        assert_eq!(by_text(&[ComparedAnswer::plain("has capital")], &relation, 0.0).f1, 1.0);
        assert_eq!(by_text(&[ComparedAnswer::plain("206 metre")], &gold, 0.0).f1, 0.0);
    }

    #[test]
    fn empty_answers() {
        let (one, none) = (known(json!(["m.1"])), known(json!([])));
        assert_eq!(by_text(&none, &one, 1.0).list(), [1.0, 0.0, 0.0]);
        assert_eq!(by_text(&none, &one, 0.0).list(), [0.0, 0.0, 0.0]);
        assert_eq!(by_text(&one, &none, 0.0).list(), [0.0, 0.0, 0.0]);
        assert_eq!(by_text(&one, &one, 0.0).list(), [1.0, 1.0, 1.0]);
    }
}
