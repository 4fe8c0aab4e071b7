//! `touchstone degrade`.

use crate::args::BenchmarkArgs;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_grade::degrade::{Degradation, DegradeConfig, degrade_benchmark};

/// Arguments of `touchstone degrade`.
#[derive(Args)]
pub(crate) struct DegradeArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// T1 (a bracket removed), T2 (random names), T3 (another query with the same answers), drop, flip, function, unit, year
    #[arg(long, value_name = "NAME")]
    transform: Degradation,
    /// The share of questions to degrade
    #[arg(long, default_value_t = 0.1)]
    share: f64,
    /// The same seed degrades the same questions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file of predictions
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &DegradeArgs) -> Result<Outcome> {
    let config = DegradeConfig {
        degradation: args.transform,
        share: args.share,
        seed: args.seed,
        out: args.out.clone(),
        force: args.force,
    };
    let run = degrade_benchmark(&args.benchmark.open()?, &config)?;
    say!(
        "{} written to {}: in {} {}; {} could not be degraded",
        output::counted(run.predictions.len(), "prediction", "predictions"),
        args.out.display(),
        output::count(run.changed),
        args.transform.description(),
        output::count(run.unchanged),
    )?;
    Outcome::found(!run.predictions.is_empty())
}
