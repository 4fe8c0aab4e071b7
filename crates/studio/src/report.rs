//! From the folders of graded runs to the file of their report.

mod coverage;
mod data;
mod facets;
mod findings;
mod measures;
mod model;
mod names;
mod opening;
mod page;
#[cfg(test)]
mod page_tests;
mod questions;
mod scores;

pub use self::model::{Report, ReportRun};
pub use self::page::report_page;
use serde::de::DeserializeOwned;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;
use touchstone_benchmark::{
    ChosenKb, EmbeddedKb, KbChoiceError, KbIdentity, KbSource, RunManifest, RunManifestError, choose_kb,
};
use touchstone_grade::same::{DifferentBenchmarks, RunQuestions, same_benchmark};
use touchstone_grade::{GradeError, read_rows};
use touchstone_kb::output::{OutputError, OutputFile};
use touchstone_kb::{Kb, Progress};

/// Which runs a report is about, and where it goes.
#[derive(Clone, Default)]
pub struct ReportConfig {
    /// Folders that `touchstone grade --out` has written.
    pub runs: Vec<PathBuf>,
    /// The heading; the name of the benchmark if absent.
    pub title: Option<String>,
    /// The file to write.
    pub out: PathBuf,
    /// Whether to replace a file that Touchstone did not write or that was changed since.
    pub force: bool,
    /// The KB with the names of what query graphs name by ids; by default the one that the runs were graded on, if it is found.
    pub kb: KbSource,
    /// The KB that the program carries.
    pub embedded: Option<EmbeddedKb>,
    /// The day to put on the report, as `2026-11-19`; none if empty.
    pub date: String,
}

/// A report that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenReport {
    /// Its heading.
    pub title: String,
    /// The size of the file.
    pub bytes: usize,
}

/// Why there is no report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A folder has no grades, or a line of `grades.jsonl` is not a grade.
    #[error(transparent)]
    Grades(Box<GradeError>),
    /// A file cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file is not what its name promises.
    #[error("{}: not the JSON that `touchstone` writes there", .path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// `run.json` of a run cannot be read.
    #[error(transparent)]
    Run(#[from] RunManifestError),
    /// The KB that was asked for cannot be opened.
    #[error(transparent)]
    Kb(#[from] KbChoiceError),
    /// The runs are about different benchmarks.
    #[error(transparent)]
    Mixed(#[from] DifferentBenchmarks),
    /// The page cannot be made.
    #[error("cannot write the data of the report")]
    Data(#[from] serde_json::Error),
    /// The file cannot be written.
    #[error("cannot write the output")]
    Write(#[source] io::Error),
    /// The file cannot be reserved or put in its place, or a folder cannot be read.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl From<GradeError> for ReportError {
    fn from(error: GradeError) -> ReportError {
        ReportError::Grades(Box::new(error))
    }
}

/// Writes the report of graded runs: one HTML file that needs nothing else.
///
/// ```
/// use touchstone_benchmark::GradeRow;
/// use touchstone_kb::NoProgress;
/// use touchstone_studio::{ReportConfig, report};
///
/// // What `touchstone_grade::grade_run` writes: a row for each question.
/// let folder = tempfile::tempdir()?;
/// let run = folder.path().join("mine");
/// std::fs::create_dir(&run)?;
/// let row = GradeRow { id: "q1".to_owned(), question: "Who discovered radium?".to_owned(), ..GradeRow::default() };
/// std::fs::write(run.join("grades.jsonl"), serde_json::to_string(&row)? + "\n")?;
///
/// let out = folder.path().join("report.html");
/// let written = report(&ReportConfig { runs: vec![run], out: out.clone(), ..ReportConfig::default() }, &NoProgress)?;
/// assert_eq!(std::fs::read(&out)?.len(), written.bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(config: &ReportConfig, progress: &dyn Progress) -> Result<WrittenReport, ReportError> {
    let mut file = OutputFile::reserve(&config.out, Some(&touchstone_kb::cache_dir()), config.force)?;
    progress.stage("reading grades", None);
    let read = |folder: &PathBuf| touchstone_kb::output::read(folder, || read_run(folder));
    let mut runs: Vec<ReportRun> = config.runs.iter().map(read).collect::<Result<_, _>>()?;
    tell_apart(&mut runs, &config.runs);
    let graded = runs.iter().map(|run| {
        let questions = run.grades.iter().map(|grade| (grade.id.as_str(), grade.question.as_str()));
        RunQuestions { name: &run.name, about: &run.summary.about, questions: questions.collect() }
    });
    same_benchmark(&graded.collect::<Vec<_>>())?;
    let benchmark =
        runs.first().map(|run| run.summary.about.benchmark.as_str()).filter(|name| !name.is_empty());
    let title = config.title.clone().unwrap_or_else(|| heading(benchmark, &runs));
    let kb = open_kb(config, &runs)?;
    progress.stage("writing the report", None);
    let names = kb.as_ref().map(|kb| names::names_in(kb, runs.iter().flat_map(|run| &run.grades)));
    let report = Report {
        title,
        kb: kb.as_ref().map(|kb| KbIdentity::of(Some(kb))),
        names: names.unwrap_or_default(),
        date: config.date.clone(),
        runs,
    };
    let report = report.completed();
    let page = report_page(&report)?;
    file.write_all(page.as_bytes()).map_err(ReportError::Write)?;
    file.commit()?;
    Ok(WrittenReport { title: report.title, bytes: page.len() })
}

/// Runs in folders of the same name are called by their paths.
fn tell_apart(runs: &mut [ReportRun], folders: &[PathBuf]) {
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    for (run, folder) in runs.iter_mut().zip(folders) {
        if names.iter().filter(|name| **name == run.name).count() > 1 {
            run.name = folder.display().to_string();
        }
    }
}

/// The heading of a report without one of the user's.
fn heading(benchmark: Option<&str>, runs: &[ReportRun]) -> String {
    let benchmark = benchmark.unwrap_or("a benchmark");
    match runs {
        [run] => format!("{} on {benchmark}", run.name),
        [first, second] => format!("{} and {} on {benchmark}", first.name, second.name),
        _ => format!("{} systems on {benchmark}", runs.len()),
    }
}

/// The KB that was asked for, or the one that the runs were graded on, if it can be opened: a report without names is still a report.
fn open_kb(config: &ReportConfig, runs: &[ReportRun]) -> Result<Option<Kb>, ReportError> {
    let fingerprint = |run: &ReportRun| {
        let declared = run.manifest.as_ref().map(|manifest| manifest.header.kb.clone());
        run.summary.kb.clone().or(declared).filter(|fingerprint| !fingerprint.is_empty())
    };
    let wanted = KbIdentity {
        name: String::new(),
        fingerprint: runs.iter().find_map(fingerprint).unwrap_or_default(),
    };
    let near: Vec<&Path> = config.runs.iter().map(PathBuf::as_path).collect();
    match choose_kb(&config.kb, &wanted, &near, config.embedded) {
        Ok(ChosenKb::Kb(kb) | ChosenKb::Other { kb, .. }) => Ok(Some(*kb)),
        Ok(ChosenKb::None | ChosenKb::Missing) => Ok(None),
        Err(_) if config.kb == KbSource::OfBenchmark => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn read_run(folder: &Path) -> Result<ReportRun, ReportError> {
    let grades = read_rows(folder)?.collect::<Result<_, _>>()?;
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(ReportRun {
        name: name.unwrap_or_else(|| folder.display().to_string()),
        manifest: RunManifest::read_if_present(folder)?,
        summary: read_json(&folder.join("summary.json"))?.unwrap_or_default(),
        sensitivity: read_json(&folder.join("sensitivity.json"))?,
        regression: read_json(&folder.join("regression.json"))?,
        grades,
    })
}

/// The content of a file that may be absent.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ReportError> {
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|source| ReportError::Read { path: path.to_owned(), source })?;
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|source| ReportError::NotJson { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::{ReportError, read_run};
    use std::fs::write;
    use touchstone_grade::GradeError;

    #[test]
    fn runs_are_read_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let grade_error = || match read_run(folder.path()) {
            Err(ReportError::Grades(error)) => Some(*error),
            _ => None,
        };
        assert!(matches!(grade_error(), Some(GradeError::NoGrades { .. })));
        let row = r#"{"id":"q1","outcome":"answered","measures":{"f1":1.0}}"#;
        write(path("grades.jsonl"), format!("{row}\nno grade\n")).expect("written");
        assert!(matches!(grade_error(), Some(GradeError::Row { line: 2, .. })));
        write(path("grades.jsonl"), format!("{row}\n")).expect("written");
        assert_eq!(read_run(folder.path()).expect("a run").grades.len(), 1, "summary.json may be absent");
        let summary = r#"{"benchmark":"b","identity":"i","questions":1,"outcomes":{"answered":1},
            "measures":{"f1":{"version":1,"n":1,"mean":1.0,"low":null,"high":1.0,"answered":{"n":1,"mean":1.0,"low":1.0,"high":1.0}}}}"#;
        write(path("summary.json"), summary).expect("written");
        let run = read_run(folder.path()).expect("a run");
        assert_eq!((run.summary.about.benchmark.as_str(), run.summary.measures["f1"].all.mean), ("b", 1.0));
        assert!(run.summary.measures["f1"].all.low.is_nan(), "null is not a number");
        write(path("summary.json"), "[1]").expect("written");
        assert!(matches!(read_run(folder.path()), Err(ReportError::NotJson { .. })));
    }
}
