//! Which KB belongs to a benchmark, and where it is.

use crate::package::KbIdentity;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use touchstone_kb::{Kb, KbError, cache_dir, registry, shortened};

/// Which KB to work with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KbSource {
    /// The one that the benchmark was made from, found by its fingerprint.
    #[default]
    OfBenchmark,
    /// The one that the program carries.
    Embedded,
    /// The compiled KB in a folder.
    Folder(PathBuf),
    /// None: logical forms are not run.
    None,
}

impl KbSource {
    /// The KB that a user names: `world` for the embedded one, `none`, a folder, or nothing for the benchmark's own.
    pub fn named(name: Option<&str>) -> KbSource {
        match name {
            None => KbSource::OfBenchmark,
            Some("none") => KbSource::None,
            Some("world") => KbSource::Embedded,
            Some(folder) => KbSource::Folder(PathBuf::from(folder)),
        }
    }
}

/// A KB that the program carries.
#[derive(Clone, Copy)]
pub struct EmbeddedKb {
    /// Its name on the command line.
    pub name: &'static str,
    /// The fingerprint of its content; `None` if the program was built without it.
    pub fingerprint: Option<&'static str>,
    /// Opens it.
    pub open: fn() -> Result<Kb, Box<dyn Error + Send + Sync>>,
}

/// A KB that was chosen for a benchmark.
pub enum ChosenKb {
    /// The benchmark's own KB, or the requested one.
    Kb(Box<Kb>),
    /// The requested KB, which is not the one that the benchmark was made from.
    Other {
        /// The KB.
        kb: Box<Kb>,
        /// What was requested.
        requested: String,
    },
    /// None was requested, or the benchmark does not name a KB.
    None,
    /// The benchmark names a KB that was not found.
    Missing,
}

/// Why a KB cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KbChoiceError {
    /// The folder does not exist.
    #[error("there is no KB `{}`; give the directory of a compiled KB (see `touchstone kb import --help`), or `world`", .0.display())]
    Missing(PathBuf),
    /// The program carries no KB.
    #[error("this program has no embedded KB")]
    NotEmbedded,
    /// The embedded KB cannot be opened.
    #[error(transparent)]
    Embedded(Box<dyn Error + Send + Sync>),
    /// The KB cannot be opened.
    #[error(transparent)]
    Kb(#[from] KbError),
}

/// Opens the requested KB, or else the benchmark's, found by its fingerprint: never any other. The latter is searched for among the KBs
/// that were imported on this machine, in the folders `near`, in the two folders above each of them, and in the current folder.
pub fn choose_kb(
    source: &KbSource,
    wanted: &KbIdentity,
    near: &[&Path],
    embedded: Option<EmbeddedKb>,
) -> Result<ChosenKb, KbChoiceError> {
    let kb = match source {
        KbSource::None => return Ok(ChosenKb::None),
        KbSource::OfBenchmark => return kb_of_benchmark(wanted, near, embedded),
        KbSource::Embedded => open_embedded(embedded)?,
        KbSource::Folder(folder) if !folder.exists() => return Err(KbChoiceError::Missing(folder.clone())),
        KbSource::Folder(folder) => Kb::open(folder)?,
    };
    let kb = Box::new(kb);
    if wanted.fingerprint.is_empty() || kb.manifest().fingerprint == wanted.fingerprint {
        return Ok(ChosenKb::Kb(kb));
    }
    let requested = match (source, embedded) {
        (KbSource::Folder(folder), _) => folder.display().to_string(),
        (_, Some(embedded)) => embedded.name.to_owned(),
        _ => String::new(),
    };
    Ok(ChosenKb::Other { kb, requested })
}

fn kb_of_benchmark(
    wanted: &KbIdentity,
    near: &[&Path],
    embedded: Option<EmbeddedKb>,
) -> Result<ChosenKb, KbChoiceError> {
    if wanted.fingerprint.is_empty() {
        return Ok(ChosenKb::None);
    }
    if embedded.is_some_and(|embedded| embedded.fingerprint == Some(wanted.fingerprint.as_str())) {
        return Ok(ChosenKb::Kb(Box::new(open_embedded(embedded)?)));
    }
    let folders = folders_near(near);
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    Ok(match registry::find(&cache_dir(), &wanted.fingerprint, &folders) {
        Some(folder) => ChosenKb::Kb(Box::new(Kb::open(&folder)?)),
        None => ChosenKb::Missing,
    })
}

fn open_embedded(embedded: Option<EmbeddedKb>) -> Result<Kb, KbChoiceError> {
    let embedded = embedded.ok_or(KbChoiceError::NotEmbedded)?;
    (embedded.open)().map_err(KbChoiceError::Embedded)
}

/// The folders, the two above each, and the current one.
fn folders_near(near: &[&Path]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in near.iter().filter_map(|folder| folder.canonicalize().ok()) {
        for folder in folder.ancestors().take(3) {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_path_buf());
            }
        }
    }
    folders.extend(std::env::current_dir());
    folders
}

impl KbIdentity {
    /// The identity of a KB; without one, no identity.
    pub fn of(kb: Option<&Kb>) -> KbIdentity {
        let manifest = kb.map(Kb::manifest);
        KbIdentity {
            name: manifest.map_or_else(String::new, |manifest| manifest.name.clone()),
            fingerprint: manifest.map_or_else(String::new, |manifest| manifest.fingerprint.clone()),
        }
    }
}

/// The name and the first digits of the fingerprint.
impl fmt::Display for KbIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.fingerprint.get(..12).unwrap_or(&self.fingerprint);
        match self.name.as_str() {
            "" => write!(f, "fingerprint {digits}"),
            name => write!(f, "`{}`, fingerprint {digits}", shortened(name)),
        }
    }
}
