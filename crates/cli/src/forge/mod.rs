//! The commands about benchmarks: `build`, `lint`, `stats`, `show`, `verbalise`, `lexicon`, `mix`, `import-dataset`, `export-dataset`.

pub(crate) mod build;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod lexicon;
pub(crate) mod lint;
pub(crate) mod mix;
pub(crate) mod refresh;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod verbalise;

use crate::output::{self, count};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;
use touchstone_benchmark::english::Lexicon;
use touchstone_forge::load_lexicon;
use touchstone_grade::attack::{self, AttackFigure};
use touchstone_kb::Kb;
use touchstone_terminal::Table;

/// The lexicon of a file, or the one that comes with the KB.
fn lexicon(path: Option<&Path>, kb: &Kb) -> Result<Lexicon> {
    let lexicon = load_lexicon(path, kb)?;
    if let Some(path) = path {
        note_unknown(path, &lexicon.unknown(kb));
    }
    Ok(lexicon)
}

/// Notes entries of a lexicon that the KB does not have.
fn note_unknown(path: &Path, unknown: &[String]) {
    for unknown in unknown.iter().take(5) {
        note!("{}: the KB has no {unknown}", path.display());
    }
}

/// The numbers of questions in a benchmark.
fn counts(counts: &BTreeMap<String, u64>) -> Result<()> {
    let mut table = Table::new(&["", "questions"]);
    for (name, n) in counts {
        table.add_row([name.as_str(), &count(*n)]);
    }
    output::text(&table)
}

/// How far trivial attacks get, compared with the nearest published data sets.
fn attack_table(figures: &[AttackFigure]) -> Result<()> {
    output::text(output::shown(&attack::table(figures), usize::MAX))
}
