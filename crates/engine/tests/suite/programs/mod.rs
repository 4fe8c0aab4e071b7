//! Helpers that several tests share.

pub mod random;
pub mod random_kb;
pub mod random_programs;

use std::path::Path;
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{Kb, NoProgress};

pub use touchstone_testing::shared_data;

/// Imports a KB in KQA Pro's format into a folder.
pub fn import_kqapro(json: &Path, into: &Path) -> Kb {
    let request = ImportRequest::new(Source::KqaPro, vec![json.to_path_buf()]);
    let report = import(&request, into, &NoProgress).expect("a KB");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    Kb::open(into).expect("a store")
}

/// A case of a data file: the line, its number, its fields.
pub struct Case<'t> {
    pub number: usize,
    pub line: &'t str,
    pub fields: Vec<&'t str>,
}

/// The lines of a data file with three fields each, without comments.
pub fn cases(text: &str) -> impl Iterator<Item = Case<'_>> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(number, line)| {
        let fields: Vec<&str> = line.splitn(3, " | ").map(str::trim).collect();
        assert_eq!(fields.len(), 3, "line {number}: {line}");
        Case { number, line, fields }
    })
}
