//! Benchmarks in the formats of published data sets. What a format cannot hold is left out and counted.

use crate::data_set::DataSet;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use touchstone_benchmark::{Benchmark, Question};
use touchstone_kb::output::{OutputError, OutputFolder, OutputKind, failpoint};
use touchstone_kb::{Kb, Progress};

/// What to write, and where.
pub struct ExportConfig<'a> {
    /// The format.
    pub data_set: DataSet,
    /// The questions.
    pub benchmark: &'a Benchmark,
    /// The KB that the questions are about: it has the names of their entities.
    pub kb: &'a Kb,
    /// The folder for the files, one for each split. Files of an earlier export are replaced, others are kept.
    pub folder: &'a Path,
    /// Whether edited files of an earlier export are replaced.
    pub force: bool,
}

/// The questions written, by file, and the questions left out, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Files with their numbers of questions.
    pub written: BTreeMap<String, usize>,
    /// Reasons with their numbers of questions.
    pub left_out: BTreeMap<LeftOut, usize>,
    /// The dataset card, if the format has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
}

/// Why a question is not in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, thiserror::Error)]
#[non_exhaustive]
pub enum LeftOut {
    /// It has no S-expression.
    #[error("no S-expression")]
    #[serde(rename = "no S-expression")]
    NoSexpr,
    /// It has no SPARQL.
    #[error("no SPARQL")]
    #[serde(rename = "no SPARQL")]
    NoSparql,
    /// It has no program.
    #[error("no program")]
    #[serde(rename = "no program")]
    NoProgram,
    /// It does not have ten choices.
    #[error("without ten choices")]
    #[serde(rename = "no ten choices")]
    NoChoices,
    /// It has no answer or several.
    #[error("not exactly one answer")]
    #[serde(rename = "not one answer")]
    NotOneAnswer,
}

/// A benchmark that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no export to this format.
    #[error("benchmarks cannot be written as {}", .0.name())]
    NotWritten(DataSet),
    /// This program cannot write Parquet.
    #[error("this program was built without Parquet; build it with the cargo feature `parquet`")]
    NoParquet,
    /// A file cannot be written.
    #[error("cannot {action} {path}: {source}", path = .path.display())]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
    /// The folder cannot be written, or only by overwriting the user's files.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The work was cancelled.
    #[error("stopped")]
    Interrupted,
}

/// The kind of output: files for other programs, which may lie among files of the user.
const DATASET_OUTPUT: OutputKind = OutputKind {
    name: "dataset",
    manifest: "",
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: |_| Vec::new(),
};

/// How a data set's files are written.
pub(crate) trait Export: Sync {
    /// The endings of the files of a split.
    fn endings(&self) -> &'static [&'static str] {
        &["json"]
    }

    /// The name of a file about the whole benchmark.
    fn card(&self) -> Option<&'static str> {
        None
    }

    /// Whether this build can write the format.
    fn check(&self) -> Result<(), ExportError> {
        Ok(())
    }

    /// Writes all files.
    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError>;
}

/// Writes a file for each split into a folder: all files or none.
///
/// ```
/// use touchstone_benchmark::{Benchmark, BenchmarkManifest};
/// use touchstone_datasets::{DataSet, ExportConfig, export};
/// use touchstone_kb::{Kb, NoProgress};
///
/// # use touchstone_benchmark::Split;
/// # use touchstone_datasets::{Importer, Records};
/// # use touchstone_kb::import::{ImportRequest, Profile, Source, import};
/// # let temporary = tempfile::tempdir()?;
/// # let ttl = temporary.path().join("films.ttl");
/// # std::fs::write(&ttl, "@prefix : <http://example.org/> . :m :director :lang .")?;
/// # import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![ttl]), &temporary.path().join("kb"), &NoProgress)?;
/// # let kb = Kb::open(&temporary.path().join("kb"))?;
/// # let file = r#"[{"id": "q1", "question": "Who directed M?", "answers": ["http://example.org/lang"],
/// #     "query": "SELECT ?x WHERE { <http://example.org/m> <http://example.org/director> ?x }"}]"#;
/// # let record = Records::new(file.as_bytes()).next().ok_or("empty")??;
/// # let importer =
/// #     Importer { data_set: DataSet::Lines, knowledge: touchstone_logic::Knowledge::of_spelling(), kb: Some(&kb) };
/// # let question = importer.question(&record, Split::Test, "mine").map_err(|unread| unread.reason)?.question;
/// let benchmark = Benchmark::new(BenchmarkManifest::named("films"), vec![question]);
/// let folder = temporary.path().join("qald");
/// let config =
///     ExportConfig { data_set: DataSet::Qald, benchmark: &benchmark, kb: &kb, folder: &folder, force: false };
/// let exported = export(&config, &NoProgress)?;
/// assert_eq!(exported.written["test.json"], 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(config: &ExportConfig<'_>, progress: &dyn Progress) -> Result<Exported, ExportError> {
    let &ExportConfig { data_set, benchmark, kb, folder, force } = config;
    let export = data_set.export().ok_or(ExportError::NotWritten(data_set))?;
    export.check()?;
    let splits: BTreeSet<&str> = benchmark.questions.iter().map(|question| question.split.name()).collect();
    let files =
        splits.iter().flat_map(|split| export.endings().iter().map(move |end| format!("{split}.{end}")));
    let names: Vec<String> = files.chain(export.card().map(str::to_owned)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = OutputFolder::reserve(folder, &DATASET_OUTPUT, &names, force)?;
    progress.stage("writing", None);
    let exported = export.write(&ExportJob { kb, benchmark, folder: folder.path() })?;
    if progress.cancelled() {
        return Err(ExportError::Interrupted);
    }
    folder.commit()?;
    Ok(exported)
}

/// A benchmark, and the folder for its files.
pub(crate) struct ExportJob<'a> {
    pub(crate) kb: &'a Kb,
    pub(crate) benchmark: &'a Benchmark,
    folder: PathBuf,
}

impl<'a> ExportJob<'a> {
    /// Converts the questions of each split.
    pub(crate) fn by_split<T>(
        &self,
        record: impl Fn(&'a Question) -> Result<T, LeftOut>,
    ) -> (BTreeMap<&'a str, Vec<T>>, Exported) {
        let mut exported = Exported::default();
        let mut splits: BTreeMap<&str, Vec<T>> = BTreeMap::new();
        for question in &self.benchmark.questions {
            match record(question) {
                Ok(record) => splits.entry(question.split.name()).or_default().push(record),
                Err(reason) => *exported.left_out.entry(reason).or_default() += 1,
            }
        }
        (splits, exported)
    }

    /// A JSON file for each split.
    pub(crate) fn write_json(
        &self,
        record: impl Fn(&'a Question) -> Result<Json, LeftOut>,
        whole: impl Fn(Vec<Json>) -> Json,
    ) -> Result<Exported, ExportError> {
        let (splits, mut exported) = self.by_split(record);
        for (split, records) in splits {
            let name = format!("{split}.json");
            let path = self.path(&name);
            exported.written.insert(name, records.len());
            let file = std::fs::File::create(&path).map_err(failed("create", &path))?;
            serde_json::to_writer_pretty(std::io::BufWriter::new(file), &whole(records))
                .map_err(|error| failed("write", &path)(error.into()))?;
            failpoint("split-written");
        }
        Ok(exported)
    }

    /// A text file.
    pub(crate) fn write_text(&self, name: &str, text: &str) -> Result<(), ExportError> {
        let path = self.path(name);
        std::fs::write(&path, text).map_err(failed("write", &path))?;
        failpoint("split-written");
        Ok(())
    }

    /// The place of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// An error about a file.
pub(crate) fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ExportError {
    let path = path.to_path_buf();
    move |source| ExportError::Io { action, path, source }
}
