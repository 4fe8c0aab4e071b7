//! Errors of an executor: a Python exception by its kind, or one of our limits.

use crate::budget::Stopped;
use std::fmt;

/// The kind of a Python exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exception {
    /// A list element that does not exist, such as the first of an empty list.
    IndexError,
    /// A name, id or key that is not in a table.
    KeyError,
    /// A value of the wrong type, or an operator that does not exist.
    TypeError,
    /// A text that is not a number or time, or a result that is not a pair.
    ValueError,
    /// A variable that was never set, because no record had the key.
    UnboundLocalError,
    /// Values that cannot be compared.
    AssertionError,
    /// Verification of something that is not a value.
    AttributeError,
    /// A number too large for a date.
    OverflowError,
    /// A comparison of texts, which have no order; the executors raise the plain `Exception`.
    Exception,
}

impl Exception {
    /// Its name in Python.
    pub fn name(self) -> &'static str {
        match self {
            Exception::IndexError => "IndexError",
            Exception::KeyError => "KeyError",
            Exception::TypeError => "TypeError",
            Exception::ValueError => "ValueError",
            Exception::UnboundLocalError => "UnboundLocalError",
            Exception::AssertionError => "AssertionError",
            Exception::AttributeError => "AttributeError",
            Exception::OverflowError => "OverflowError",
            Exception::Exception => "Exception",
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a program has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompatError {
    /// The executor raises an exception.
    #[error("step {step} raises {exception}: {reason}")]
    Raised {
        /// The step, counted from 1.
        step: usize,
        /// The kind of the exception.
        exception: Exception,
        /// The reason, in our words.
        reason: String,
    },
    /// One of our limits was reached; the executors have none.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// An error whose step is not known yet.
pub(super) enum Fault {
    Raised(Exception, String),
    Stopped(Stopped),
}

impl From<Stopped> for Fault {
    fn from(stopped: Stopped) -> Fault {
        Fault::Stopped(stopped)
    }
}

/// Raises an exception.
pub(super) fn raise<T>(exception: Exception, reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Raised(exception, reason.into()))
}
