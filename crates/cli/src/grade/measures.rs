//! `touchstone measures`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use serde_json::json;
use touchstone_grade::{Measure, Product};

/// Arguments of `touchstone measures`.
#[derive(Args)]
pub(crate) struct MeasuresArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MeasuresArgs) -> Result<Outcome> {
    let product = |product: &Product| {
        let factors: Vec<&str> = product.factors.iter().map(|(measure, _)| measure.name()).collect();
        format!("{}, each lifted to {} + {} x", factors.join(" * "), product.floor, 1.0 - product.floor)
    };
    if args.json {
        let measure = |m: &Measure| json!({ "name": m.name(), "version": m.version(), "family": m.family(), "formula": m.formula(), "odd_cases": m.odd_cases() });
        let mut all: Vec<_> = Measure::ALL.iter().map(measure).collect();
        all.extend(Product::published().iter().map(|p| {
            json!({ "name": p.name, "version": p.version, "family": "compound", "formula": product(p), "odd_cases": "a factor that is not measured: not measured" })
        }));
        output::json(&all)?;
        return Ok(Outcome::Done);
    }
    let mut table = output::table(&["measure", "version", "formula", "odd cases"]);
    for m in Measure::ALL {
        table.add_row([m.name(), &m.version().to_string(), m.formula(), m.odd_cases()]);
    }
    for p in Product::published() {
        table.add_row([
            p.name.as_str(),
            &p.version.to_string(),
            &product(&p),
            "a factor that is not measured: not measured",
        ]);
    }
    output::text(&table.to_string())?;
    Ok(Outcome::Done)
}
