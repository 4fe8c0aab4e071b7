//! Arguments that several commands share.

use crate::open_kb::{embedded_kb, open_kb};
use crate::output;
use crate::progress::Bar;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{
    Benchmark, ChosenKb, DatasetImport, KbSource, OpenBenchmark, QuestionSource, Selection, SelectionError,
    SelectionWarning, Split, choose_kb,
};
use touchstone_datasets::DataSetFile;
use touchstone_engine::QueryContext;
use touchstone_grade::GradeError;
use touchstone_kb::Kb;
use touchstone_logic::Ontology;

/// What is known about the words in logical forms.
#[derive(Args)]
pub(crate) struct KnowledgeArgs {
    /// The KB that defines the names: `world` (embedded), or the directory of a compiled KB
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
    /// A folder with Freebase's fb_roles, fb_types and reverse_properties
    #[arg(long, value_name = "DIR")]
    ontology: Option<PathBuf>,
}

/// A KB and an ontology, as far as they are given.
pub(crate) struct OpenKnowledge {
    kb: Option<Kb>,
    ontology: Option<Ontology>,
}

impl KnowledgeArgs {
    pub(crate) fn open(&self) -> Result<OpenKnowledge> {
        let kb = self.kb.as_deref().map(open_kb).transpose()?;
        let ontology = self.ontology.as_deref().map(Ontology::load).transpose()?;
        Ok(OpenKnowledge { kb, ontology })
    }
}

impl OpenKnowledge {
    pub(crate) fn context(&self) -> QueryContext<'_> {
        QueryContext::new(self.kb.as_ref(), self.ontology.as_ref())
    }
}

/// The questions, and what is known about their words.
#[derive(Args, Clone, Default)]
pub(crate) struct BenchmarkArgs {
    /// The folder of a benchmark
    #[arg(long, value_name = "DIR")]
    benchmark: Option<PathBuf>,
    /// Or a file of a published data set: grailqa:FILE, kqapro:FILE, cwq:FILE ...
    #[arg(long, value_name = "FORMAT:FILE", conflicts_with = "benchmark")]
    dataset: Option<String>,
    /// Only this split: train, dev or test; without it all but train
    #[arg(long)]
    split: Option<Split>,
    /// `world` (embedded), the directory of a compiled KB, or `none`; without it the KB that the benchmark was made from, found by its fingerprint
    #[arg(long, value_name = "world|DIR|none")]
    kb: Option<String>,
    /// A folder with Freebase's fb_roles, fb_types and reverse_properties
    #[arg(long, value_name = "DIR")]
    ontology: Option<PathBuf>,
    /// The directory to which the paths were relative, if it is not the current one.
    #[arg(skip)]
    directory: Option<PathBuf>,
}

/// The KB for work on a benchmark: the one that `--kb` names, or else the benchmark's own.
pub(crate) fn kb_for(benchmark: &Benchmark, folder: &Path, kb: Option<&str>) -> Result<Option<Kb>> {
    let wanted = &benchmark.manifest.kb;
    Ok(match choose_kb(&KbSource::named(kb), wanted, &[folder], Some(embedded_kb()))? {
        ChosenKb::Kb(kb) => Some(*kb),
        ChosenKb::Other { kb, requested } => {
            note!("warning: {}", SelectionWarning::OtherKb { requested, wanted: wanted.clone() });
            Some(*kb)
        }
        ChosenKb::None => None,
        ChosenKb::Missing => {
            bail!("{}; give its folder with --kb DIR", SelectionError::MissingKb(wanted.clone()))
        }
    })
}

impl BenchmarkArgs {
    /// A benchmark with its KB.
    pub(crate) fn of(benchmark: PathBuf, kb: Option<String>) -> BenchmarkArgs {
        BenchmarkArgs { benchmark: Some(benchmark), kb, ..BenchmarkArgs::default() }
    }

    /// The same with paths relative to a directory other than the current one.
    pub(crate) fn relative_to(&self, directory: &Path) -> BenchmarkArgs {
        BenchmarkArgs { directory: Some(directory.to_owned()), ..self.clone() }
    }

    /// Opens the benchmark with its KB, which must be there.
    pub(crate) fn open(&self) -> Result<OpenBenchmark> {
        self.open_for_run(None)
    }

    /// The same for the predictions of a run: with its KB, and with the benchmark that it was made on unless the questions are given.
    pub(crate) fn open_for_run(&self, run: Option<&Path>) -> Result<OpenBenchmark> {
        let open = self.open_selection(None, run)?;
        open.require_kb().map_err(with_hint)?;
        Ok(open)
    }

    /// Opens the benchmark, with its KB if that is found: at most `limit` questions.
    pub(crate) fn open_with_or_without_kb(&self, limit: Option<usize>) -> Result<OpenBenchmark> {
        self.open_selection(limit, None)
    }

    fn open_selection(&self, limit: Option<usize>, run: Option<&Path>) -> Result<OpenBenchmark> {
        let import = |kb: Option<&Kb>, ontology: Option<&Ontology>| {
            let file: DataSetFile = self.dataset.as_deref().unwrap_or_default().parse()?;
            let file = file.in_directory(self.directory.as_deref());
            Ok(import_dataset(&file, &QueryContext::new(kb, ontology).without_suggestions())?)
        };
        let import: &DatasetImport<'_> = &import;
        let questions = match (&self.benchmark, &self.dataset) {
            (Some(folder), _) => Some(QuestionSource::Folder(folder.clone())),
            (None, Some(_)) => Some(QuestionSource::DataSet(import)),
            (None, None) => None,
        };
        let selection = Selection {
            questions,
            split: self.split,
            limit,
            kb: KbSource::named(self.kb.as_deref()),
            embedded: Some(embedded_kb()),
            ontology: self.ontology.clone(),
            run: run.map(Path::to_path_buf),
            directory: self.directory.clone(),
        };
        let open = selection.open().map_err(with_hint)?;
        for warning in &open.warnings {
            note!("warning: {warning}");
        }
        Ok(open)
    }
}

/// The error, with the arguments that avoid it.
pub(crate) fn with_hint(error: impl Into<GradeError>) -> anyhow::Error {
    let error = error.into();
    let hint = match &error {
        GradeError::Selection(SelectionError::NoQuestions) => {
            return anyhow::anyhow!("give --benchmark DIR or --dataset FORMAT:FILE, or the folder of a run");
        }
        GradeError::Selection(SelectionError::BenchmarkOfRun { .. }) => "give it with --benchmark DIR",
        GradeError::Selection(SelectionError::MissingKb(_)) => {
            "give its folder with --kb DIR, or --kb none to go without a KB (logical forms are not run then)"
        }
        GradeError::NoKb(_) => "give it with --kb DIR",
        GradeError::NoOntology => {
            "add --ontology DIR, the folder with fb_roles, fb_types and reverse_properties (the one that `kb import --ontology` read)"
        }
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {hint}")
}

/// The questions of a published data set.
fn import_dataset(file: &DataSetFile, context: &QueryContext<'_>) -> Result<Benchmark> {
    let imported = file.import(context, &Bar::new())?;
    if !imported.unread.is_empty() {
        let (records, file) = (output::counted(imported.unread.len(), "record", "records"), &file.file);
        note!(
            "{records} of {file} cannot be read and are not graded; `touchstone import-dataset` reports why"
        );
    }
    Ok(imported.benchmark)
}
