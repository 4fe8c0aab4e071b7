//! Replies as JSON: what `touchstone query --json` prints, and the lines of a batch.

use crate::reply::{Answers, Outcome, Reply};
use crate::sparql::Results;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use touchstone_logic::Answer;

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("outcome", self.outcome.word())?;
        match &self.outcome {
            Outcome::Answered(Answers::List { answers }) => {
                map.serialize_entry("answers", &answers.iter().map(AnswerWithText::of).collect::<Vec<_>>())?;
            }
            Outcome::Answered(Answers::Table { variables, rows }) => {
                map.serialize_entry("variables", variables)?;
                map.serialize_entry("answers", &rows.iter().map(|row| cells(row)).collect::<Vec<_>>())?;
            }
            Outcome::Answered(Answers::Rdf(Results::Graph(triples))) => {
                let triples: Vec<String> = triples.iter().map(|triple| format!("{triple} .")).collect();
                map.serialize_entry("triples", &triples)?;
            }
            // Written in a format of SPARQL's results, not as a reply.
            Outcome::Answered(Answers::Rdf(_)) => {}
            Outcome::Unparsable(message) | Outcome::Failed(message) => {
                map.serialize_entry("error", message)?
            }
            Outcome::OverBudget(stopped) => {
                map.serialize_entry("error", &stopped.to_string())?;
                map.serialize_entry("limit", stopped.limit.word())?;
            }
        }
        if !self.notes.is_empty() {
            map.serialize_entry("notes", &self.notes)?;
        }
        if let Some(engine) = self.engine {
            map.serialize_entry("engine", engine)?;
        }
        map.serialize_entry("operations", &self.cost.operations)?;
        map.serialize_entry("micros", &u64::try_from(self.cost.time.as_micros()).unwrap_or(u64::MAX))?;
        if let Some(trace) = &self.trace {
            map.serialize_entry("trace", trace)?;
        }
        map.end()
    }
}

/// An answer with its type, and as text.
#[derive(Serialize)]
struct AnswerWithText<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    text: Cow<'a, str>,
}

impl<'a> AnswerWithText<'a> {
    fn of(answer: &'a Answer) -> AnswerWithText<'a> {
        AnswerWithText { answer, text: answer.text() }
    }
}

fn cells(row: &[Option<Answer>]) -> Vec<Option<AnswerWithText<'_>>> {
    row.iter().map(|cell| cell.as_ref().map(AnswerWithText::of)).collect()
}
