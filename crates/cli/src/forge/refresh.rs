//! `touchstone refresh`.

use crate::output::{self, count, questions};
use crate::progress::Bar;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Benchmark;
use touchstone_forge::refresh::{RefreshReport, refresh};
use touchstone_terminal::Table;

/// Arguments of `touchstone refresh`.
#[derive(Args)]
pub(crate) struct RefreshArgs {
    /// The folder of a benchmark
    #[arg(value_name = "BENCHMARK")]
    benchmark: PathBuf,
    /// The newer KB: `world` (embedded), or the directory of a compiled KB
    #[arg(long, value_name = "world|DIR")]
    kb: String,
    /// The folder of the new benchmark; an earlier benchmark there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier benchmark that were edited
    #[arg(long)]
    force: bool,
    /// Maximum number of changed and dropped questions to show
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print JSON, with all changes
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RefreshArgs) -> Result<()> {
    let folder = Benchmark::reserve(&args.out, args.force)?;
    let benchmark = Benchmark::read(&args.benchmark)?;
    let kb = crate::open_kb::open_kb(&args.kb)?;
    let (refreshed, report) = {
        let bar = Bar::new();
        refresh(&benchmark, &kb, &bar)?
    };
    refreshed.write_to(folder)?;
    if args.json {
        return output::json(&report);
    }
    show(&report, args.limit)?;
    say!("{} written to {}", questions(refreshed.questions.len()), args.out.display())
}

fn show(report: &RefreshReport, limit: usize) -> Result<()> {
    let mut table = Table::new(&["", "questions"]);
    for (name, n) in [
        ("unchanged", report.unchanged),
        ("other answers", report.changed.len()),
        ("left out", report.dropped.len()),
    ] {
        table.add_row([name, &count(n)]);
    }
    output::text(&table)?;
    if !report.changed.is_empty() {
        let mut table = Table::new(&["changed", "before", "now"]).whole(&["changed"]);
        for changed in report.changed.iter().take(limit) {
            let list = |answers: &[String]| output::shortened(&answers.join(", ")).to_string();
            table.add_row([changed.id.clone(), list(&changed.before), list(&changed.after)]);
        }
        output::text(&table)?;
    }
    if !report.dropped.is_empty() {
        let mut table = Table::new(&["left out", "reason"]).whole(&["left out"]);
        for dropped in report.dropped.iter().take(limit) {
            table.add_row([dropped.id.as_str(), dropped.reason.description()]);
        }
        output::text(&table)?;
    }
    Ok(())
}
