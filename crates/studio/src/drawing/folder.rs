//! A folder of drawings. They may lie among files of the user.

use super::svg::svg;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use thiserror::Error;
use touchstone_kb::output::{OutputError, OutputFolder, OutputKind};
use touchstone_logic::graph::ShapeCounts;
use touchstone_logic::{QueryGraph, Shape};

const DRAWINGS: OutputKind = OutputKind {
    name: "drawings",
    manifest: "",
    owns_folder: false,
    is_durable: false,
    volatile: &[],
    unmarked: |_| Vec::new(),
};

/// Maximum number of characters of a file name.
const MAX_NAME: usize = 100;

/// Why a drawing cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DrawingError {
    /// The folder cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file cannot be written.
    #[error("cannot write {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
}

/// A folder of drawings that appear in it together.
pub struct DrawingFolder {
    output: OutputFolder,
}

impl DrawingFolder {
    /// Reserves a folder; with `force`, drawings that were edited are replaced, too.
    pub fn reserve(folder: &Path, force: bool) -> Result<DrawingFolder, DrawingError> {
        Ok(DrawingFolder { output: OutputFolder::reserve(folder, &DRAWINGS, &[], force)? })
    }

    /// Draws a graph into a file with a name like this.
    pub fn add(&self, name: &str, graph: &QueryGraph) -> Result<(), DrawingError> {
        let path = self.output.path().join(format!("{}.svg", file_name(name)));
        std::fs::write(&path, svg(graph)).map_err(|source| DrawingError::Write { path, source })
    }

    /// Draws an example of each shape into a file with the name of the shape.
    pub fn add_shapes(&self, shapes: &ShapeCounts) -> Result<(), DrawingError> {
        shapes.by_frequency().into_iter().try_for_each(|row| self.add(&shape_name(&row.shape), &row.graph))
    }

    /// Puts the drawings in their place.
    pub fn commit(self) -> Result<(), DrawingError> {
        Ok(self.output.commit()?)
    }
}

/// The alias of a shape, or its code in letters that every file system takes.
fn shape_name(shape: &Shape) -> String {
    match shape.alias {
        Some(alias) => alias.name.to_owned(),
        None => shape
            .plain
            .replace(':', "-")
            .replace('(', "d")
            .replace(')', "u")
            .replace(['[', ']', '{', '}', '/', ',', '+'], "_"),
    }
}

/// A name that every file system takes. Names come from untrusted files: only harmless characters are kept.
fn file_name(name: &str) -> String {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut safe: String = name.chars().map(harmless).take(MAX_NAME).collect();
    safe = safe.trim_start_matches('.').to_owned();
    if safe != name {
        // Different names must not end in the same file.
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        safe.push_str(&format!("-{:08x}", hasher.finish() & 0xffff_ffff));
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_are_harmless_and_different() {
        assert_eq!(file_name("Iso-3"), "Iso-3");
        let names = ["../../etc/passwd", "..\\..\\etc\\passwd", "", ".", "a/b", "a:b"].map(file_name);
        for (at, name) in names.iter().enumerate() {
            assert!(!name.contains(['/', '\\', ':']) && !name.starts_with('.'), "{name}");
            assert!(!names[..at].contains(name), "{name}");
        }
    }
}
