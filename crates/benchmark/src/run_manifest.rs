//! What a run is: the file `run.json`.

use crate::gives::Gives;
use crate::kinds::Split;
use crate::question::Question;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use touchstone_kb::output::{OutputError, replace_file};

/// What a run is: a run resumes only if all of this is the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunHeader {
    /// The version of this format: 1.
    pub touchstone_run: u32,
    /// The system, with its configuration.
    pub system: String,
    /// The name of the benchmark.
    pub benchmark: String,
    /// The identity of the benchmark; runs of 0.1 have none.
    #[serde(default)]
    pub benchmark_identity: String,
    /// The folder of the benchmark, absolute; empty if the questions come from elsewhere. A benchmark may move, so a run resumes with another path.
    #[serde(default)]
    pub benchmark_path: String,
    /// The split that is asked, if not all but training.
    #[serde(default)]
    pub split: Option<Split>,
    /// Maximum number of questions to ask.
    #[serde(default)]
    pub limit: Option<usize>,
    /// The hash of the questions: [`RunHeader::hash_questions`].
    pub questions: String,
    /// The fingerprint of its KB.
    pub kb: String,
    /// Whether the system is given the entities.
    pub gold_entities: bool,
    /// Whether the system is given the choices.
    pub choices: bool,
    /// Whether the system is given the part of the schema that the question is about.
    #[serde(default)]
    pub schema: bool,
    /// What the system gives: declared with `--gives`, or by the system itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gives: Option<Gives>,
    /// The data that the system was trained on, as its trainer or the user describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// The version of the program.
    pub tool_version: String,
}

impl RunHeader {
    /// The version of `run.json`.
    pub const VERSION: u32 = 1;

    /// Of a run of a system that is given nothing but questions, which are not those of a benchmark.
    pub fn new(system: &str) -> RunHeader {
        RunHeader {
            touchstone_run: RunHeader::VERSION,
            system: system.to_owned(),
            benchmark: String::new(),
            benchmark_identity: String::new(),
            benchmark_path: String::new(),
            split: None,
            limit: None,
            questions: String::new(),
            kb: String::new(),
            gold_entities: false,
            choices: false,
            schema: false,
            gives: None,
            trained_on: None,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// A hash of questions with everything that the benchmark holds about them.
    pub fn hash_questions(questions: &[&Question]) -> String {
        let mut hasher = blake3::Hasher::new();
        for question in questions {
            hasher.update(&serde_json::to_vec(question).unwrap_or_default());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The first field in which a stored run differs from this one, so that it cannot be resumed as this one.
    pub(crate) fn difference(&self, stored: &RunHeader) -> Option<FieldDifference> {
        let fields = |header: &RunHeader| serde_json::to_value(header).unwrap_or_default();
        let (wanted, stored) = (fields(self), fields(stored));
        let shown = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        wanted.as_object().into_iter().flatten().find_map(|(field, value)| {
            let found = &stored[field];
            let may_differ = LOCATIONS.contains(&field.as_str())
                // Older runs do not declare it.
                || DECLARED_LATER.contains(&field.as_str()) && found.is_null();
            let differs = found != value && !may_differ;
            differs.then(|| FieldDifference {
                field: field.clone(),
                found: shown(found),
                wanted: shown(value),
            })
        })
    }
}

/// Fields that locate something without identifying it: a run resumes wherever they point.
const LOCATIONS: [&str; 1] = ["benchmark_path"];

/// Fields that a run may declare when it is resumed.
const DECLARED_LATER: [&str; 2] = ["gives", "trained_on"];

/// A field that differs between two runs.
pub(crate) struct FieldDifference {
    pub(crate) field: String,
    pub(crate) found: String,
    pub(crate) wanted: String,
}

/// The contents of `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunManifest {
    /// What the run is.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The arguments that started it, for resuming.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The directory in which it was started: paths among the arguments are relative to it.
    #[serde(default)]
    pub directory: String,
    /// When it was started, in UTC.
    #[serde(default)]
    pub started: String,
    /// When the last question was answered; without it the run is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// Why `run.json` cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunManifestError {
    /// Reading failed.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// It does not describe a run.
    #[error("{path} is damaged: {source}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Writing failed.
    #[error(transparent)]
    Write(#[from] OutputError),
}

impl RunManifest {
    /// The name of the file.
    pub const FILE: &str = "run.json";

    /// A run that starts now, in the current directory.
    pub(crate) fn start(header: &RunHeader, arguments: &[String]) -> RunManifest {
        RunManifest {
            header: header.clone(),
            arguments: arguments.to_vec(),
            directory: std::env::current_dir().unwrap_or_default().display().to_string(),
            started: utc(SystemTime::now()),
            ended: None,
        }
    }

    /// Notes that the run is complete.
    pub(crate) fn end(&mut self) {
        self.ended = Some(utc(SystemTime::now()));
    }

    /// Of a run's folder.
    pub fn read(folder: &Path) -> Result<RunManifest, RunManifestError> {
        let path = folder.join(RunManifest::FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                serde_json::from_str(&text).map_err(|source| RunManifestError::Damaged { path, source })
            }
            Err(source) => Err(RunManifestError::Read { path, source }),
        }
    }

    /// Of a folder that may not hold a run.
    pub fn read_if_present(folder: &Path) -> Result<Option<RunManifest>, RunManifestError> {
        match RunManifest::read(folder) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(RunManifestError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), RunManifestError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        Ok(replace_file(&folder.join(RunManifest::FILE), text.as_bytes(), true)?)
    }
}

/// The day in UTC, as `2026-11-16`.
pub fn today() -> String {
    utc(SystemTime::now()).chars().take(10).collect()
}

/// A moment as `2026-11-16T18:20:00Z`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn moments() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_794_853_201), "2026-11-16T18:20:01Z");
        assert_eq!(at(4_107_542_399), "2100-02-28T23:59:59Z");
    }

    #[test]
    fn runs_of_older_versions_are_read() {
        let old = r#"{"touchstone_run": 1, "system": "s", "benchmark": "b", "questions": "q", "kb": "k",
            "gold_entities": false, "choices": true, "tool_version": "0.1.0"}"#;
        let manifest: RunManifest = serde_json::from_str(old).expect("read");
        let header = &manifest.header;
        assert!(header.choices && header.gives.is_none() && header.trained_on.is_none());
        assert_eq!((manifest.arguments.len(), manifest.ended), (0, None));
    }
}
