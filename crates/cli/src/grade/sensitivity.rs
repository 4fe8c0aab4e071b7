//! `touchstone sensitivity`.

use crate::args::BenchmarkArgs;
use crate::output::three;
use crate::progress::Bar;
use crate::table::KEEP;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use touchstone_grade::degrade::Degradation;
use touchstone_grade::sensitivity::{Reaction, SensitivityConfig, SensitivityRow, sensitivity_of_benchmark};

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

pub(crate) fn run(args: &SensitivityArgs) -> Result<Outcome> {
    let config = SensitivityConfig {
        degradations: args.transform.clone(),
        shares: args.share.clone(),
        seed: args.seed,
    };
    let rows = sensitivity_of_benchmark(&args.benchmark.open()?, &config, &Bar::new())?;
    if args.json {
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    show(&rows)?;
    output::prose(
        "† at most 1 - 0.1 x, ‡ at most 1 - 0.5 x, where x is the share; `changed` is the share that could be degraded",
    )?;
    Ok(Outcome::Done)
}

fn show(rows: &[SensitivityRow]) -> Result<()> {
    let headings: Vec<String> =
        rows.iter().map(|row| format!("{} {:.0}{KEEP}%", row.degradation, row.share * 100.0)).collect();
    let mut all = vec!["measure"];
    all.extend(headings.iter().map(String::as_str));
    let mut table = output::table(&all);
    let mut changed = vec!["changed".to_owned()];
    changed.extend(rows.iter().map(|row| three(row.changed)));
    table.add_row(changed);
    let names: Vec<&str> =
        rows.first().map_or(Vec::new(), |row| row.scores.iter().map(|(n, _)| n.as_str()).collect());
    for (at, name) in names.iter().enumerate() {
        let mut cells = vec![(*name).to_owned()];
        for row in rows {
            let score = row.scores[at].1;
            cells.push(format!("{}{}", three(score), Reaction::of(score, row.share).sign()));
        }
        table.add_row(cells);
    }
    output::text(&table.to_string())
}
