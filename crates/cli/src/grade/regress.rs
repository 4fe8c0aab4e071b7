//! `touchstone regress`.

use crate::args::BenchmarkArgs;
use crate::output;
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

pub(crate) fn run(args: &RegressArgs) -> Result<()> {
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
        return output::json(&regressed);
    }
    output::text(output::shown(&regressed.table(), usize::MAX))?;
    let RegressedRun { regression: found, columns, .. } = &regressed;
    output::prose(&format!(
        "{} explained by language: {}, R² {:.3}; * p up to 0.05, ** 0.01, *** 0.001",
        args.measure,
        output::questions(found.n),
        found.r_squared
    ))?;
    for (name, reason) in &found.dropped {
        note!("{name} is left out: {reason}");
    }
    for (name, what) in columns {
        output::item(&format!("{name}: {what}"), 2)?;
    }
    Ok(())
}
