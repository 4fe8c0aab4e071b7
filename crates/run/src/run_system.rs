//! A complete run: from a system and the questions of a benchmark to a folder of predictions.

use crate::driver::{AskSettings, ask_all};
use crate::errors::ErrorMessage;
use crate::link::Linker;
use crate::llm::schema::packed_schema;
use crate::started::remember_started;
use crate::system::{System, SystemInput};
use serde::Serialize;
use std::path::{Path, PathBuf};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{
    ErrorLimit, Gives, OpenBenchmark, Prediction, Prices, Question, RunHeader, RunJournal, RunJournalError,
};
use touchstone_kb::Progress;

/// Configuration of a run.
pub struct RunConfig<'r> {
    /// The system.
    pub system: &'r dyn System,
    /// The benchmark, with its KB, if available.
    pub benchmark: &'r OpenBenchmark,
    /// The questions to ask: those of [`OpenBenchmark::questions`].
    pub questions: &'r [&'r Question],
    /// The folder of the run. If it already holds this run, the run resumes.
    pub out: PathBuf,
    /// Whether to give the system the entities that a question names.
    pub gold_entities: bool,
    /// Whether to give the system the choices.
    pub choices: bool,
    /// Whether to give the system the part of the schema that the question is about.
    pub schema: bool,
    /// What the system gives for a question, if it does not declare it itself.
    pub gives: Option<Gives>,
    /// The data that the system was trained on, if it does not declare it itself.
    pub trained_on: Option<String>,
    /// Number of questions to ask at once.
    pub workers: usize,
    /// Prices of tokens.
    pub prices: Option<Prices>,
    /// Whether to retry questions that failed.
    pub retry_errors: bool,
    /// Maximum number or share of questions that may fail.
    pub max_errors: ErrorLimit,
    /// The command-line arguments, for resuming the run.
    pub arguments: Vec<String>,
    /// The user's cache folder, which records that the run was started here.
    pub cache: Option<PathBuf>,
}

/// Why a run cannot be started or completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// `--schema` was given, but there is no KB to take the schema from.
    #[error("--schema needs the KB of the benchmark; give it with --kb")]
    SchemaWithoutKb,
    /// The system accepts only the question.
    #[error(
        "`{system}` accepts only questions: its protocol has no fields for choices, entities or a schema"
    )]
    SideInformation {
        /// The system.
        system: String,
    },
    /// The first questions all failed.
    #[error(
        "the first {errors} questions all failed; the run was aborted, and nothing was saved. The last error: {last}"
    )]
    GaveUp {
        /// The number of questions.
        errors: usize,
        /// The error of the last one.
        last: String,
    },
    /// The folder of the run cannot be opened or written.
    #[error(transparent)]
    Journal(#[from] RunJournalError),
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Questions asked in this call.
    pub asked: usize,
    /// Questions that were answered earlier.
    pub before: usize,
    /// Questions that failed in this call.
    pub errors: usize,
    /// Whether all questions are answered; otherwise the user stopped the run.
    pub complete: bool,
    /// The folder of the run.
    pub run: PathBuf,
    /// The first error messages of this call.
    pub error_messages: Vec<ErrorMessage>,
    /// Questions that had failed earlier.
    #[serde(skip)]
    pub errors_before: usize,
    /// Whether more questions failed than allowed.
    #[serde(skip)]
    pub too_many_errors: bool,
}

/// Maximum number of error messages in a summary.
const MAX_MESSAGES: usize = 3;

/// Maximum number of tokens of the schema in the input of a system.
const SCHEMA_TOKENS: usize = 1000;

impl<'r> RunConfig<'r> {
    /// A run of some questions of a benchmark, without extra input, one question at a time.
    pub fn new(
        system: &'r dyn System,
        benchmark: &'r OpenBenchmark,
        questions: &'r [&'r Question],
        out: &Path,
    ) -> RunConfig<'r> {
        RunConfig {
            system,
            benchmark,
            questions,
            out: out.to_owned(),
            gold_entities: false,
            choices: false,
            schema: false,
            gives: None,
            trained_on: None,
            workers: 1,
            prices: None,
            retry_errors: false,
            max_errors: ErrorLimit::Share(1.0),
            arguments: Vec::new(),
            cache: None,
        }
    }

    /// The inputs of the system.
    pub fn inputs(&self) -> Result<Vec<SystemInput>, RunError> {
        if !self.system.takes_side_information() && (self.choices || self.gold_entities || self.schema) {
            return Err(RunError::SideInformation { system: self.system.name() });
        }
        let input = |question: &&Question| SystemInput::of(question, self.gold_entities, self.choices);
        let mut inputs: Vec<SystemInput> = self.questions.iter().map(input).collect();
        if self.schema {
            let kb = self.benchmark.kb.as_ref().ok_or(RunError::SchemaWithoutKb)?;
            let linker = Linker::new(kb, &Lexicon::of(kb));
            for input in &mut inputs {
                let links = linker.link(&input.question, input.entities.as_deref());
                input.schema = Some(packed_schema(kb, &input.question, &links, SCHEMA_TOKENS, false));
            }
        }
        Ok(inputs)
    }

    /// What the system gives, as the run declares it.
    pub fn declared_gives(&self) -> Option<Gives> {
        self.gives.or_else(|| self.system.gives())
    }

    /// What identifies the run.
    fn header(&self) -> RunHeader {
        let OpenBenchmark { benchmark, path, split, limit, .. } = self.benchmark;
        RunHeader {
            benchmark: benchmark.manifest.name.clone(),
            benchmark_identity: benchmark.identity.clone(),
            benchmark_path: path.as_ref().map_or(String::new(), |path| path.display().to_string()),
            split: *split,
            limit: *limit,
            questions: RunHeader::hash_questions(self.questions),
            kb: self.benchmark.kb_fingerprint().to_owned(),
            gold_entities: self.gold_entities,
            choices: self.choices,
            schema: self.schema,
            gives: self.declared_gives(),
            trained_on: self.trained_on.clone().or_else(|| self.system.trained_on()),
            ..RunHeader::new(&self.system.name())
        }
    }
}

/// Asks a system all questions that were not answered earlier, and keeps the predictions in the folder of the run. Each prediction is also
/// passed to the observer. A run that was stopped resumes when it is run again.
///
/// ```
/// use touchstone_benchmark::{KbSource, QuestionSource, Selection};
/// use touchstone_datasets::{DataSet, ImportConfig, Importer, import};
/// use touchstone_kb::NoProgress;
/// use touchstone_logic::Knowledge;
/// use touchstone_run::{FixedPredictions, RunConfig, run_system};
///
/// let folder = tempfile::tempdir()?;
/// let path = |name: &str| folder.path().join(name);
/// std::fs::write(path("mine.json"), r#"[{"id": "q1", "question": "Who directed M?",
///     "query": "Find(M) > Relate(director, forward) > What()", "answers": ["Fritz Lang"]}]"#)?;
/// let importer = Importer { data_set: DataSet::Lines, knowledge: Knowledge::of_spelling(), kb: None };
/// let file = path("mine.json").display().to_string();
/// import(&ImportConfig::of_file(importer, &file), &NoProgress)?.benchmark.write(&path("benchmark"))?;
/// let questions = Some(QuestionSource::Folder(path("benchmark")));
/// let open = Selection { questions, kb: KbSource::None, ..Selection::default() }.open()?;
///
/// // A system without predictions: it answers nothing.
/// let system = FixedPredictions::new("silent", Vec::new());
/// let questions = open.questions()?;
/// let config = RunConfig::new(&system, &open, &questions, &path("run"));
/// let summary = run_system(&config, &NoProgress, &mut |_, _| ())?;
/// assert!(summary.complete && summary.asked == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_system(
    config: &RunConfig<'_>,
    progress: &dyn Progress,
    observer: &mut dyn FnMut(&SystemInput, &Prediction),
) -> Result<RunSummary, RunError> {
    let inputs = config.inputs()?;
    let header = config.header();
    let mut journal = RunJournal::open(&config.out, &header, &config.arguments, config.retry_errors)?;
    if let Some(cache) = &config.cache
        && let Err(error) = remember_started(journal.manifest(), cache)
    {
        tracing::debug!(%error, "resuming this run will ask for confirmation");
    }
    let settings = AskSettings { workers: config.workers, prices: config.prices };
    let done = ask_all(config.system, &inputs, &mut journal, settings, progress, observer)?;
    if let Some(last) = done.gave_up {
        return Err(RunError::GaveUp { errors: done.errors, last });
    }
    let (errors, all) = (done.errors + done.errors_before, done.asked + done.before);
    Ok(RunSummary {
        asked: done.asked,
        before: done.before,
        errors: done.errors,
        complete: done.complete,
        run: config.out.clone(),
        error_messages: done.messages.iter().take(MAX_MESSAGES).cloned().collect(),
        errors_before: done.errors_before,
        too_many_errors: config.max_errors.is_exceeded(errors, all),
    })
}
