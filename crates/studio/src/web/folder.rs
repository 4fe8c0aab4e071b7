//! The folder of a studio: what it was made for, queries that are too long for an address, and feedback.
//!
//! ```text
//! studio.json          {"touchstone_studio": 1, "kb": FINGERPRINT}
//! queries/HASH.json    a query by the hash of its language and text
//! feedback.jsonl       what people said about answers, append only
//! ```

use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;
use touchstone_benchmark::{Journal, JournalError};

/// The version of the folder's format.
const VERSION: u32 = 1;
const MANIFEST: &str = "studio.json";
const QUERIES: &str = "queries";
const FEEDBACK: &str = "feedback.jsonl";

/// Maximum number of stored queries.
const MAX_QUERIES: usize = 10_000;

/// Why the folder of a studio cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudioFolderError {
    /// The folder has other content.
    #[error("{} is not empty and not the folder of a studio; choose another with --dir", .0.display())]
    Foreign(PathBuf),
    /// A newer program made it.
    #[error("{} has version {version}, and this program knows version {VERSION}; use a newer program", .path.display())]
    Version {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The manifest is damaged.
    #[error("{} cannot be read: {source}; repair it, or choose another folder with --dir", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Reading or writing failed.
    #[error("cannot use {}: {source}; choose another folder with --dir", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another studio uses it, or its journal is damaged.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Why a query cannot be stored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum StoreError {
    #[error("{MAX_QUERIES} long queries are stored already; remove some from the folder `queries`")]
    Full,
    #[error("the query cannot be stored: {0}")]
    Io(#[from] std::io::Error),
    #[error("the query cannot be stored: {0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    touchstone_studio: u32,
    /// The fingerprint of the KB.
    kb: String,
}

/// A query that is too long for an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredQuery {
    /// The language as it was chosen: a word, or `auto`.
    pub(super) lang: String,
    pub(super) text: String,
}

/// What a person said about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Feedback {
    /// When, in seconds since 1970.
    pub(super) at: u64,
    pub(super) question: String,
    pub(super) system: String,
    /// The logical form, if the system gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<String>,
    pub(super) right: bool,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) because: Option<String>,
}

/// The folder of a studio. Only one studio uses it at a time.
pub struct StudioFolder {
    path: PathBuf,
    feedback: Mutex<Journal>,
    /// The fingerprint of the KB that it was used with before, if that was another one.
    other_kb: Option<String>,
}

impl StudioFolder {
    /// Opens a folder; one that is empty or does not exist is set up.
    pub fn open(path: &Path, kb_fingerprint: &str) -> Result<StudioFolder, StudioFolderError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| StudioFolderError::Io { path, source }
        };
        fs::create_dir_all(path).map_err(io(path))?;
        let manifest_path = path.join(MANIFEST);
        let other_kb = match fs::read(&manifest_path) {
            Ok(bytes) => {
                let source = |source| StudioFolderError::Manifest { path: manifest_path.clone(), source };
                let manifest: Manifest = serde_json::from_slice(&bytes).map_err(source)?;
                if manifest.touchstone_studio != VERSION {
                    let version = manifest.touchstone_studio;
                    return Err(StudioFolderError::Version { path: manifest_path, version });
                }
                Some(manifest.kb).filter(|kb| kb != kb_fingerprint)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if fs::read_dir(path).map_err(io(path))?.next().is_some() {
                    return Err(StudioFolderError::Foreign(path.to_owned()));
                }
                None
            }
            Err(source) => return Err(StudioFolderError::Io { path: manifest_path, source }),
        };
        // The journal is locked first: a second studio must not change anything.
        let feedback = Journal::open(&path.join(FEEDBACK), |_: Feedback| {})?;
        let manifest = Manifest { touchstone_studio: VERSION, kb: kb_fingerprint.to_owned() };
        let json = serde_json::to_vec(&manifest)
            .map_err(|source| StudioFolderError::Manifest { path: manifest_path.clone(), source })?;
        replace(&manifest_path, &json).map_err(io(&manifest_path))?;
        let queries = path.join(QUERIES);
        fs::create_dir_all(&queries).map_err(io(&queries))?;
        Ok(StudioFolder { path: path.to_owned(), feedback: Mutex::new(feedback), other_kb })
    }

    /// The fingerprint of the KB that it was used with before, if that was another one.
    pub fn other_kb(&self) -> Option<&str> {
        self.other_kb.as_deref()
    }

    /// Stores a query and returns its hash. The same query has the same hash.
    pub(super) fn store(&self, query: &StoredQuery) -> Result<String, StoreError> {
        let json = serde_json::to_vec(query)?;
        let hash = blake3::hash(&json).to_hex()[..16].to_owned();
        let file = self.path.join(QUERIES).join(format!("{hash}.json"));
        if !file.exists() {
            if fs::read_dir(self.path.join(QUERIES))?.count() >= MAX_QUERIES {
                return Err(StoreError::Full);
            }
            replace(&file, &json)?;
        }
        Ok(hash)
    }

    /// A stored query. The hash comes from an address: anything but 16 hexadecimal digits is unknown.
    pub(super) fn stored(&self, hash: &str) -> Option<StoredQuery> {
        let is_hash = hash.len() == 16 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let bytes = is_hash.then(|| fs::read(self.path.join(QUERIES).join(format!("{hash}.json"))))?.ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Adds feedback; it is durable when this returns.
    pub(super) fn add_feedback(&self, feedback: &Feedback) -> Result<(), JournalError> {
        let mut journal = self.feedback.lock().unwrap_or_else(PoisonError::into_inner);
        journal.add(feedback)?;
        journal.sync()
    }
}

/// Writes a file under another name first, so that it is never half written.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let aside = path.with_extension("new");
    fs::write(&aside, bytes)?;
    fs::rename(&aside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_folder_is_set_up_and_used_by_one_studio() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new");
        let first = StudioFolder::open(&path, "a").expect("set up");
        assert!(first.other_kb().is_none());
        assert!(matches!(
            StudioFolder::open(&path, "a"),
            Err(StudioFolderError::Journal(JournalError::Busy { .. }))
        ));
        drop(first);
        let again = StudioFolder::open(&path, "b").expect("opened again");
        assert_eq!(again.other_kb(), Some("a"));
    }

    #[test]
    fn other_folders_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("thesis.tex"), "x").expect("a file");
        assert!(matches!(StudioFolder::open(folder.path(), "a"), Err(StudioFolderError::Foreign(_))));
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
    }

    #[test]
    fn queries_are_found_by_their_hash_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let studio = StudioFolder::open(folder.path(), "a").expect("set up");
        let query = StoredQuery { lang: "auto".to_owned(), text: "ASK {}".repeat(1000) };
        let hash = studio.store(&query).expect("stored");
        assert_eq!(studio.store(&query).expect("stored"), hash);
        assert_eq!(studio.stored(&hash), Some(query));
        for wrong in ["", "../studio", "0000000000000000", "..%2fstudio.json", &hash.to_uppercase()] {
            assert_eq!(studio.stored(wrong), None, "{wrong}");
        }
    }
}
