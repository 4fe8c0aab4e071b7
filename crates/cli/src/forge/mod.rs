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
use touchstone_grade::attack::{AttackFigure, PUBLISHED, PublishedFigures};
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
    let shown: Vec<&PublishedFigures> =
        PUBLISHED.iter().filter(|set| ["GrailQA", "CWQ", "LC-QuAD", "KQA Pro"].contains(&set.name)).collect();
    let mut headings = vec!["trivial attack", "here", "chance"];
    headings.extend(shown.iter().map(|set| set.name));
    let mut table = Table::new(&headings);
    for figure in figures {
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        let mut row =
            vec![figure.attack.key().replace('_', " "), cell(Some(figure.value)), cell(figure.chance)];
        row.extend(shown.iter().map(|set| cell(set.figure(figure.attack))));
        table.add_row(row);
    }
    output::text(&table)
}
