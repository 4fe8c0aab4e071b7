//! `touchstone lint`.

use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_forge::{Benchmark, lint};

/// Arguments of `touchstone lint`.
#[derive(Args)]
pub(crate) struct LintArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    kb: String,
    /// Show all findings, not only the first twenty
    #[arg(long)]
    all: bool,
    /// For machines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LintArgs) -> Result<Outcome> {
    let benchmark = Benchmark::read(&args.benchmark)?;
    let kb = crate::kb::open(&args.kb)?;
    let bar = Bar::new();
    let report = lint::lint(&kb, &benchmark, &bar);
    drop(bar);
    let outcome = if report.findings.is_empty() { Outcome::Done } else { Outcome::NothingFound };
    if args.json {
        output::json(&report)?;
        return Ok(outcome);
    }
    if !report.same_kb {
        output::note(&match benchmark.manifest.kb.name.as_str() {
            "" => format!("the benchmark says no KB: it is checked on {}; --kb names another", args.kb),
            name => {
                format!("the benchmark was made from another state of {name}: answers that differ are listed")
            }
        });
    }
    let shown = if args.all { usize::MAX } else { 20 };
    if !report.findings.is_empty() {
        let mut table = output::table(&["rule", "question", "what"]);
        for finding in report.findings.iter().take(shown) {
            table.add_row([finding.rule, &finding.id, &finding.what]);
        }
        output::text(&table.to_string())?;
        let rules: Vec<String> = report.by_rule().iter().map(|(rule, n)| format!("{n} {rule}")).collect();
        output::text(&format!(
            "{}: {}",
            output::counted(report.findings.len() as u64, "finding", "findings"),
            rules.join(", ")
        ))?;
    }
    output::text(&format!(
        "{}, {} run: {}",
        output::counted(report.questions as u64, "question", "questions"),
        output::counted(report.forms_run, "form", "forms"),
        if report.findings.is_empty() { "nothing is wrong" } else { "see above" }
    ))?;
    if report.unfilled > 0 {
        output::text(&format!(
            "{} of the recipe could not be filled (see `unfilled` in benchmark.json)",
            output::counted(report.unfilled as u64, "cell", "cells")
        ))?;
    }
    Ok(outcome)
}
