//! Records on disk, and the state that is derived from them.
//!
//! One thread writes. It takes all records that wait, checks each against the state, writes them together, waits for the disk once, and only then
//! changes the state and acknowledges. So what readers see is on disk, and the cost of the disk is shared.

use crate::moment::Moment;
use crate::record::{Events, FIRST, NewRecord, StoredRecord, UnreadableRecord, line_hash};
use hashbrown::{HashMap, HashSet};
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use touchstone_benchmark::{Journal, JournalError};

/// A state that is a function of records.
pub trait Derived: Send + Sync + 'static {
    /// The kinds of records.
    type Event: Events;
    /// Why a record is refused.
    type Refusal: std::error::Error + Send + Sync + 'static;

    /// Whether a record may be added to this state.
    fn check(&self, record: &NewRecord<Self::Event>, now: Moment) -> Result<(), Self::Refusal>;

    /// Adds a record. Returns whether it is a contribution beyond what was wanted.
    fn apply(&mut self, record: StoredRecord<Self::Event>) -> bool;
}

/// What a caller learns about a record that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ack {
    /// The number of the record.
    pub n: u64,
    /// Whether the same attempt was made before. Then nothing was added now.
    pub repeated: bool,
    /// Whether it is a contribution beyond what was wanted, such as one that came too late.
    pub surplus: bool,
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The journal cannot be read or written, or another process has it open.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Reading failed.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A line is not a record.
    #[error("{}, line {line}: this is not a record: {source}; restore the file from a copy", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A line was changed after it was written.
    #[error(
        "{}, line {line}: it was changed after it was written (line {} has another hash of it); restore the file from a copy",
        path.display(), line + 1
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// Lines are missing or not in order.
    #[error(
        "{}, line {line}: record {expected} is missing here (the line has record {found}); restore the file from a copy",
        path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The number that it should have.
        expected: u64,
        /// The number that it has.
        found: u64,
    },
    /// The writer cannot be started.
    #[error("cannot start a thread: {source}")]
    Thread {
        /// What the system reported.
        source: std::io::Error,
    },
}

/// Why a record was not added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError<R: std::error::Error> {
    /// The rules do not allow it.
    #[error(transparent)]
    Refused(R),
    /// The id of the attempt belongs to another record.
    #[error("the attempt `{attempt}` was used for another record, {n}; use a new id for each attempt")]
    AttemptUsed {
        /// The id.
        attempt: String,
        /// The number of the other record.
        n: u64,
    },
    /// Nothing can be added.
    #[error("{0}")]
    ReadOnly(ReadOnly),
    /// It cannot be written. Nothing was added; later records may succeed.
    #[error("nothing was saved: {reason}; make space on the disk and try again")]
    NotWritten {
        /// What the system reported.
        reason: String,
    },
}

/// Why nothing can be added to a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadOnly {
    /// It was opened for reading.
    #[error("it was opened for reading only")]
    Requested,
    /// A newer version of the program wrote records that this one does not know.
    #[error(
        "a newer version of Touchstone{} wrote the record {n} of a kind that this one ({}) does not know, `{kind}`; open it with the newer one to add to it",
        version.as_ref().map(|version| format!(" ({version})")).unwrap_or_default(), env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The kind.
        kind: String,
        /// The number of the first such record.
        n: u64,
        /// The version, if the journal names it.
        version: Option<String>,
    },
    /// The disk did not confirm that records were written.
    #[error("writing failed, so what is on disk is uncertain: {reason}; check the disk, then open it again")]
    Failed {
        /// What the system reported.
        reason: String,
    },
}

/// What happened to an attempt.
struct Attempted {
    n: u64,
    surplus: bool,
    /// A hash of author, task and kind.
    about: u64,
}

/// The state with what the store keeps beside it.
struct Kept<S> {
    state: S,
    n: u64,
    after: String,
    attempts: HashMap<u128, Attempted>,
    read_only: Option<ReadOnly>,
}

struct Shared<S> {
    kept: RwLock<Kept<S>>,
    batches: AtomicU64,
}

type Reply<S> = Result<Ack, SubmitError<<S as Derived>::Refusal>>;

struct Request<S: Derived> {
    record: NewRecord<S::Event>,
    now: Moment,
    reply: Sender<Reply<S>>,
}

/// Records on disk with the state that is derived from them.
pub struct Store<S: Derived> {
    shared: Arc<Shared<S>>,
    requests: Option<Sender<Request<S>>>,
    writer: Option<JoinHandle<()>>,
}

/// What can make records durable. Tests have one that fails.
pub(crate) trait Log: Send + 'static {
    fn append(&mut self, lines: &[Box<RawValue>]) -> Result<(), JournalError>;
}

impl Log for Journal {
    fn append(&mut self, lines: &[Box<RawValue>]) -> Result<(), JournalError> {
        Journal::append(self, lines)
    }
}

/// Access to a state. Records are not acknowledged while it exists, so it should not be kept.
pub struct StateGuard<'s, S>(RwLockReadGuard<'s, Kept<S>>);

impl<S> std::ops::Deref for StateGuard<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0.state
    }
}

impl<S: Derived> Store<S> {
    /// Opens a journal, or creates one, and adds its records to a state. A torn last line, which was not acknowledged, is cut off. Another
    /// process that has it open is an error.
    pub fn open(path: &Path, state: S) -> Result<Store<S>, StoreError> {
        let mut replay = Replay::new(path, state);
        let journal = Journal::open(path, |line: Box<RawValue>| replay.add(line.get()))?;
        Store::start(replay.finish()?, journal)
    }

    /// Reads a journal, which another process may be writing.
    pub fn open_read_only(path: &Path, state: S) -> Result<Store<S>, StoreError> {
        let io = |source| StoreError::Read { path: path.to_owned(), source };
        let mut file = BufReader::new(File::open(path).map_err(io)?);
        let (mut replay, mut line) = (Replay::new(path, state), String::new());
        // A last line without its end is being written.
        while file.read_line(&mut line).map_err(io)? > 0 && line.ends_with('\n') {
            replay.add(line.trim());
            line.clear();
        }
        let mut kept = replay.finish()?;
        kept.read_only.get_or_insert(ReadOnly::Requested);
        Ok(Store { shared: Arc::new(Shared::new(kept)), requests: None, writer: None })
    }

    fn start(kept: Kept<S>, log: impl Log) -> Result<Store<S>, StoreError> {
        let (requests, received) = channel();
        let shared = Arc::new(Shared::new(kept));
        let writer = Writer { shared: Arc::clone(&shared), received, log };
        let writer = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run())
            .map_err(|source| StoreError::Thread { source })?;
        Ok(Store { shared, requests: Some(requests), writer: Some(writer) })
    }

    /// Adds a record and waits until it is on disk.
    pub fn submit(&self, record: NewRecord<S::Event>, now: Moment) -> Reply<S> {
        if let Some(reason) = self.read_only() {
            return Err(SubmitError::ReadOnly(reason));
        }
        let stopped = || SubmitError::ReadOnly(ReadOnly::Failed { reason: "the writer ended".to_owned() });
        let (reply, outcome) = channel();
        let requests = self.requests.as_ref().ok_or_else(stopped)?;
        requests.send(Request { record, now, reply }).map_err(|_| stopped())?;
        outcome.recv().unwrap_or_else(|_| Err(stopped()))
    }

    /// The state. What is in it is on disk.
    pub fn state(&self) -> StateGuard<'_, S> {
        StateGuard(self.shared.read())
    }

    /// Why nothing can be added.
    pub fn read_only(&self) -> Option<ReadOnly> {
        self.shared.read().read_only.clone()
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.shared.read().n
    }

    /// How often the disk was waited for since the store was opened.
    pub fn batches(&self) -> u64 {
        self.shared.batches.load(Ordering::Relaxed)
    }
}

impl<S: Derived> Drop for Store<S> {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.requests = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl<S> Shared<S> {
    fn new(kept: Kept<S>) -> Shared<S> {
        Shared { kept: RwLock::new(kept), batches: AtomicU64::new(0) }
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept<S>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hash of an attempt's id.
fn attempt_key(attempt: &str) -> u128 {
    let mut key = [0; 16];
    key.copy_from_slice(&blake3::hash(attempt.as_bytes()).as_bytes()[..16]);
    u128::from_le_bytes(key)
}

/// A hash of what a record is about, so that an id that was used for something else is noticed.
fn about(by: &str, task: Option<&str>, kind: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in [by, task.unwrap_or_default(), kind] {
        hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
    }
    let mut key = [0; 8];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(key)
}

impl<S: Derived> Kept<S> {
    fn apply(&mut self, record: StoredRecord<S::Event>, hash: String) -> Ack {
        let n = record.n;
        let attempt = record.attempt.as_deref().map(attempt_key);
        let about = about(&record.by, record.task.as_deref(), record.event.kind());
        let surplus = self.state.apply(record);
        if let Some(attempt) = attempt {
            self.attempts.insert(attempt, Attempted { n, surplus, about });
        }
        (self.n, self.after) = (n, hash);
        Ack { n, repeated: false, surplus }
    }

    /// The outcome of the same attempt before.
    fn repeated(&self, record: &NewRecord<S::Event>) -> Option<Reply<S>> {
        let attempt = record.attempt.as_deref()?;
        let Attempted { n, surplus, about: before } = *self.attempts.get(&attempt_key(attempt))?;
        if before != about(&record.by, record.task.as_deref(), record.event.kind()) {
            return Some(Err(SubmitError::AttemptUsed { attempt: attempt.to_owned(), n }));
        }
        Some(Ok(Ack { n, repeated: true, surplus }))
    }
}

/// Reads lines into a state.
struct Replay<'p, S> {
    path: &'p Path,
    line: u64,
    kept: Kept<S>,
    version: Option<String>,
    fault: Option<StoreError>,
}

impl<'p, S: Derived> Replay<'p, S> {
    fn new(path: &'p Path, state: S) -> Replay<'p, S> {
        let kept = Kept { state, n: 0, after: FIRST.to_owned(), attempts: HashMap::new(), read_only: None };
        Replay { path, line: 0, kept, version: None, fault: None }
    }

    fn add(&mut self, text: &str) {
        self.line += 1;
        if self.fault.is_none()
            && let Err(fault) = self.try_add(text)
        {
            self.fault = Some(fault);
        }
    }

    fn try_add(&mut self, text: &str) -> Result<(), StoreError> {
        let (path, line, expected) = (self.path.to_owned(), self.line, self.kept.n + 1);
        let in_order = |n: u64, after: &str| match () {
            () if n != expected => Err(StoreError::Missing { path: path.clone(), line, expected, found: n }),
            () if after != self.kept.after => Err(StoreError::Changed { path: path.clone(), line: line - 1 }),
            () => Ok(()),
        };
        match StoredRecord::<S::Event>::read(text) {
            Ok(record) => {
                in_order(record.n, &record.after)?;
                if let Some(version) = record.event.version() {
                    self.version = Some(version.to_owned());
                }
                self.kept.apply(record, line_hash(text));
                Ok(())
            }
            Err(UnreadableRecord::UnknownKind { kind, n, after }) => {
                in_order(n, &after)?;
                let version = self.version.clone();
                self.kept.read_only.get_or_insert(ReadOnly::Newer { kind, n, version });
                (self.kept.n, self.kept.after) = (n, line_hash(text));
                Ok(())
            }
            Err(UnreadableRecord::Json(source)) => Err(StoreError::Line { path, line, source }),
        }
    }

    fn finish(self) -> Result<Kept<S>, StoreError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(self.kept),
        }
    }
}

/// Maximum number of records that are written together.
const BATCH: usize = 512;

struct Writer<S: Derived, L> {
    shared: Arc<Shared<S>>,
    received: Receiver<Request<S>>,
    log: L,
}

impl<S: Derived, L: Log> Writer<S, L> {
    fn run(mut self) {
        let mut waiting: VecDeque<Request<S>> = VecDeque::new();
        loop {
            if waiting.is_empty() {
                let Ok(request) = self.received.recv() else { return };
                waiting.push_back(request);
            }
            while waiting.len() < BATCH
                && let Ok(request) = self.received.try_recv()
            {
                waiting.push_back(request);
            }
            waiting = self.write_batch(waiting);
        }
    }

    /// Writes what can be written together, and returns what has to wait for the next batch.
    fn write_batch(&mut self, waiting: VecDeque<Request<S>>) -> VecDeque<Request<S>> {
        let (accepted, later) = self.accept(waiting);
        if accepted.is_empty() {
            return later;
        }
        let (mut n, mut after) = {
            let kept = self.shared.read();
            (kept.n, kept.after.clone())
        };
        let (mut lines, mut written) = (Vec::new(), Vec::new());
        for Request { record, now, reply } in accepted {
            let NewRecord { by, task, attempt, event } = record;
            let record = StoredRecord { n: n + 1, at: now, by, task, attempt, event, after: after.clone() };
            match record.line() {
                Ok(line) => {
                    (n, after) = (n + 1, line_hash(line.get()));
                    lines.push(line);
                    written.push((record, after.clone(), reply));
                }
                Err(error) => {
                    let _ = reply.send(Err(SubmitError::NotWritten { reason: error.to_string() }));
                }
            }
        }
        self.shared.batches.fetch_add(1, Ordering::Relaxed);
        let outcome = self.log.append(&lines);
        let mut kept = self.shared.kept.write().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Ok(()) => {
                for (record, hash, reply) in written {
                    let _ = reply.send(Ok(kept.apply(record, hash)));
                }
            }
            Err(error) => {
                let reason = error.to_string();
                if matches!(error, JournalError::NotDurable { .. }) {
                    // What is on disk is not known, so the next hash is not known, either.
                    kept.read_only = Some(ReadOnly::Failed { reason: reason.clone() });
                }
                for (_, _, reply) in written {
                    let _ = reply.send(Err(match &kept.read_only {
                        Some(failed) => SubmitError::ReadOnly(failed.clone()),
                        None => SubmitError::NotWritten { reason: reason.clone() },
                    }));
                }
            }
        }
        later
    }

    /// The records that the state allows. Those that could depend on another one of this batch wait for the next.
    fn accept(&self, waiting: VecDeque<Request<S>>) -> (Vec<Request<S>>, VecDeque<Request<S>>) {
        let kept = self.shared.read();
        let (mut accepted, mut later) = (Vec::new(), VecDeque::new());
        let (mut tasks, mut attempts) = (HashSet::new(), HashSet::new());
        // A record without a task may change everything.
        let mut is_alone = false;
        for request in waiting {
            if let Some(failed) = &kept.read_only {
                let _ = request.reply.send(Err(SubmitError::ReadOnly(failed.clone())));
                continue;
            }
            if let Some(reply) = kept.repeated(&request.record) {
                let _ = request.reply.send(reply);
                continue;
            }
            let task = request.record.task.as_deref().map(attempt_key);
            let attempt = request.record.attempt.as_deref().map(attempt_key);
            let waits = is_alone
                || task.map_or(!tasks.is_empty(), |task| tasks.contains(&task))
                || attempt.is_some_and(|attempt| attempts.contains(&attempt));
            if waits {
                // Those behind it that are about the same must stay behind it.
                tasks.extend(task);
                attempts.extend(attempt);
                is_alone |= task.is_none();
                later.push_back(request);
                continue;
            }
            match kept.state.check(&request.record, request.now) {
                Ok(()) => {
                    tasks.extend(task);
                    attempts.extend(attempt);
                    is_alone |= task.is_none();
                    accepted.push(request);
                }
                Err(refusal) => {
                    let _ = request.reply.send(Err(SubmitError::Refused(refusal)));
                }
            }
        }
        (accepted, later)
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
