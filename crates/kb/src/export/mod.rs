//! Writes a KB in the formats of others, and says what a format cannot hold.

mod kqapro;
mod lines;
mod rdf;

pub use lines::value_json;

use crate::error::{KbError, Result};
use crate::progress::Progress;
use crate::store::Kb;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// In which format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// N-Triples.
    NTriples,
    /// Turtle.
    Turtle,
    /// KQA Pro's `kb.json` (the re-release's field names).
    KqaProJson,
    /// Touchstone's own format, which holds everything.
    Lines,
}

/// Which triples, for RDF formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// [`crate::rdf::DirectView`].
    Direct,
    /// [`crate::rdf::KqaProView`].
    KqaPro,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportReport {
    /// Triples, or entities and classes.
    pub n_records: u64,
    /// What the format cannot hold, each with how often that occurs.
    pub lost: Vec<(&'static str, u64)>,
}

impl ExportReport {
    fn lose(&mut self, what: &'static str, n: u64) {
        if n > 0 {
            self.lost.push((what, n));
        }
    }
}

/// How to export.
#[derive(Clone, Copy, Debug)]
pub struct ExportRequest {
    /// In which format.
    pub format: Format,
    /// Which triples, for RDF formats.
    pub view: View,
    /// Write names of facts and their qualifiers in the direct view: RDF 1.2, which older systems cannot read.
    pub qualifiers: bool,
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
        Format::NTriples | Format::Turtle => rdf::write(kb, request, &mut out, progress),
        Format::KqaProJson => kqapro::write(kb, &mut out, progress),
        Format::Lines => lines::write(kb, &mut out, progress),
    };
    let report = report.and_then(|report| out.flush().map(|()| report));
    report.map_err(|error| {
        if progress.cancelled() { KbError::Interrupted } else { KbError::io("write", path)(error) }
    })
}

/// Writes a KB to a file, which appears complete or not at all. A pipe or a device is written to as it is.
pub fn export_to(
    kb: &Kb,
    request: &ExportRequest,
    path: &Path,
    progress: &dyn Progress,
) -> Result<ExportReport> {
    // Through a symbolic link: the file it names is replaced, not the link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if path.exists() && !path.is_file() {
        let mut file = File::options().write(true).open(path).map_err(KbError::io("write to", path))?;
        return export(kb, request, &mut file, progress);
    }
    let dir = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(dir).map_err(KbError::io("create", dir))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = dir.join(format!(".{name}.partial-{}", std::process::id()));
    let mut file = File::create(&aside).map_err(KbError::io("create", &aside))?;
    let written = export(kb, request, &mut file, progress).and_then(|report| {
        std::fs::rename(&aside, path).map(|()| report).map_err(KbError::io("write", path))
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&aside);
    }
    written
}

/// Reports progress for every node and stops when asked to.
fn tick(progress: &dyn Progress, done: u64) -> std::io::Result<()> {
    if done.is_multiple_of(1024) {
        progress.advance(1024);
        if progress.cancelled() {
            return Err(std::io::Error::other("interrupted"));
        }
    }
    Ok(())
}
