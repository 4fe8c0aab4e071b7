//! The folder of a run: `run.json`, and the journal `predictions.jsonl`.

use crate::journal::{Journal, JournalError, LockedJournal, io};
use crate::prediction::Prediction;
use crate::run_manifest::{RunHeader, RunManifest, RunManifestError};
use hashbrown::HashSet;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};
use touchstone_kb::output::failpoint;

/// Why a run cannot be started, resumed or continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunJournalError {
    /// The folder has a run of something else.
    #[error("{folder} holds another run: its {field} is `{found}`, not `{wanted}`; choose another folder")]
    AnotherRun {
        /// The folder.
        folder: PathBuf,
        /// The first field that differs.
        field: String,
        /// What is there.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// Another process has the run open.
    #[error("another process is using the run in {folder}; wait for it, or choose another folder")]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// There are predictions, but no run.
    #[error(
        "{folder} has a predictions.jsonl but no run.json: it is not a run of this program; choose another folder"
    )]
    NotARun {
        /// The folder.
        folder: PathBuf,
    },
    /// `run.json` cannot be read or written.
    #[error(transparent)]
    BenchmarkManifest(#[from] RunManifestError),
    /// The predictions cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The open journal of a run.
pub struct RunJournal {
    folder: PathBuf,
    manifest: RunManifest,
    journal: Journal,
    done: HashSet<String>,
    /// Predictions with an error that were there when it was opened.
    errors: usize,
}

/// What resuming needs of a prediction.
#[derive(Deserialize)]
struct JournalEntry {
    id: String,
    error: Option<IgnoredAny>,
}

impl RunJournal {
    /// The name of the file of predictions.
    pub const FILE: &str = "predictions.jsonl";

    /// Opens the journal in a folder, or starts one. With `retry_errors`, predictions with an error are removed, so that their questions
    /// are asked again.
    ///
    /// Only one process can have it open, and nothing is changed before it is certain that the run in the folder is this one.
    pub fn open(
        folder: &Path,
        header: &RunHeader,
        arguments: &[String],
        retry_errors: bool,
    ) -> Result<RunJournal, RunJournalError> {
        let path = folder.join(RunJournal::FILE);
        match RunManifest::read_if_present(folder)? {
            Some(stored) => check_same(folder, &stored.header, header)?,
            None if std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) => {
                return Err(RunJournalError::NotARun { folder: folder.to_owned() });
            }
            None => std::fs::create_dir_all(folder).map_err(io("create", folder))?,
        }
        let locked = LockedJournal::lock(&path).map_err(|error| match error {
            JournalError::Busy { .. } => RunJournalError::Busy { folder: folder.to_owned() },
            error => error.into(),
        })?;
        // The process that held the lock may have started a run since.
        let manifest = match RunManifest::read_if_present(folder)? {
            Some(stored) => {
                check_same(folder, &stored.header, header)?;
                stored
            }
            None => {
                let manifest = RunManifest::start(header, arguments);
                failpoint("run-locked");
                manifest.write(folder)?;
                manifest
            }
        };
        let (mut done, mut errors) = (HashSet::new(), HashSet::new());
        let mut journal = locked.recover(|entry: JournalEntry| {
            if entry.error.is_some() {
                errors.insert(entry.id.clone());
            }
            done.insert(entry.id);
        })?;
        if retry_errors && !errors.is_empty() {
            journal.retain(|entry: &JournalEntry| entry.error.is_none())?;
            done.retain(|id| !errors.contains(id));
            errors.clear();
        }
        journal.sync_folder();
        Ok(RunJournal { folder: folder.to_owned(), manifest, journal, done, errors: errors.len() })
    }

    /// What the run is.
    pub fn manifest(&self) -> &RunManifest {
        &self.manifest
    }

    /// Whether a question was answered before.
    pub fn contains(&self, id: &str) -> bool {
        self.done.contains(id)
    }

    /// The number of questions that were answered.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether no question was answered.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The number of predictions with an error that were there when it was opened.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Adds a prediction.
    pub fn add(&mut self, prediction: &Prediction) -> Result<(), RunJournalError> {
        self.journal.add(prediction)?;
        self.done.insert(prediction.id.clone());
        Ok(())
    }

    /// Makes everything durable, and notes the end of a complete run.
    pub fn close(&mut self, complete: bool) -> Result<(), RunJournalError> {
        self.journal.sync()?;
        if complete && self.manifest.ended.is_none() {
            self.manifest.end();
            self.manifest.write(&self.folder)?;
        }
        Ok(())
    }
}

fn check_same(folder: &Path, stored: &RunHeader, wanted: &RunHeader) -> Result<(), RunJournalError> {
    match wanted.difference(stored) {
        None => Ok(()),
        Some(difference) => Err(RunJournalError::AnotherRun {
            folder: folder.to_owned(),
            field: difference.field,
            found: difference.found,
            wanted: difference.wanted,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gives::Gives;
    use touchstone_logic::Answer;

    fn open(
        dir: &tempfile::TempDir,
        system: &str,
        retry_errors: bool,
    ) -> Result<RunJournal, RunJournalError> {
        RunJournal::open(dir.path(), &RunHeader::new(system), &[], retry_errors)
    }

    #[test]
    fn nothing_good_is_thrown_away() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("predictions.jsonl");
        std::fs::write(&path, "{\"qid\": 1}\n").expect("written");
        assert!(matches!(open(&dir, "s", false), Err(RunJournalError::NotARun { .. })));
        std::fs::remove_file(&path).expect("removed");
        drop(open(&dir, "s", false).expect("a journal"));
        let damaged = "{\"id\": \"1\"}\nnonsense\n{\"id\": \"2\"}\n";
        std::fs::write(&path, damaged).expect("written");
        let found = open(&dir, "s", false);
        assert!(matches!(found, Err(RunJournalError::Journal(JournalError::Line { line: 2, .. }))));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), damaged);
        let lines = "{\"id\": \"1\", \"error\": null}\n{\"id\": \"2\", \"error\": \"oops\"}\n";
        std::fs::write(&path, lines).expect("written");
        // A run of another system, or one that is busy, is left alone.
        assert!(matches!(open(&dir, "t", true), Err(RunJournalError::AnotherRun { .. })));
        let busy = open(&dir, "s", false).expect("a journal");
        let found = open(&dir, "s", true);
        assert!(matches!(found, Err(RunJournalError::Busy { .. })));
        assert_eq!((busy.len(), busy.errors()), (2, 1));
        drop(busy);
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), lines);
        let mut journal = open(&dir, "s", true).expect("a journal");
        assert!(journal.contains("1") && !journal.contains("2") && journal.errors() == 0);
        let answers = Some(vec![Answer::count(3)]);
        let prediction = Prediction { id: "2".to_owned(), answers, ..Prediction::default() };
        journal.add(&prediction).expect("written");
        let now = std::fs::read_to_string(&path).expect("a file");
        assert_eq!(
            now,
            "{\"id\": \"1\", \"error\": null}\n{\"id\":\"2\",\"answers\":[{\"type\":\"number\",\"value\":3}]}\n"
        );
        let found = open(&dir, "s", false);
        assert!(matches!(found, Err(RunJournalError::Busy { .. })));
    }

    #[test]
    fn another_run_is_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        drop(open(&dir, "one", false).expect("a journal"));
        let error = open(&dir, "two", false).err().expect("another").to_string();
        assert!(error.contains("its system is `one`, not `two`"), "{error}");
        // What was not declared may be declared later.
        let declared = RunHeader {
            gives: Some(Gives::Both),
            trained_on: Some("half of the training split".to_owned()),
            ..RunHeader::new("one")
        };
        drop(RunJournal::open(dir.path(), &declared, &[], false).expect("the same run"));
        std::fs::write(dir.path().join("run.json"), "{").expect("written");
        let found = open(&dir, "one", false);
        assert!(matches!(found, Err(RunJournalError::BenchmarkManifest(RunManifestError::Damaged { .. }))));
    }
}
