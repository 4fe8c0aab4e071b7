//! The commands about logical forms: `convert`, `shape`, `match`, `level`.

pub(crate) mod convert;
pub(crate) mod level;
pub(crate) mod matching;
pub(crate) mod shape;

use crate::progress::Bar;
use anyhow::Result;
use touchstone_datasets::{Record, RecordInput};

/// Reads the records of a file (`-` is standard input, and a logical form may take its place), works on them in parallel, and hands on the
/// results in the order of the file.
fn each_record<T: Send>(
    file: &str,
    work: impl Fn(&Record) -> T + Sync,
    hand_on: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    RecordInput::file_or_form(file)?.for_each(&Bar::new(), work, hand_on)
}
