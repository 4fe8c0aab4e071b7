//! Which questions of which benchmark, with the KB and the ontology that belong to them: what running and grading start from.

use crate::gives::Gives;
use crate::kb_choice::{ChosenKb, EmbeddedKb, KbChoiceError, KbSource, choose_kb};
use crate::kinds::Split;
use crate::locate::benchmark_of_run;
use crate::package::{Benchmark, KbIdentity, PackageError};
use crate::question::Question;
use crate::run_manifest::{RunHeader, RunManifest, RunManifestError};
use std::error::Error;
use std::path::{Path, PathBuf};
use touchstone_kb::{Kb, shortened};
use touchstone_logic::{Ontology, OntologyError};

/// Imports the questions of a published data set, with the KB and the ontology that are known.
pub type DatasetImport<'e> =
    dyn Fn(Option<&Kb>, Option<&Ontology>) -> Result<Benchmark, Box<dyn Error + Send + Sync>> + 'e;

/// Where questions come from.
#[derive(Clone)]
pub enum QuestionSource<'e> {
    /// The folder of a benchmark.
    Folder(PathBuf),
    /// A published data set.
    DataSet(&'e DatasetImport<'e>),
}

/// Which questions, with which KB and which ontology.
///
/// ```
/// use touchstone_benchmark::{Benchmark, BenchmarkManifest, KbSource, QuestionSource, Selection, Split};
///
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path().join("bench");
/// # let question = serde_json::from_str(r#"{"id": "q1", "split": "test", "level": "", "question": "Who directed M?", "forms": {},
/// #     "graph": {"root": 0, "vertices": [], "edges": []}, "shape": "", "alias": null, "function": "none", "type": "QueryName",
/// #     "categories": [], "answers": [], "choices": [], "template": "", "schema_items": [], "entities": [], "proof": [], "source": ""}"#)?;
/// # Benchmark::new(BenchmarkManifest::named("films"), vec![question]).write(&folder)?;
/// let selection = Selection {
///     questions: Some(QuestionSource::Folder(folder)),
///     split: Some(Split::Test),
///     limit: Some(100),
///     kb: KbSource::None,
///     ..Selection::default()
/// };
/// let open = selection.open()?;
/// assert_eq!(open.questions()?[0].question, "Who directed M?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Selection<'e> {
    /// Where they come from; without it the benchmark of `run`.
    pub questions: Option<QuestionSource<'e>>,
    /// Only this split; without it all but train, or what the run asked.
    pub split: Option<Split>,
    /// Maximum number of questions.
    pub limit: Option<usize>,
    /// The KB.
    pub kb: KbSource,
    /// The KB that the program carries.
    pub embedded: Option<EmbeddedKb>,
    /// A folder with Freebase's ontology files.
    pub ontology: Option<PathBuf>,
    /// The folder of a run: its KB and its questions are selected. A folder without `run.json` is ignored.
    pub run: Option<PathBuf>,
    /// The directory in which the run was started, if it is not the current one: paths of questions, KB and ontology are relative to it,
    /// and the KB is searched for there, too.
    pub directory: Option<PathBuf>,
}

/// Questions that were selected and opened.
pub struct OpenBenchmark {
    /// All of the benchmark.
    pub benchmark: Benchmark,
    /// The folder of the benchmark, absolute.
    pub path: Option<PathBuf>,
    /// The selected split; without it all but train.
    pub split: Option<Split>,
    /// Maximum number of questions.
    pub limit: Option<usize>,
    /// The KB.
    pub kb: Option<Kb>,
    /// The KB that the benchmark names, if it was not found.
    pub missing_kb: Option<KbIdentity>,
    /// Freebase's ontology.
    pub ontology: Option<Ontology>,
    /// What the system of the run gives, if the run declares it.
    pub gives: Option<Gives>,
    /// What the user should know.
    pub warnings: Vec<SelectionWarning>,
}

/// What the user should know about a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectionWarning {
    /// The run was made on another KB than the benchmark; its KB is taken.
    KbOfRun,
    /// The requested KB is not the benchmark's.
    OtherKb {
        /// What was requested.
        requested: String,
        /// The KB of the benchmark.
        wanted: KbIdentity,
    },
}

impl std::fmt::Display for SelectionWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SelectionWarning::KbOfRun => f.write_str(
                "the run was made on another KB than the benchmark; it is graded on the KB of the run",
            ),
            SelectionWarning::OtherKb { requested, wanted } => write!(
                f,
                "{requested} is not the KB that the benchmark was made from ({wanted}); its gold answers may not be true here (`touchstone lint` checks them)"
            ),
        }
    }
}

/// Why questions cannot be selected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// Neither questions nor a run were given.
    #[error("no questions are given: neither a benchmark, nor a data set, nor the folder of a run")]
    NoQuestions,
    /// No questions were given, and the run does not exist.
    #[error("`{}` is neither a run folder nor a predictions file", .0.display())]
    NoRun(PathBuf),
    /// The benchmark of a run was not found.
    #[error(
        "cannot find the benchmark of {}, `{}`: it is neither at {} nor next to the run",
        run.display(),
        shortened(benchmark),
        if path.is_empty() { "a known place" } else { path }
    )]
    BenchmarkOfRun {
        /// The folder of the run.
        run: PathBuf,
        /// The name of the benchmark.
        benchmark: String,
        /// Where it was when the run was made; empty if unknown.
        path: String,
    },
    /// The run was made on another benchmark.
    #[error(
        "the run in {} was made on another benchmark: `{}` with identity {found}, but this is `{}` with identity {identity}",
        run.display(),
        shortened(found_name),
        shortened(name)
    )]
    OtherBenchmark {
        /// The folder of the run.
        run: PathBuf,
        /// The name of the run's benchmark.
        found_name: String,
        /// The identity of the run's benchmark.
        found: String,
        /// The name of this benchmark.
        name: String,
        /// The identity of this benchmark.
        identity: String,
    },
    /// The run asked other questions of the benchmark.
    #[error("the run in {} was made on other questions (of the benchmark `{benchmark}`) than these", run.display())]
    OtherQuestions {
        /// The folder of the run.
        run: PathBuf,
        /// The name of the benchmark.
        benchmark: String,
    },
    /// The KB of the benchmark was not found.
    #[error(
        "cannot find the KB of the benchmark, {0}: no KB that was imported on this machine, and none next to the benchmark, has that fingerprint"
    )]
    MissingKb(KbIdentity),
    /// The benchmark has no question in the split.
    #[error("this benchmark has no split `{0}`; run `touchstone stats` to list its splits")]
    NoSplit(Split),
    /// The benchmark has nothing but training questions.
    #[error("there is no question to grade in this benchmark; run `touchstone stats` to list its splits")]
    NothingSelected,
    /// The benchmark cannot be read.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunManifestError),
    /// The KB cannot be opened.
    #[error(transparent)]
    Kb(#[from] KbChoiceError),
    /// The ontology cannot be read.
    #[error(transparent)]
    Ontology(#[from] OntologyError),
    /// The data set cannot be imported.
    #[error(transparent)]
    DataSet(Box<dyn Error + Send + Sync>),
}

impl Selection<'_> {
    /// Opens the benchmark, its KB and the ontology, and selects the questions that the run asked.
    pub fn open(&self) -> Result<OpenBenchmark, SelectionError> {
        let run = match &self.run {
            Some(folder) if folder.join("run.json").is_file() => {
                Some((folder.as_path(), RunManifest::read(folder)?.header))
            }
            _ => None,
        };
        let folder = self.folder(run.as_ref())?;
        let ontology = self.ontology.as_deref().map(|folder| Ontology::load(&self.at(folder))).transpose()?;
        let benchmark = folder.as_deref().map(Benchmark::read).transpose()?;
        let mut warnings = Vec::new();
        let wanted = self.wanted_kb(benchmark.as_ref(), run.as_ref(), &mut warnings);
        let of_run = run.as_ref().map(|(folder, _)| *folder);
        let near = [folder.as_deref(), of_run, self.directory.as_deref()];
        let near: Vec<&Path> = near.into_iter().flatten().collect();
        let (mut kb, mut missing_kb) = (None, None);
        let kb_source = match &self.kb {
            KbSource::Folder(folder) => KbSource::Folder(self.at(folder)),
            other => other.clone(),
        };
        match choose_kb(&kb_source, &wanted, &near, self.embedded)? {
            ChosenKb::Kb(found) => kb = Some(*found),
            ChosenKb::Other { kb: found, requested } => {
                warnings.push(SelectionWarning::OtherKb { requested, wanted });
                kb = Some(*found);
            }
            ChosenKb::None => {}
            ChosenKb::Missing => missing_kb = Some(wanted),
        }
        let benchmark = match (benchmark, &self.questions) {
            (Some(benchmark), _) => benchmark,
            (None, Some(QuestionSource::DataSet(import))) => {
                import(kb.as_ref(), ontology.as_ref()).map_err(SelectionError::DataSet)?
            }
            (None, _) => return Err(SelectionError::NoQuestions),
        };
        let path = folder.and_then(|path| path.canonicalize().ok());
        let (split, limit) = (self.split, self.limit);
        let open =
            OpenBenchmark { benchmark, path, split, limit, kb, missing_kb, ontology, gives: None, warnings };
        match run {
            Some((folder, header)) => open.asked_by_run(folder, header),
            None => Ok(open),
        }
    }

    /// A path, as seen from the directory in which the run was started.
    fn at(&self, path: &Path) -> PathBuf {
        self.directory.as_ref().map_or_else(|| path.to_path_buf(), |directory| directory.join(path))
    }

    /// The folder of the benchmark.
    fn folder(&self, run: Option<&(&Path, RunHeader)>) -> Result<Option<PathBuf>, SelectionError> {
        match (&self.questions, run) {
            (Some(QuestionSource::Folder(folder)), _) => Ok(Some(self.at(folder))),
            (Some(QuestionSource::DataSet(_)), _) => Ok(None),
            (None, None) => match &self.run {
                Some(run) if !run.exists() => Err(SelectionError::NoRun(run.clone())),
                _ => Ok(None),
            },
            (None, Some((run, header))) => match benchmark_of_run(run, header) {
                Some(folder) => Ok(Some(folder)),
                None => Err(SelectionError::BenchmarkOfRun {
                    run: run.to_path_buf(),
                    benchmark: header.benchmark.clone(),
                    path: header.benchmark_path.clone(),
                }),
            },
        }
    }

    /// The KB of the run, else that of the benchmark.
    fn wanted_kb(
        &self,
        benchmark: Option<&Benchmark>,
        run: Option<&(&Path, RunHeader)>,
        warnings: &mut Vec<SelectionWarning>,
    ) -> KbIdentity {
        let nameless =
            |fingerprint: &str| KbIdentity { name: String::new(), fingerprint: fingerprint.to_owned() };
        let wanted = benchmark.map_or_else(|| nameless(""), |benchmark| benchmark.manifest.kb.clone());
        match run {
            Some((_, header))
                if self.kb == KbSource::OfBenchmark
                    && !header.kb.is_empty()
                    && header.kb != wanted.fingerprint =>
            {
                if !wanted.fingerprint.is_empty() {
                    warnings.push(SelectionWarning::KbOfRun);
                }
                nameless(&header.kb)
            }
            _ => wanted,
        }
    }
}

impl OpenBenchmark {
    /// Selects the questions that a run asked.
    fn asked_by_run(mut self, run: &Path, header: RunHeader) -> Result<OpenBenchmark, SelectionError> {
        self.gives = header.gives;
        if !header.benchmark_identity.is_empty() && header.benchmark_identity != self.benchmark.identity {
            return Err(SelectionError::OtherBenchmark {
                run: run.to_path_buf(),
                found_name: header.benchmark,
                found: header.benchmark_identity,
                name: self.benchmark.manifest.name,
                identity: self.benchmark.identity,
            });
        }
        if self.split.is_none() {
            (self.split, self.limit) = (header.split, header.limit);
            if RunHeader::hash_questions(&self.questions()?) != header.questions {
                let (run, benchmark) = (run.to_path_buf(), header.benchmark);
                return Err(SelectionError::OtherQuestions { run, benchmark });
            }
        }
        Ok(self)
    }

    /// Refuses to go on without the KB that the benchmark names.
    pub fn require_kb(&self) -> Result<(), SelectionError> {
        match &self.missing_kb {
            Some(wanted) => Err(SelectionError::MissingKb(wanted.clone())),
            None => Ok(()),
        }
    }

    /// The selected questions.
    pub fn questions(&self) -> Result<Vec<&Question>, SelectionError> {
        let is_selected = |question: &&Question| match self.split {
            Some(split) => question.split == split,
            None => question.split != Split::Train,
        };
        let found = self.benchmark.questions.iter().filter(is_selected);
        let found: Vec<&Question> = found.take(self.limit.unwrap_or(usize::MAX)).collect();
        match self.split {
            _ if !found.is_empty() => Ok(found),
            Some(split) => Err(SelectionError::NoSplit(split)),
            None => Err(SelectionError::NothingSelected),
        }
    }

    /// All questions of the benchmark.
    pub fn all_questions(&self) -> Vec<&Question> {
        self.benchmark.questions.iter().collect()
    }

    /// The questions to learn from.
    pub fn training(&self) -> Vec<&Question> {
        self.benchmark.questions.iter().filter(|question| question.split == Split::Train).collect()
    }

    /// Whether the KB is the one that the benchmark was made from.
    pub fn has_own_kb(&self) -> bool {
        let wanted = &self.benchmark.manifest.kb.fingerprint;
        self.kb.as_ref().is_some_and(|kb| kb.manifest().fingerprint == *wanted)
    }

    /// Whether the benchmark was made from a KB, and this is another one.
    pub fn has_other_kb(&self) -> bool {
        self.kb.is_some() && !self.benchmark.manifest.kb.fingerprint.is_empty() && !self.has_own_kb()
    }

    /// The fingerprint of the KB, or of the one that the benchmark was made from.
    pub fn kb_fingerprint(&self) -> &str {
        let own = self.kb.as_ref().map(|kb| kb.manifest().fingerprint.as_str());
        own.unwrap_or(&self.benchmark.manifest.kb.fingerprint)
    }
}
