//! `touchstone stats`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Benchmark;
use touchstone_forge::stats::{Stats, StatsTable};

/// Arguments of `touchstone stats`.
#[derive(Args)]
pub(crate) struct StatsArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// Show all rows, not only the first twelve of a table
    #[arg(long)]
    all: bool,
    /// Write a report with figures: one file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long, requires = "html")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatsArgs) -> Result<Outcome> {
    let page =
        args.html.as_ref().map(|path| anyhow::Ok((path, output::file(path, args.force)?))).transpose()?;
    let benchmark = Benchmark::read(&args.benchmark)?;
    if let Some((path, page)) = page {
        output::write_file(page, touchstone_studio::stats_page(&benchmark).as_bytes())?;
        output::text(&format!("The report is in {}", path.display()))?;
        return Ok(Outcome::Done);
    }
    let stats = Stats::of(&benchmark);
    if args.json {
        output::json(&stats)?;
        return Ok(Outcome::Done);
    }
    let shown = if args.all { usize::MAX } else { 12 };
    for StatsTable { name, rows } in &stats.tables {
        let mut table = output::table(&[name, "train", "dev", "test", "share"]);
        let all: u64 = rows.iter().flat_map(|(_, numbers)| numbers).sum();
        for (value, numbers) in rows.iter().take(shown) {
            let share = numbers.iter().sum::<u64>() as f64 / all.max(1) as f64;
            let cells = numbers.map(output::count);
            table.add_row([
                value.trim(),
                &cells[0],
                &cells[1],
                &cells[2],
                &format!("{:.1} %", share * 100.0),
            ]);
        }
        output::text(&table.to_string())?;
        if rows.len() > shown {
            output::text(&format!("... and {} more (--all)", rows.len() - shown))?;
        }
        output::text("")?;
    }
    let mut table = output::table(&["mean (deviation)", "train", "dev", "test"]);
    for (name, means) in &stats.means {
        let shown = means.map(|mean| {
            mean.map_or("-".to_owned(), |mean| format!("{:.1} ({:.1})", mean.mean, mean.deviation))
        });
        table.add_row([*name, &shown[0], &shown[1], &shown[2]]);
    }
    output::text(&table.to_string())?;
    Ok(Outcome::Done)
}
