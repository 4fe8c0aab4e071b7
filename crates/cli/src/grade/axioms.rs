//! `touchstone axioms`.

use crate::args::BenchmarkArgs;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use touchstone_grade::axioms::{AxiomHolds, AxiomRow, AxiomsConfig, CheckedAxioms, axioms_on_benchmark};

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

pub(crate) fn run(args: &AxiomsArgs) -> Result<Outcome> {
    let open = args.benchmark.open()?;
    let config = AxiomsConfig { limit: args.limit, seed: args.seed, all_measures: args.all };
    let CheckedAxioms { rows, questions } = axioms_on_benchmark(&open, &config, &Bar::new())?;
    if args.json {
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    let sign = |holds: AxiomHolds| match holds {
        AxiomHolds::Unchecked => "–",
        AxiomHolds::No => "○",
        AxiomHolds::Half => "◐",
        AxiomHolds::Full => "●",
    };
    // A different sign in the paper follows ours.
    let cell = |row: &AxiomRow, at: usize| {
        let ours = row.cells()[at];
        match row.published.map(|published| published[at]).filter(|published| *published != ours) {
            Some(published) => format!("{} [{}]", sign(ours), sign(published)),
            None => sign(ours).to_owned(),
        }
    };
    let mut table =
        output::table(&["measure", "A1 query", "A2 runs", "A3 answers", "per question", "partial"]);
    for row in &rows {
        let cells = (0..row.cells().len()).map(|at| cell(row, at));
        table.add_row(std::iter::once(row.measure.clone()).chain(cells));
    }
    output::text(&table.to_string())?;
    output::prose(&format!(
        "● holds in all cases, ◐ never violated but with ties (A1: for gold itself only),\n○ does not hold, – not computed; [x] published, where it differs.\nComputed on {} of {}; docs/grading.md lists the pairs.",
        output::counted(questions as u64, "query", "queries"),
        open.benchmark.manifest.name
    ))?;
    if args.cases {
        for row in &rows {
            for case in &row.failures {
                output::text(&format!(
                    "\n{} against {}: {}\n  {:.6}  {}\n  {:.6}  {}",
                    row.measure,
                    case.axiom,
                    case.question,
                    case.better_value,
                    case.better.split_whitespace().collect::<Vec<_>>().join(" "),
                    case.worse_value,
                    case.worse.split_whitespace().collect::<Vec<_>>().join(" ")
                ))?;
            }
        }
    }
    Ok(Outcome::Done)
}
