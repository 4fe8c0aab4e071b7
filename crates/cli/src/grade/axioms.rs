//! `touchstone axioms`.

use super::GoldArgs;
use super::degrade::check_sparql;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use touchstone_grade::axioms::{Holds, Row, axioms};

/// Arguments of `touchstone axioms`.
#[derive(Args)]
pub(crate) struct AxiomsArgs {
    #[command(flatten)]
    gold: GoldArgs,
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

/// The measures of the paper's table.
const PAPER: [&str; 12] = [
    "em_string",
    "em_answer",
    "accuracy",
    "f1",
    "recall",
    "precision",
    "perplexity",
    "bleu",
    "rouge_l",
    "gek_1",
    "gek_2",
    "gek_3",
];

pub(crate) fn run(args: &AxiomsArgs) -> Result<Outcome> {
    let gold = args.gold.open()?;
    let words = gold.words();
    let grader = gold.grader(words.as_ref());
    let mut questions = gold.questions()?;
    check_sparql(&questions)?;
    questions.retain(|question| question.forms.sparql.is_some());
    questions.truncate(args.limit);
    let rows = axioms(&grader, &questions, &gold.pool(), args.seed);
    let rows: Vec<Row> = match args.all {
        true => rows,
        false => {
            let find = |name: &&str| rows.iter().find(|row| row.measure == **name).cloned();
            PAPER.iter().filter_map(find).collect()
        }
    };
    if args.json {
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    let sign = |holds: Holds| match holds {
        Holds::Unchecked => "–",
        Holds::No => "○",
        Holds::Half => "◐",
        Holds::Full => "●",
    };
    // Where the paper has another sign, it stands behind ours.
    let cell = |row: &Row, at: usize| {
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
        "● holds in all cases, ◐ never violated but with ties (A1: for gold itself only),\n○ does not hold, – not computed; [x] published, where it differs.\nComputed on {} of {}; docs/grading.md says on which pairs.",
        output::counted(questions.len() as u64, "query", "queries"),
        gold.benchmark.manifest.name
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
