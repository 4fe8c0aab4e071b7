//! `touchstone report`.

use crate::open_kb::embedded_kb;
use crate::output::megabytes;
use crate::progress::Bar;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::KbSource;
use touchstone_studio::ReportConfig;

/// Arguments of `touchstone report`.
#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Folders that `touchstone grade --out` has written
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    runs: Vec<PathBuf>,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
    /// Its heading
    #[arg(long)]
    title: Option<String>,
    /// The KB with the names of what the query graphs name by ids: `world`, a folder, or `none`; by default the one that the runs were
    /// graded on
    #[arg(long, value_name = "world|DIR|none")]
    kb: Option<String>,
}

pub(crate) fn run(args: ReportArgs) -> Result<()> {
    let ReportArgs { runs, out, force, title, kb } = args;
    let shown = out.display().to_string();
    let config = ReportConfig {
        runs,
        title,
        out,
        force,
        kb: KbSource::named(kb.as_deref()),
        embedded: Some(embedded_kb()),
        date: touchstone_benchmark::today(),
    };
    let written = touchstone_studio::report(&config, &Bar::new())?;
    say!("{shown} written, {}", megabytes(written.bytes))
}
