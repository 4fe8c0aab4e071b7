//! Charges received data to a budget once, however often it is requested.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::time::Duration;
use touchstone_engine::budget::{Budget, Stopped};

/// The account of one query to an endpoint: several requests, some of which may fail.
///
/// The bytes of an answer, decompressed, are what is charged for the memory of its rows: the text of JSON and XML results is about as large
/// as the rows made of it. When the meter is dropped without [`Meter::keep`], it gives back what it held.
pub(super) struct Meter<'a> {
    budget: &'a Budget<'a>,
    charge_rows: bool,
    /// Rows charged to the budget: they cannot be released, so repeated rows are not charged again.
    paid: Cell<u64>,
    /// Rows accepted, and rows accepted or being read.
    accepted: Cell<u64>,
    seen: Cell<u64>,
    accepted_bytes: Cell<u64>,
    bytes: Cell<u64>,
    failure: RefCell<Option<ReadFailure>>,
}

/// Why reading an answer failed. Parsers wrap and flatten errors of their readers; this is the original.
#[derive(Debug)]
pub(super) enum ReadFailure {
    Stopped(Stopped),
    Timeout,
    Broken(String),
}

impl<'a> Meter<'a> {
    /// For answers that the caller gets.
    pub(super) fn new(budget: &'a Budget<'a>) -> Meter<'a> {
        Meter {
            budget,
            charge_rows: true,
            paid: Cell::new(0),
            accepted: Cell::new(0),
            seen: Cell::new(0),
            accepted_bytes: Cell::new(0),
            bytes: Cell::new(0),
            failure: RefCell::new(None),
        }
    }

    /// For queries that the client itself adds: their rows are not answers.
    pub(super) fn aside(budget: &'a Budget<'a>) -> Meter<'a> {
        let mut meter = Meter::new(budget);
        meter.charge_rows = false;
        meter
    }

    pub(super) fn budget(&self) -> &'a Budget<'a> {
        self.budget
    }

    /// Begins a new request, and discards what an earlier one left unfinished.
    pub(super) fn begin(&self) -> Result<(), Stopped> {
        self.budget.release(self.bytes.replace(0));
        self.seen.set(self.accepted.get());
        self.failure.take();
        self.budget.look()
    }

    /// Accepts the answer that was read.
    pub(super) fn accept(&self) {
        self.accepted.set(self.seen.get());
        self.accepted_bytes.set(self.accepted_bytes.get() + self.bytes.replace(0));
    }

    /// Discards what was accepted, because it is requested in another way.
    pub(super) fn start_over(&self) {
        self.budget.release(self.bytes.replace(0) + self.accepted_bytes.replace(0));
        self.accepted.set(0);
        self.seen.set(0);
    }

    /// Keeps what was accepted, and returns the number of bytes charged for it.
    pub(super) fn keep(self) -> u64 {
        self.accepted_bytes.replace(0)
    }

    pub(super) fn row(&self) -> Result<(), Stopped> {
        self.budget.spend(1)?;
        self.seen.set(self.seen.get() + 1);
        if self.charge_rows && self.seen.get() > self.paid.get() {
            self.paid.set(self.seen.get());
            self.budget.add_rows(1)?;
        }
        Ok(())
    }

    /// Why a reader failed, if one did.
    pub(super) fn take_failure(&self) -> Option<ReadFailure> {
        self.failure.borrow_mut().take()
    }

    /// The bytes that the budget still allows.
    pub(super) fn time_left(&self) -> Duration {
        self.budget.limits().time.saturating_sub(self.budget.cost().time)
    }

    fn arrived(&self, bytes: u64) -> Result<(), Stopped> {
        self.bytes.set(self.bytes.get() + bytes);
        self.budget.hold(bytes)?;
        self.budget.look()
    }

    /// Charges the bytes that are read; fails at the limit, so that a server cannot exhaust the memory.
    pub(super) fn reader<'m, R: Read>(&'m self, inner: R) -> Metered<'m, 'a, R> {
        Metered { inner, meter: self }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes.get() + self.accepted_bytes.get());
    }
}

pub(super) struct Metered<'m, 'a, R> {
    inner: R,
    meter: &'m Meter<'a>,
}

impl<R: Read> Read for Metered<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (failure, error) = match self.inner.read(buffer) {
            Ok(count) => match self.meter.arrived(count as u64) {
                Ok(()) => return Ok(count),
                Err(stopped) => (ReadFailure::Stopped(stopped), io::Error::other("stopped by the budget")),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) if is_timeout(&error) => (ReadFailure::Timeout, error),
            Err(error) => (ReadFailure::Broken(format!("the answer broke off: {error}")), error),
        };
        self.meter.failure.replace(Some(failure));
        Err(error)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(ureq::Error::Timeout(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_engine::budget::{Limit, Limits};

    #[test]
    fn repeated_rows_are_charged_once_and_bytes_are_given_back() {
        let budget = Budget::new(Limits { rows: 3, memory: 10, ..Limits::none() });
        let meter = Meter::new(&budget);
        for _ in 0..5 {
            meter.begin().expect("time");
            for _ in 0..3 {
                meter.row().expect("within the limit");
            }
            io::copy(&mut meter.reader(&b"12345678"[..]), &mut io::sink()).expect("within the limit");
        }
        meter.accept();
        assert_eq!(budget.cost().rows, 3);
        assert_eq!(meter.row().expect_err("one more").limit, Limit::Rows);
        assert!(io::copy(&mut meter.reader(&b"123"[..]), &mut io::sink()).is_err());
        let failure = meter.take_failure();
        assert!(matches!(&failure, Some(ReadFailure::Stopped(s)) if s.limit == Limit::Memory), "{failure:?}");
        drop(meter);
        assert!(budget.hold(10).is_ok());
        budget.release(10);
        let meter = Meter::new(&budget);
        io::copy(&mut meter.reader(&b"1234"[..]), &mut io::sink()).expect("within the limit");
        meter.accept();
        assert_eq!(meter.keep(), 4);
        assert!(budget.hold(7).is_err());
    }
}
