//! Explains the scores of a graded run by the language of its questions.

use crate::grade_error::GradeError;
use crate::grade_files::{read_about, read_rows, write_json};
use crate::language::{Analyst, COLUMNS};
use crate::regression::{Regression, regress};
use crate::statistics::mean_and_deviation;
use crate::table::ScoreTable;
use hashbrown::HashMap;
use serde::Serialize;
use std::path::PathBuf;
use touchstone_benchmark::{OpenBenchmark, Question};
use touchstone_kb::output::{OutputFolder, OutputKind};

/// Configuration of a regression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegressConfig {
    /// The folder of a graded run.
    pub grades: PathBuf,
    /// The measure.
    pub measure: String,
    /// Write `regression.json` into the folder, for the report.
    pub write: bool,
    /// Replace an earlier `regression.json` even if it was edited.
    pub force: bool,
}

/// A regression, with its columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegressedRun {
    /// The coefficients.
    pub regression: Regression,
    /// Each column with its mean and its deviation.
    pub means: Vec<(String, f64, f64)>,
    /// The descriptions of the columns.
    pub columns: [(&'static str, &'static str); COLUMNS.len()],
}

impl RegressedRun {
    /// A row for each coefficient.
    pub fn table(&self) -> ScoreTable {
        let mut table = ScoreTable::new("", ["", "mean", "deviation", "coefficient", "error", "p", ""]);
        for coefficient in &self.regression.coefficients {
            let of_column = self.means.iter().find(|(name, ..)| *name == coefficient.name);
            table.add([
                coefficient.name.clone(),
                of_column.map_or(String::new(), |(_, mean, _)| format!("{mean:.2}")),
                of_column.map_or(String::new(), |(.., deviation)| format!("{deviation:.2}")),
                format!("{:+.5}", coefficient.estimate),
                format!("{:.5}", coefficient.error),
                format!("{:.4}", coefficient.p),
                coefficient.stars.clone(),
            ]);
        }
        table
    }
}

const REGRESSION: &str = "regression.json";

/// A regression as an output kind: it is next to the grades.
const REGRESSION_OUTPUT: OutputKind = OutputKind {
    name: "regression",
    manifest: REGRESSION,
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: |folder| {
        let text = std::fs::read(folder.join(REGRESSION)).unwrap_or_default();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        if json["coefficients"].is_array() { vec![REGRESSION.to_owned()] } else { Vec::new() }
    },
};

/// Explains a measure of a graded run by the language of the questions. Nothing is run: the benchmark may be open without its KB.
pub fn regress_run(open: &OpenBenchmark, config: &RegressConfig) -> Result<RegressedRun, GradeError> {
    let about = read_about(&config.grades)?;
    if !about.identity.is_empty() && about.identity != open.benchmark.identity {
        return Err(GradeError::OtherBenchmark {
            folder: config.grades.clone(),
            found_name: about.benchmark,
            found: about.identity,
            name: open.benchmark.manifest.name.clone(),
            identity: open.benchmark.identity.clone(),
        });
    }
    let analyst = Analyst::new(&open.training())?;
    let questions: HashMap<&str, &Question> =
        open.questions()?.into_iter().map(|question| (question.id.as_str(), question)).collect();
    let mut columns: Vec<(String, Vec<f64>)> =
        COLUMNS.iter().map(|(name, _)| ((*name).to_owned(), Vec::new())).collect();
    let mut values = Vec::new();
    for row in read_rows(&config.grades)? {
        let row = row?;
        let (Some(question), Some(&value)) =
            (questions.get(row.id.as_str()), row.measures.get(&config.measure))
        else {
            continue;
        };
        values.push(value);
        for ((_, column), value) in columns.iter_mut().zip(analyst.values(question)) {
            column.push(value);
        }
    }
    let regression = regress(&config.measure, &values, &columns).map_err(|source| {
        GradeError::Regression { measure: config.measure.clone(), questions: values.len(), source }
    })?;
    if config.write {
        let folder = OutputFolder::reserve(&config.grades, &REGRESSION_OUTPUT, &[REGRESSION], config.force)?;
        write_json(&folder, REGRESSION, &regression)?;
        folder.commit()?;
    }
    let means = columns.into_iter().map(|(name, column)| {
        let (mean, deviation) = mean_and_deviation(&column);
        (name, mean, deviation)
    });
    Ok(RegressedRun { regression, means: means.collect(), columns: COLUMNS })
}
