//! The commands about logical forms: `convert`, `shape`, `match`, `level`.

pub(crate) mod convert;
pub(crate) mod level;
pub(crate) mod matching;
pub(crate) mod shape;

use crate::progress::Bar;
use anyhow::Result;
use touchstone_datasets::{DataSet, Item, Record, RecordInput};

/// Reads the records of a file (`-` is standard input, and a logical form may take its place), works on them in parallel, and hands on the
/// results in the order of the file.
pub(crate) fn each_record<T: Send>(
    file: &str,
    work: impl Fn(&Record) -> T + Sync,
    hand_on: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    RecordInput::file_or_form(file)?.for_each(&Bar::new(), work, hand_on)
}

/// A question of a record, or its line and what is wrong.
pub(crate) fn item(data_set: DataSet, record: &Record) -> Result<Item, (String, String)> {
    data_set.item(record).map_err(|error| (record.line.to_string(), error.to_string()))
}

/// A share of a whole in percent.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}
