//! Answers as tables, JSON, and SPARQL results.

use super::{ended, notes};
use crate::{Outcome, output};
use anyhow::{Result, bail};
use std::io::{IsTerminal, Write};
use touchstone_engine::sparql::{ReplyFormat, Results, write};
use touchstone_engine::{Answer, Answers, Outcome as Ran, Reply};

/// Maximum number of answers that a table shows without `--all`.
const SHOWN: usize = 100;

/// As text for people.
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
                let mut table =
                    output::table(if with_ids { &["answer", "id"] } else { &["answer"] }).whole(&["id"]);
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
                output::exact(&format!("{triple} ."))?;
            }
        }
        Answers::Graph(_) => {}
    }
    let n = answers.len();
    if n > shown {
        output::note(&format!("the first {shown} of {} answers; --all shows all", output::count(n as u64)));
    }
    // The time is for people who watch; in a file it would only be different every time.
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

/// As JSON.
pub(super) fn json(reply: &Reply) -> Result<Outcome> {
    output::json(reply)?;
    ended(reply)
}

/// As results of SPARQL.
pub(super) fn formatted(reply: &Reply, format: ReplyFormat) -> Result<Outcome> {
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
            let mut out = output::data();
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
