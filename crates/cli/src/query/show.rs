//! Answers as tables, JSON, and SPARQL results.

use super::{ended, notes};
use crate::{Outcome, output};
use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use std::io::{IsTerminal, Write};
use touchstone_engine::sparql::{Format, Results, write};
use touchstone_engine::{Answer, Answers, Outcome as Ran, Reply};

/// How many answers a table shows without `--all`.
const SHOWN: usize = 100;

/// For people.
pub(super) fn table(reply: &Reply, all: bool) -> Result<Outcome> {
    notes(reply);
    if let Some(trace) = &reply.trace {
        output::text(&format!("{trace}\n"))?;
    }
    if let Ran::OverBudget(stopped) = &reply.outcome {
        output::note(&format!(
            "{stopped}; there is no answer. A higher limit may help: --max-{} (see --help)",
            stopped.limit.word()
        ));
    }
    let Ran::Answered(answers) = &reply.outcome else { return ended(reply) };
    let shown = if all { usize::MAX } else { SHOWN };
    match answers {
        Answers::List { answers, .. } => match answers.as_slice() {
            [only @ (Answer::Boolean { .. } | Answer::Number { .. })] => output::text(&only.to_string())?,
            [] => {}
            answers => {
                let with_ids = answers.iter().any(|answer| answer.id().is_some());
                let mut table = output::table(if with_ids { &["answer", "id"] } else { &["answer"] });
                for answer in answers.iter().take(shown) {
                    let mut row = vec![answer.to_string()];
                    row.extend(with_ids.then(|| answer.id().unwrap_or_default().to_owned()));
                    table.add_row(row);
                }
                output::text(&table.to_string())?;
            }
        },
        Answers::Table { variables, rows, .. } => {
            let headings: Vec<&str> = variables.iter().map(String::as_str).collect();
            let mut table = output::table(&headings);
            let cell = |answer: &Option<Answer>| answer.as_ref().map_or(String::new(), ToString::to_string);
            for row in rows.iter().take(shown) {
                table.add_row(row.iter().map(cell).collect::<Vec<String>>());
            }
            output::text(&table.to_string())?;
        }
        Answers::Graph(Results::Graph(triples)) => {
            for triple in triples.iter().take(shown) {
                output::text(&format!("{triple} ."))?;
            }
        }
        Answers::Graph(_) => {}
    }
    let n = answers.len();
    if n > shown {
        output::note(&format!("the first {shown} of {} answers; --all shows all", output::count(n as u64)));
    }
    // How long it took is for people who look on; in a file it would only be different every time.
    if std::io::stderr().is_terminal() {
        let answers = output::counted(n as u64, "answer", "answers");
        output::note(&format!("{answers} in {} ({})", duration(reply.cost.time), reply.engine.unwrap_or("")));
    }
    ended(reply)
}

fn duration(time: std::time::Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        m if m < 1e3 => format!("{m:.0} µs"),
        m if m < 1e6 => format!("{:.1} ms", m / 1e3),
        m => format!("{:.1} s", m / 1e6),
    }
}

/// For machines.
pub(super) fn json(reply: &Reply) -> Result<Outcome> {
    output::json(&object(reply, None))?;
    ended(reply)
}

/// A reply as JSON.
pub(super) fn object(reply: &Reply, id: Option<&Json>) -> Json {
    let mut object = serde_json::Map::new();
    if let Some(id) = id {
        object.insert("id".to_owned(), id.clone());
    }
    object.insert("outcome".to_owned(), json!(reply.outcome.word()));
    match &reply.outcome {
        Ran::Answered(answers) => match answers {
            Answers::List { answers, .. } => {
                object.insert("answers".to_owned(), Json::Array(answers.iter().map(answer).collect()));
            }
            Answers::Table { variables, rows, .. } => {
                object.insert("variables".to_owned(), json!(variables));
                let cell = |cell: &Option<Answer>| cell.as_ref().map_or(Json::Null, answer);
                let rows = rows.iter().map(|row| Json::Array(row.iter().map(cell).collect())).collect();
                object.insert("answers".to_owned(), Json::Array(rows));
            }
            Answers::Graph(Results::Graph(triples)) => {
                let triples = triples.iter().map(|triple| json!(format!("{triple} ."))).collect();
                object.insert("triples".to_owned(), Json::Array(triples));
            }
            Answers::Graph(_) => {}
        },
        Ran::Unparsable(message) | Ran::Failed(message) => {
            object.insert("error".to_owned(), json!(message));
        }
        Ran::OverBudget(stopped) => {
            object.insert("error".to_owned(), json!(stopped.to_string()));
            object.insert("limit".to_owned(), json!(stopped.limit.word()));
        }
    }
    if !reply.notes.is_empty() {
        object.insert("notes".to_owned(), json!(reply.notes));
    }
    if let Some(engine) = reply.engine {
        object.insert("engine".to_owned(), json!(engine));
    }
    object.insert("operations".to_owned(), json!(reply.cost.operations));
    object.insert("micros".to_owned(), json!(reply.cost.time.as_micros() as u64));
    if let Some(trace) = &reply.trace {
        object.insert("trace".to_owned(), json!(trace));
    }
    Json::Object(object)
}

/// An answer with its type, and as text.
fn answer(answer: &Answer) -> Json {
    let mut object = serde_json::to_value(answer).unwrap_or(Json::Null);
    if let Json::Object(fields) = &mut object {
        fields.insert("text".to_owned(), json!(answer.to_string()));
    }
    object
}

/// As results of SPARQL.
pub(super) fn formatted(reply: &Reply, format: Format) -> Result<Outcome> {
    notes(reply);
    match &reply.outcome {
        Ran::Answered(answers) => {
            let results = match answers {
                Answers::List { results: Some(results), .. }
                | Answers::Table { results, .. }
                | Answers::Graph(results) => results,
                Answers::List { results: None, .. } => bail!("there are no RDF terms for these answers"),
            };
            let mut bytes = Vec::new();
            write(results, format, &mut bytes)?;
            let mut out = std::io::stdout().lock();
            out.write_all(&bytes)?;
            if !bytes.ends_with(b"\n") {
                out.write_all(b"\n")?;
            }
            out.flush()?;
        }
        Ran::OverBudget(stopped) => output::note(&stopped.to_string()),
        _ => {}
    }
    ended(reply)
}
