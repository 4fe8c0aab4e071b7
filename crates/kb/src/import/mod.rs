//! Importers: from files of other systems to a compiled store.
//!
//! All of them stream: a reader thread cuts the input into blocks, workers parse blocks, one thread
//! collects. What cannot be parsed is reported with file, line, column and snippet, counted, and skipped
//! (or stops the import with `strict`). Every record read is accounted for in the report.

mod freebase;
mod guess;
mod import_log;
mod input;
mod json_records;
mod kqapro;
mod label_properties;
mod line_json;
mod lines;
mod options;
mod profile;
mod profile_schema;
mod rdf;
mod roles;
mod wikidata_json;
mod wikidata_rdf;

pub use guess::FileKind;
pub(crate) use import_log::counts_as_map;
pub use import_log::{ImportReport, KbImportSummary, Problem, Tally};
pub use input::open;
pub use json_records::{JsonRecord, JsonRecords, JsonRecordsError, JsonRecordsErrorKind};
pub(crate) use line_json::find_value;
pub use lines::read_packed_lines;
pub use options::{ImportOptions, ImportOptionsError};
pub use wikidata_json::Subset;

use crate::build::{KbBuilder, KbMeta, Workspace};
use crate::error::{KbError, Result};
use crate::output::OutputFolder;
use crate::progress::Progress;
use crate::store::STORE_OUTPUT;
use import_log::ImportLog;
use std::path::{Path, PathBuf};

/// How RDF becomes entities, classes and facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// RDF Schema, SKOS, a little OWL; RDF 1.2 annotations become qualifiers.
    Rdfs,
    /// Freebase, with its ontology files.
    Freebase,
    /// DBpedia.
    Dbpedia,
    /// Wikidata's RDF: statements become facts with qualifiers.
    Wikidata,
}

impl Profile {
    /// All profiles, each with its name and, unless the name says it all, a description.
    pub const NAMED: [(&'static str, &'static str, Profile); 4] = [
        ("rdfs", "RDF Schema, SKOS, RDF 1.2 annotations", Profile::Rdfs),
        ("freebase", "", Profile::Freebase),
        ("dbpedia", "", Profile::Dbpedia),
        ("wikidata", "Statements with qualifiers (p:, ps:, pq:)", Profile::Wikidata),
    ];
}

/// The kind of files to read.
#[derive(Clone, Debug)]
pub enum Source {
    /// KQA Pro's `kb.json`, both variants.
    KqaPro,
    /// RDF in any syntax.
    Rdf(Profile),
    /// Wikidata's JSON dump, all of it or a subset.
    WikidataJson(Subset),
    /// Touchstone's own format.
    Lines,
}

/// The configuration of an import.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The kind of files.
    pub source: Source,
    /// The files.
    pub inputs: Vec<PathBuf>,
    /// Freebase's ontology: `fb_roles`, `fb_types`, `reverse_properties`, `domain_info`.
    pub ontology: Option<PathBuf>,
    /// The language of labels and descriptions.
    pub lang: String,
    /// RDF: the properties whose values are labels before all others, the best first: IRIs, or names with a well-known prefix.
    pub label_properties: Vec<String>,
    /// Whether to stop at the first record that cannot be parsed.
    pub strict: bool,
    /// The name of the KB; the first file's name if empty.
    pub name: String,
    /// The licence in the manifest.
    pub license: String,
    /// Bytes that each sorting stage may keep in memory.
    pub memory: usize,
    /// The longest record (a line, an object, the text between two statements), in bytes.
    pub max_record: usize,
    /// Maximum number of pairs of a class with a superclass, or with a member; by default in proportion to the input.
    pub max_closure: Option<u64>,
    /// Whether to write into a folder that also holds files of the user, and to replace edited files of an earlier KB there.
    pub force: bool,
}

/// Default maximum length of a record: longer than any record of a real dump.
const DEFAULT_MAX_RECORD: usize = 16 << 20;

impl ImportRequest {
    /// A request with the usual settings.
    pub fn new(source: Source, inputs: Vec<PathBuf>) -> ImportRequest {
        ImportRequest {
            source,
            inputs,
            ontology: None,
            lang: "en".to_owned(),
            label_properties: Vec::new(),
            strict: false,
            name: String::new(),
            license: String::new(),
            memory: 1 << 30,
            max_record: DEFAULT_MAX_RECORD,
            max_closure: None,
            force: false,
        }
    }
}

/// Imports files into a new store at `out`. On any error nothing is written. The report accounts for every record:
///
/// ```
/// use touchstone_kb::NoProgress;
/// use touchstone_kb::import::{ImportRequest, Profile, Source, import};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("radium.nt");
/// std::fs::write(&file, "<urn:radium> <urn:discoverer> <urn:marie> .\n<urn:radium> <urn:discoverer> \n")?;
/// let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]);
/// let report = import(&request, &folder.path().join("kb"), &NoProgress)?;
/// assert_eq!((report.compiled.manifest.counts.relational_facts, report.n_problems), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(request: &ImportRequest, out: &Path, progress: &dyn Progress) -> Result<ImportReport> {
    for input in request.inputs.iter().chain(&request.ontology) {
        let meta = std::fs::metadata(input).map_err(KbError::io("read", input))?;
        if meta.is_dir() && Some(input) != request.ontology.as_ref() {
            let is_directory = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(KbError::io("read", input)(is_directory));
        }
    }
    // Reserved first, so that a folder that cannot be written is reported before hours of reading.
    let pending = OutputFolder::reserve(out, &STORE_OUTPUT, &[], request.force)?;
    let mut builder = KbBuilder::new(Workspace { dir: pending.path(), memory: request.memory });
    builder.meta = default_meta(request);
    builder.max_closure = request.max_closure;
    let mut log = ImportLog::new(request.strict);
    match &request.source {
        Source::KqaPro => kqapro::read(request, &mut builder, &mut log, progress)?,
        Source::Rdf(profile) => rdf::read(request, *profile, &mut builder, &mut log, progress)?,
        Source::WikidataJson(subset) => {
            wikidata_json::read(request, subset, &mut builder, &mut log, progress)?;
        }
        Source::Lines => lines::read(request, &mut builder, &mut log, progress)?,
    }
    let may_be_empty = matches!(request.source, Source::Rdf(_));
    log.check_not_empty(&request.inputs, may_be_empty)?;
    let compiled = builder.compile_to(pending, progress)?;
    Ok(log.into_report(compiled))
}

fn default_meta(request: &ImportRequest) -> KbMeta {
    let file_name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = request.inputs.iter().map(file_name).collect();
    let name = match names.first() {
        _ if !request.name.is_empty() => request.name.clone(),
        Some(name) => name.split('.').next().unwrap_or("kb").to_owned(),
        None => "kb".to_owned(),
    };
    KbMeta {
        name,
        source: names.join(", "),
        license: if request.license.is_empty() { "unknown".to_owned() } else { request.license.clone() },
        // `any` keeps names of all languages: then the KB has no language.
        lang: if request.lang == "any" { String::new() } else { request.lang.clone() },
        ..KbMeta::default()
    }
}
