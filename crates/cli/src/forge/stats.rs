//! `touchstone stats`.

use crate::output;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Benchmark;
use touchstone_forge::paper::PaperFigure;
use touchstone_forge::stats::Stats;
use touchstone_grade::attack::attacks;
use touchstone_studio::StatsWithAttacks;
use touchstone_terminal::Table;

/// Arguments of `touchstone stats`.
#[derive(Args)]
pub(crate) struct StatsArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// For two of the attacks: `world` (embedded), or the directory of the compiled KB
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
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

pub(crate) fn run(args: &StatsArgs) -> Result<()> {
    let page =
        args.html.as_ref().map(|path| anyhow::Ok((path, output::file(path, args.force)?))).transpose()?;
    let benchmark = Benchmark::read(&args.benchmark)?;
    let kb = args.kb.as_deref().map(crate::open_kb::open_kb).transpose()?;
    let attacks = attacks(&benchmark, kb.as_ref());
    if let Some((path, page)) = page {
        output::write_file(page, touchstone_studio::stats_page(&benchmark, &attacks).as_bytes())?;
        return say!("The report is in {}", path.display());
    }
    let stats = Stats::of(&benchmark);
    if args.json {
        return output::json(&StatsWithAttacks { stats, attacks });
    }
    let shown = if args.all { usize::MAX } else { 12 };
    for counted in &stats.tables {
        let mut table = Table::new(&[counted.name, "train", "dev", "test", "share"]);
        counted.cells().take(shown).for_each(|row| table.add_row(row));
        output::text(&table)?;
        if counted.rows.len() > shown {
            say!("... and {} more (--all)", counted.rows.len() - shown)?;
        }
    }
    let mut table = Table::new(&["mean (deviation)", "train", "dev", "test"]);
    for (name, means) in &stats.means {
        let [train, dev, test] = means.map(|mean| mean.map_or("-".to_owned(), |mean| mean.to_string()));
        table.add_row([*name, &train, &dev, &test]);
    }
    output::text(&table)?;
    paper_table(&stats)?;
    super::attack_table(&attacks)
}

/// The distributions of the paper that a recipe follows, beside those that were built.
fn paper_table(stats: &Stats) -> Result<()> {
    if stats.paper.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["share of questions", "published", "built"]);
    for PaperFigure { name, published, built, is_percentage } in &stats.paper {
        let unit = if *is_percentage { " %" } else { "" };
        table.add_row([name.as_str(), &format!("{published:.1}{unit}"), &format!("{built:.1}{unit}")]);
    }
    output::text(&table)
}
