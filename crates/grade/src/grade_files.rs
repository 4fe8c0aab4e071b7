//! Grades on disk: `grades.jsonl` and `summary.json`, both or neither, next to any other files in the folder.

use crate::grade_error::{GradeError, io};
use crate::same::About;
use crate::summary::Summary;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use touchstone_benchmark::GradeRow;
use touchstone_kb::output::{OutputFolder, OutputKind, failpoint};

const GRADES: &str = "grades.jsonl";
const SUMMARY: &str = "summary.json";

/// Grades as an output kind: they are usually next to the predictions.
const GRADES_OUTPUT: OutputKind = OutputKind {
    name: "grades",
    manifest: SUMMARY,
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: valid_grades,
};

/// Grades that are being written.
pub(crate) struct GradeWriter {
    folder: OutputFolder,
    grades: BufWriter<File>,
}

impl GradeWriter {
    /// Earlier grades are replaced when the new ones are complete; with `force` even if they were edited.
    pub(crate) fn reserve(folder: &Path, force: bool) -> Result<GradeWriter, GradeError> {
        let folder = OutputFolder::reserve(folder, &GRADES_OUTPUT, &[GRADES, SUMMARY], force)?;
        let path = folder.path().join(GRADES);
        let grades = File::create(&path).map_err(io("write", path))?;
        Ok(GradeWriter { folder, grades: BufWriter::with_capacity(1 << 20, grades) })
    }

    /// Adds lines.
    pub(crate) fn add(&mut self, lines: &[u8]) -> Result<(), GradeError> {
        self.grades.write_all(lines).map_err(io("write", GRADES))
    }

    /// Moves the grades and their summary into place.
    pub(crate) fn finish(mut self, summary: &Summary) -> Result<(), GradeError> {
        self.grades.flush().map_err(io("write", GRADES))?;
        failpoint("grades-written");
        write_json(&self.folder, SUMMARY, summary)?;
        Ok(self.folder.commit()?)
    }
}

/// Writes a value as indented JSON into a folder under construction.
pub(crate) fn write_json(
    folder: &OutputFolder,
    name: &'static str,
    value: &impl serde::Serialize,
) -> Result<(), GradeError> {
    let text = serde_json::to_string_pretty(value).map_err(std::io::Error::from);
    let path = folder.path().join(name);
    text.and_then(|text| std::fs::write(path, text + "\n")).map_err(io("write", name))
}

/// Reads the rows of `grades.jsonl` in a folder one by one.
pub fn read_rows(folder: &Path) -> Result<impl Iterator<Item = Result<GradeRow, GradeError>>, GradeError> {
    let path = folder.join(GRADES);
    let file =
        File::open(&path).map_err(|source| GradeError::NoGrades { folder: folder.to_path_buf(), source })?;
    let lines = BufReader::with_capacity(1 << 20, file).lines().enumerate();
    Ok(lines.map(move |(at, line)| {
        let line = line.map_err(io("read", &path))?;
        serde_json::from_str(&line).map_err(|source| GradeError::Row {
            path: path.clone(),
            line: at + 1,
            source,
        })
    }))
}

/// Reads which benchmark the grades in a folder belong to; grades of 0.1 may have no summary.
pub(crate) fn read_about(folder: &Path) -> Result<About, GradeError> {
    let path = folder.join(SUMMARY);
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|source| GradeError::Summary { path, source }),
        Err(_) => Ok(About::default()),
    }
}

/// The grades of version 0.1, which had no marker: both files, if both can be read completely.
fn valid_grades(folder: &Path) -> Vec<String> {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only their presence is checked")]
    struct Grade {
        id: String,
        outcome: String,
        measures: serde_json::Map<String, serde_json::Value>,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only their presence is checked")]
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
