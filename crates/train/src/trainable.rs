//! What a trainable system is.

use crate::error::TrainError;
use crate::model_files::ModelFiles;
use crate::session::TrainSession;
use crate::settings::ModelScale;
use serde::Serialize;
use std::path::Path;
use toml::Table;
use touchstone_benchmark::{Gives, Prediction, Question};
use touchstone_kb::Kb;
use touchstone_run::SystemInput;

/// A published system that can be trained. Object-safe, so that commands treat all systems alike.
///
/// The frame ([`train_system`](crate::train_system)) selects questions, writes checkpoints and resumes; a system prepares data, trains a
/// network in a [`TrainSession`], and predicts.
///
/// `examples/most_frequent_form` of this crate implements it. Commands use systems like this:
///
/// ```
/// use touchstone_train::settings::ModelScale;
/// use touchstone_train::{Trainable, system_named};
///
/// # mod most_frequent_form { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/most_frequent_form/mod.rs")); }
/// # use most_frequent_form::MostFrequentForm;
/// let systems: Vec<Box<dyn Trainable>> = vec![Box::new(MostFrequentForm::new())];
/// let system = system_named(&systems, "most-frequent")?;
/// assert_eq!(system.about().description, "the most frequent query of the training questions");
/// assert_eq!(system.cost(ModelScale::Small).time, "a second");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Trainable: Send + Sync {
    /// What is known about it.
    fn about(&self) -> &SystemAbout;

    /// All its settings at a scale, with a table for each section.
    fn settings(&self, scale: ModelScale) -> Table;

    /// Checks settings of this system: every key is known, every value is usable.
    fn check(&self, settings: &Table) -> Result<(), TrainError>;

    /// What it costs at a scale.
    fn cost(&self, scale: ModelScale) -> TrainingCost;

    /// Reads training questions, and learns vocabularies from them; `files` are those of an earlier preparation, which is continued.
    fn prepare<'d>(
        &self,
        settings: &Table,
        data: &TrainingData<'d>,
        files: Option<&ModelFiles>,
    ) -> Result<Box<dyn Preparation + 'd>, TrainError>;

    /// Opens a trained network: `network` is the file with its parameters, `folder` the model in messages.
    fn open(
        &self,
        settings: &Table,
        files: &ModelFiles,
        network: &[u8],
        folder: &Path,
    ) -> Result<Box<dyn Predictor>, TrainError>;
}

/// What is known about a system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SystemAbout {
    /// Its name, as users type it.
    pub name: &'static str,
    /// What it is, in one line.
    pub description: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// What it gives for a question.
    pub gives: Gives,
}

/// What a system needs to be trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// The form of questions that it learns, if it learns forms.
    pub form: Option<FormKind>,
    /// Whether it needs the choices.
    pub choices: bool,
    /// Whether it needs the entities that questions name.
    pub gold_entities: bool,
    /// Whether it needs the KB.
    pub kb: bool,
}

/// A form of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FormKind {
    /// S-expressions.
    Sexpr,
    /// KoPL programs.
    Program,
    /// SPARQL on the direct view.
    Sparql,
    /// SPARQL on KQA Pro's graph.
    SparqlKqapro,
}

impl FormKind {
    /// The form of a question.
    pub fn of(self, question: &Question) -> Option<&str> {
        let forms = &question.forms;
        match self {
            FormKind::Sexpr => forms.sexpr.as_deref(),
            FormKind::Program => forms.program.as_deref(),
            FormKind::Sparql => forms.sparql.as_deref(),
            FormKind::SparqlKqapro => forms.sparql_kqapro.as_deref(),
        }
    }

    /// Its name in sentences.
    pub fn words(self) -> &'static str {
        match self {
            FormKind::Sexpr => "S-expressions",
            FormKind::Program => "KoPL programs",
            FormKind::Sparql => "SPARQL (`sparql`)",
            FormKind::SparqlKqapro => "SPARQL for KQA Pro's graph (`sparql_kqapro`)",
        }
    }

    /// Its name in tables.
    pub fn short(self) -> &'static str {
        match self {
            FormKind::Sexpr => "S-expressions",
            FormKind::Program => "KoPL programs",
            FormKind::Sparql => "SPARQL",
            FormKind::SparqlKqapro => "SPARQL (KQA Pro)",
        }
    }
}

/// What a system costs at a scale.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrainingCost {
    /// Number of parameters, with `words` words on each side.
    pub parameters: u64,
    /// Number of words or pieces that `parameters` assumes on each side.
    pub words: u64,
    /// Expected duration of training, in words.
    pub time: &'static str,
}

/// The questions to learn from.
#[derive(Clone)]
pub struct TrainingData<'d> {
    /// The name of the benchmark, for messages.
    pub benchmark: &'d str,
    /// The training questions, after the fraction was applied.
    pub train: Vec<&'d Question>,
    /// The questions for early stopping.
    pub dev: Vec<&'d Question>,
    /// The KB, if it is there.
    pub kb: Option<&'d Kb>,
    /// The seed.
    pub seed: u64,
}

/// Prepared data.
pub trait Preparation {
    /// What a model needs besides its network: vocabularies, sub-words.
    fn files(&self) -> &ModelFiles;

    /// Number of training examples.
    fn examples(&self) -> usize;

    /// What was left out or cut, in sentences.
    fn notes(&self) -> &[String];

    /// Trains the network in a session.
    fn train(&self, session: &mut TrainSession<'_>) -> Result<(), TrainError>;
}

/// A trained system.
pub trait Predictor: Send + Sync {
    /// The prediction for a question.
    fn predict(&self, input: &SystemInput) -> Prediction;
}
