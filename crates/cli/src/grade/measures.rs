//! `touchstone measures`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use touchstone_grade::measures;

/// Arguments of `touchstone measures`.
#[derive(Args)]
pub(crate) struct MeasuresArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MeasuresArgs) -> Result<Outcome> {
    let measures = measures();
    if args.json {
        output::json(&measures)?;
        return Ok(Outcome::Done);
    }
    let mut table = output::table(&["measure", "version", "formula", "odd cases"]);
    for measure in &measures {
        table.add_row([&measure.name, &measure.version.to_string(), &measure.formula, measure.odd_cases]);
    }
    output::text(&table.to_string())?;
    Ok(Outcome::Done)
}
