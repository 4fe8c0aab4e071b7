//! Why a run cannot be graded.

use crate::facets::FACETS;
use crate::neighbour::NeighbourError;
use crate::regression::TooFew;
use crate::same::DifferentBenchmarks;
use std::path::PathBuf;
use touchstone_benchmark::{PredictionError, SelectionError};
use touchstone_kb::counts::counted;
use touchstone_kb::output::OutputError;
use touchstone_kb::shortened;

/// Why a run cannot be graded, or grades cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GradeError {
    /// The questions cannot be selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The action.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The output folder cannot be written, or only by losing user files.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The predictions cannot be read.
    #[error("{name}: {source}")]
    Predictions {
        /// The source of the predictions.
        name: String,
        /// The problem.
        source: PredictionError,
    },
    /// There are two predictions for one question.
    #[error(
        "{name}: there are two different predictions for question `{}`; remove one of them",
        shortened(id)
    )]
    Contradiction {
        /// The source of the predictions.
        name: String,
        /// The question.
        id: String,
    },
    /// There is nothing to grade.
    #[error("there are no predictions in {name}")]
    NoPredictions {
        /// The source of the predictions.
        name: String,
    },
    /// No prediction is for a question to grade.
    #[error(
        "{} in {name}, but none is for a question {} `{}`: nothing was graded",
        counted(*predictions, "prediction is", "predictions are"),
        if *is_elsewhere { "selected for grading from" } else { "of the benchmark" },
        shortened(benchmark)
    )]
    NothingInCommon {
        /// The source of the predictions.
        name: String,
        /// Number of predictions.
        predictions: usize,
        /// Whether some are for questions of the benchmark that are not selected.
        is_elsewhere: bool,
        /// The name of the benchmark.
        benchmark: String,
    },
    /// The file of ids is empty.
    #[error("{} has no ids; write one per line", .0.display())]
    NoIds(PathBuf),
    /// An id in the file of ids is unknown.
    #[error(
        "{}, line {line}: no question selected for grading has the id `{}`{}",
        path.display(),
        shortened(id),
        if *others > 0 { format!(" (other such ids: {others})") } else { String::new() }
    )]
    UnknownId {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The id.
        id: String,
        /// Number of further unknown ids.
        others: usize,
    },
    /// There is no such measure.
    #[error("there is no measure `{name}`{} (`touchstone measures` lists them)", did_you_mean(nearest.as_deref()))]
    UnknownMeasure {
        /// The name.
        name: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// There is no such facet.
    #[error("there is no facet `{name}`{} (choose from {})", did_you_mean(nearest.as_deref()), FACETS.join(", "))]
    UnknownFacet {
        /// The name.
        name: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// The work needs a KB.
    #[error("{} a KB, but none was given", .0.description())]
    NoKb(NeedsKb),
    /// GrailQA's evaluator needs Freebase's ontology.
    #[error("GrailQA's evaluator compares with Freebase's ontology, which a compiled KB does not keep")]
    NoOntology,
    /// A line of the file of neighbours cannot be read.
    #[error("{}, line {line}: not a line of neighbours written by `touchstone distil`: {source}", path.display())]
    Neighbours {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        source: serde_json::Error,
    },
    /// The neighbours belong to another KB.
    #[error("{}, line {line}: made for a different KB: {source}", path.display())]
    OtherNeighbours {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the KB does not have.
        source: NeighbourError,
    },
    /// The grades do not exist.
    #[error("cannot read {}; `touchstone grade --out {}` writes it: {source}", folder.join("grades.jsonl").display(), folder.display())]
    NoGrades {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line of `grades.jsonl` is not a grade.
    #[error("{}, line {line}: not a grade record: {source}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        source: serde_json::Error,
    },
    /// `summary.json` cannot be read.
    #[error("{} is damaged: {source}", path.display())]
    Summary {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: serde_json::Error,
    },
    /// The runs belong to different benchmarks.
    #[error(transparent)]
    Benchmarks(#[from] DifferentBenchmarks),
    /// The grades belong to another benchmark.
    #[error(
        "{} was graded on another benchmark: `{}` with identity {found}, but this is `{}` with identity {identity}",
        folder.display(),
        shortened(found_name),
        shortened(name)
    )]
    OtherBenchmark {
        /// The folder of the grades.
        folder: PathBuf,
        /// The name of their benchmark.
        found_name: String,
        /// The identity of their benchmark.
        found: String,
        /// The name of this benchmark.
        name: String,
        /// The identity of this benchmark.
        identity: String,
    },
    /// There are no runs to compare.
    #[error("no run was given")]
    NoRuns,
    /// No question is in all runs.
    #[error("the runs have no question in common")]
    NoCommonQuestion,
    /// A measure that is not available in both runs.
    #[error("`{0}` is not measured in both runs; `touchstone measures` lists the names")]
    NotMeasured(String),
    /// The runs were not graded by this facet.
    #[error(
        "{run} is not graded by `{facet}`: it has {}; `touchstone grade --by {facet}` adds it",
        if known.is_empty() { "no facets".to_owned() } else { known.join(", ") }
    )]
    NotGradedBy {
        /// The run.
        run: String,
        /// The facet.
        facet: String,
        /// The facets that it has.
        known: Vec<String>,
    },
    /// The regression cannot be computed.
    #[error("`{measure}` is measured for {}: {source}", counted(*questions, "question", "questions"))]
    Regression {
        /// The measure.
        measure: String,
        /// Number of questions that have it.
        questions: usize,
        /// The problem.
        source: TooFew,
    },
    /// This program cannot tag parts of speech.
    #[error(
        "this program was built without the part-of-speech tagger, which a regression needs; build it with the cargo feature `tagger`"
    )]
    NoTagger,
    /// No question has SPARQL.
    #[error("no question here has a form in SPARQL; `touchstone convert --to sparql` translates other forms")]
    NoSparql,
    /// No question has a text that degradations of texts can change.
    #[error(
        "no question here has a form in SPARQL or as an S-expression, and that is what T1, T2 and T3 change; drop, flip, function, unit and year change programs, too"
    )]
    NoText,
    /// A share is out of range.
    #[error("a share must be between 0 and 1, not {0}")]
    Share(f64),
    /// The user stopped it.
    #[error("stopped; nothing was written")]
    Cancelled,
}

/// Work that needs a KB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeedsKb {
    /// Grading on neighbours.
    Robust,
    /// Making neighbours.
    Distil,
}

impl NeedsKb {
    fn description(self) -> &'static str {
        match self {
            NeedsKb::Robust => "grading on neighbours needs",
            NeedsKb::Distil => "making neighbours needs",
        }
    }
}

impl GradeError {
    /// Whether there was nothing to grade, although the files are valid.
    pub fn is_nothing_to_grade(&self) -> bool {
        matches!(self, GradeError::NoPredictions { .. } | GradeError::NothingInCommon { .. })
    }
}

pub(crate) fn io(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(std::io::Error) -> GradeError {
    let path = path.into();
    move |source| GradeError::Io { action, path, source }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}
