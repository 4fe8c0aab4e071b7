//! Writes folders and files without losing files of the user.
//!
//! The rules, for every command that writes:
//!
//! - An output folder has a marker, `.touchstone.json`, that lists the files written there with their hashes. Everything else in the
//!   folder belongs to the user, and so does a listed file that was edited.
//! - Files of the user are never removed, renamed or overwritten, not even with `--force`. A package that owns its folder (a benchmark, a
//!   KB) is not written among them without `--force`.
//! - Nothing outside the folder is changed. New files are staged inside it, in `.touchstone-staging`, and leftovers of a killed process
//!   are cleared by the next one that writes there.
//! - A replacement is complete or has not happened. Once all files are staged, a record of the moves is put in place by one rename:
//!   that is the moment of replacement. Then files are moved, data first, the manifest last. A process that is killed in between
//!   leaves the record, and the next process, reader or writer, finishes the moves first ([`read`], [`OutputFolder::reserve`]).
//! - A single file is replaced only if this program wrote it and it has not been changed since ([`OutputFile`]).

mod error;
mod failpoint;
mod file;
mod folder;
mod marker;
mod staging;

pub use error::OutputError;
pub use failpoint::failpoint;
pub use file::{OutputFile, replace_file};
pub use folder::{OutputFolder, OutputKind, read};
