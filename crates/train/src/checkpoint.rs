//! The folder of a model: `model.json`, `model.safetensors`, vocabularies and a model card; and in its sub-folder `state`, what is needed
//! to continue training. Both are written aside and put in place at once, so that a process can be killed at any moment.

use crate::error::TrainError;
use crate::fit::{CurvePoint, DevEvaluation, StopReason, TrainState};
use crate::model_card::{loss_svg, model_card};
use crate::model_files::ModelFiles;
use crate::settings::ModelScale;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;
use touchstone_benchmark::KbIdentity;
use touchstone_kb::output::{OutputFolder, OutputKind, failpoint, read};

/// The version of `model.json`, and of `training.json`.
pub const MODEL_FORMAT: u64 = 1;

pub(crate) const MODEL: &str = "model.json";
pub(crate) const NETWORK: &str = "model.safetensors";
const CARD: &str = "README.md";
const CURVE: &str = "loss.svg";
const STATE: &str = "state";
const TRAINING: &str = "training.json";
const LAST: &str = "last.safetensors";
const BEST: &str = "best.safetensors";
const OPTIMISER: &str = "optimiser.burnpack";

/// A model as an output. Its folder may hold other files: the state, and notes of the user.
pub(crate) const MODEL_OUTPUT: OutputKind = OutputKind {
    name: "model",
    manifest: MODEL,
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: |_| Vec::new(),
};

/// The state of a training as an output.
const STATE_OUTPUT: OutputKind = OutputKind {
    name: "training state",
    manifest: TRAINING,
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: |_| Vec::new(),
};

/// What a training began with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingHeader {
    /// The system.
    pub system: String,
    /// The scale that the settings began with.
    pub scale: ModelScale,
    /// All settings.
    pub settings: Table,
    /// The seed.
    pub seed: u64,
    /// The share of the training questions.
    pub fraction: f64,
    /// The benchmark.
    pub benchmark: TrainedBenchmark,
    /// Its KB.
    pub kb: KbIdentity,
    /// Number of training questions after the fraction was applied.
    pub questions: usize,
    /// Number of questions for early stopping.
    pub dev_questions: usize,
    /// Number of examples that were made of the training questions.
    pub examples: usize,
    /// Number of parameters of the network.
    pub parameters: u64,
    /// The measure of early stopping.
    pub measure: String,
    /// What was left out or cut.
    pub notes: Vec<String>,
    /// The version of Touchstone.
    pub tool_version: String,
}

/// The benchmark that a model learned from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainedBenchmark {
    /// Its name.
    pub name: String,
    /// The identity of its questions.
    pub identity: String,
    /// Its folder.
    pub path: PathBuf,
    /// The folder of the KB, or its name, if the user named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kb: Option<String>,
}

/// `model.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelManifest {
    /// The version of the format.
    pub touchstone_model: u64,
    /// What training began with.
    pub training: TrainingHeader,
    /// Number of steps.
    pub steps: u64,
    /// Number of finished epochs.
    pub epochs: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Why training ended.
    pub stop: StopReason,
    /// The evaluation of the network that was kept, if there was one.
    pub best: Option<DevEvaluation>,
    /// The loss.
    pub curve: Vec<CurvePoint>,
    /// The scores on the development questions.
    pub evaluations: Vec<DevEvaluation>,
    /// All other files of the model.
    pub files: BTreeMap<String, WrittenFile>,
}

impl ModelManifest {
    /// Whether training ended by itself.
    pub fn is_finished(&self) -> bool {
        self.stop != StopReason::Cancelled
    }

    /// A short text that identifies the content of the network.
    pub fn identity(&self) -> &str {
        self.files.get(NETWORK).map_or("", |file| file.blake3.get(..16).unwrap_or_default())
    }
}

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Number of bytes.
    pub bytes: u64,
    /// The BLAKE3 hash.
    pub blake3: String,
}

impl WrittenFile {
    fn of(bytes: &[u8]) -> WrittenFile {
        WrittenFile { bytes: bytes.len() as u64, blake3: blake3::hash(bytes).to_hex().to_string() }
    }

    /// The file with this content.
    fn read(&self, path: &Path) -> Result<Vec<u8>, TrainError> {
        let bytes = std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TrainError::damaged(path, "the file is missing"),
            _ => TrainError::io("read", path)(error),
        })?;
        if bytes.len() as u64 != self.bytes {
            let detail = format!("the file has {} bytes instead of {}", bytes.len(), self.bytes);
            return Err(TrainError::damaged(path, detail));
        }
        if WrittenFile::of(&bytes) != *self {
            return Err(TrainError::damaged(path, "the file was changed after it was written"));
        }
        Ok(bytes)
    }
}

/// A model in memory.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its folder.
    pub folder: PathBuf,
    /// `model.json`.
    pub manifest: ModelManifest,
    /// Vocabularies and sub-words.
    pub files: ModelFiles,
    /// The parameters of the network.
    pub network: Vec<u8>,
}

impl Model {
    /// Reads `model.json` alone.
    pub fn manifest(folder: &Path) -> Result<ModelManifest, TrainError> {
        read(folder, || Model::manifest_now(folder))
    }

    fn manifest_now(folder: &Path) -> Result<ModelManifest, TrainError> {
        match read_json(&folder.join(MODEL), "touchstone_model")? {
            Some(manifest) => Ok(manifest),
            None => Err(match SavedTraining::read_record(folder)? {
                Some(record) => TrainError::Unfinished { path: folder.to_owned(), steps: record.state.step },
                None => TrainError::NotAModel { path: folder.to_owned(), nearest: nearest_model(folder) },
            }),
        }
    }

    /// Reads a model, and checks that its files are complete and unchanged.
    pub fn read(folder: &Path) -> Result<Model, TrainError> {
        read(folder, || {
            let manifest = Model::manifest_now(folder)?;
            let mut files = read_files(folder, &manifest.files)?;
            let network = files.0.remove(NETWORK);
            let network = network.ok_or_else(|| {
                TrainError::damaged(&folder.join(MODEL), format!("it does not list {NETWORK}"))
            })?;
            Ok(Model { folder: folder.to_owned(), manifest, files, network })
        })
    }

    /// Writes a model into a folder that was reserved for it.
    pub(crate) fn publish(
        output: OutputFolder,
        manifest: ModelManifest,
        files: &ModelFiles,
        network: &[u8],
    ) -> Result<ModelManifest, TrainError> {
        let folder = output.path();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(TrainError::io("write", &output.folder().join(name)))
        };
        let all = files.0.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let all: Vec<(&str, &[u8])> = all.chain([(NETWORK, network)]).collect();
        let listed = all.iter().map(|(name, bytes)| ((*name).to_owned(), WrittenFile::of(bytes)));
        let manifest = ModelManifest { files: listed.collect(), ..manifest };
        for (name, bytes) in all {
            write(name, bytes)?;
        }
        write(CURVE, loss_svg(&manifest).as_bytes())?;
        write(CARD, model_card(&manifest).as_bytes())?;
        write(MODEL, &json_bytes(&manifest))?;
        failpoint("model-written");
        output.commit()?;
        Ok(manifest)
    }

    /// Whether there is a model or an unfinished training in a folder.
    pub(crate) fn is_in(folder: &Path) -> bool {
        folder.join(MODEL).exists() || folder.join(STATE).join(TRAINING).exists()
    }
}

/// `training.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainingRecord {
    touchstone_training: u64,
    pub(crate) training: TrainingHeader,
    pub(crate) state: TrainState,
    pub(crate) seconds: f64,
    files: BTreeMap<String, WrittenFile>,
}

/// A training that can be continued.
#[derive(Debug, Clone)]
pub struct SavedTraining {
    pub(crate) record: TrainingRecord,
    pub(crate) files: ModelFiles,
    pub(crate) last: Vec<u8>,
    pub(crate) best: Option<Vec<u8>>,
    pub(crate) optimiser: Vec<u8>,
}

/// What is saved.
pub(crate) struct Saving<'s> {
    pub(crate) training: &'s TrainingHeader,
    pub(crate) state: &'s TrainState,
    pub(crate) seconds: f64,
    pub(crate) files: &'s ModelFiles,
    pub(crate) last: &'s [u8],
    pub(crate) best: Option<&'s [u8]>,
    pub(crate) optimiser: &'s [u8],
}

impl SavedTraining {
    /// What the training began with.
    pub fn training(&self) -> &TrainingHeader {
        &self.record.training
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u64 {
        self.record.state.step
    }

    /// Whether there is the state of an unfinished training in the folder of a model.
    pub(crate) fn is_in(folder: &Path) -> Result<bool, TrainError> {
        Ok(SavedTraining::read_record(folder)?.is_some())
    }

    fn read_record(folder: &Path) -> Result<Option<TrainingRecord>, TrainError> {
        let state = folder.join(STATE);
        read(&state, || read_json(&state.join(TRAINING), "touchstone_training"))
    }

    /// Reads the state of a training from the folder of its model.
    pub fn read(folder: &Path) -> Result<SavedTraining, TrainError> {
        let state = folder.join(STATE);
        let found = read(&state, || {
            let Some(record) = read_json::<TrainingRecord>(&state.join(TRAINING), "touchstone_training")?
            else {
                return Ok::<_, TrainError>(None);
            };
            let mut files = read_files(&state, &record.files)?;
            let mut take = |name: &str| {
                let missing =
                    || TrainError::damaged(&state.join(TRAINING), format!("it does not list {name}"));
                files.0.remove(name).ok_or_else(missing)
            };
            let (last, optimiser) = (take(LAST)?, take(OPTIMISER)?);
            let best = take(BEST).ok();
            Ok(Some(SavedTraining { record, files, last, best, optimiser }))
        })?;
        match found {
            Some(saved) => Ok(saved),
            None => {
                // No state: the model is finished, or there is none.
                Model::manifest(folder)?;
                Err(TrainError::Finished { path: folder.to_owned() })
            }
        }
    }

    /// Replaces the state of a training.
    pub(crate) fn write(folder: &Path, saving: &Saving<'_>) -> Result<(), TrainError> {
        let state = folder.join(STATE);
        let output = OutputFolder::reserve(&state, &STATE_OUTPUT, &[], false)?;
        let staged = output.path();
        let all = saving.files.0.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let own = [(LAST, saving.last), (OPTIMISER, saving.optimiser)];
        let best = saving.best.map(|bytes| (BEST, bytes));
        let all: Vec<(&str, &[u8])> = all.chain(own).chain(best).collect();
        let record = TrainingRecord {
            touchstone_training: MODEL_FORMAT,
            training: saving.training.clone(),
            state: saving.state.clone(),
            seconds: saving.seconds,
            files: all.iter().map(|(name, bytes)| ((*name).to_owned(), WrittenFile::of(bytes))).collect(),
        };
        let record = json_bytes(&record);
        for (name, bytes) in all.into_iter().chain([(TRAINING, record.as_slice())]) {
            std::fs::write(staged.join(name), bytes).map_err(TrainError::io("write", &state.join(name)))?;
        }
        failpoint("state-written");
        Ok(output.commit()?)
    }

    /// Removes the state of a finished training. Other files in its folder are kept.
    pub(crate) fn remove(folder: &Path) -> Result<(), TrainError> {
        let state = folder.join(STATE);
        let Some(record) = SavedTraining::read_record(folder)? else { return Ok(()) };
        let names = record.files.keys().map(String::as_str).chain([".touchstone.json"]);
        // The record first: without it there is nothing to resume.
        for name in [TRAINING].into_iter().chain(names) {
            match std::fs::remove_file(state.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(TrainError::io("remove", &state.join(name))(error));
                }
                _ => {}
            }
        }
        // It stays if the user has put something there.
        let _ = std::fs::remove_dir(&state);
        Ok(())
    }
}

fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Reads a file with a version; `None` if there is no file.
fn read_json<T: DeserializeOwned>(path: &Path, version: &str) -> Result<Option<T>, TrainError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            return match error.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Ok(None),
                std::io::ErrorKind::InvalidData => Err(TrainError::damaged(path, "the file is not UTF-8")),
                _ => Err(TrainError::io("read", path)(error)),
            };
        }
    };
    let damaged = |error: serde_json::Error| TrainError::damaged(path, error.to_string());
    let json: serde_json::Value = serde_json::from_str(&text).map_err(damaged)?;
    match json.get(version).and_then(serde_json::Value::as_u64) {
        Some(MODEL_FORMAT) => Ok(Some(T::deserialize(json).map_err(damaged)?)),
        Some(found) => Err(TrainError::Version { path: path.to_owned(), found, expected: MODEL_FORMAT }),
        None => {
            Err(TrainError::damaged(path, format!("it has no `{version}`, so Touchstone did not write it")))
        }
    }
}

fn read_files(folder: &Path, listed: &BTreeMap<String, WrittenFile>) -> Result<ModelFiles, TrainError> {
    let mut files = ModelFiles::default();
    for (name, written) in listed {
        if name.contains(['/', '\\']) || name == ".." {
            return Err(TrainError::damaged(
                &folder.join(MODEL),
                format!("`{name}` is not the name of a file"),
            ));
        }
        files.0.insert(name.clone(), written.read(&folder.join(name))?);
    }
    Ok(files)
}

/// The model in the same parent folder whose name is most like that of a folder that holds none.
fn nearest_model(folder: &Path) -> Option<PathBuf> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(parent).ok()?.flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(MODEL).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let nearest = touchstone_kb::nearest_name(&name, names.iter().map(String::as_str))?;
    Some(folder.with_file_name(nearest))
}
