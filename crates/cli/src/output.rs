//! Tables for people, JSON for machines.

use anyhow::{Context, Result};
use clap::ValueEnum;
use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Writes text to standard output, without the blanks that tables leave at the ends of lines.
pub(crate) fn text(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for line in text.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(())
}

/// Writes a value as JSON to standard output.
pub(crate) fn json(value: &impl Serialize) -> Result<()> {
    text(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Writes a note for people to standard error, where it does not disturb a pipe.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes an error and its causes to standard error. Library errors name theirs themselves: not again.
pub(crate) fn error(error: &anyhow::Error) {
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(&format!(": {cause}"));
        }
    }
    note(&text);
}

/// A text that may be of any length, cut to what a message can hold.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A table with headings, as wide as the terminal allows.
pub(crate) fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    let lines = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(lines).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(100);
    }
    table.set_header(headings);
    table
}

/// A table of the library, at most so many of its rows.
pub(crate) fn shown(table: &touchstone_grade::table::Table, most: usize) -> Table {
    let headings: Vec<&str> = table.headings.iter().map(String::as_str).collect();
    let mut out = self::table(&headings);
    for row in table.rows.iter().take(most) {
        out.add_row(row);
    }
    out
}

/// How a table is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormatName {
    /// For people
    Table,
    /// For a comment or a page
    Markdown,
    /// For a spreadsheet: numbers in full
    Csv,
    /// For a paper, with the rules of booktabs
    Latex,
    /// For continuous integration: what was checked, as tests
    Junit,
}

/// A number with separators: 1,234,567.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    touchstone_engine::budget::grouped(number.try_into().unwrap_or(0))
}

/// A number with its noun: 1 entity, 2 entities.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A file to write aside, as readable as any other new file.
pub(crate) fn aside_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes a file: aside first, so that there is all of it or nothing.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = || format!("cannot write {}", path.display());
    let mut aside = aside_in(folder).with_context(cannot)?;
    aside.write_all(bytes).with_context(cannot)?;
    aside.persist(path).with_context(cannot)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn thousands() {
        for (number, text) in [(0u64, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
    }
}
