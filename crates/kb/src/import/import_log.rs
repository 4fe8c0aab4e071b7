//! What an import read, kept and could not parse.

use crate::build::CompileReport;
use crate::counts::counted;
use crate::error::{KbError, Result};
use crate::store::Counts;
use crate::survey::Survey;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

/// A record that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The text around the place.
    pub snippet: String,
    /// The column within the snippet, from 0.
    #[serde(skip)]
    pub caret: usize,
    /// What is wrong.
    pub message: String,
}

const SNIPPET_CHARS: usize = 76;

impl Problem {
    /// A problem at a byte offset of a line; the snippet is cut out around it.
    pub(crate) fn in_line(
        file: &str,
        line: u64,
        text: &[u8],
        offset: usize,
        message: impl Into<String>,
    ) -> Problem {
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches(['\r', '\n']);
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let column = text[..offset].chars().count();
        let from = column.saturating_sub(SNIPPET_CHARS / 2);
        let tab_free = |c: char| if c.is_control() { ' ' } else { c };
        let snippet: String = text.chars().skip(from).take(SNIPPET_CHARS).map(tab_free).collect();
        Problem {
            file: file.to_owned(),
            line,
            column: column as u64 + 1,
            snippet,
            caret: column - from,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if !self.snippet.is_empty() {
            write!(f, "\n  | {}\n  | {:caret$}^", self.snippet, "", caret = self.caret)?;
        }
        Ok(())
    }
}

/// The number of records read of each kind, in the order of first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(pub Vec<(&'static str, u64)>);

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        counts_as_map(&self.0, serializer)
    }
}

/// Writes counts as an object, in their order.
pub(crate) fn counts_as_map<S: Serializer>(
    counts: &[(&'static str, u64)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().copied())
}

impl Tally {
    pub(crate) fn add(&mut self, what: &'static str, n: u64) {
        // A list keeps the order. With a dozen kinds, a scan takes 30 to 45 ns and a hash table 43 to 78 ns.
        match self.0.iter_mut().find(|(kind, _)| *kind == what) {
            Some((_, count)) => *count += n,
            None => self.0.push((what, n)),
        }
    }

    /// Subtracts from the count of a kind.
    fn take(&mut self, what: &str, n: u64) {
        if let Some((_, count)) = self.0.iter_mut().find(|(kind, _)| *kind == what) {
            *count = count.saturating_sub(n);
        }
        self.0.retain(|(_, count)| *count > 0);
    }

    /// The count of a kind.
    pub fn get(&self, what: &str) -> u64 {
        self.0.iter().find(|(kind, _)| *kind == what).map_or(0, |(_, n)| *n)
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, n)| n).sum()
    }
}

/// Cycles of the class hierarchy that are shown.
const CYCLES_SHOWN: usize = 5;

/// The result of an import.
#[derive(Clone, Debug)]
pub struct ImportReport {
    /// Records kept, by what they became.
    pub kept: Tally,
    /// RDF triples that are kept in the graph as written but are not part of the model, by reason.
    pub graph_only: Tally,
    /// Records left out on purpose, by reason.
    pub skipped: Tally,
    /// What was lost from records that were kept, with counts.
    pub notes: Tally,
    /// The number of records that could not be parsed.
    pub n_problems: u64,
    /// The first of them by position.
    pub problems: Vec<Problem>,
    /// The result of compiling.
    pub compiled: CompileReport,
}

impl ImportReport {
    /// Rows of a table: a number of records, what happened to them, and what they are.
    pub fn rows(&self) -> Vec<(u64, &'static str, &'static str)> {
        let exact = self.compiled.is_exact_rdf;
        let mut out = Vec::new();
        let mut section = |rows: &[(&'static str, u64)], fate: &'static str| {
            out.extend(rows.iter().map(|&(what, n)| (n, fate, what)));
        };
        section(&self.kept.0, "kept");
        section(&self.graph_only.0, "graph only");
        section(&self.skipped.0, "skipped");
        if self.n_problems > 0 {
            section(&[("could not be understood, see below", self.n_problems)], "skipped");
        }
        section(&[("read in all", self.n_records())], "total");
        section(&self.compiled.left_out, if exact { "not in model" } else { "of these" });
        if self.compiled.duplicate_facts > 0 {
            section(&[("duplicate facts", self.compiled.duplicate_facts)], "merged");
        }
        section(&self.notes.0, "note");
        out
    }

    /// What people should know besides the numbers, a line each: the first cycles of the class hierarchy and the first problems.
    pub fn details(&self, problems: usize) -> String {
        let mut text = String::new();
        for cycle in self.compiled.cycles.iter().take(CYCLES_SHOWN) {
            let _ =
                writeln!(text, "cycle in the class hierarchy, cut: {} -> {}", cycle.join(" -> "), cycle[0]);
        }
        if self.compiled.cycles.len() > CYCLES_SHOWN {
            let more = self.compiled.cycles.len() - CYCLES_SHOWN;
            let _ = writeln!(text, "... and {}", counted(more, "more cycle", "more cycles"));
        }
        for problem in self.problems.iter().take(problems) {
            let _ = writeln!(text, "{problem}");
        }
        let more_problems = self.n_problems.saturating_sub(problems as u64);
        if more_problems > 0 {
            let more = counted(more_problems, "more problem", "more problems");
            let _ = writeln!(text, "... and {more} (--problems N)");
        }
        text
    }

    /// All records that were read: kept, skipped and not parsed.
    pub fn n_records(&self) -> u64 {
        self.kept.total() + self.graph_only.total() + self.skipped.total() + self.n_problems
    }

    /// The report for JSON output, with at most `max_problems` of the problems.
    pub fn summary<'r>(
        &'r self,
        out: &'r Path,
        survey: &'r Survey,
        max_problems: usize,
    ) -> KbImportSummary<'r> {
        let compiled = &self.compiled;
        KbImportSummary {
            out,
            fingerprint: &compiled.manifest.fingerprint,
            counts: &compiled.manifest.counts,
            records: self.n_records(),
            kept: &self.kept,
            graph_only: &self.graph_only,
            skipped: &self.skipped,
            notes: &self.notes,
            left_out: &compiled.left_out,
            duplicate_facts: compiled.duplicate_facts,
            cycles: &compiled.cycles,
            n_problems: self.n_problems,
            problems: &self.problems[..self.problems.len().min(max_problems)],
            naming: survey,
        }
    }
}

/// What `touchstone kb import --json` prints.
#[derive(Debug, Serialize)]
pub struct KbImportSummary<'r> {
    out: &'r Path,
    fingerprint: &'r str,
    counts: &'r Counts,
    records: u64,
    kept: &'r Tally,
    graph_only: &'r Tally,
    skipped: &'r Tally,
    notes: &'r Tally,
    #[serde(serialize_with = "counts_as_map")]
    left_out: &'r [(&'static str, u64)],
    duplicate_facts: u64,
    cycles: &'r [Vec<String>],
    n_problems: u64,
    problems: &'r [Problem],
    naming: &'r Survey,
}

/// Maximum number of problems to keep with their text; all are counted.
const MAX_PROBLEMS: usize = 1000;

/// Collects the report during an import.
pub(crate) struct ImportLog {
    strict: bool,
    kept: Tally,
    graph_only: Tally,
    skipped: Tally,
    notes: Tally,
    n_problems: u64,
    problems: Vec<Problem>,
}

impl ImportLog {
    pub(crate) fn new(strict: bool) -> ImportLog {
        ImportLog {
            strict,
            kept: Tally::default(),
            graph_only: Tally::default(),
            skipped: Tally::default(),
            notes: Tally::default(),
            n_problems: 0,
            problems: Vec::new(),
        }
    }

    pub(crate) fn keep(&mut self, what: &'static str) {
        self.kept.add(what, 1);
    }

    pub(crate) fn skip(&mut self, why: &'static str) {
        self.skipped.add(why, 1);
    }

    /// Counts a triple that is part of the graph but not of the model.
    pub(crate) fn keep_in_graph(&mut self, why: &'static str) {
        self.graph_only.add(why, 1);
    }

    /// Counts triples outside the model as skipped, for imports that do not keep the graph.
    pub(crate) fn skip_graph_only(&mut self) {
        for (why, n) in std::mem::take(&mut self.graph_only).0 {
            self.skipped.add(why, n);
        }
    }

    /// Moves records from those kept to those left out of the model, and kept in the graph only if there is one.
    pub(crate) fn reclassify(&mut self, kept_as: &'static str, n: u64, why: &'static str, in_graph: bool) {
        if n > 0 {
            self.kept.take(kept_as, n);
            let tally = if in_graph { &mut self.graph_only } else { &mut self.skipped };
            tally.add(why, n);
        }
    }

    /// Counts a loss in a record that is kept.
    pub(crate) fn note(&mut self, what: &'static str) {
        self.notes.add(what, 1);
    }

    /// Counts the same loss several times.
    pub(crate) fn note_times(&mut self, what: &'static str, n: u64) {
        if n > 0 {
            self.notes.add(what, n);
        }
    }

    /// Adds a problem; an error if the import is strict.
    pub(crate) fn problem(&mut self, problem: Problem) -> Result<()> {
        if self.strict {
            return Err(KbError::Input(Box::new(problem)));
        }
        self.n_problems += 1;
        tracing::debug!(%problem, "skipped");
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
        Ok(())
    }

    /// Returns an error if nothing could be imported: such an import must not replace a good KB. An RDF graph may be
    /// empty.
    pub(crate) fn check_not_empty(&mut self, inputs: &[PathBuf], may_be_empty: bool) -> Result<()> {
        let nothing_read = self.n_problems + self.skipped.total() == 0;
        if self.kept.total() + self.graph_only.total() > 0 || may_be_empty && nothing_read {
            return Ok(());
        }
        self.problems.sort();
        let mut problem = self.problems.first().cloned().unwrap_or_else(|| {
            let file = inputs.first().map(|path| path.display().to_string()).unwrap_or_default();
            Problem {
                file,
                line: 1,
                column: 1,
                snippet: String::new(),
                caret: 0,
                message: "it is empty".to_owned(),
            }
        });
        let left_out = self.n_problems + self.skipped.total();
        let why = format!(
            "nothing in the input could be kept (records left out: {left_out}); is --from right? First: "
        );
        problem.message.insert_str(0, if left_out == 0 { "nothing to import: " } else { &why });
        Err(KbError::Input(Box::new(problem)))
    }

    pub(crate) fn into_report(mut self, compiled: CompileReport) -> ImportReport {
        self.problems.sort();
        ImportReport {
            kept: self.kept,
            graph_only: self.graph_only,
            skipped: self.skipped,
            notes: self.notes,
            n_problems: self.n_problems,
            problems: self.problems,
            compiled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_shows_where() {
        let line = "<a> <b> ünd so weiter".as_bytes();
        let problem = Problem::in_line("x.nt", 7, line, 8, "expected an IRI");
        assert_eq!(
            problem.to_string(),
            "x.nt:7:9: expected an IRI\n  | <a> <b> ünd so weiter\n  |         ^"
        );
        let long = "x".repeat(500);
        let problem = Problem::in_line("x.nt", 1, long.as_bytes(), 300, "too long");
        assert_eq!((problem.column, problem.snippet.len(), problem.caret), (301, 76, 38));
        Problem::in_line("x.nt", 1, b"\xff\xfe\x00", 99, "binary data does not panic");
    }
}
