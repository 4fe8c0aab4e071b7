//! Why a system cannot be trained, or a model cannot be used.

use crate::fit::FitError;
use std::path::{Path, PathBuf};
use touchstone_kb::output::OutputError;

/// Why a system cannot be trained, or a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// No system has this name.
    #[error("no trainable system is named `{name}`; choose from {}{}", .known.join(", "), hint(.nearest.as_deref()))]
    UnknownSystem {
        /// The name.
        name: String,
        /// All systems.
        known: Vec<String>,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// No setting has this name.
    #[error("`{system}` has no setting `{key}`{}; `touchstone models {system}` lists its settings", hint(.nearest.as_deref()))]
    UnknownSetting {
        /// The system.
        system: String,
        /// The name.
        key: String,
        /// The nearest setting.
        nearest: Option<String>,
    },
    /// Several sections have a setting with this name.
    #[error("the setting `{key}` is ambiguous: write {}", .found.join(" or "))]
    AmbiguousSetting {
        /// The name.
        key: String,
        /// The settings with this name.
        found: Vec<String>,
    },
    /// A setting has an unusable value.
    #[error("the setting `{key}` of `{system}` is wrong: {problem}")]
    Setting {
        /// The system.
        system: String,
        /// The setting, or the section.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// A file with settings is not TOML.
    #[error("{}: {problem}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The benchmark has no training questions.
    #[error("the benchmark `{benchmark}` has no training questions; `touchstone stats` lists its splits")]
    NoTraining {
        /// The benchmark.
        benchmark: String,
    },
    /// No training question has the form that the system learns.
    #[error(
        "`{system}` learns {form}, and none of the {questions} training questions of `{benchmark}` has one; \
         `touchstone stats` shows which forms there are"
    )]
    NoForm {
        /// The system.
        system: String,
        /// What it learns.
        form: &'static str,
        /// Number of training questions.
        questions: usize,
        /// The benchmark.
        benchmark: String,
    },
    /// The system needs the KB.
    #[error("`{system}` needs the KB of the benchmark; give it with --kb")]
    NoKb {
        /// The system.
        system: String,
    },
    /// The share of the training questions is not a share.
    #[error("{fraction} is not a fraction of the training questions; give a number above 0 and at most 1")]
    Fraction {
        /// The share.
        fraction: f64,
    },
    /// The share of the training questions is less than one question.
    #[error(
        "a fraction of {fraction} leaves none of {questions} training questions; give at least {least:.4}",
        least = 1.0 / crate::cast::float(*questions)
    )]
    FractionLeavesNothing {
        /// The share.
        fraction: f64,
        /// The number of training questions.
        questions: usize,
    },
    /// There is a model in the output folder already.
    #[error(
        "there is a model in {path} already; choose another --out, or continue its training with `touchstone train --resume {path}`",
        path = .path.display()
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds no model.
    #[error(
        "there is no model in {} (no model.json){}; `touchstone train` creates one", path.display(),
        nearest.as_ref().map(|name| format!("; did you mean {}?", name.display())).unwrap_or_default()
    )]
    NotAModel {
        /// The folder.
        path: PathBuf,
        /// A folder beside it with a similar name that holds a model.
        nearest: Option<PathBuf>,
    },
    /// Training was interrupted before there was a model.
    #[error(
        "the model in {path} is not trained yet: training was interrupted after {steps} steps; \
         `touchstone train --resume {path}` continues it",
        path = .path.display()
    )]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// Number of steps so far.
        steps: u64,
    },
    /// There is nothing to resume.
    #[error("the training of {} is finished; `touchstone run model:{}` runs it", path.display(), path.display())]
    Finished {
        /// The folder.
        path: PathBuf,
    },
    /// Another version of the format.
    #[error("{} has format {found}, and this program reads format {expected}: {}", path.display(), age(*found, *expected))]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The format of this program.
        expected: u64,
    },
    /// A file is missing, truncated, or was changed after it was written.
    #[error("{}: {detail}; train the model again, or restore the file", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// The vocabulary does not fit the network.
    #[error(
        "the vocabularies in {} have {found} words, and the network was made for {expected}: the files belong to different models",
        path.display()
    )]
    Vocabulary {
        /// The folder.
        path: PathBuf,
        /// The number of words, source and target.
        found: String,
        /// The number of words that the network has vectors for.
        expected: String,
    },
    /// The model was trained on another KB.
    #[error(
        "the model in {} was trained on questions about the KB `{trained}` ({trained_fingerprint}), and the KB here has the fingerprint \
         {found}: its forms use names that this KB does not have; give the KB that it was trained on with --kb", path.display()
    )]
    OtherKb {
        /// The model.
        path: PathBuf,
        /// The name of the KB.
        trained: String,
        /// The beginning of its fingerprint.
        trained_fingerprint: String,
        /// The beginning of the fingerprint of the KB that is given.
        found: String,
    },
    /// The benchmark was changed since training began.
    #[error(
        "the training in {} began with the benchmark `{name}` with the identity {trained}, and the one in {} has the identity {found}: \
         train a new model with --out", path.display(), benchmark.display()
    )]
    OtherBenchmark {
        /// The model.
        path: PathBuf,
        /// The name of the benchmark.
        name: String,
        /// Its identity.
        trained: String,
        /// The folder of the benchmark.
        benchmark: PathBuf,
        /// Its identity now.
        found: String,
    },
    /// Training failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A measure that the grader does not have.
    #[error("there is no measure `{name}`{}; `touchstone measures` lists them", hint(.nearest.as_deref()))]
    Measure {
        /// The name.
        name: String,
        /// The nearest measure.
        nearest: Option<String>,
    },
    /// The measure of early stopping cannot be computed.
    #[error(
        "the measure `{measure}` cannot be computed for any development question here: choose another with --set development.measure=em_string"
    )]
    NotMeasured {
        /// The measure.
        measure: String,
    },
    /// A file of word vectors cannot be used.
    #[error("cannot use the word vectors in {}: {problem}", path.display())]
    WordVectors {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The sub-word model cannot be made or used.
    #[error("cannot build sub-words: {0}")]
    SubWords(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The folder cannot be written, or not without losing something of the user's.
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
}

impl TrainError {
    /// Wraps a system error with the file it is about.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> TrainError {
        let path = path.to_path_buf();
        move |source| TrainError::Io { action, path, source }
    }

    /// A file that cannot be used.
    pub fn damaged(path: &Path, detail: impl Into<String>) -> TrainError {
        TrainError::Damaged { path: path.to_path_buf(), detail: detail.into() }
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

fn age(found: u64, expected: u64) -> &'static str {
    if found > expected { "a newer version may read it" } else { "train the model again" }
}
