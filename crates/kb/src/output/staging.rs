//! New files are written to `.touchstone-staging` inside the output folder and, once all are complete, moved into place.
//!
//! | in `.touchstone-staging` | what |
//! |---|---|
//! | `owner.json` | identifies the folder as this program's; created first, removed last |
//! | `new/` | the new files |
//! | `marker.json` | the new marker |
//! | `commit.json` | the moves; once it exists, the replacement has happened and has to be finished |
//! | `old/` | files of the old output that the new one does not have |
//!
//! A process that changes anything in it holds the lock of the output folder.

use super::error::OutputError;
use super::failpoint::failpoint;
use super::marker::{MARKER, is_plain};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the folder.
pub(super) const STAGING: &str = ".touchstone-staging";

const OWNER: &str = "owner.json";
const NEW: &str = "new";
const OLD: &str = "old";
const NEW_MARKER: &str = "marker.json";
const COMMIT: &str = "commit.json";
const PARTIAL_COMMIT: &str = "commit.partial";

/// The moves of a replacement.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CommitRecord {
    touchstone_commit: u32,
    /// Files of the old output to remove.
    remove: Vec<String>,
    /// New files, in the order in which they are moved: the manifest is the last.
    place: Vec<String>,
    /// Whether all of it must survive a crash of the machine.
    #[serde(default)]
    is_durable: bool,
}

impl CommitRecord {
    pub(super) fn new(remove: Vec<String>, place: Vec<String>, is_durable: bool) -> CommitRecord {
        CommitRecord { touchstone_commit: 1, remove, place, is_durable }
    }
}

/// The staging folder of an output folder.
pub(super) struct Staging<'f> {
    folder: &'f Path,
    path: PathBuf,
}

impl<'f> Staging<'f> {
    pub(super) fn of(folder: &'f Path) -> Staging<'f> {
        Staging { folder, path: folder.join(STAGING) }
    }

    /// The folder for new files.
    pub(super) fn new_files(&self) -> PathBuf {
        self.path.join(NEW)
    }

    /// Whether a replacement has happened and is not finished.
    pub(super) fn is_pending(&self) -> bool {
        self.path.join(COMMIT).exists()
    }

    /// Creates it, empty. It must not exist.
    pub(super) fn create(&self) -> Result<(), OutputError> {
        fs::create_dir(&self.path).map_err(OutputError::io("create", &self.path))?;
        failpoint("staging-created");
        let owner = self.path.join(OWNER);
        fs::write(&owner, "{\"touchstone_staging\": 1}\n").map_err(OutputError::io("write", &owner))?;
        for name in [NEW, OLD] {
            let path = self.path.join(name);
            fs::create_dir(&path).map_err(OutputError::io("create", &path))?;
        }
        failpoint("staging-owned");
        Ok(())
    }

    /// Finishes or clears what a killed process left.
    pub(super) fn recover(&self) -> Result<(), OutputError> {
        let Ok(about) = fs::symlink_metadata(&self.path) else { return Ok(()) };
        let is_empty = || fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none());
        let is_ours = about.is_dir() && (self.path.join(OWNER).is_file() || is_empty());
        // A link in place of a folder would redirect the moves out of the output folder.
        let is_real =
            |name: &str| fs::symlink_metadata(self.path.join(name)).map_or(true, |about| about.is_dir());
        if !is_ours || !is_real(NEW) || !is_real(OLD) {
            return Err(OutputError::NotOurs { path: self.path.clone() });
        }
        if self.is_pending() { self.finish() } else { self.clear() }
    }

    /// The moment of replacement.
    pub(super) fn commit(&self, record: &CommitRecord, marker: &str) -> Result<(), OutputError> {
        write_file(&self.path.join(NEW_MARKER), marker.as_bytes(), record.is_durable)?;
        let text = serde_json::to_string_pretty(record).unwrap_or_default();
        let (partial, commit) = (self.path.join(PARTIAL_COMMIT), self.path.join(COMMIT));
        write_file(&partial, text.as_bytes(), record.is_durable)?;
        failpoint("before-commit");
        fs::rename(&partial, &commit).map_err(OutputError::io("write", &commit))?;
        if record.is_durable {
            sync_folder(&self.path);
        }
        failpoint("after-commit");
        self.finish()
    }

    /// Makes the moves of the record that are not done yet, and clears the rest.
    fn finish(&self) -> Result<(), OutputError> {
        let path = self.path.join(COMMIT);
        let damaged = |detail: String| OutputError::Damaged { path: path.clone(), detail };
        let text = fs::read_to_string(&path).map_err(OutputError::io("read", &path))?;
        let record: CommitRecord = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if let Some(name) = record.remove.iter().chain(&record.place).find(|name| !is_plain(name)) {
            return Err(damaged(format!("`{name}` is not the name of a file")));
        }
        let (new, old) = (self.path.join(NEW), self.path.join(OLD));
        for name in &record.remove {
            // Moved, not removed: a file that was moved already is not moved again, even if another file has its name now.
            if fs::symlink_metadata(old.join(name)).is_err() {
                move_if_there(&self.folder.join(name), &old.join(name))?;
                failpoint("removed");
            }
        }
        for name in &record.place {
            move_if_there(&new.join(name), &self.folder.join(name))?;
            failpoint("placed");
        }
        move_if_there(&self.path.join(NEW_MARKER), &self.folder.join(MARKER))?;
        if record.is_durable {
            sync_folder(self.folder);
        }
        failpoint("marked");
        self.clear()
    }

    /// Removes it. The record is removed first: without it, nothing has to be finished. The owner is removed last: without it, the folder is not this program's.
    pub(super) fn clear(&self) -> Result<(), OutputError> {
        let remove = |name: &str| remove_if_there(&self.path.join(name));
        remove(COMMIT)?;
        failpoint("clearing");
        for name in [NEW, OLD] {
            let path = self.path.join(name);
            match fs::remove_dir_all(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(OutputError::io("remove", &path)(error));
                }
                _ => {}
            }
        }
        for name in [NEW_MARKER, PARTIAL_COMMIT] {
            remove(name)?;
        }
        failpoint("cleared");
        remove(OWNER)?;
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(OutputError::io("remove", &self.path)(error))
            }
            _ => Ok(()),
        }
    }
}

fn write_file(path: &Path, bytes: &[u8], is_durable: bool) -> Result<(), OutputError> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        if is_durable { file.sync_all() } else { Ok(()) }
    };
    write().map_err(OutputError::io("write", path))
}

fn move_if_there(from: &Path, to: &Path) -> Result<(), OutputError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::io("write", to)(error)),
        _ => Ok(()),
    }
}

fn remove_if_there(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Makes renames in a folder durable, if the system supports it.
pub(super) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
