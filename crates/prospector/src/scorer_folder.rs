//! A trained [`Prospector`] as a folder, for `touchstone run model:DIR`: the scorer, and a model card.

use crate::prospector::Prospector;
use crate::scorer_file::{ScorerError, ScorerHeader};
use crate::training::TrainingReport;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use touchstone_kb::Kb;

/// The file with the weights.
const SCORER: &str = "prospector.scorer";

/// The model card.
const CARD: &str = "README.md";

/// Why a scorer cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScorerFileError {
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The folder holds something else, which would be overwritten.
    #[error("{} is not empty and holds no scorer; choose another --out", path.display())]
    OtherFiles {
        /// The folder.
        path: PathBuf,
    },
    /// The scorer cannot be used.
    #[error("{}: {error}", path.display())]
    Scorer {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: ScorerError,
    },
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ScorerFileError {
    let path = path.to_owned();
    move |error| ScorerFileError::Io { action, path, error }
}

/// Whether a folder holds a trained [`Prospector`].
pub fn is_scorer_folder(folder: &Path) -> bool {
    folder.join(SCORER).is_file()
}

/// Refuses a folder with files that are not those of a scorer, so that nothing of the user is overwritten.
pub fn check_scorer_output(folder: &Path) -> Result<(), ScorerFileError> {
    let is_used = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_used && !is_scorer_folder(folder) {
        return Err(ScorerFileError::OtherFiles { path: folder.to_owned() });
    }
    Ok(())
}

/// The header of the scorer in a folder.
pub fn scorer_header(folder: &Path) -> Result<ScorerHeader, ScorerFileError> {
    let path = folder.join(SCORER);
    let bytes = std::fs::read(&path).map_err(io("read", &path))?;
    Prospector::header(&bytes).map_err(|error| ScorerFileError::Scorer { path, error })
}

impl<'k> Prospector<'k> {
    /// Reads a scorer.
    pub fn read_scorer(kb: &'k Kb, path: &Path) -> Result<Prospector<'k>, ScorerFileError> {
        let bytes = std::fs::read(path).map_err(io("read", path))?;
        Prospector::from_bytes(kb, &bytes)
            .map_err(|error| ScorerFileError::Scorer { path: path.to_owned(), error })
    }

    /// Reads the scorer in a folder.
    pub fn read_folder(kb: &'k Kb, folder: &Path) -> Result<Prospector<'k>, ScorerFileError> {
        Prospector::read_scorer(kb, &folder.join(SCORER))
    }

    /// Writes what was learned to a file: to another one first, which then takes its name.
    pub fn write_scorer(&self, path: &Path, trained_on: &str, seed: u64) -> Result<(), ScorerFileError> {
        let bytes = self.to_bytes(trained_on, seed).map_err(io("write", path))?;
        write_aside(path, &bytes)
    }

    /// Writes what was learned to a folder, with a model card.
    pub fn write_folder(
        &self,
        folder: &Path,
        trained_on: &str,
        seed: u64,
        report: &TrainingReport,
    ) -> Result<(), ScorerFileError> {
        check_scorer_output(folder)?;
        std::fs::create_dir_all(folder).map_err(io("create", folder))?;
        self.write_scorer(&folder.join(SCORER), trained_on, seed)?;
        write_aside(&folder.join(CARD), self.card(trained_on, seed, report).as_bytes())
    }

    fn card(&self, trained_on: &str, seed: u64, report: &TrainingReport) -> String {
        let manifest = self.kb().manifest();
        let TrainingReport { questions, reached, answered, calibrated_on } = report;
        format!(
            "# Prospector for {name}\n\n\
             Answers questions about the KB {name} (fingerprint {fingerprint}) by searching over executable queries.\n\n\
             | | |\n|---|---|\n\
             | trained on | {trained_on} |\n\
             | seed | {seed} |\n\
             | training questions | {questions} |\n\
             | whose gold query was found by the search | {reached} |\n\
             | of which only another query with the gold answers was found | {answered} |\n\
             | readings that the confidence was fitted to | {calibrated_on} |\n\n\
             `touchstone ask --system model:DIR \"...\"` asks it, `touchstone run model:DIR --benchmark BENCH --out RUN` runs it.\n",
            name = manifest.name,
            fingerprint = manifest.fingerprint,
        )
    }
}

fn write_aside(path: &Path, bytes: &[u8]) -> Result<(), ScorerFileError> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder).map_err(io("write", path))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(io("write", path))?;
    file.persist(path).map_err(|error| io("write", path)(error.error))?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_user_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_scorer_output(folder.path()).is_ok());
        assert!(check_scorer_output(&folder.path().join("new")).is_ok());
        std::fs::write(folder.path().join(CARD), "mine").unwrap();
        assert!(matches!(check_scorer_output(folder.path()), Err(ScorerFileError::OtherFiles { .. })));
        std::fs::write(folder.path().join(SCORER), "").unwrap();
        assert!(check_scorer_output(folder.path()).is_ok());
    }
}
