//! `touchstone regress`.

use crate::args::BenchmarkArgs;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_grade::{RegressConfig, RegressedRun, regress_run};

/// Arguments of `touchstone regress`.
#[derive(Args)]
pub(crate) struct RegressArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// A folder that `touchstone grade --out` has written
    #[arg(long, value_name = "DIR")]
    grades: PathBuf,
    /// What to explain
    #[arg(long, default_value = "f1")]
    measure: String,
    /// Write regression.json into the folder of grades, for the report
    #[arg(long)]
    write: bool,
    /// Replace an earlier regression.json also if it was edited
    #[arg(long, requires = "write")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RegressArgs) -> Result<Outcome> {
    // Nothing is run: the KB is not needed.
    let open = args.benchmark.open_with_or_without_kb(None)?;
    let config = RegressConfig {
        grades: args.grades.clone(),
        measure: args.measure.clone(),
        write: args.write,
        force: args.force,
    };
    let regressed = regress_run(&open, &config)?;
    if args.json {
        output::json(&regressed)?;
        return Ok(Outcome::Done);
    }
    let RegressedRun { regression: found, means, columns } = &regressed;
    let mut table = output::table(&["", "mean", "deviation", "coefficient", "error", "p", ""]);
    for coefficient in &found.coefficients {
        let mean = means.iter().find(|(name, ..)| *name == coefficient.name);
        table.add_row([
            coefficient.name.clone(),
            mean.map_or(String::new(), |(_, mean, _)| format!("{mean:.2}")),
            mean.map_or(String::new(), |(.., deviation)| format!("{deviation:.2}")),
            format!("{:+.5}", coefficient.estimate),
            format!("{:.5}", coefficient.error),
            format!("{:.4}", coefficient.p),
            coefficient.stars.to_owned(),
        ]);
    }
    output::text(&table.to_string())?;
    output::prose(&format!(
        "{} explained by language: {}, R² {:.3}; * p up to 0.05, ** 0.01, *** 0.001",
        args.measure,
        output::counted(found.n as u64, "question", "questions"),
        found.r_squared
    ))?;
    for (name, reason) in &found.dropped {
        output::note(&format!("{name} is left out: {reason}"));
    }
    for (name, what) in columns {
        output::item(&format!("{name}: {what}"), 2)?;
    }
    Ok(Outcome::Done)
}
