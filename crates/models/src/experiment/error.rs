//! Why an experiment cannot be read or run.

use std::error::Error;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{JournalError, KbChoiceError, PackageError, SelectionError};
use touchstone_datasets::InputError;
use touchstone_forge::{BuildError, RecipeError};
use touchstone_grade::GradeError;
use touchstone_kb::KbError;
use touchstone_kb::output::OutputError;
use touchstone_run::RunError;
use touchstone_train::TrainError;

/// Why an experiment cannot be read or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// There is neither a file nor a built-in experiment of this name.
    #[error("`{name}` is neither a file nor a built-in experiment; choose from {}{}", .known.join(", "), hint(.nearest.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The built-in experiments.
        known: Vec<&'static str>,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// The file is not an experiment.
    #[error("{name}: {problem}")]
    Spec {
        /// The file, or the name of a built-in experiment.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// No system of the experiment has this name.
    #[error("the experiment has no system `{name}`; choose from {}{}", .known.join(", "), hint(.nearest.as_deref()))]
    NoSystem {
        /// The name.
        name: String,
        /// The systems of the experiment.
        known: Vec<String>,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// The recipe of a benchmark is wrong after the changes of the experiment.
    #[error("the benchmark `{benchmark}`: {source}")]
    Recipe {
        /// The benchmark.
        benchmark: String,
        /// What is wrong.
        source: RecipeError,
    },
    /// A recipe needs a KB.
    #[error(
        "the benchmark `{benchmark}` is made by a recipe, and `{kb}` is not a KB that it can be built from"
    )]
    NoKb {
        /// The benchmark.
        benchmark: String,
        /// The KB.
        kb: String,
    },
    /// The folder of published data has no pairs.
    #[error(
        "there are no question-query pairs in {}: it needs train.en with train.sparql, test.en with test.sparql and, for early stopping, \
         dev.en with dev.sparql; or one pair of files NAME.en and NAME.sparql, which is divided by template", path.display()
    )]
    NoPairs {
        /// The folder.
        path: PathBuf,
    },
    /// The published pairs cannot be read.
    #[error("none of the {records} pairs in {} can be read; the first: {first}", path.display())]
    UnreadablePairs {
        /// The folder.
        path: PathBuf,
        /// Number of pairs.
        records: usize,
        /// The first problem.
        first: String,
    },
    /// A division leaves a split empty.
    #[error("{} {} leave no {split} questions; give files for each split", count, if *.is_by_template { "templates" } else { "questions" })]
    EmptySplit {
        /// The split.
        split: String,
        /// Number of templates or questions.
        count: usize,
        /// Whether templates are divided.
        is_by_template: bool,
    },
    /// The engine does not answer.
    #[error("{engine} answers none of the first {queries} gold queries; the last reply: {reply}")]
    NoAnswers {
        /// The engine.
        engine: String,
        /// Number of queries.
        queries: usize,
        /// The last reply.
        reply: String,
    },
    /// Published data need an engine.
    #[error("--data needs --engine endpoint:URL, a SPARQL server that holds the KB of these data")]
    DataWithoutEngine,
    /// An engine without published data.
    #[error("--engine needs --data DIR: benchmarks that are built here are graded on their own KB")]
    EngineWithoutData,
    /// A value of `rows.jsonl` cannot be used.
    #[error("{}: line {line}: {problem}; repair or remove the line", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Running failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A run is not complete.
    #[error("the run was stopped")]
    Stopped,
    /// Grading failed.
    #[error(transparent)]
    Grade(Box<GradeError>),
    /// Questions cannot be selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// A benchmark cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A benchmark cannot be read or written.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A data set cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A KB cannot be chosen.
    #[error(transparent)]
    KbChoice(#[from] KbChoiceError),
    /// A KB cannot be made.
    #[error(transparent)]
    Kb(#[from] KbError),
    /// The rows cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be written, or not without losing something of the user's.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A thread panicked.
    #[error("internal error in a cell: {0}")]
    Panic(String),
    /// Anything else.
    #[error(transparent)]
    Other(#[from] Box<dyn Error + Send + Sync>),
}

impl ExperimentError {
    /// Wraps a system error with the file it is about.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ExperimentError {
        let path = path.to_path_buf();
        move |source| ExperimentError::Io { action, path, source }
    }
}

impl From<GradeError> for ExperimentError {
    fn from(error: GradeError) -> ExperimentError {
        ExperimentError::Grade(Box::new(error))
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}
