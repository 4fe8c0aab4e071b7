//! The results of an experiment: lines of `rows.jsonl`, one for each finished cell and each table that needs no training.

use super::error::ExperimentError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;
use touchstone_benchmark::Journal;
use touchstone_grade::sensitivity::SensitivityRow;
use touchstone_train::settings::ModelScale;
use touchstone_train::{CurvePoint, DevEvaluation, StopReason};

/// The name of the file.
pub const ROWS: &str = "rows.jsonl";

/// A line of `rows.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Row {
    /// A finished cell.
    Cell(Box<CellRow>),
    /// What was computed on a benchmark without training.
    Study(Box<StudyRow>),
}

/// The result of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellRow {
    /// The experiment.
    pub experiment: String,
    /// The scale.
    pub scale: ModelScale,
    /// The hash of the configuration.
    pub hash: String,
    /// The name of the system in the experiment.
    pub system: String,
    /// The trainable system.
    pub trainable: String,
    /// The benchmark.
    pub benchmark: String,
    /// The identity of its questions.
    pub benchmark_identity: String,
    /// The share of the training questions.
    pub fraction: f64,
    /// The seed.
    pub seed: u64,
    /// Numbers of questions and parameters.
    pub sizes: Sizes,
    /// All settings.
    pub settings: Table,
    /// Number of steps of training.
    pub steps: u64,
    /// Number of training pairs that were seen, repetitions included.
    pub pairs_seen: u64,
    /// When training ends and which network is kept, in words.
    pub stopping_rule: String,
    /// Why training ended.
    pub stop: StopReason,
    /// The evaluation of the network that was kept.
    pub best: Option<DevEvaluation>,
    /// The scores on the test questions.
    pub scores: BTreeMap<String, f64>,
    /// Number of test questions with each outcome.
    pub outcomes: BTreeMap<String, usize>,
    /// The loss.
    pub curve: Vec<CurvePoint>,
    /// The scores on the development questions.
    pub evaluations: Vec<DevEvaluation>,
    /// How long it took.
    pub seconds: CellSeconds,
    /// What was left out or cut in training.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The version of Touchstone.
    pub tool_version: String,
}

/// Numbers of questions and parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Number of training questions after the fraction was applied.
    pub train: usize,
    /// Number of training pairs that were made of them.
    pub training_pairs: usize,
    /// Number of development questions.
    pub dev: usize,
    /// Number of test questions.
    pub test: usize,
    /// Number of parameters of the network.
    pub parameters: u64,
}

/// How long a cell took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CellSeconds {
    /// Training.
    pub train: f64,
    /// Predicting the test questions.
    pub run: f64,
    /// Grading.
    pub grade: f64,
}

impl CellSeconds {
    /// All of it.
    pub fn sum(&self) -> f64 {
        self.train + self.run + self.grade
    }
}

/// What was computed on a benchmark without training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyRow {
    /// The experiment.
    pub experiment: String,
    /// The scale.
    pub scale: ModelScale,
    /// The hash of the configuration.
    pub hash: String,
    /// The benchmark.
    pub benchmark: String,
    /// The identity of its questions.
    pub benchmark_identity: String,
    /// Number of questions.
    pub questions: usize,
    /// The result.
    pub result: StudyResult,
    /// How long it took.
    pub seconds: f64,
    /// The version of Touchstone.
    pub tool_version: String,
}

/// The result of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StudyResult {
    /// Which axioms measures satisfy.
    Axioms(Vec<AxiomSigns>),
    /// Examples of degradations.
    Transformations {
        /// The question.
        question: String,
        /// The degradations with their queries; `T0` is the gold query.
        queries: Vec<(String, String)>,
    },
    /// How measures react to degradations.
    Sensitivity(Vec<SensitivityRow>),
}

impl StudyResult {
    /// What it is, in words.
    pub fn words(&self) -> &'static str {
        match self {
            StudyResult::Axioms(_) => "axioms",
            StudyResult::Transformations { .. } => "examples of degradations",
            StudyResult::Sensitivity(_) => "synthetic runs",
        }
    }
}

/// The axioms of one measure as signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxiomSigns {
    /// The measure.
    pub measure: String,
    /// A1, A2, A3, per question, partial.
    pub ours: [String; 5],
    /// The published signs.
    pub published: Option<[String; 5]>,
    /// Number of pairs that A1, A2 and A3 were checked on.
    pub pairs: [usize; 3],
}

impl Row {
    /// The hash of its configuration.
    pub fn hash(&self) -> &str {
        match self {
            Row::Cell(row) => &row.hash,
            Row::Study(row) => &row.hash,
        }
    }

    /// The identity of its benchmark.
    pub fn benchmark_identity(&self) -> &str {
        match self {
            Row::Cell(row) => &row.benchmark_identity,
            Row::Study(row) => &row.benchmark_identity,
        }
    }

    /// Whether it is a later result of the same cell or study at the same scale, possibly with other settings.
    fn replaces(&self, other: &Row) -> bool {
        match (self, other) {
            (Row::Cell(a), Row::Cell(b)) => {
                let key = |row: &CellRow| (row.scale, row.seed, row.fraction.to_bits());
                key(a) == key(b) && a.system == b.system && a.benchmark == b.benchmark
            }
            (Row::Study(a), Row::Study(b)) => {
                let kind = std::mem::discriminant(&a.result) == std::mem::discriminant(&b.result);
                kind && a.scale == b.scale && a.benchmark == b.benchmark
            }
            _ => false,
        }
    }
}

/// A number with so few digits that it is the same after it was written and read.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// The rows of an experiment, with the file to which new ones are added.
pub(crate) struct RowJournal {
    journal: Journal,
    rows: Vec<Row>,
}

impl RowJournal {
    /// Opens the file in a folder, or creates it. No other process can write it at the same time.
    pub(crate) fn open(folder: &Path) -> Result<RowJournal, ExperimentError> {
        let mut rows = Vec::new();
        let journal = Journal::open(&folder.join(ROWS), |row| rows.push(row))?;
        Ok(RowJournal { journal, rows })
    }

    /// Whether there is a row with this configuration, about this state of the benchmark.
    pub(crate) fn has(&self, hash: &str, identity: &str) -> bool {
        self.rows.iter().any(|row| row.hash() == hash && row.benchmark_identity() == identity)
    }

    /// Adds a row, and makes it durable.
    pub(crate) fn add(&mut self, row: Row) -> Result<(), ExperimentError> {
        self.journal.add(&row)?;
        self.journal.sync()?;
        self.rows.push(row);
        Ok(())
    }

    /// All rows, in their order.
    pub(crate) fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}

/// Reads the rows in a folder, also while they are being written: a torn last line is left out.
pub fn read_rows(folder: &Path) -> Result<Vec<Row>, ExperimentError> {
    let path: PathBuf = folder.join(ROWS);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ExperimentError::io("read", &path)(error)),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let row = |(at, line): (usize, &str)| {
        let wrong = |error: serde_json::Error| ExperimentError::Row {
            path: path.clone(),
            line: at + 1,
            problem: error.to_string(),
        };
        serde_json::from_str(line).map_err(wrong)
    };
    whole.lines().enumerate().map(row).collect()
}

/// The last row of each cell and study, of several with different settings preferably one of those that are planned.
pub fn current_rows(rows: &[Row], scale: ModelScale, planned: &[&str]) -> Vec<Row> {
    let mut current: Vec<&Row> = Vec::new();
    let of_scale = |row: &&Row| match row {
        Row::Cell(row) => row.scale == scale,
        Row::Study(row) => row.scale == scale,
    };
    for row in rows.iter().filter(of_scale) {
        match current.iter_mut().find(|earlier| row.replaces(earlier)) {
            Some(earlier) if planned.contains(&row.hash()) || !planned.contains(&earlier.hash()) => {
                *earlier = row
            }
            Some(_) => {}
            None => current.push(row),
        }
    }
    current.into_iter().cloned().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::test_rows::cell_row;
    use super::*;
    use std::io::Write;

    #[test]
    fn rows_are_kept_and_a_torn_one_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_rows(folder.path()).unwrap().is_empty());
        let row = cell_row("nspm", 0.5, 1, "a", 0.25);
        let mut journal = RowJournal::open(folder.path()).unwrap();
        journal.add(row.clone()).unwrap();
        assert!(journal.has("a", "i") && !journal.has("a", "other") && !journal.has("b", "i"));
        drop(journal);
        let path = folder.path().join(ROWS);
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"kind\":\"cell\",\"exp").unwrap();
        assert_eq!(read_rows(folder.path()).unwrap(), std::slice::from_ref(&row));
        // The next writer cuts it off.
        let journal = RowJournal::open(folder.path()).unwrap();
        assert_eq!(journal.into_rows(), [row]);
        std::fs::write(&path, "{}\n").unwrap();
        let message = read_rows(folder.path()).unwrap_err().to_string();
        assert!(message.contains("rows.jsonl: line 1"), "{message}");
    }

    #[test]
    fn planned_rows_are_preferred_to_later_ones() {
        let (old, planned, other) = (
            cell_row("nspm", 0.5, 1, "old", 0.1),
            cell_row("nspm", 0.5, 1, "planned", 0.2),
            cell_row("nspm", 1.0, 1, "x", 0.3),
        );
        let rows = [old.clone(), planned.clone(), other.clone()];
        assert_eq!(current_rows(&rows, ModelScale::Smoke, &["planned"]), [planned.clone(), other.clone()]);
        let rows = [planned.clone(), old.clone()];
        assert_eq!(current_rows(&rows, ModelScale::Smoke, &["planned"]), [planned]);
        assert_eq!(current_rows(&rows, ModelScale::Smoke, &[]), [old]);
        assert!(current_rows(&rows, ModelScale::Small, &[]).is_empty());
    }
}
