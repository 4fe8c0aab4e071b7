//! An append-only file of JSON lines that survives crashes: one process writes it at a time, lines are made durable in groups, and a torn
//! last line is cut off when it is opened again. It can be read while it grows.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use touchstone_kb::output::failpoint;

/// Why a journal cannot be opened or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// Another process has it open.
    #[error("another process is writing {path}; wait for it, or choose another folder")]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A line other than the last cannot be read.
    #[error("{path} is damaged: line {line} cannot be read ({source}); repair or remove it")]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The system did not confirm that lines are on disk. What is there is not known, so writing must end.
    #[error("cannot make sure that {path} is on disk: {source}; check the disk, then open it again")]
    NotDurable {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        source: std::io::Error,
    },
    /// An entry cannot be written as JSON.
    #[error("cannot write to {path}: {source}")]
    Entry {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> JournalError {
    let path = path.to_owned();
    move |source| JournalError::Io { action, path, source }
}

/// A journal that no other process can open; its lines have not been read yet, and nothing has been changed.
pub(crate) struct LockedJournal {
    path: PathBuf,
    file: File,
}

/// An open journal.
///
/// ```
/// use touchstone_benchmark::Journal;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("verdicts.jsonl");
/// let mut journal = Journal::open(&path, |_: (String, bool)| {})?;
/// journal.add(&("q1", true))?;
/// journal.sync()?;
/// drop(journal);
/// let mut verdicts = Vec::new();
/// Journal::open(&path, |verdict: (String, bool)| verdicts.push(verdict))?;
/// assert_eq!(verdicts, [("q1".to_owned(), true)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Journal {
    path: PathBuf,
    file: File,
    unsynced: usize,
    synced: Instant,
}

/// Maximum number of lines that are not durable yet.
const GROUP: usize = 256;

/// Maximum time for which a line is not durable while others follow.
const GROUP_TIME: Duration = Duration::from_millis(500);

/// How long to wait for a journal that another process has open.
const PATIENCE: Duration = Duration::from_millis(500);

impl LockedJournal {
    /// Opens a file, or creates it, and locks it.
    pub(crate) fn lock(path: &Path) -> Result<LockedJournal, JournalError> {
        // A child process that is being started holds its parent's files for a moment, even those that the parent has closed. A process
        // that writes the journal holds it for longer.
        let until = Instant::now() + PATIENCE;
        loop {
            let mut options = OpenOptions::new();
            let file = options.create(true).read(true).append(true).open(path).map_err(io("open", path))?;
            match file.try_lock() {
                // The process that held it may have replaced it.
                Ok(()) if is_same_file(&file, path) => {
                    return Ok(LockedJournal { path: path.to_owned(), file });
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(PATIENCE / 50);
                }
                Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { path: path.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(io("lock", path)(error)),
            }
        }
    }

    /// Reads all lines and cuts off a torn last one, as a crash leaves it. Any other line that cannot be read is an error: it is not ours
    /// to delete.
    pub(crate) fn recover<T: DeserializeOwned>(
        self,
        mut each: impl FnMut(T),
    ) -> Result<Journal, JournalError> {
        let LockedJournal { path, file } = self;
        let mut reader = BufReader::new(&file);
        let (mut length, mut line) = (0, Vec::new());
        for number in 1.. {
            line.clear();
            reader.read_until(b'\n', &mut line).map_err(io("read", &path))?;
            if line.last() != Some(&b'\n') {
                break;
            }
            match serde_json::from_slice(&line) {
                Ok(entry) => each(entry),
                Err(source) => return Err(JournalError::Line { path, line: number, source }),
            }
            length += line.len() as u64;
        }
        if file.metadata().map_err(io("read", &path))?.len() > length {
            file.set_len(length).map_err(io("repair", &path))?;
        }
        Ok(Journal { path, file, unsynced: 0, synced: Instant::now() })
    }
}

impl Journal {
    /// Opens a journal, or creates one, and reads its entries.
    pub fn open<T: DeserializeOwned>(path: &Path, each: impl FnMut(T)) -> Result<Journal, JournalError> {
        let journal = LockedJournal::lock(path)?.recover(each)?;
        journal.sync_folder();
        Ok(journal)
    }

    /// Adds an entry.
    pub fn add<T: Serialize + ?Sized>(&mut self, entry: &T) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(entry)
            .map_err(|source| JournalError::Entry { path: self.path.clone(), source })?;
        line.push(b'\n');
        // Written at once, so that it survives the end of this process; surviving the end of the machine takes longer.
        self.file.write_all(&line).map_err(io("write", &self.path))?;
        self.unsynced += 1;
        if self.unsynced >= GROUP || self.synced.elapsed() > GROUP_TIME {
            self.sync()?;
        }
        Ok(())
    }

    /// Adds entries and makes them durable together, with one write and one `fdatasync`. If they cannot be written (the disk is full),
    /// none of them stays, and the journal can be used again. After [`JournalError::NotDurable`] it must not be.
    ///
    /// ```
    /// use touchstone_benchmark::Journal;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("verdicts.jsonl");
    /// Journal::open(&path, |_: (String, bool)| {})?.append(&[("q1", true), ("q2", false)])?;
    /// assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append<T: Serialize>(&mut self, entries: &[T]) -> Result<(), JournalError> {
        let path = &self.path;
        let mut lines = Vec::new();
        for entry in entries {
            let written = serde_json::to_writer(&mut lines, entry);
            written.map_err(|source| JournalError::Entry { path: path.clone(), source })?;
            lines.push(b'\n');
        }
        let not_durable = |source| JournalError::NotDurable { path: path.clone(), source };
        let before = self.file.metadata().map_err(io("read", path))?.len();
        if let Err(source) = self.file.write_all(&lines) {
            self.file.set_len(before).map_err(not_durable)?;
            return Err(io("write", path)(source));
        }
        self.file.sync_data().map_err(not_durable)?;
        (self.unsynced, self.synced) = (0, Instant::now());
        Ok(())
    }

    /// Makes everything durable.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(io("write", &self.path))?;
        (self.unsynced, self.synced) = (0, Instant::now());
        Ok(())
    }

    /// Replaces the journal by one with only some of its entries. The new file is locked before it gets the name.
    pub fn retain<T: DeserializeOwned>(&mut self, keep: impl Fn(&T) -> bool) -> Result<(), JournalError> {
        let path = &self.path;
        let mut all = &self.file;
        all.seek(SeekFrom::Start(0)).map_err(io("read", path))?;
        // The lock of the journal covers this name, too: what is there was left by a process that was killed.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let partial = path.with_file_name(format!(".{name}.touchstone-partial"));
        let kept = File::options().create(true).read(true).append(true).open(&partial);
        let mut kept = kept.map_err(io("create", &partial))?;
        kept.set_len(0).map_err(io("write", &partial))?;
        kept.try_lock().map_err(|_| JournalError::Busy { path: path.clone() })?;
        let mut writer = BufWriter::new(&kept);
        for line in BufReader::new(all).split(b'\n') {
            let mut line = line.map_err(io("read", path))?;
            line.push(b'\n');
            if !serde_json::from_slice(&line).is_ok_and(|entry| !keep(&entry)) {
                writer.write_all(&line).map_err(io("write", &partial))?;
            }
        }
        writer.flush().map_err(io("write", &partial))?;
        drop(writer);
        kept.sync_all().map_err(io("write", &partial))?;
        failpoint("errors-left-out");
        std::fs::rename(&partial, path).map_err(io("write", path))?;
        kept.seek(SeekFrom::End(0)).map_err(io("write", path))?;
        self.file = kept;
        Ok(())
    }

    /// Makes the creation and replacement of the file durable, where the system can.
    pub(crate) fn sync_folder(&self) {
        if let Some(Ok(folder)) = self.path.parent().map(File::open) {
            let _ = folder.sync_all();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(path: &Path) -> Result<Vec<u32>, JournalError> {
        let mut entries = Vec::new();
        Journal::open(path, |entry| entries.push(entry)).map(|_| entries)
    }

    #[test]
    fn a_torn_line_is_cut_off() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("numbers.jsonl");
        let mut journal = Journal::open(&path, |_: u32| {}).expect("a journal");
        for number in [1000, 2000, 3000] {
            journal.add(&number).expect("written");
        }
        journal.sync().expect("durable");
        drop(journal);
        let whole = std::fs::read(&path).expect("a file");
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(entries(&path).expect("a journal"), &[1000, 2000, 3000][..lines], "cut at {cut}");
            assert_eq!(std::fs::read(&path).expect("a file"), &whole[..5 * lines]);
        }
    }

    #[test]
    fn nothing_good_is_thrown_away() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("numbers.jsonl");
        std::fs::write(&path, "1\nnonsense\n2\n").expect("written");
        assert!(matches!(entries(&path), Err(JournalError::Line { line: 2, .. })));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "1\nnonsense\n2\n");
        std::fs::write(&path, "1\n 2\n3\n").expect("written");
        let mut journal = Journal::open(&path, |_: u32| {}).expect("a journal");
        assert!(matches!(entries(&path), Err(JournalError::Busy { .. })));
        journal.retain(|entry: &u32| *entry != 1).expect("replaced");
        journal.add(&4).expect("written");
        assert!(matches!(entries(&path), Err(JournalError::Busy { .. })));
        drop(journal);
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), " 2\n3\n4\n");
    }
}
