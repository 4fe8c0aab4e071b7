//! `touchstone measures`.

use crate::output;
use anyhow::Result;
use clap::Args;
use touchstone_grade::measures;
use touchstone_terminal::Table;

/// Arguments of `touchstone measures`.
#[derive(Args)]
pub(crate) struct MeasuresArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MeasuresArgs) -> Result<()> {
    let measures = measures();
    if args.json {
        return output::json(&measures);
    }
    let mut table = Table::new(&["measure", "version", "formula", "edge cases"]);
    for measure in &measures {
        table.add_row([&measure.name, &measure.version.to_string(), &measure.formula, measure.odd_cases]);
    }
    output::text(&table)
}
