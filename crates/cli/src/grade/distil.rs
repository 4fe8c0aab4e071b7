//! `touchstone distil`.

use crate::args::{BenchmarkArgs, with_hint};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_grade::distil::{DistilConfig, Distilled, distil_benchmark};

/// Arguments of `touchstone distil`.
#[derive(Args)]
pub(crate) struct DistilArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// Maximum number of questions
    #[arg(long, default_value_t = 500)]
    limit: usize,
    /// The same seed makes the same neighbours
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file of neighbours, for `touchstone grade --robust`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &DistilArgs) -> Result<Outcome> {
    let config =
        DistilConfig { limit: args.limit, seed: args.seed, out: args.out.clone(), force: args.force };
    let found = distil_benchmark(&args.benchmark.open()?, &config, &Bar::new()).map_err(with_hint)?;
    let sum = |of: fn(&Distilled) -> usize| found.iter().map(of).sum::<usize>();
    say!(
        "{} of {} written to {}; they distinguish {} of {} near misses from gold, and {} of the {} that return gold's answers on the unchanged KB",
        output::counted(sum(|d| d.neighbours.len()), "neighbour", "neighbours"),
        output::questions(found.len()),
        args.out.display(),
        output::count(sum(|d| d.distinguished)),
        output::count(sum(|d| d.misses)),
        output::count(sum(|d| d.lucky_distinguished)),
        output::count(sum(|d| d.lucky)),
    )?;
    Outcome::found(!found.is_empty())
}
