//! Answers as tables, JSON, and SPARQL results.

use crate::{Outcome, output};
use anyhow::{Result, bail};
use std::io::{IsTerminal, Write};
use touchstone_engine::sparql::{ReplyFormat, Results, write};
use touchstone_engine::{AnswerTable, Answers, Outcome as Ran, Reply};
use touchstone_kb::counts::short_time;
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
    if let Some(only) = answers.single_value() {
        output::text(only)?;
    } else if let Some(AnswerTable { headings, rows }) = answers.table(shown) {
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let is_list = matches!(answers, Answers::List { .. });
        let mut table = Table::new(&headings).whole(if is_list { &["id"] } else { &[] });
        rows.iter().for_each(|row| table.add_row(row));
        if !(is_list && rows.is_empty()) {
            output::text(&table)?;
        }
    } else if let Answers::Rdf(Results::Graph(triples)) = answers {
        for triple in triples.iter().take(shown) {
            output::exact(&format!("{triple} ."))?;
        }
    }
    let n = answers.len();
    if n > shown {
        note!("the first {shown} of {} answers; --all shows all", output::count(n));
    }
    // The time is for people who watch; in a file it would only be different every time.
    if std::io::stderr().is_terminal() {
        let answers = output::counted(n, "answer", "answers");
        note!("{answers} in {} ({})", short_time(reply.cost.time), reply.engine.unwrap_or(""));
    }
    ended(reply)
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
