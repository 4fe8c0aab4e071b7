//! Stops evaluations from another thread.
//!
//! The evaluator has loops of its own (products, sorting, grouping, differences) that never check whether they should stop. One thread per
//! process monitors the clock, cancellation and memory of all running evaluations, and requests stops. Evaluations notice
//! the request at a [`checkpoint`], which every copy of a term is (see [`super::held`]); there they unwind to where they were started.
//! Nothing in between can mistake the stop for an ordinary error of an expression or for the end of the results.

use super::held::Allowance;
use crate::budget::{Budget, Cancel, Limit};
use spareval::CancellationToken;
use std::cell::RefCell;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval between checks of evaluations.
const TICK: Duration = Duration::from_millis(10);
/// How long the idle thread waits before it ends.
const IDLE: Duration = Duration::from_secs(5);

const RUNNING: u8 = 0;
const STOP_REASONS: [Limit; 5] =
    [Limit::Operations, Limit::Rows, Limit::Memory, Limit::Time, Limit::Cancelled];

/// Number of evaluations that were requested to stop and have not ended yet: while there are none, checkpoints are nearly free.
static STOPPING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The evaluation that runs on this thread.
    static CURRENT: RefCell<Option<Arc<Watched>>> = const { RefCell::new(None) };
}

/// The payload thrown at a checkpoint and caught where the evaluation began.
pub(super) struct Halt;

/// The state of an evaluation that is shared with other threads.
pub(super) struct Watched {
    deadline: Option<Instant>,
    cancel: Cancel,
    memory: u64,
    token: CancellationToken,
    stop_reason: AtomicU8,
}

impl Watched {
    /// The limits of an evaluation under this budget.
    pub(super) fn new(budget: &Budget<'_>) -> Arc<Watched> {
        let left = budget.limits().time.saturating_sub(budget.cost().time);
        Arc::new(Watched {
            deadline: Instant::now().checked_add(left),
            cancel: budget.canceller().cloned().unwrap_or_default(),
            memory: budget.limits().memory,
            token: CancellationToken::new(),
            stop_reason: AtomicU8::new(RUNNING),
        })
    }

    /// The evaluator checks this before it continues with the next triple.
    pub(super) fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// The limit that was reached first, if the evaluation was requested to stop.
    pub(super) fn stop_reason(&self) -> Option<Limit> {
        let code = self.stop_reason.load(Ordering::Acquire);
        STOP_REASONS.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// Stops the evaluation at its next checkpoint. The reason of the first request is kept.
    pub(super) fn request_stop(&self, limit: Limit) {
        let code = (1..).zip(STOP_REASONS).find(|(_, reason)| *reason == limit).map_or(1, |(code, _)| code);
        if self.stop_reason.compare_exchange(RUNNING, code, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            STOPPING.fetch_add(1, Ordering::Relaxed);
            self.token.cancel();
        }
    }

    fn look(&self, now: Instant) {
        if self.cancel.is_cancelled() {
            self.request_stop(Limit::Cancelled);
        } else if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.request_stop(Limit::Time);
        }
    }
}

/// Unwinds the evaluation of this thread if it was stopped.
#[inline]
pub(super) fn checkpoint() {
    if STOPPING.load(Ordering::Relaxed) != 0 {
        leave_if_stopping();
    }
}

#[cold]
fn leave_if_stopping() {
    // If unwinding is not possible, the errors of the data set and the token must stop it.
    if !cfg!(panic = "unwind") || std::thread::panicking() {
        return;
    }
    let is_stopping =
        CURRENT.with_borrow(|current| current.as_ref().is_some_and(|c| c.stop_reason().is_some()));
    if is_stopping {
        // Without the panic hook, so nothing is printed.
        resume_unwind(Box::new(Halt));
    }
}

/// Stops the evaluation of this thread.
#[cold]
pub(super) fn request_stop_of_current(limit: Limit) {
    CURRENT.with_borrow(|current| {
        if let Some(watched) = current {
            watched.request_stop(limit);
        }
    });
}

/// While this lives, an evaluation is monitored.
pub(super) struct Watch {
    watched: Arc<Watched>,
    outer: Option<Arc<Watched>>,
    _allowance: Allowance,
}

impl Watch {
    /// Starts to monitor an evaluation on this thread.
    pub(super) fn begin(watched: Arc<Watched>) -> io::Result<Watch> {
        WATCHDOG.watch(Arc::clone(&watched))?;
        let outer = CURRENT.replace(Some(Arc::clone(&watched)));
        let allowance = Allowance::begin(watched.memory);
        Ok(Watch { watched, outer, _allowance: allowance })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHDOG.forget(&self.watched);
        CURRENT.set(self.outer.take());
        // The watchdog no longer has it, so no other request can arrive.
        if self.watched.stop_reason().is_some() {
            STOPPING.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

struct Entry {
    watched: Arc<Watched>,
    /// The memory of the process when the watchdog first saw the evaluation.
    memory_before: Option<u64>,
}

struct State {
    entries: Vec<Entry>,
    running: bool,
    idle: bool,
}

struct Watchdog {
    state: Mutex<State>,
    work: Condvar,
}

static WATCHDOG: Watchdog = Watchdog {
    state: Mutex::new(State { entries: Vec::new(), running: false, idle: false }),
    work: Condvar::new(),
};

impl Watchdog {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held, and the list would be consistent even then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&'static self, watched: Arc<Watched>) -> io::Result<()> {
        let mut state = self.lock();
        if !state.running {
            std::thread::Builder::new().name("sparql-watchdog".to_owned()).spawn(|| self.run())?;
            state.running = true;
        } else if state.idle {
            state.idle = false;
            self.work.notify_one();
        }
        state.entries.push(Entry { watched, memory_before: None });
        Ok(())
    }

    fn forget(&self, watched: &Arc<Watched>) {
        let mut state = self.lock();
        if let Some(at) = state.entries.iter().position(|entry| Arc::ptr_eq(&entry.watched, watched)) {
            state.entries.swap_remove(at);
        }
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            if state.entries.is_empty() {
                state.idle = true;
                // The evaluation that wakes it may already have ended; it stays awake for a tick anyway, so that a stream of short
                // evaluations does not wake it for each.
                let waited = self.work.wait_timeout(state, IDLE);
                let timed_out;
                (state, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
                state.idle = false;
                if timed_out.timed_out() && state.entries.is_empty() {
                    state.running = false;
                    return;
                }
            }
            look_at_all(&mut state.entries);
            drop(state);
            std::thread::sleep(TICK);
            state = self.lock();
        }
    }
}

fn look_at_all(entries: &mut [Entry]) {
    let now = Instant::now();
    entries.iter().for_each(|entry| entry.watched.look(now));
    if entries.iter().any(|entry| entry.watched.memory < u64::MAX)
        && let Some(memory) = anonymous_memory()
    {
        look_at_memory(entries, memory);
    }
}

/// Memory is measured for the process, and it is unknown which evaluation holds it: one evaluation at a time is stopped, the one with the most
/// growth, and the next one only after it has ended.
fn look_at_memory(entries: &mut [Entry], memory: u64) {
    let mut worst: Option<(u64, &Watched)> = None;
    let mut freeing = false;
    for entry in entries {
        let before = *entry.memory_before.get_or_insert(memory);
        let grown = memory.saturating_sub(before);
        match entry.watched.stop_reason() {
            Some(_) => freeing = true,
            None if grown > entry.watched.memory && worst.is_none_or(|(most, _)| grown > most) => {
                worst = Some((grown, &entry.watched));
            }
            None => {}
        }
    }
    if let Some((_, watched)) = worst.filter(|_| !freeing) {
        watched.request_stop(Limit::Memory);
    }
}

/// The memory of the process without mapped files: queries do not hold the pages of a KB.
fn anonymous_memory() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Limits;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn run_until_halted(limits: Limits, cancel: &Cancel) -> Option<Limit> {
        let watched = Watched::new(&Budget::new(limits).stopped_by(cancel));
        let watch = Watch::begin(Arc::clone(&watched)).expect("a thread");
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            while started.elapsed() < Duration::from_secs(20) {
                checkpoint();
            }
        }));
        assert!(outcome.is_err_and(|thrown| thrown.is::<Halt>()), "it was stopped");
        drop(watch);
        watched.stop_reason()
    }

    #[test]
    fn the_clock_and_cancellation_stop_a_loop() {
        let short = Limits { time: Duration::from_millis(30), ..Limits::none() };
        assert_eq!(run_until_halted(short, &Cancel::default()), Some(Limit::Time));
        let cancel = Cancel::default();
        let from_outside = cancel.clone();
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            from_outside.cancel();
        });
        assert_eq!(run_until_halted(Limits::none(), &cancel), Some(Limit::Cancelled));
        other.join().expect("no panic");
        // Other evaluations continue.
        checkpoint();
    }

    #[test]
    fn one_evaluation_at_a_time_is_stopped_for_memory() {
        let budget = Budget::new(Limits { memory: 100, ..Limits::none() });
        let entry = |before| Entry { watched: Watched::new(&budget), memory_before: Some(before) };
        let mut entries = [entry(1000), entry(900), entry(1040)];
        look_at_memory(&mut entries, 1050);
        let reasons = |entries: &[Entry]| entries.iter().map(|e| e.watched.stop_reason()).collect::<Vec<_>>();
        assert_eq!(reasons(&entries), [None, Some(Limit::Memory), None]);
        look_at_memory(&mut entries, 5000);
        assert_eq!(reasons(&entries), [None, Some(Limit::Memory), None], "the first is still there");
        look_at_memory(&mut entries[2..], 5000);
        assert_eq!(reasons(&entries)[2], Some(Limit::Memory));
        // These two never ran.
        STOPPING.fetch_sub(2, Ordering::Relaxed);
    }
}
