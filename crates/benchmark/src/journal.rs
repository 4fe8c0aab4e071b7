//! The journal of a run: `run.json` and an append-only `predictions.jsonl`, readable while it grows.

use crate::gives::Gives;
use crate::kinds::Split;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use touchstone_kb::output::{OutputError, failpoint, replace_file};

/// What a run is: a run goes on only if all of this is the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The version of this form: 1.
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
    /// The hash of the questions.
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
    /// The version of the program.
    pub tool_version: String,
}

/// Fields of [`RunHeader`] that say where something is, not what it is: a run continues wherever they point.
const PLACES: [&str; 1] = ["benchmark_path"];

/// What `run.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunManifest {
    /// What the run is.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The arguments that began it, for going on.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Where it began: paths among the arguments are relative to it.
    #[serde(default)]
    pub directory: String,
    /// When it began, in UTC.
    #[serde(default)]
    pub started: String,
    /// When the last question was answered; without it the run is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

impl RunManifest {
    /// Of a run's folder.
    pub fn read(folder: &Path) -> Result<RunManifest, JournalError> {
        let path = folder.join("run.json");
        let text = std::fs::read_to_string(&path).map_err(io("read", &path))?;
        serde_json::from_str(&text)
            .map_err(|error| JournalError::Damaged { path, message: error.to_string() })
    }

    fn write(&self, folder: &Path) -> Result<(), JournalError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        Ok(replace_file(&folder.join("run.json"), text.as_bytes(), true)?)
    }
}

/// A moment as `2026-11-16T18:20:00Z`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, clock) = (seconds / 86_400 + 719_468, seconds % 86_400);
    // Years that begin in March have their leap day at the end; 400 of them have 146,097 days.
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + u64::from(month < 3);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Why a journal cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The folder has a run of something else.
    #[error("{folder} holds another run: its {field} is `{found}`, not `{wanted}`; choose another folder")]
    Another {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        field: String,
        /// What is there.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// Another process writes there.
    #[error("another process is busy with the run in {folder}; wait for it, or choose another folder")]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// There are predictions, but no run.
    #[error(
        "{folder} has a predictions.jsonl but no run.json: it is not a run of this program; choose another folder"
    )]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be replaced.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// `run.json` is no header.
    #[error("{path} is damaged: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> JournalError {
    let path = path.to_owned();
    move |source| JournalError::Io { action, path, source }
}

/// An open journal.
pub struct Journal {
    folder: PathBuf,
    about: RunManifest,
    path: PathBuf,
    out: File,
    done: HashSet<String>,
    /// Predictions with an error that were there when it was opened.
    errors: usize,
    unsynced: usize,
    synced: Instant,
}

/// Lines are made durable in groups: after so many, or so long.
const GROUP: usize = 256;
const GROUP_TIME: Duration = Duration::from_millis(500);

/// How long to wait for a journal that another process has open.
const PATIENCE: Duration = Duration::from_millis(500);

impl Journal {
    /// Opens the journal in a folder, or begins one. A torn last line, as a crash leaves it, is cut off. With `retry_errors`, predictions
    /// with an error are left out, so that their questions are asked again.
    ///
    /// Only one process can have it open, and nothing is touched before it is certain that the run in the folder is this one.
    pub fn open(
        folder: &Path,
        header: &RunHeader,
        arguments: &[String],
        retry_errors: bool,
    ) -> Result<Journal, JournalError> {
        let path = folder.join("predictions.jsonl");
        let found = stored(folder)?;
        match &found {
            Some(about) => same_run(folder, &about.header, header)?,
            None if std::fs::metadata(&path).is_ok_and(|about| about.len() > 0) => {
                return Err(JournalError::NoRun { folder: folder.to_owned() });
            }
            None => std::fs::create_dir_all(folder).map_err(io("make", folder))?,
        }
        let mut out = locked(folder, &path)?;
        // Again: whoever held the lock may have begun a run.
        let about = match stored(folder)? {
            Some(about) => {
                same_run(folder, &about.header, header)?;
                about
            }
            None => {
                let started = utc(SystemTime::now());
                let directory = std::env::current_dir().unwrap_or_default().display().to_string();
                let (header, arguments) = (header.clone(), arguments.to_vec());
                let about = RunManifest { header, arguments, directory, started, ended: None };
                failpoint("run-locked");
                about.write(folder)?;
                about
            }
        };
        let (done, errors, length) = whole_lines(&out, &path)?;
        if out.metadata().map_err(io("read", &path))?.len() > length {
            out.set_len(length).map_err(io("repair", &path))?;
        }
        let (mut done, mut n_errors) = (done, errors.len());
        if retry_errors && !errors.is_empty() {
            out = without_errors(folder, &path, &out)?;
            done.retain(|id| !errors.contains(id));
            n_errors = 0;
        }
        sync_folder(folder);
        Ok(Journal {
            folder: folder.to_owned(),
            about,
            path,
            out,
            done,
            errors: n_errors,
            unsynced: 0,
            synced: Instant::now(),
        })
    }

    /// What the run is.
    pub fn about(&self) -> &RunManifest {
        &self.about
    }

    /// Whether a question was answered before.
    pub fn has(&self, id: &str) -> bool {
        self.done.contains(id)
    }

    /// How many questions were answered.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// How many predictions with an error there were when it was opened.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Adds a prediction.
    pub fn add(&mut self, id: &str, prediction: &Json) -> Result<(), JournalError> {
        // At once, so that nothing that was paid for is lost with this process; that it survives the machine takes longer.
        let line = prediction.to_string() + "\n";
        self.out.write_all(line.as_bytes()).map_err(io("write", &self.path))?;
        self.done.insert(id.to_owned());
        self.unsynced += 1;
        if self.unsynced >= GROUP || self.synced.elapsed() > GROUP_TIME {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes everything durable, and notes the end of a complete run.
    pub fn close(&mut self, complete: bool) -> Result<(), JournalError> {
        self.sync()?;
        if complete && self.about.ended.is_none() {
            self.about.ended = Some(utc(SystemTime::now()));
            self.about.write(&self.folder)?;
        }
        Ok(())
    }

    /// Makes everything durable.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.out.sync_data().map_err(io("write", &self.path))?;
        (self.unsynced, self.synced) = (0, Instant::now());
        Ok(())
    }
}

fn same_run(folder: &Path, found: &RunHeader, header: &RunHeader) -> Result<(), JournalError> {
    let fields = |header: &RunHeader| serde_json::to_value(header).unwrap_or_default();
    let (found, wanted) = (fields(found), fields(header));
    let shown = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // Runs of 0.1 do not declare what their system gives.
    let is_undeclared = |field: &str| field == "gives" && found[field].is_null();
    for (field, value) in wanted.as_object().into_iter().flatten() {
        if !PLACES.contains(&field.as_str()) && found[field] != *value && !is_undeclared(field) {
            return Err(JournalError::Another {
                folder: folder.to_owned(),
                field: field.clone(),
                found: shown(&found[field]),
                wanted: shown(value),
            });
        }
    }
    Ok(())
}

/// What `run.json` says, if it is there.
fn stored(folder: &Path) -> Result<Option<RunManifest>, JournalError> {
    match RunManifest::read(folder) {
        Ok(about) => Ok(Some(about)),
        Err(JournalError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The open file of predictions, locked.
fn locked(folder: &Path, path: &Path) -> Result<File, JournalError> {
    // A child that is just being started holds what its parent holds for a moment, also what the parent has let go: somebody who is
    // busy is so for longer.
    let until = Instant::now() + PATIENCE;
    loop {
        let mut options = OpenOptions::new();
        let out = options.create(true).read(true).append(true).open(path).map_err(io("open", path))?;
        match out.try_lock() {
            // Whoever held it may have replaced it.
            Ok(()) if is_same_file(&out, path) => return Ok(out),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PATIENCE / 50),
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(io("lock", path)(error)),
        }
    }
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Makes renames in a folder durable, where the system can.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// The ids of whole lines, those with an error, and where whole lines end. Only the last line can be torn; anything else that is wrong is
/// not ours to throw away.
fn whole_lines(file: &File, path: &Path) -> Result<(HashSet<String>, HashSet<String>, u64), JournalError> {
    let mut reader = BufReader::new(file);
    let (mut done, mut errors, mut length) = (HashSet::new(), HashSet::new(), 0u64);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let n = reader.read_until(b'\n', &mut line).map_err(io("read", path))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        let json = serde_json::from_slice::<Json>(&line).ok();
        let id = json.as_ref().and_then(|json| Some(json.get("id")?.as_str()?.to_owned()));
        let Some(id) = id else {
            let message = format!("line {number} is not a prediction; repair or remove it");
            return Err(JournalError::Damaged { path: path.to_owned(), message });
        };
        if json.is_some_and(|json| has_error(&json)) {
            errors.insert(id.clone());
        }
        done.insert(id);
        length += n as u64;
    }
    Ok((done, errors, length))
}

/// Replaces the predictions, whose lock is held, by those without an error; gives the new file, which is locked before it has the name.
fn without_errors(folder: &Path, path: &Path, out: &File) -> Result<File, JournalError> {
    let mut all = out;
    all.seek(SeekFrom::Start(0)).map_err(io("read", path))?;
    // The lock of the predictions covers this name, too: what is there was left by a process that was killed.
    let partial = folder.join(".predictions.jsonl.touchstone-partial");
    let kept = File::options().create(true).read(true).append(true).open(&partial);
    let mut kept = kept.map_err(io("create", &partial))?;
    kept.set_len(0).map_err(io("write", &partial))?;
    kept.try_lock().map_err(|_| JournalError::Busy { folder: folder.to_owned() })?;
    let mut writer = BufWriter::new(&kept);
    for line in BufReader::new(all).split(b'\n') {
        let mut line = line.map_err(io("read", path))?;
        line.push(b'\n');
        if !serde_json::from_slice::<Json>(&line).is_ok_and(|json| has_error(&json)) {
            writer.write_all(&line).map_err(io("write", &partial))?;
        }
    }
    writer.flush().map_err(io("write", &partial))?;
    drop(writer);
    kept.sync_all().map_err(io("write", &partial))?;
    failpoint("errors-left-out");
    std::fs::rename(&partial, path).map_err(io("write", path))?;
    kept.seek(SeekFrom::End(0)).map_err(io("write", path))?;
    Ok(kept)
}

/// Whether a prediction says that something went wrong.
pub fn has_error(prediction: &Json) -> bool {
    prediction.get("error").is_some_and(|error| !error.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn header(system: &str) -> RunHeader {
        RunHeader {
            touchstone_run: 1,
            system: system.to_owned(),
            benchmark: "b".to_owned(),
            benchmark_identity: "i".to_owned(),
            benchmark_path: String::new(),
            split: None,
            limit: None,
            questions: "q".to_owned(),
            kb: "k".to_owned(),
            gold_entities: false,
            choices: false,
            schema: false,
            gives: None,
            tool_version: "0".to_owned(),
        }
    }

    #[test]
    fn moments() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_794_853_201), "2026-11-16T18:20:01Z");
        assert_eq!(at(4_107_542_399), "2100-02-28T23:59:59Z");
    }

    #[test]
    fn a_torn_line_is_cut_off() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::open(dir.path(), &header("s"), &[], false).expect("a journal");
        for id in ["1", "2", "3"] {
            journal.add(id, &json!({ "id": id, "answers": [] })).expect("written");
        }
        journal.sync().expect("durable");
        drop(journal);
        let path = dir.path().join("predictions.jsonl");
        let whole = std::fs::read(&path).expect("a file");
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let journal = Journal::open(dir.path(), &header("s"), &[], false).expect("a journal");
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(journal.len(), lines, "cut at {cut}");
            drop(journal);
            assert_eq!(
                std::fs::read(&path).expect("a file").iter().filter(|byte| **byte == b'\n').count(),
                lines
            );
        }
    }

    #[test]
    fn nothing_good_is_thrown_away() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("predictions.jsonl");
        std::fs::write(&path, "{\"qid\": 1}\n").expect("written");
        assert!(matches!(
            Journal::open(dir.path(), &header("s"), &[], false),
            Err(JournalError::NoRun { .. })
        ));
        std::fs::remove_file(&path).expect("removed");
        drop(Journal::open(dir.path(), &header("s"), &[], false).expect("a journal"));
        let damaged = "{\"id\": \"1\"}\nnonsense\n{\"id\": \"2\"}\n";
        std::fs::write(&path, damaged).expect("written");
        assert!(matches!(
            Journal::open(dir.path(), &header("s"), &[], false),
            Err(JournalError::Damaged { .. })
        ));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), damaged);
        let lines = "{\"id\": \"1\"}\n{\"id\": \"2\", \"error\": \"oops\"}\n";
        std::fs::write(&path, lines).expect("written");
        // A run of another system, or one that is busy, is left alone.
        assert!(matches!(
            Journal::open(dir.path(), &header("t"), &[], true),
            Err(JournalError::Another { .. })
        ));
        let busy = Journal::open(dir.path(), &header("s"), &[], false).expect("a journal");
        assert!(matches!(Journal::open(dir.path(), &header("s"), &[], true), Err(JournalError::Busy { .. })));
        drop(busy);
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), lines);
        let mut journal = Journal::open(dir.path(), &header("s"), &[], true).expect("a journal");
        assert!(journal.has("1") && !journal.has("2"));
        journal.add("2", &json!({ "id": "2", "answers": [] })).expect("written");
        let now = std::fs::read_to_string(&path).expect("a file");
        assert_eq!(now, "{\"id\": \"1\"}\n{\"id\":\"2\",\"answers\":[]}\n");
        assert!(matches!(
            Journal::open(dir.path(), &header("s"), &[], false),
            Err(JournalError::Busy { .. })
        ));
    }

    #[test]
    fn another_run_is_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        drop(Journal::open(dir.path(), &header("one"), &[], false).expect("a journal"));
        let error = Journal::open(dir.path(), &header("two"), &[], false).err().expect("another").to_string();
        assert!(error.contains("its system is `one`, not `two`"), "{error}");
        // What was not declared may be declared later.
        let declared = RunHeader { gives: Some(Gives::Both), ..header("one") };
        drop(Journal::open(dir.path(), &declared, &[], false).expect("the same run"));
        std::fs::write(dir.path().join("run.json"), "{").expect("written");
        assert!(matches!(
            Journal::open(dir.path(), &header("one"), &[], false),
            Err(JournalError::Damaged { .. })
        ));
    }
}
