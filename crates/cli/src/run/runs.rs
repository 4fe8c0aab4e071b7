//! `touchstone runs`.

use crate::choice::{Auto, choice_or};
use crate::output::FOR_PEOPLE;
use crate::{Outcome, done, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_grade::RunOverview;
use touchstone_grade::table::ReportFormat;

/// Arguments of `touchstone runs`.
#[derive(Args)]
pub(crate) struct RunsArgs {
    /// The folder that holds the folders of runs
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The measures to show, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "em_answer,f1,gek_3")]
    measures: Vec<String>,
    /// How the table is printed
    #[arg(long, value_parser = choice_or(FOR_PEOPLE, ReportFormat::NAMED), default_value = "table")]
    format: Auto<ReportFormat>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunsArgs) -> Result<Outcome> {
    let mut rows: Vec<RunOverview> = Vec::new();
    for run in RunOverview::list(&args.folder)? {
        match run {
            Ok(run) => rows.push(run),
            Err(error) => output::note(error),
        }
    }
    if rows.is_empty() {
        note!(
            "no runs or grades found in {}; `touchstone run ... --out DIR` and `touchstone grade ... --out DIR` create them",
            args.folder.display()
        );
        return Ok(Outcome::NothingFound);
    }
    if args.json {
        return done(output::json(&rows));
    }
    match args.format {
        None => show(args, &rows),
        Some(format) => done(output::text(RunOverview::write(&rows, &args.measures, format))),
    }
}

/// A table that fits the terminal.
fn show(args: &RunsArgs, rows: &[RunOverview]) -> Result<Outcome> {
    let table = RunOverview::short_table(rows, &args.measures);
    let optional = ["benchmark", "started", "state", "errors"];
    output::text(output::shown(&table, usize::MAX).whole(&["run"]).optional(&optional))?;
    if table.headings.iter().any(|heading| heading == "s/question") {
        output::prose("s/question: the median; cost: the total; `touchstone runs --json` has more")?;
    }
    if rows.iter().any(|row| row.scores.is_empty()) {
        note!("runs without scores are not graded: touchstone grade RUN --out RUN");
    }
    Ok(Outcome::Done)
}
