//! Writes a KB in other formats, and reports what a format cannot hold.

mod kqapro;
mod lines;
mod rdf;

pub(crate) use lines::value_json;

use crate::error::{KbError, Result};
use crate::import::counts_as_map;
use crate::output::OutputFile;
use crate::progress::Progress;
use crate::store::Kb;
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// N-Triples.
    NTriples,
    /// Turtle.
    Turtle,
    /// KQA Pro's `kb.json` (the re-release's field names).
    KqaProJson,
    /// Touchstone's own format, which holds everything.
    Lines,
}

impl ExportFormat {
    /// All formats, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, ExportFormat); 4] = [
        ("nt", "N-Triples", ExportFormat::NTriples),
        ("ttl", "Turtle", ExportFormat::Turtle),
        ("kqapro-json", "KQA Pro's kb.json", ExportFormat::KqaProJson),
        ("lines", "KB lines: holds everything", ExportFormat::Lines),
    ];
}

/// The view whose triples are written, for RDF formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportView {
    /// [`crate::rdf::DirectView`].
    Direct,
    /// [`crate::rdf::KqaProView`].
    KqaPro,
}

impl ExportView {
    /// Both views, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, ExportView); 2] = [
        ("direct", "One triple per fact", ExportView::Direct),
        ("kqapro", "KQA Pro's graph: a node for every value and every fact", ExportView::KqaPro),
    ];
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportReport {
    /// Triples, or entities and classes.
    #[serde(rename = "records")]
    pub n_records: u64,
    /// What the format cannot hold, with counts.
    #[serde(serialize_with = "counts_as_map")]
    pub lost: Vec<(&'static str, u64)>,
}

/// What formats other than RDF cannot hold.
const ASSERTED: &str = "triples of the RDF file that are not facts, as they were written";

/// What only KB lines can hold.
const COVERAGE: &str = "how complete classes and properties are";

impl ExportReport {
    fn lose(&mut self, what: &'static str, n: u64) {
        if n > 0 {
            self.lost.push((what, n));
        }
    }
}

/// Options of an export.
#[derive(Clone, Copy, Debug)]
pub struct ExportRequest {
    /// The format.
    pub format: ExportFormat,
    /// The view whose triples are written, for RDF formats.
    pub view: ExportView,
    /// Whether names of facts and their qualifiers are written in the direct view: RDF 1.2, which older systems cannot read.
    pub qualifiers: bool,
}

/// Options that do not fit the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportOptionsError {
    /// A view of something else than triples.
    #[error("--view is for the formats nt and ttl")]
    View,
    /// Only triples of the direct view can lack qualifiers.
    #[error("--no-qualifiers is for the direct view of the formats nt and ttl")]
    Qualifiers,
}

impl ExportRequest {
    /// A request of these options, if they fit the format. The usual view is the direct one.
    ///
    /// ```
    /// use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView};
    /// assert!(ExportRequest::of_options(ExportFormat::Turtle, None, false).is_ok());
    /// assert!(ExportRequest::of_options(ExportFormat::Turtle, Some(ExportView::KqaPro), false).is_err());
    /// assert!(ExportRequest::of_options(ExportFormat::Lines, Some(ExportView::Direct), true).is_err());
    /// ```
    pub fn of_options(
        format: ExportFormat,
        view: Option<ExportView>,
        qualifiers: bool,
    ) -> std::result::Result<ExportRequest, ExportOptionsError> {
        let is_rdf = matches!(format, ExportFormat::NTriples | ExportFormat::Turtle);
        if view.is_some() && !is_rdf {
            return Err(ExportOptionsError::View);
        }
        let view = view.unwrap_or(ExportView::Direct);
        if !qualifiers && (!is_rdf || view == ExportView::KqaPro) {
            return Err(ExportOptionsError::Qualifiers);
        }
        Ok(ExportRequest { format, view, qualifiers })
    }
}

/// Writes a KB.
pub fn export(
    kb: &Kb,
    request: &ExportRequest,
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<ExportReport> {
    let path = Path::new("the output");
    let mut out = BufWriter::with_capacity(1 << 18, out);
    progress.stage("writing", Some(kb.n_nodes() as u64));
    let report = match request.format {
        ExportFormat::NTriples | ExportFormat::Turtle => rdf::write(kb, request, &mut out, progress),
        ExportFormat::KqaProJson => kqapro::write(kb, &mut out, progress),
        ExportFormat::Lines => lines::write(kb, &mut out, progress),
    };
    let report = report.and_then(|report| out.flush().map(|()| report));
    report.map_err(|error| {
        if progress.cancelled() { KbError::Interrupted } else { KbError::io("write", path)(error) }
    })
}

/// Writes a KB to a file, which appears complete or not at all and replaces an existing one. A pipe or a device is written to directly.
pub fn export_to(
    kb: &Kb,
    request: &ExportRequest,
    path: &Path,
    progress: &dyn Progress,
) -> Result<ExportReport> {
    let mut file = OutputFile::reserve(path, None, true)?;
    let report = export(kb, request, &mut file, progress)?;
    file.commit()?;
    Ok(report)
}

/// Reports progress for every node, and returns an error if the user has cancelled the work.
fn tick(progress: &dyn Progress, done: u64) -> std::io::Result<()> {
    if done.is_multiple_of(1024) {
        progress.advance(1024);
        if progress.cancelled() {
            return Err(std::io::Error::other("interrupted"));
        }
    }
    Ok(())
}
