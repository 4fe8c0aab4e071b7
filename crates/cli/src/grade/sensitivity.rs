//! `touchstone sensitivity`.

use crate::args::BenchmarkArgs;
use crate::output;
use crate::progress::Bar;
use anyhow::Result;
use clap::Args;
use touchstone_grade::degrade::Degradation;
use touchstone_grade::sensitivity::{SensitivityConfig, sensitivity_of_benchmark, sensitivity_table};

/// Arguments of `touchstone sensitivity`.
#[derive(Args)]
pub(crate) struct SensitivityArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// Which degradations, separated by commas; without it those of the paper
    #[arg(long, value_delimiter = ',', default_value = "T1,T2,T3")]
    transform: Vec<Degradation>,
    /// Which shares
    #[arg(long, value_delimiter = ',', default_value = "0.1,0.2")]
    share: Vec<f64>,
    /// The same seed degrades the same questions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SensitivityArgs) -> Result<()> {
    let config = SensitivityConfig {
        degradations: args.transform.clone(),
        shares: args.share.clone(),
        seed: args.seed,
    };
    let rows = sensitivity_of_benchmark(&args.benchmark.open()?, &config, &Bar::new())?;
    if args.json {
        return output::json(&rows);
    }
    output::text(output::shown(&sensitivity_table(&rows), usize::MAX))?;
    output::prose(
        "† at most 1 - 0.1 x, ‡ at most 1 - 0.5 x, where x is the share; `changed` is the share that could be degraded",
    )
}
