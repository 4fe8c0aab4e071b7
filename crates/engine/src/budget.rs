//! Limits on the cost of a query, and how it is stopped.
//!
//! A [`Budget`] belongs to one execution. Loops call [`Budget::spend`]; an execution that exceeds a limit gets a [`Stopped`] with the
//! figures, which is an outcome like any other. The clock is read only occasionally, because reading it costs more than most operations.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use touchstone_kb::counts::grouped;

/// The limits of one execution. The defaults are safe for untrusted queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Things visited: facts, candidates, rows.
    pub operations: u64,
    /// Answers.
    pub rows: u64,
    /// Bytes held at once.
    pub memory: u64,
    /// Wall-clock time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { operations: 100_000_000, rows: 1_000_000, memory: 1 << 30, time: Duration::from_secs(10) }
    }
}

impl Limits {
    /// No limits, for trusted queries.
    pub const fn none() -> Limits {
        Limits { operations: u64::MAX, rows: u64::MAX, memory: u64::MAX, time: Duration::MAX }
    }
}

/// Stops executions from another thread. Clones stop the same executions.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests a stop of all executions that hold a clone of this.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// [`Limits::operations`].
    Operations,
    /// [`Limits::rows`].
    Rows,
    /// [`Limits::memory`].
    Memory,
    /// [`Limits::time`].
    Time,
    /// [`Cancel::cancel`] was called.
    Cancelled,
}

impl Limit {
    /// One word for files and JSON output.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Operations => "operations",
            Limit::Rows => "rows",
            Limit::Memory => "memory",
            Limit::Time => "time",
            Limit::Cancelled => "cancelled",
        }
    }
}

/// What an execution has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Things visited.
    pub operations: u64,
    /// Answers.
    pub rows: u64,
    /// Peak number of bytes held, as far as the engine counts them.
    pub memory: u64,
    /// Wall-clock time.
    pub time: Duration,
}

/// A limit was reached. There is no partial answer. It is boxed to keep results small: a million results are passed on for each one that
/// is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stopped(Box<Stop>);

impl std::ops::Deref for Stopped {
    type Target = Stop;

    fn deref(&self) -> &Stop {
        &self.0
    }
}

/// See [`Stopped`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stop {
    /// Which limit.
    pub limit: Limit,
    /// Its value, in its own unit (milliseconds for time); 0 for a cancellation.
    pub allowed: u64,
    /// The cost at that point.
    pub cost: Cost,
    /// The step and the number of steps, counted from 1, if the engine has steps.
    pub step: Option<(usize, usize)>,
}

impl std::error::Error for Stopped {}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (allowed, cost) = (self.allowed, &self.cost);
        match self.limit {
            Limit::Operations => write!(f, "stopped after {} operations", grouped(cost.operations))?,
            Limit::Rows => write!(f, "stopped at {} answers", grouped(allowed))?,
            Limit::Memory => write!(f, "stopped at {} MB of memory", grouped(allowed >> 20))?,
            Limit::Time => write!(f, "stopped after {:.1} s", cost.time.as_secs_f64())?,
            Limit::Cancelled => write!(f, "cancelled after {:.1} s", cost.time.as_secs_f64())?,
        }
        match self.step {
            Some((step, steps)) => write!(f, " in step {step} of {steps}"),
            None => Ok(()),
        }
    }
}

/// Number of operations between two checks of the clock and of cancellation.
const CHECK_EVERY: u64 = 4096;

/// Counts the cost of one execution.
#[derive(Debug)]
pub struct Budget<'c> {
    limits: Limits,
    /// Borrowed: reference counting for millions of short queries would make threads contend.
    cancel: Option<&'c Cancel>,
    started: Instant,
    operations: Cell<u64>,
    /// Number of operations at which the next full check is due.
    look_at: Cell<u64>,
    rows: Cell<u64>,
    memory: Cell<u64>,
    peak: Cell<u64>,
    step: Cell<Option<(usize, usize)>>,
}

impl<'c> Budget<'c> {
    /// Starts the clock.
    pub fn new(limits: Limits) -> Budget<'c> {
        Budget {
            limits,
            cancel: None,
            started: Instant::now(),
            operations: Cell::new(0),
            look_at: Cell::new(CHECK_EVERY.min(limits.operations)),
            rows: Cell::new(0),
            memory: Cell::new(0),
            peak: Cell::new(0),
            step: Cell::new(None),
        }
    }

    /// Sets a way to stop it from another thread.
    #[must_use]
    pub fn stopped_by(self, cancel: &'c Cancel) -> Budget<'c> {
        Budget { cancel: Some(cancel), ..self }
    }

    /// Counts operations.
    #[inline]
    pub fn spend(&self, operations: u64) -> Result<(), Stopped> {
        let total = self.operations.get().saturating_add(operations);
        self.operations.set(total);
        if total > self.look_at.get() { self.look() } else { Ok(()) }
    }

    /// Checks all limits now.
    #[cold]
    pub fn look(&self) -> Result<(), Stopped> {
        let total = self.operations.get();
        if total > self.limits.operations {
            return Err(self.stopped(Limit::Operations));
        }
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            return Err(self.stopped(Limit::Cancelled));
        }
        if self.started.elapsed() > self.limits.time {
            return Err(self.stopped(Limit::Time));
        }
        self.look_at.set(total.saturating_add(CHECK_EVERY).min(self.limits.operations));
        Ok(())
    }

    /// Counts answers.
    #[inline]
    pub fn add_rows(&self, rows: u64) -> Result<(), Stopped> {
        self.rows.set(self.rows.get().saturating_add(rows));
        if self.rows.get() > self.limits.rows { Err(self.stopped(Limit::Rows)) } else { Ok(()) }
    }

    /// Counts bytes that are held from now on.
    #[inline]
    pub fn hold(&self, bytes: u64) -> Result<(), Stopped> {
        self.memory.set(self.memory.get().saturating_add(bytes));
        self.peak.set(self.peak.get().max(self.memory.get()));
        if self.memory.get() > self.limits.memory { Err(self.stopped(Limit::Memory)) } else { Ok(()) }
    }

    /// Counts bytes that are no longer held.
    #[inline]
    pub fn release(&self, bytes: u64) {
        self.memory.set(self.memory.get().saturating_sub(bytes));
    }

    /// Sets the current step and the number of steps, for the message.
    pub(crate) fn enter(&self, step: Option<(usize, usize)>) -> Option<(usize, usize)> {
        self.step.replace(step)
    }

    /// What was used so far.
    pub fn cost(&self) -> Cost {
        Cost {
            operations: self.operations.get(),
            rows: self.rows.get(),
            memory: self.peak.get(),
            time: self.started.elapsed(),
        }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What can stop it.
    pub(crate) fn canceller(&self) -> Option<&'c Cancel> {
        self.cancel
    }

    /// The result to return when a limit is reached.
    #[cold]
    pub fn stopped(&self, limit: Limit) -> Stopped {
        let allowed = match limit {
            Limit::Operations => self.limits.operations,
            Limit::Rows => self.limits.rows,
            Limit::Memory => self.limits.memory,
            Limit::Time => u64::try_from(self.limits.time.as_millis()).unwrap_or(u64::MAX),
            Limit::Cancelled => 0,
        };
        Stopped(Box::new(Stop { limit, allowed, cost: self.cost(), step: self.step.get() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_outcomes_with_figures() {
        let limits = Limits { operations: 10_000_000, ..Limits::default() };
        let budget = Budget::new(limits);
        budget.enter(Some((3, 5)));
        let stopped = (0..).find_map(|_| budget.spend(1000).err()).expect("a limit");
        assert_eq!(stopped.to_string(), "stopped after 10,001,000 operations in step 3 of 5");
        assert_eq!(stopped.limit, Limit::Operations);
        let budget = Budget::new(Limits { rows: 5, ..limits });
        assert!(budget.add_rows(5).is_ok());
        assert_eq!(budget.add_rows(1).expect_err("too many").to_string(), "stopped at 5 answers");
        let budget = Budget::new(Limits { memory: 3 << 20, ..limits });
        assert!(budget.hold(2 << 20).is_ok());
        budget.release(1 << 20);
        assert!(budget.hold(2 << 20).is_ok());
        assert_eq!(budget.hold(1).expect_err("too much").to_string(), "stopped at 3 MB of memory");
    }

    #[test]
    fn the_clock_and_cancellation_are_noticed() {
        let budget = Budget::new(Limits { time: Duration::ZERO, ..Limits::none() });
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(budget.spend(CHECK_EVERY + 1).expect_err("too late").limit, Limit::Time);
        let cancel = Cancel::default();
        let budget = Budget::new(Limits::none()).stopped_by(&cancel);
        assert!(budget.spend(CHECK_EVERY + 1).is_ok());
        cancel.cancel();
        assert_eq!(budget.spend(CHECK_EVERY + 1).expect_err("cancelled").limit, Limit::Cancelled);
    }
}
