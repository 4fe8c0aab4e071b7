//! The benchmark package: a folder with `benchmark.json` and `questions.jsonl`.

use crate::question::Question;
use crate::recipe::Recipe;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The version of the format.
pub const FORMAT: u32 = 1;

/// `benchmark.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub touchstone_benchmark: u32,
    /// The name.
    pub name: String,
    /// The identity when it was made, see [`Benchmark::identity`]; packages of 0.1 have none.
    #[serde(default)]
    pub identity: String,
    /// What it is for.
    pub description: String,
    /// The version of the program that made it.
    pub tool_version: String,
    /// The KB that it is about.
    pub kb: KbIdentity,
    /// The recipe, if it was made by one.
    pub recipe: Option<Recipe>,
    /// The licence, which is the KB's.
    pub license: String,
    /// The domains of the schema that are kept out of training.
    pub held_out: Vec<String>,
    /// Numbers of questions: in all, and by split and level.
    pub counts: BTreeMap<String, u64>,
    /// Queries that were not taken, by reason.
    pub rejections: BTreeMap<String, u64>,
    /// What the recipe wanted and the KB could not give.
    pub unfilled: Vec<Unfilled>,
    /// How many SPARQL forms the general evaluator was asked to confirm, and did.
    pub verified: u64,
}

impl Manifest {
    /// Numbers of questions: in all, and by split and level.
    pub(crate) fn counts(questions: &[Question]) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for question in questions {
            *counts.entry("questions".to_owned()).or_default() += 1;
            *counts.entry(question.split.clone()).or_default() += 1;
            if !question.level.is_empty() {
                *counts.entry(format!("{} {}", question.split, question.level)).or_default() += 1;
            }
        }
        counts
    }
}

/// Which KB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbIdentity {
    /// Its name.
    pub name: String,
    /// The fingerprint of its content.
    pub fingerprint: String,
}

/// A cell of the recipe that could not be filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfilled {
    /// The kind of question.
    pub kind: String,
    /// The level, or `train`.
    pub level: String,
    /// How many were wanted.
    pub wanted: usize,
    /// How many there are.
    pub made: usize,
    /// The most frequent reason.
    pub reason: String,
}

/// A package that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Not JSON, or other fields.
    #[error("{path}, line {line}: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A newer format.
    #[error("{path} has format {found}; this program reads format {FORMAT}: a newer one may read it")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// Something else is there.
    #[error("{0} exists and is no benchmark; choose another folder")]
    InTheWay(PathBuf),
}

/// A benchmark in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Benchmark {
    /// What is said about it as a whole.
    pub manifest: Manifest,
    /// Its questions.
    pub questions: Vec<Question>,
    /// The hash of its content: the first 32 digits of the BLAKE3 hash of `questions.jsonl`, as it is on disk or would be written.
    pub identity: String,
}

/// How many digits of the hash make an identity.
const IDENTITY_DIGITS: usize = 32;

fn identity_of(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..IDENTITY_DIGITS].to_owned()
}

/// A file to write aside, as readable as any other new file.
pub(crate) fn aside_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> PackageError {
    let path = path.to_path_buf();
    move |source| PackageError::Io { action, path, source }
}

/// A question as a line of `questions.jsonl`.
fn line(question: &Question) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(question)?;
    line.push(b'\n');
    Ok(line)
}

fn lines(questions: &[Question]) -> Result<Vec<Vec<u8>>, serde_json::Error> {
    questions.par_iter().map(line).collect()
}

impl Benchmark {
    /// With the identity of its questions.
    pub fn new(manifest: Manifest, questions: Vec<Question>) -> Benchmark {
        let mut hasher = blake3::Hasher::new();
        for part in questions.chunks(1024) {
            // What cannot be written as JSON is reported when it is written.
            for line in lines(part).unwrap_or_default() {
                hasher.update(&line);
            }
        }
        let identity = identity_of(&hasher);
        Benchmark { manifest: Manifest { identity: identity.clone(), ..manifest }, questions, identity }
    }

    /// Whether it was made by a recipe, so that every form was run on its KB, and has not been changed since.
    pub fn is_proven(&self) -> bool {
        self.manifest.recipe.is_some() && self.manifest.identity == self.identity
    }

    /// The identity of the package in a folder, from its bytes alone.
    pub fn identity_in(dir: &Path) -> Result<String, PackageError> {
        let path = dir.join("questions.jsonl");
        let file = File::open(&path).map_err(io("read", &path))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(io("read", &path))?;
        Ok(identity_of(&hasher))
    }

    /// Reads a package.
    pub fn read(dir: &Path) -> Result<Benchmark, PackageError> {
        let path = dir.join("benchmark.json");
        let text = std::fs::read_to_string(&path).map_err(io("read", &path))?;
        let json = |line, path: &Path| {
            let path = path.to_path_buf();
            move |source: serde_json::Error| PackageError::Json {
                line: if line == 0 { source.line() } else { line },
                path,
                source,
            }
        };
        #[derive(Deserialize)]
        struct Version {
            touchstone_benchmark: u32,
        }
        let version: Version = serde_json::from_str(&text).map_err(json(0, &path))?;
        if version.touchstone_benchmark != FORMAT {
            return Err(PackageError::Version { path, found: version.touchstone_benchmark });
        }
        let manifest = serde_json::from_str(&text).map_err(json(0, &path))?;
        let path = dir.join("questions.jsonl");
        let mut file = BufReader::with_capacity(1 << 20, File::open(&path).map_err(io("read", &path))?);
        let mut questions = Vec::new();
        let mut hasher = blake3::Hasher::new();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if file.read_until(b'\n', &mut line).map_err(io("read", &path))? == 0 {
                break;
            }
            hasher.update(&line);
            if !line.trim_ascii().is_empty() {
                questions.push(serde_json::from_slice(&line).map_err(json(number, &path))?);
            }
        }
        Ok(Benchmark { manifest, questions, identity: identity_of(&hasher) })
    }

    /// Writes a package: aside first, so that there is all of it or nothing. A benchmark that is there already is replaced.
    pub fn write(&self, dir: &Path) -> Result<(), PackageError> {
        let is_benchmark = dir.join("benchmark.json").is_file();
        let is_empty = std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none());
        if dir.exists() && !is_benchmark && !is_empty {
            return Err(PackageError::InTheWay(dir.to_path_buf()));
        }
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(io("create", parent))?;
        let aside = tempfile::Builder::new()
            .prefix(".benchmark")
            .tempdir_in(parent)
            .map_err(io("write to", parent))?;
        let path = aside.path().join("questions.jsonl");
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(io("create", &path))?);
        // The lines of the next part are made while those of the last are written.
        let mut parts = self.questions.chunks(1024);
        let mut next = lines(parts.next().unwrap_or_default());
        while let Ok(ready) = &next
            && !ready.is_empty()
        {
            let (written, made) = rayon::join(
                || ready.iter().try_for_each(|line| file.write_all(line)),
                || lines(parts.next().unwrap_or_default()),
            );
            written.map_err(io("write", &path))?;
            next = made;
        }
        next.map_err(|source| PackageError::Json { path: path.clone(), line: 0, source })?;
        file.into_inner()
            .map_err(|e| e.into_error())
            .and_then(|file| file.sync_all())
            .map_err(io("write", &path))?;
        let path = aside.path().join("benchmark.json");
        let text = serde_json::to_string_pretty(&self.manifest).map_err(|source| PackageError::Json {
            path: path.clone(),
            line: 0,
            source,
        })?;
        std::fs::write(&path, text + "\n").map_err(io("write", &path))?;
        if dir.exists() {
            std::fs::remove_dir_all(dir).map_err(io("replace", dir))?;
        }
        std::fs::rename(aside.keep(), dir).map_err(io("write", dir))
    }
}
