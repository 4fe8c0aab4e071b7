//! Answers as tables, JSON, and SPARQL results.

use crate::{Outcome, output};
use anyhow::{Result, bail};
use std::io::{IsTerminal, Write};
use touchstone_engine::sparql::{ReplyFormat, Results, write};
use touchstone_engine::{Answer, Answers, Outcome as Ran, Reply};
use touchstone_terminal::Table;

/// Maximum number of answers that a table shows without `--all`.
const SHOWN: usize = 100;

/// As text for people.
pub(crate) fn table(reply: &Reply, all: bool) -> Result<Outcome> {
    notes(reply);
    if let Some(trace) = &reply.trace {
        say!("{trace}\n")?;
    }
    if let Ran::OverBudget(stopped) = &reply.outcome {
        let limit = stopped.limit.word();
        note!("{stopped}; there is no answer. A higher limit may help: --max-{limit} (see --help)");
    }
    let Ran::Answered(answers) = &reply.outcome else { return ended(reply) };
    let shown = if all { usize::MAX } else { SHOWN };
    match answers {
        Answers::List { answers } => match answers.as_slice() {
            [only @ (Answer::Boolean { .. } | Answer::Number { .. })] => output::text(only)?,
            [] => {}
            answers => {
                let with_ids = answers.iter().any(|answer| answer.id().is_some());
                let headings: &[&str] = if with_ids { &["answer", "id"] } else { &["answer"] };
                let mut table = Table::new(headings).whole(&["id"]);
                for answer in answers.iter().take(shown) {
                    let mut row = vec![answer.to_string()];
                    row.extend(with_ids.then(|| answer.id().unwrap_or_default().to_owned()));
                    table.add_row(row);
                }
                output::text(&table)?;
            }
        },
        Answers::Table { variables, rows } => {
            let headings: Vec<&str> = variables.iter().map(String::as_str).collect();
            let mut table = Table::new(&headings);
            let cell = |answer: &Option<Answer>| answer.as_ref().map_or(String::new(), ToString::to_string);
            for row in rows.iter().take(shown) {
                table.add_row(row.iter().map(cell).collect::<Vec<String>>());
            }
            output::text(&table)?;
        }
        Answers::Rdf(Results::Graph(triples)) => {
            for triple in triples.iter().take(shown) {
                output::exact(&format!("{triple} ."))?;
            }
        }
        // Written by `formatted`.
        Answers::Rdf(_) => {}
    }
    let n = answers.len();
    if n > shown {
        note!("the first {shown} of {} answers; --all shows all", output::count(n));
    }
    // The time is for people who watch; in a file it would only be different every time.
    if std::io::stderr().is_terminal() {
        let answers = output::counted(n, "answer", "answers");
        note!("{answers} in {} ({})", duration(reply.cost.time), reply.engine.unwrap_or(""));
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
pub(crate) fn json(reply: &Reply) -> Result<Outcome> {
    output::json(reply)?;
    ended(reply)
}

/// As results of SPARQL.
pub(crate) fn formatted(reply: &Reply, format: ReplyFormat) -> Result<Outcome> {
    notes(reply);
    match &reply.outcome {
        Ran::Answered(Answers::Rdf(results)) => {
            let mut bytes = Vec::new();
            write(results, format, &mut bytes)?;
            let mut out = output::data();
            out.write_all(&bytes)?;
            if !bytes.ends_with(b"\n") {
                out.write_all(b"\n")?;
            }
            out.flush()?;
        }
        Ran::OverBudget(stopped) => output::note(stopped),
        _ => {}
    }
    ended(reply)
}

/// How an outcome ends the program.
fn ended(reply: &Reply) -> Result<Outcome> {
    match &reply.outcome {
        Ran::Answered(answers) => Outcome::found(!answers.is_empty()),
        Ran::OverBudget(_) => Ok(Outcome::NothingFound),
        Ran::Unparsable(message) | Ran::Failed(message) => bail!("{message}"),
    }
}

fn notes(reply: &Reply) {
    for note in &reply.notes {
        note!("note: {note}");
    }
}
