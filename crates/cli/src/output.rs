//! Tables for people, JSON for machines.

use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;
use touchstone_datasets::ReasonCounts;
use touchstone_grade::table::{Check, ScoreTable};
use touchstone_kb::output::OutputFile;
use touchstone_terminal::{Table, VisibleWriter, escaped};

pub(crate) use touchstone_terminal::visible;

pub(crate) use touchstone_kb::counts::{counted, grouped as count, megabytes, percent};
pub(crate) use touchstone_kb::shortened;

/// Writes formatted text for people to standard output; see [`text`].
macro_rules! say {
    ($($part:tt)*) => { $crate::output::text(format_args!($($part)*)) };
}

/// Writes a formatted note for people to standard error; see [`note`].
macro_rules! note {
    ($($part:tt)*) => { $crate::output::note(format_args!($($part)*)) };
}

/// Writes text for people to standard output, without the blanks that tables leave at the ends of lines.
pub(crate) fn text(text: impl Display) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for line in visible(&text.to_string()).lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(())
}

/// Writes a value as JSON to standard output.
pub(crate) fn json(value: &impl Serialize) -> Result<()> {
    text(escaped(&serde_json::to_string_pretty(value)?))
}

/// Writes a value as a line of JSON to standard output.
pub(crate) fn json_line(value: &impl Serialize) -> Result<()> {
    text(escaped(&serde_json::to_string(value)?))
}

/// Standard output for data in the format of others: exact in a file or a pipe, safe on a terminal.
pub(crate) fn data() -> Box<dyn Write> {
    let out = std::io::stdout().lock();
    if out.is_terminal() { Box::new(VisibleWriter::new(out)) } else { Box::new(out) }
}

/// Writes a text that programs read, too, to standard output.
pub(crate) fn exact(text: &str) -> Result<()> {
    let mut out = data();
    for line in text.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(())
}

/// Writes a note for people to standard error, where it does not disturb a pipe.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&text.to_string()));
}

/// Writes an error and its causes to standard error. Library errors name theirs themselves: not again.
pub(crate) fn error(error: &anyhow::Error) {
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(&format!(": {cause}"));
        }
    }
    note(text);
}

/// Writes sentences to standard output, in lines that fit the terminal.
pub(crate) fn prose(sentences: &str) -> Result<()> {
    item(sentences, 0)
}

/// Writes a line to standard output, wrapped under its beginning where it does not fit the terminal.
pub(crate) fn item(line: &str, indent: usize) -> Result<()> {
    text(touchstone_terminal::wrapped(line, &" ".repeat(indent), touchstone_terminal::width()))
}

/// The first rows of a table of the library.
pub(crate) fn shown(table: &ScoreTable, most: usize) -> Table {
    let headings: Vec<&str> = table.headings.iter().map(String::as_str).collect();
    let mut out = Table::new(&headings);
    for row in table.rows.iter().take(most) {
        out.add_row(row);
    }
    out
}

/// How a table is printed for people; other formats are for programs.
pub(crate) const FOR_PEOPLE: (&str, &str) = ("table", "Human-readable");

/// A number of questions.
pub(crate) fn questions(number: impl TryInto<u64>) -> String {
    counted(number, "question", "questions")
}

/// A share or score with three digits.
pub(crate) fn three(value: f64) -> String {
    format!("{value:.3}")
}

/// Reports the most frequent reasons why records were left out.
pub(crate) fn report_reasons(reasons: &ReasonCounts, what: &str) {
    reasons.lines(what).iter().for_each(note);
}

/// Reports the checks that failed; whether there is none.
pub(crate) fn passed(checks: &[Check]) -> bool {
    let failures: Vec<&String> = checks.iter().filter_map(|check| check.failure.as_ref()).collect();
    for failure in &failures {
        note!("failed: {failure}");
    }
    failures.is_empty()
}

/// Reserves a file that a command writes, before the work of making its content. Only a file that this program wrote is replaced,
/// or with `force` any.
pub(crate) fn file(path: &Path, force: bool) -> Result<OutputFile> {
    Ok(OutputFile::reserve(path, Some(&touchstone_kb::cache_dir()), force)?)
}

/// Writes a whole file that was reserved.
pub(crate) fn write_file(mut file: OutputFile, bytes: &[u8]) -> Result<()> {
    file.write_all(bytes).context("cannot write the output")?;
    Ok(file.commit()?)
}
