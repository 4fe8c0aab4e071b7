//! The benchmark package: a folder with `benchmark.json` and `questions.jsonl`.

use crate::question::Question;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use touchstone_kb::output::{self, OutputError, OutputFolder, OutputKind, failpoint};

/// The version of the format.
pub const FORMAT: u32 = 1;

/// `benchmark.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchmarkManifest {
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
    pub recipe: Option<serde_json::Value>,
    /// The licence, which is the KB's.
    pub license: String,
    /// The domains of the schema that are kept out of training.
    pub held_out: Vec<String>,
    /// The classes, relations, attributes and qualifier keys that are kept out of training, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out_items: Vec<String>,
    /// The year of the facts that change with time, the latest if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// How questions treat what the KB does not have.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub completeness: String,
    /// Numbers of questions: in all, and by split and level.
    pub counts: BTreeMap<String, u64>,
    /// Numbers of rejected queries, by reason.
    pub rejections: BTreeMap<String, u64>,
    /// What the recipe wanted and the KB could not provide.
    pub unfilled: Vec<Unfilled>,
    /// The phrases of the lexicon that most questions have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub most_used_phrases: Vec<PhraseUse>,
    /// Schema items that no question has, because the queries with them could not be verbalised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaid: Vec<String>,
    /// How many SPARQL forms the general evaluator was asked to confirm, and did.
    pub verified: u64,
}

impl BenchmarkManifest {
    /// A text as the name of a benchmark, which occurs in ids, lines of JSON and messages.
    ///
    /// ```
    /// use touchstone_benchmark::BenchmarkManifest;
    /// assert_eq!(BenchmarkManifest::checked_name(" films ").as_deref(), Ok("films"));
    /// assert!(BenchmarkManifest::checked_name("two\nlines").is_err());
    /// ```
    pub fn checked_name(text: &str) -> Result<String, InvalidBenchmarkName> {
        match text.trim() {
            "" => Err(InvalidBenchmarkName::Empty),
            name if name.chars().any(char::is_control) => Err(InvalidBenchmarkName::Control),
            name => Ok(name.to_owned()),
        }
    }

    /// A manifest with a name, made by this version of Touchstone; everything else is empty.
    pub fn named(name: &str) -> BenchmarkManifest {
        BenchmarkManifest {
            touchstone_benchmark: FORMAT,
            name: name.to_owned(),
            identity: String::new(),
            description: String::new(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kb: KbIdentity::of(None),
            recipe: None,
            license: String::new(),
            held_out: Vec::new(),
            held_out_items: Vec::new(),
            as_of: None,
            completeness: String::new(),
            counts: BTreeMap::new(),
            rejections: BTreeMap::new(),
            unfilled: Vec::new(),
            most_used_phrases: Vec::new(),
            unsaid: Vec::new(),
            verified: 0,
        }
    }

    /// A whole number of the recipe, such as `seed` or `questions`.
    pub fn recipe_number(&self, key: &str) -> Option<u64> {
        self.recipe.as_ref()?.get(key)?.as_u64()
    }

    /// Numbers of questions: in all, and by split and level.
    pub fn counts(questions: &[Question]) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for question in questions {
            *counts.entry("questions".to_owned()).or_default() += 1;
            *counts.entry(question.split.name().to_owned()).or_default() += 1;
            if let Some(level) = question.level {
                *counts.entry(format!("{} {level}", question.split)).or_default() += 1;
            }
        }
        counts
    }
}

/// How many questions have a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhraseUse {
    /// The phrase as the lexicon has it.
    pub phrase: String,
    /// Number of questions.
    pub questions: u64,
}

/// Which KB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KbIdentity {
    /// Its name.
    pub name: String,
    /// The fingerprint of its content.
    pub fingerprint: String,
}

/// A cell of the recipe that could not be filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[non_exhaustive]
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
    /// The folder holds no benchmark.
    #[error("there is no benchmark in {dir} (no benchmark.json){nearest}; `touchstone build` and `touchstone import-dataset` make one", dir = .dir.display(), nearest = .nearest.as_ref().map(|name| format!("; did you mean {}?", name.display())).unwrap_or_default())]
    Missing {
        /// The folder.
        dir: PathBuf,
        /// A folder next to it with a similar name that holds a benchmark.
        nearest: Option<PathBuf>,
    },
    /// Not JSON, or not the fields of the format.
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
    /// The folder cannot be written, or not without losing something of the user's.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A text that cannot be the name of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBenchmarkName {
    /// There is nothing.
    #[error("a name must have at least one character")]
    Empty,
    /// It would break lines.
    #[error("a name must not contain line breaks or control characters")]
    Control,
}

/// A benchmark in memory.
///
/// ```
/// use touchstone_benchmark::{Benchmark, BenchmarkManifest, Question};
///
/// // A line of questions.jsonl; touchstone-forge and touchstone-datasets make them.
/// let line = r#"{"id": "q1", "split": "test", "level": "", "question": "Who directed M?",
///     "forms": {"program": "Find(M) > Relate(director, forward) > What()"},
///     "graph": {"root": 0, "vertices": [], "edges": []}, "shape": "T1:(())", "alias": "Iso-0", "function": "none",
///     "type": "QueryName", "categories": [], "choices": [], "template": "", "schema_items": [], "entities": [],
///     "proof": [], "source": "example", "answers": [{"type": "text", "value": "Fritz Lang"}]}"#;
/// let question: Question = serde_json::from_str(line)?;
/// let benchmark = Benchmark::new(BenchmarkManifest::named("films"), vec![question]);
///
/// let folder = tempfile::tempdir()?;
/// benchmark.write(&folder.path().join("films"))?;
/// let read = Benchmark::read(&folder.path().join("films"))?;
/// assert_eq!(read.questions[0].answers[0].text(), "Fritz Lang");
/// assert_eq!(read.identity, benchmark.identity);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Benchmark {
    /// `benchmark.json`.
    pub manifest: BenchmarkManifest,
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

/// A benchmark as an output.
const BENCHMARK_OUTPUT: OutputKind = OutputKind {
    name: "benchmark",
    manifest: MANIFEST,
    owns_folder: true,
    is_durable: true,
    volatile: &[],
    unmarked: |folder| match Benchmark::read_version(folder) {
        Ok(_) => vec![MANIFEST.to_owned(), QUESTIONS.to_owned()],
        Err(_) => Vec::new(),
    },
};

const MANIFEST: &str = "benchmark.json";
const QUESTIONS: &str = "questions.jsonl";

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

/// The benchmark in the same parent folder whose name is most like that of a folder that holds none.
fn nearest_benchmark(dir: &Path) -> Option<PathBuf> {
    let name = dir.file_name()?.to_string_lossy().into_owned();
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(parent)
        .ok()?
        .flatten()
        .filter(|entry| entry.path().join("benchmark.json").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let nearest = touchstone_kb::nearest_name(&name, names.iter().map(String::as_str))?;
    Some(dir.with_file_name(nearest))
}

impl Benchmark {
    /// With the identity of its questions.
    pub fn new(manifest: BenchmarkManifest, questions: Vec<Question>) -> Benchmark {
        let mut hasher = blake3::Hasher::new();
        for part in questions.chunks(1024) {
            // What cannot be written as JSON is reported when it is written.
            for line in lines(part).unwrap_or_default() {
                hasher.update(&line);
            }
        }
        let identity = identity_of(&hasher);
        Benchmark {
            manifest: BenchmarkManifest { identity: identity.clone(), ..manifest },
            questions,
            identity,
        }
    }

    /// Whether it was made by a recipe, so that every form was run on its KB, and has not been changed since.
    pub fn is_proven(&self) -> bool {
        self.manifest.recipe.is_some() && self.manifest.identity == self.identity
    }

    /// The identity of the package in a folder, from its bytes alone.
    pub(crate) fn identity_in(dir: &Path) -> Result<String, PackageError> {
        let path = dir.join(QUESTIONS);
        let file = File::open(&path).map_err(io("read", &path))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(io("read", &path))?;
        Ok(identity_of(&hasher))
    }

    /// Reads a package.
    pub fn read(dir: &Path) -> Result<Benchmark, PackageError> {
        output::read(dir, || Benchmark::read_version(dir))
    }

    /// Reads what is there now.
    fn read_version(dir: &Path) -> Result<Benchmark, PackageError> {
        let path = dir.join(MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                PackageError::Missing { dir: dir.to_path_buf(), nearest: nearest_benchmark(dir) }
            }
            _ => io("read", &path)(error),
        })?;
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
        let path = dir.join(QUESTIONS);
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

    /// The benchmark with each paraphrase as a question of its own, after its question.
    #[must_use]
    pub fn with_paraphrases_as_questions(self) -> Benchmark {
        let with_own = |question: Question| {
            let paraphrases = question.paraphrases.clone();
            let own = paraphrases.into_iter().enumerate().map({
                let question = question.clone();
                move |(at, paraphrase)| Question {
                    id: format!("{}-p{}", question.id, at + 1),
                    question: paraphrase.text,
                    entities: paraphrase.entities,
                    source: paraphrase.system,
                    paraphrases: Vec::new(),
                    ..question.clone()
                }
            });
            std::iter::once(question).chain(own.collect::<Vec<_>>())
        };
        let questions: Vec<Question> = self.questions.into_iter().flat_map(with_own).collect();
        let manifest = BenchmarkManifest { counts: BenchmarkManifest::counts(&questions), ..self.manifest };
        Benchmark::new(manifest, questions)
    }

    /// Reserves a folder for a benchmark, before the work of making it. A benchmark that is there is replaced when the new one is written;
    /// files of the user are in the way, or with `force` are kept next to it.
    pub fn reserve(dir: &Path, force: bool) -> Result<OutputFolder, PackageError> {
        Ok(OutputFolder::reserve(dir, &BENCHMARK_OUTPUT, &[MANIFEST, QUESTIONS], force)?)
    }

    /// Writes a package to a folder of its own, all of it or nothing. A benchmark that is there is replaced.
    pub fn write(&self, dir: &Path) -> Result<(), PackageError> {
        self.write_to(Benchmark::reserve(dir, false)?)
    }

    /// Writes a package to a folder that was reserved for it.
    pub fn write_to(&self, folder: OutputFolder) -> Result<(), PackageError> {
        let path = folder.path().join(QUESTIONS);
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
        file.into_inner().map_err(|e| io("write", &path)(e.into_error()))?;
        failpoint("questions-written");
        let path = folder.path().join(MANIFEST);
        let text = serde_json::to_string_pretty(&self.manifest).map_err(|source| PackageError::Json {
            path: path.clone(),
            line: 0,
            source,
        })?;
        std::fs::write(&path, text + "\n").map_err(io("write", &path))?;
        Ok(folder.commit()?)
    }
}
