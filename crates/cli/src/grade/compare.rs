//! `touchstone compare`.

use crate::choice::{Auto, choice_or};
use crate::output::{FOR_PEOPLE, questions, three};
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_grade::table::ReportFormat;
use touchstone_grade::{
    COLUMN_MEANINGS, CompareConfig, ComparedRuns, GradedFolder, RunComparison, compare_runs, comparison_table,
};

/// Arguments of `touchstone compare`.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Folders that `touchstone grade --out` has written; the first is compared with each of the others
    #[arg(value_name = "RUN", num_args = 2..)]
    runs: Vec<PathBuf>,
    /// The measures to compare, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "em_answer,f1")]
    measures: Vec<String>,
    /// Compare by a facet, too: level, function, shape, or another that `touchstone grade --by` was given
    #[arg(long, value_name = "FACET")]
    by: Option<String>,
    /// Exit with 1 if a run is significantly worse than the first in this measure: lower, with a corrected p below 0.05; may be given several times
    #[arg(long, value_name = "MEASURE", value_delimiter = ',')]
    fail_on_regression: Vec<String>,
    /// How the comparison is printed
    #[arg(long, value_parser = choice_or(FOR_PEOPLE, ReportFormat::NAMED), default_value = "table")]
    format: Auto<ReportFormat>,
    /// Maximum number of questions to show that are right in one run only
    #[arg(long, default_value_t = 5)]
    flips: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    let compared = compare_runs(&CompareConfig {
        runs: args.runs.clone(),
        measures: args.measures.clone(),
        by: args.by.clone(),
        no_regression: args.fail_on_regression.clone(),
    })?;
    match args.format {
        _ if args.json => output::json(&compared.comparisons)?,
        None => show(&compared, args.flips)?,
        Some(format) => output::text(compared.write(format))?,
    }
    Outcome::found(output::passed(&compared.checks))
}

fn show(compared: &ComparedRuns, flips: usize) -> Result<()> {
    for (second, rows) in compared.by_run() {
        let table = output::shown(&comparison_table(rows), usize::MAX).optional(&["d", "detectable", "p"]);
        say!("first:  {}\nsecond: {}", compared.first(), second.name)?;
        output::text(&table)?;
    }
    output::prose(&format!("All runs have {} in common.", questions(compared.common.len())))?;
    for (column, meaning) in COLUMN_MEANINGS {
        output::item(&format!("  {column:<14} {meaning}"), 17)?;
    }
    if let Some(usage) = compared.usage_table() {
        say!("\n{}", output::shown(&usage, usize::MAX))?;
    }
    for (second, rows) in compared.by_run() {
        for row in rows.iter().filter(|row| !row.flipped.is_empty() && flips > 0) {
            show_flips(row, &compared.runs[0], second, flips)?;
        }
    }
    if let Some(by) = compared.facet_table() {
        say!("\n{}", output::shown(&by, usize::MAX))?;
        output::text("p: paired bootstrap, corrected for all rows of this table (Holm)")?;
    }
    Ok(())
}

/// Questions that only one of two runs gets right.
fn show_flips(row: &RunComparison, first: &GradedFolder, second: &GradedFolder, flips: usize) -> Result<()> {
    let RunComparison { measure, comparison, flipped, .. } = row;
    say!("\n{measure}, {}: {} won, {} lost", second.name, comparison.won, comparison.lost)?;
    for id in flipped.iter().take(flips) {
        let value = |run: &GradedFolder| three(run.value(measure, id).unwrap_or(0.0));
        let question = first.rows.get(id).map_or("", |row| row.question.as_str());
        output::item(&format!("  {} -> {}  {id}  {question}", value(first), value(second)), 18)?;
    }
    Ok(())
}
