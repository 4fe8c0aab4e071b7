//! `touchstone lint`.

use crate::args::kb_for;
use crate::output::counted;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Benchmark;
use touchstone_forge::lint::{self, LintReport};
use touchstone_terminal::Table;

/// Arguments of `touchstone lint`.
#[derive(Args)]
pub(crate) struct LintArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// `world` (embedded), or the directory of a compiled KB; without it the KB that the benchmark was made from, found by its fingerprint
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
    /// Show all findings, not only the first twenty
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LintArgs) -> Result<Outcome> {
    let benchmark = Benchmark::read(&args.benchmark)?;
    let kb = match kb_for(&benchmark, &args.benchmark, args.kb.as_deref())? {
        Some(kb) => kb,
        None => bail!(
            "{} does not name its KB, so there is nothing to run its forms on; give the KB with --kb DIR",
            args.benchmark.display()
        ),
    };
    let bar = Bar::new();
    let report = lint::lint(&kb, &benchmark, &bar);
    drop(bar);
    if args.json {
        output::json(&report)?;
    } else {
        show(args, &benchmark, &report)?;
    }
    Outcome::found(report.findings.is_empty())
}

fn show(args: &LintArgs, benchmark: &Benchmark, report: &LintReport) -> Result<()> {
    if benchmark.manifest.kb.fingerprint.is_empty() {
        let kb = args.kb.as_deref().unwrap_or_default();
        note!("the benchmark does not name its KB; it is checked on {kb}");
    }
    if !report.findings.is_empty() {
        let mut table = Table::new(&["rule", "question", "what"]).whole(&["rule", "question"]);
        for finding in report.findings.iter().take(if args.all { usize::MAX } else { 20 }) {
            table.add_row([finding.rule.name(), &finding.id, &finding.what]);
        }
        output::text(&table)?;
        output::prose(&report.totals())?;
    }
    say!(
        "{}, {} run: {}",
        output::questions(report.questions),
        counted(report.forms_run, "form", "forms"),
        if report.findings.is_empty() { "no problems found" } else { "see above" }
    )?;
    if report.unfilled > 0 {
        let cells = counted(report.unfilled, "cell", "cells");
        output::prose(&format!(
            "{cells} of the recipe could not be filled (see `unfilled` in benchmark.json)"
        ))?;
    }
    Ok(())
}
