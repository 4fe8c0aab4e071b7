//! Asks systems the questions of a benchmark, and keeps a journal that survives whatever happens.
//!
//! A [`System`] makes workers, [`run`] asks them, a [`Journal`] holds what they say; `touchstone_grade` grades it.

mod bm25;
mod command;
mod driver;
mod journal;
mod link;
mod nearest;
mod system;

pub use command::CommandSystem;
pub use driver::{Progressed, run};
pub use journal::{Header, Journal, JournalError};
pub use link::{Linked, Linker, Thing};
pub use nearest::{Adapted, Nearest};
pub use system::{Asked, Given, System, Worker};
