//! Questions about a KB to learn from, made once and kept in the cache.

use crate::make::{MakeError, make};
use crate::recipe::{Recipe, RecipeError};
use std::path::{Path, PathBuf};
use touchstone_benchmark::PackageError;
use touchstone_benchmark::english::Lexicon;
use touchstone_kb::{Kb, Progress};

/// What is made.
const RECIPE: &str = include_str!("../recipes/ask.toml");

/// The folder of training questions for a KB. Another build of the program may make other questions, so each has its own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingFolder {
    cache: PathBuf,
    /// How the folders of all builds begin.
    stem: String,
    name: String,
}

/// Training questions that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// The recipe is wrong.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The questions could not be made.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// The folder cannot be written.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The cache cannot be read.
    #[error(transparent)]
    Cache(#[from] std::io::Error),
}

impl TrainingFolder {
    /// The folder for a KB and this build of the program.
    pub fn of(kb: &Kb, cache: &Path) -> TrainingFolder {
        let fingerprint = &kb.manifest().fingerprint;
        let stem = format!("training-{}-", &fingerprint[..fingerprint.len().min(12)]);
        let name = format!("{stem}{}", build_identity());
        TrainingFolder { cache: cache.to_owned(), stem, name }
    }

    /// Where the benchmark is, once it is made.
    pub fn path(&self) -> PathBuf {
        self.cache.join(&self.name)
    }

    /// Whether it is made.
    pub fn exists(&self) -> bool {
        self.path().join("benchmark.json").exists()
    }

    /// Makes the benchmark, and removes what other builds of the program made for this KB.
    pub fn make(&self, kb: &Kb, progress: &dyn Progress) -> Result<(), TrainingError> {
        make(kb, &Recipe::parse(RECIPE)?, &Lexicon::of(kb), progress)?.write(&self.path())?;
        for other in std::fs::read_dir(&self.cache)?.flatten() {
            let name = other.file_name();
            let is_older =
                name.to_str().is_some_and(|name| name.starts_with(&self.stem) && name != self.name);
            if is_older && let Err(problem) = std::fs::remove_dir_all(other.path()) {
                tracing::warn!(folder = %other.path().display(), %problem, "cannot remove what an older build made");
            }
        }
        Ok(())
    }
}

/// Distinguishes this build of the program from others.
fn build_identity() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    let time = file.as_ref().ok().and_then(|file| file.modified().ok());
    let build = format!("{} {:?} {:?}", env!("CARGO_PKG_VERSION"), file.map(|file| file.len()).ok(), time);
    blake3::hash(build.as_bytes()).to_hex()[..12].to_owned()
}
