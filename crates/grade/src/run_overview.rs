//! An overview of the runs in a folder: their systems, progress, cost, and scores if they are graded.

use crate::grade_error::{GradeError, io};
use crate::summary::Summary;
use crate::table::{Check, ReportFormat, ScoreTable, junit, quantity};
use crate::usage::UsageSummary;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use touchstone_benchmark::{Prediction, RunJournal, RunManifest, SelectionError, Usage};
use touchstone_kb::counts::grouped;
use touchstone_kb::shortened;

/// A run, or graded predictions of a file.
#[derive(Debug, Serialize)]
pub struct RunOverview {
    /// The name of its folder.
    pub run: String,
    /// The header of the run; `None` for graded predictions of a file.
    #[serde(flatten)]
    pub manifest: Option<RunManifest>,
    /// The benchmark of graded predictions of a file; empty for runs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub graded_on: String,
    /// The number of predictions.
    pub predictions: usize,
    /// The number of predictions with an error.
    pub errors: usize,
    /// Their cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageSummary>,
    /// The mean of each measure; empty if the run is not graded.
    pub scores: BTreeMap<String, f64>,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// All questions were asked.
    Complete,
    /// Some questions were not asked.
    Stopped,
    /// Not a run: graded predictions of a file.
    Graded,
}

impl RunState {
    /// Its name in tables.
    pub fn word(self) -> &'static str {
        match self {
            RunState::Complete => "complete",
            RunState::Stopped => "stopped",
            RunState::Graded => "graded",
        }
    }
}

impl RunOverview {
    /// The runs and graded predictions in a folder, which may itself be one. A damaged one does not hide the others.
    pub fn list(folder: &Path) -> Result<Vec<Result<RunOverview, GradeError>>, GradeError> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io("read", folder))? {
            folders.push(entry.map_err(io("read", folder))?.path());
        }
        folders.sort();
        folders.insert(0, folder.to_path_buf());
        folders.retain(|folder| folder.join(RunManifest::FILE).exists() || is_graded(folder));
        Ok(folders.iter().map(|folder| RunOverview::read(folder)).collect())
    }

    /// The entry for the folder of a run or of grades.
    fn read(folder: &Path) -> Result<RunOverview, GradeError> {
        let manifest = RunManifest::read_if_present(folder).map_err(SelectionError::from)?;
        let path = folder.join(RunJournal::FILE);
        let (mut predictions, mut errors) = (0, 0);
        let mut usages: Vec<Usage> = Vec::new();
        if let Ok(file) = File::open(&path) {
            for line in BufReader::new(file).lines() {
                let line = line.map_err(io("read", &path))?;
                // The last line of a run in progress may be incomplete.
                let Ok(prediction) = serde_json::from_str::<Prediction>(&line) else { continue };
                predictions += 1;
                errors += usize::from(prediction.error.is_some());
                usages.push(prediction.usage);
            }
        }
        let mut overview = RunOverview {
            run: folder
                .file_name()
                .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned()),
            manifest,
            graded_on: String::new(),
            predictions,
            errors,
            usage: UsageSummary::of(&usages),
            scores: BTreeMap::new(),
        };
        let summary = std::fs::read_to_string(folder.join("summary.json")).ok();
        if let Some(summary) = summary.and_then(|text| serde_json::from_str::<Summary>(&text).ok()) {
            let means = summary.measures.into_iter().map(|(name, score)| (name, score.all.mean));
            overview.scores = means.filter(|(_, mean)| !mean.is_nan()).collect();
            if overview.manifest.is_none() {
                overview.predictions = summary.questions;
                overview.graded_on = summary.about.benchmark;
            }
        }
        Ok(overview)
    }

    /// Its progress.
    pub fn state(&self) -> RunState {
        match &self.manifest {
            Some(manifest) if manifest.ended.is_some() => RunState::Complete,
            Some(_) => RunState::Stopped,
            None => RunState::Graded,
        }
    }

    /// The name of the benchmark.
    pub fn benchmark(&self) -> &str {
        self.manifest.as_ref().map_or(&self.graded_on, |manifest| &manifest.header.benchmark)
    }

    /// The system without its configuration, which is in `run.json`.
    pub fn system(&self) -> &str {
        let system = self.manifest.as_ref().map_or("(file)", |manifest| manifest.header.system.as_str());
        system.split([',', ';']).next().unwrap_or_default()
    }

    /// A run passes if it is complete and not all of its questions failed.
    pub fn check(&self) -> Check {
        let failure = if self.state() == RunState::Stopped {
            Some("the run is not complete".to_owned())
        } else if self.predictions > 0 && self.errors == self.predictions {
            Some("every question failed".to_owned())
        } else {
            None
        };
        let found = format!("{} predictions, {} errors", self.predictions, self.errors);
        Check { name: self.run.clone(), found, failure }
    }

    /// All runs with these measures, in numbers for people; times and costs only where they are known.
    pub fn short_table(runs: &[RunOverview], measures: &[String]) -> ScoreTable {
        let usages = || runs.iter().filter_map(|run| run.usage);
        let is_timed = usages().any(|usage| usage.seconds.is_some());
        let is_paid = usages().any(|usage| usage.cost.is_some());
        let mut headings = vec!["run", "system", "benchmark", "n", "errors", "started", "state"];
        headings.extend(is_timed.then_some("s/question"));
        headings.extend(is_paid.then_some("cost"));
        headings.extend(measures.iter().map(String::as_str));
        let mut table = ScoreTable::new("", headings);
        for run in runs {
            let of_manifest = |cell: fn(&RunOverview, &RunManifest) -> String| {
                run.manifest.as_ref().map_or(String::new(), |manifest| cell(run, manifest))
            };
            let mut cells = vec![
                run.run.clone(),
                shortened(run.system()),
                run.benchmark().to_owned(),
                grouped(run.predictions),
                of_manifest(|run, _| grouped(run.errors)),
                of_manifest(|_, manifest| {
                    manifest.started.chars().take(16).collect::<String>().replace('T', " ")
                }),
                run.state().word().to_owned(),
            ];
            let number = |value: Option<f64>| value.map_or(String::new(), quantity);
            let usage = run.usage.unwrap_or_default();
            cells.extend(is_timed.then(|| number(usage.seconds.map(|seconds| seconds.median))));
            cells.extend(is_paid.then(|| number(usage.cost.map(|cost| cost.total))));
            cells.extend(measures.iter().map(|name| run.score(name)));
            table.add(cells);
        }
        table
    }

    /// A score with three digits; empty if there is none.
    fn score(&self, measure: &str) -> String {
        self.scores.get(measure).map_or(String::new(), |score| format!("{score:.3}"))
    }

    /// All runs with these measures for other programs; JUnit has a check of each.
    pub fn write(runs: &[RunOverview], measures: &[String], format: ReportFormat) -> String {
        match format {
            ReportFormat::Tables(format) => RunOverview::table(runs, measures).write(format),
            ReportFormat::Junit => junit("runs", &runs.iter().map(RunOverview::check).collect::<Vec<_>>()),
        }
    }

    /// All runs with these measures, in full.
    pub fn table(runs: &[RunOverview], measures: &[String]) -> ScoreTable {
        let fixed = [
            "run",
            "system",
            "benchmark",
            "n",
            "errors",
            "state",
            "median seconds",
            "tokens in",
            "tokens out",
            "cost",
        ];
        let mut table = ScoreTable::new("", fixed.into_iter().chain(measures.iter().map(String::as_str)));
        for run in runs {
            let usage = run.usage.unwrap_or_default();
            let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            let mut cells = vec![
                run.run.clone(),
                shortened(run.system()),
                run.benchmark().to_owned(),
                run.predictions.to_string(),
                run.errors.to_string(),
                run.state().word().to_owned(),
                number(usage.seconds.map(|spread| spread.median)),
                number(usage.tokens_in.map(|spread| spread.total)),
                number(usage.tokens_out.map(|spread| spread.total)),
                number(usage.cost.map(|spread| spread.total)),
            ];
            cells.extend(measures.iter().map(|name| run.score(name)));
            table.add(cells);
        }
        table
    }
}

/// Whether a folder holds grades.
fn is_graded(folder: &Path) -> bool {
    folder.join("summary.json").is_file() && folder.join("grades.jsonl").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_benchmark::RunHeader;

    #[test]
    fn runs_are_counted_and_damaged_ones_reported() {
        let dir = tempfile::tempdir().expect("a folder");
        let run = dir.path().join("a");
        let mut journal = RunJournal::open(&run, &RunHeader::new("mine, slow"), &[], false).expect("a run");
        let usage = Usage { seconds: Some(2.0), ..Usage::default() };
        let answered = Prediction { id: "1".to_owned(), usage, ..Prediction::default() };
        journal.add(&answered).expect("written");
        journal.add(&Prediction::failed("2", "time-out")).expect("written");
        journal.close(false).expect("closed");
        let damaged = dir.path().join("b");
        std::fs::create_dir(&damaged).expect("a folder");
        std::fs::write(damaged.join("run.json"), "{").expect("written");
        let graded = dir.path().join("c");
        std::fs::create_dir(&graded).expect("a folder");
        std::fs::write(graded.join("grades.jsonl"), "").expect("written");
        let summary = r#"{"questions": 7, "benchmark": "quick", "measures": {"f1": {"mean": 0.5}, "exec": {"mean": null}}}"#;
        std::fs::write(graded.join("summary.json"), summary).expect("written");
        let runs = RunOverview::list(dir.path()).expect("a list");
        assert!(runs.len() == 3 && runs[1].is_err());
        let runs: Vec<RunOverview> = runs.into_iter().flatten().collect();
        let (a, c) = (&runs[0], &runs[1]);
        assert_eq!((a.run.as_str(), a.system(), a.predictions, a.errors), ("a", "mine", 2, 1));
        assert_eq!((a.state(), c.state(), c.benchmark()), (RunState::Stopped, RunState::Graded, "quick"));
        assert_eq!(a.usage.and_then(|usage| usage.seconds).map(|seconds| seconds.n), Some(1));
        assert_eq!((c.predictions, c.scores.get("f1"), c.scores.len()), (7, Some(&0.5), 1));
        assert_eq!(a.check().failure.as_deref(), Some("the run is not complete"));
    }
}
