//! `touchstone axioms`.

use crate::args::BenchmarkArgs;
use crate::output;
use crate::progress::Bar;
use anyhow::Result;
use clap::Args;
use touchstone_grade::axioms::{AxiomsConfig, Failure, axioms_on_benchmark};

/// Arguments of `touchstone axioms`.
#[derive(Args)]
pub(crate) struct AxiomsArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// Maximum number of questions
    #[arg(long, default_value_t = 500)]
    limit: usize,
    /// The same seed makes the same cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// All measures, not only those of the paper's table
    #[arg(long)]
    all: bool,
    /// Show a case against each axiom that does not hold
    #[arg(long)]
    cases: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &AxiomsArgs) -> Result<()> {
    let open = args.benchmark.open()?;
    let config = AxiomsConfig { limit: args.limit, seed: args.seed, all_measures: args.all };
    let checked = axioms_on_benchmark(&open, &config, &Bar::new())?;
    if args.json {
        return output::json(&checked.rows);
    }
    output::text(output::shown(&checked.table(), usize::MAX))?;
    output::prose(&format!(
        "● holds in all cases, ◐ never violated but with ties (A1: for gold itself only),\n○ does not hold, – not computed; [x] published, where it differs.\nComputed on {} of {}; docs/grading.md lists the pairs.",
        output::counted(checked.questions, "query", "queries"),
        open.benchmark.manifest.name
    ))?;
    let one_line = |query: &str| query.split_whitespace().collect::<Vec<_>>().join(" ");
    for row in checked.rows.iter().filter(|_| args.cases) {
        for Failure { axiom, question, better, better_value, worse, worse_value } in &row.failures {
            let (better, worse) = (one_line(better), one_line(worse));
            say!(
                "\n{} against {axiom}: {question}\n  {better_value:.6}  {better}\n  {worse_value:.6}  {worse}",
                row.measure
            )?;
        }
    }
    Ok(())
}
