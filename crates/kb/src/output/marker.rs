//! The marker of a folder: which files this program wrote there.

use super::error::OutputError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// The name of the marker.
pub(super) const MARKER: &str = ".touchstone.json";

/// The version of the marker's format.
const FORMAT: u32 = 1;

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    pub(super) bytes: u64,
    /// Absent for files that this program changes later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) blake3: Option<String>,
}

impl Written {
    /// A file as it is now.
    pub(super) fn of(path: &Path, is_volatile: bool) -> Result<Written, OutputError> {
        let bytes = fs::metadata(path).map_err(OutputError::io("read", path))?.len();
        let blake3 =
            if is_volatile { None } else { Some(hash(path).map_err(OutputError::io("read", path))?) };
        Ok(Written { bytes, blake3 })
    }

    /// Whether a file is unchanged. A file that cannot be read counts as changed.
    pub(super) fn is_unchanged(&self, path: &Path) -> bool {
        let Ok(about) = fs::symlink_metadata(path) else { return false };
        let Some(expected) = &self.blake3 else { return about.is_file() };
        about.is_file() && about.len() == self.bytes && hash(path).is_ok_and(|found| found == *expected)
    }
}

/// The hash of a file.
fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// `.touchstone.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    touchstone_output: u32,
    tool_version: String,
    /// By kind of output: its files. A folder can hold several kinds: a run has predictions and grades.
    pub(super) outputs: BTreeMap<String, BTreeMap<String, Written>>,
}

impl Default for Marker {
    fn default() -> Marker {
        let tool_version = env!("CARGO_PKG_VERSION").to_owned();
        Marker { touchstone_output: FORMAT, tool_version, outputs: BTreeMap::new() }
    }
}

impl Marker {
    /// The marker of a folder, or an empty one.
    pub(super) fn read(folder: &Path) -> Result<Marker, OutputError> {
        let path = folder.join(MARKER);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Marker::default()),
            Err(error) => return Err(OutputError::io("read", &path)(error)),
        };
        let damaged = |detail: String| OutputError::Damaged { path: path.clone(), detail };
        let mut marker: Marker = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if marker.touchstone_output != FORMAT {
            return Err(damaged(format!("its format is {}, not {FORMAT}", marker.touchstone_output)));
        }
        if let Some(name) = marker.outputs.values().flat_map(BTreeMap::keys).find(|name| !is_plain(name)) {
            return Err(damaged(format!("`{name}` is not the name of a file")));
        }
        marker.tool_version = Marker::default().tool_version;
        Ok(marker)
    }

    /// As text.
    pub(super) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Whether a name is that of a file in the folder itself. Markers and records may come from untrusted sources.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}
