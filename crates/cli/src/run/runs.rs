//! `touchstone runs`.

use crate::output::TableFormatName;
use crate::output::three;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_grade::RunOverview;
use touchstone_grade::table::{self, Check, TableFormat};

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
    #[arg(long, value_enum, default_value_t = TableFormatName::Table)]
    format: TableFormatName,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunsArgs) -> Result<Outcome> {
    let mut rows: Vec<RunOverview> = Vec::new();
    for run in RunOverview::list(&args.folder)? {
        match run {
            Ok(run) => rows.push(run),
            Err(error) => output::note(&error.to_string()),
        }
    }
    if rows.is_empty() {
        output::note(&format!(
            "there is no run and no graded predictions in {}; `touchstone run ... --out DIR` and `touchstone grade ... --out DIR` make them",
            args.folder.display()
        ));
        return Ok(Outcome::NothingFound);
    }
    if args.json {
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    let format = match args.format {
        TableFormatName::Table => return show(args, &rows),
        TableFormatName::Markdown => TableFormat::Markdown,
        TableFormatName::Csv => TableFormat::Csv,
        TableFormatName::Latex => TableFormat::Latex,
        TableFormatName::Junit => {
            let checks: Vec<Check> = rows.iter().map(RunOverview::check).collect();
            output::text(&table::junit("runs", &checks))?;
            return Ok(Outcome::Done);
        }
    };
    output::text(&RunOverview::table(&rows, &args.measures).write(format))?;
    Ok(Outcome::Done)
}

/// A table that fits the terminal.
fn show(args: &RunsArgs, rows: &[RunOverview]) -> Result<Outcome> {
    let is_timed = rows.iter().any(|row| row.usage.is_some_and(|usage| usage.seconds.is_some()));
    let is_paid = rows.iter().any(|row| row.usage.is_some_and(|usage| usage.cost.is_some()));
    let mut headings = vec!["run", "system", "benchmark", "n", "errors", "started", "state"];
    headings.extend(is_timed.then_some("s/question"));
    headings.extend(is_paid.then_some("cost"));
    headings.extend(args.measures.iter().map(String::as_str));
    let mut table =
        output::table(&headings).whole(&["run"]).optional(&["benchmark", "started", "state", "errors"]);
    for row in rows {
        let mut cells = vec![
            row.run.clone(),
            output::shortened(row.system()),
            row.benchmark().to_owned(),
            output::count(row.predictions),
            if row.manifest.is_some() { output::count(row.errors) } else { String::new() },
            row.manifest.as_ref().map_or(String::new(), |manifest| {
                manifest.started.chars().take(16).collect::<String>().replace('T', " ")
            }),
            row.state().word().to_owned(),
        ];
        let quantity = |value: Option<f64>| value.map_or(String::new(), table::quantity);
        let usage = row.usage.unwrap_or_default();
        cells.extend(is_timed.then(|| quantity(usage.seconds.map(|seconds| seconds.median))));
        cells.extend(is_paid.then(|| quantity(usage.cost.map(|cost| cost.total))));
        cells.extend(
            args.measures
                .iter()
                .map(|name| row.scores.get(name).map_or("".to_owned(), |score| three(*score))),
        );
        table.add_row(cells);
    }
    output::text(&table.to_string())?;
    if is_timed {
        output::prose("s/question: the median; cost: the total; `touchstone runs --json` has more")?;
    }
    if rows.iter().any(|row| row.scores.is_empty()) {
        output::note("runs without scores are not graded: touchstone grade RUN --out RUN");
    }
    Ok(Outcome::Done)
}
