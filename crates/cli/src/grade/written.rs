//! Grades on disk: `grades.jsonl` and `summary.json`, both or neither, among whatever else is in the folder.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use touchstone_grade::summary::Summary;
use touchstone_kb::output::{OutputFolder, OutputKind, failpoint};

const GRADES: &str = "grades.jsonl";
const SUMMARY: &str = "summary.json";

/// Grades as an output: they usually lie beside the predictions.
const GRADES_OUTPUT: OutputKind = OutputKind {
    name: "grades",
    manifest: SUMMARY,
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: valid_grades,
};

/// Grades that are being written.
pub(super) struct Written {
    folder: OutputFolder,
    grades: BufWriter<File>,
}

impl Written {
    /// Grades that are there are replaced when the new ones are complete; with `force` also if they were edited.
    pub(super) fn reserve(folder: &Path, force: bool) -> Result<Written> {
        let folder = OutputFolder::reserve(folder, &GRADES_OUTPUT, &[GRADES, SUMMARY], force)?;
        let grades = File::create(folder.path().join(GRADES)).context("cannot write grades.jsonl")?;
        Ok(Written { folder, grades: BufWriter::with_capacity(1 << 20, grades) })
    }

    /// Adds a line.
    pub(super) fn add(&mut self, line: &str) -> Result<()> {
        self.grades.write_all(line.as_bytes()).context("cannot write grades.jsonl")
    }

    /// Puts the grades and their summary into place.
    pub(super) fn finish(mut self, summary: &Summary) -> Result<()> {
        self.grades.flush().context("cannot write grades.jsonl")?;
        failpoint("grades-written");
        let text = serde_json::to_string_pretty(summary)? + "\n";
        std::fs::write(self.folder.path().join(SUMMARY), text).context("cannot write summary.json")?;
        Ok(self.folder.commit()?)
    }
}

/// The grades of version 0.1, which had no marker: both files if all of both can be read.
fn valid_grades(folder: &Path) -> Vec<String> {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only their being there is checked")]
    struct Grade {
        id: String,
        outcome: String,
        measures: serde_json::Map<String, serde_json::Value>,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only their being there is checked")]
    struct Scores {
        benchmark: String,
        questions: u64,
        measures: serde_json::Map<String, serde_json::Value>,
    }
    let is_grade =
        |line: std::io::Result<String>| line.is_ok_and(|line| serde_json::from_str::<Grade>(&line).is_ok());
    let grades = File::open(folder.join(GRADES)).map(BufReader::new);
    let are_grades = || grades.is_ok_and(|grades| grades.lines().all(is_grade));
    let summary = std::fs::read(folder.join(SUMMARY)).unwrap_or_default();
    if serde_json::from_slice::<Scores>(&summary).is_ok() && are_grades() {
        vec![GRADES.to_owned(), SUMMARY.to_owned()]
    } else {
        Vec::new()
    }
}
