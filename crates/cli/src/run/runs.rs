//! `touchstone runs`.

use crate::output::TableFormatName;
use crate::output::three;
use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use touchstone_benchmark::RunManifest;
use touchstone_benchmark::Usage;
use touchstone_grade::table::{self, Check, Table, TableFormat};
use touchstone_grade::usage::UsageSummary;

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

#[derive(Serialize)]
struct Row {
    run: String,
    /// Absent where predictions of a file were graded.
    #[serde(flatten)]
    about: Option<RunManifest>,
    /// The benchmark of graded predictions.
    #[serde(skip_serializing_if = "String::is_empty")]
    graded_on: String,
    predictions: usize,
    errors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageSummary>,
    scores: BTreeMap<String, f64>,
}

impl Row {
    fn state(&self) -> &'static str {
        match &self.about {
            Some(about) if about.ended.is_some() => "complete",
            Some(_) => "stopped",
            None => "graded",
        }
    }

    fn benchmark(&self) -> &str {
        self.about.as_ref().map_or(&self.graded_on, |about| &about.header.benchmark)
    }

    /// The system without its configuration, which is in run.json.
    fn system(&self) -> String {
        let system = self.about.as_ref().map_or("(file)", |about| about.header.system.as_str());
        output::shortened(system.split([',', ';']).next().unwrap_or_default())
    }
}

pub(crate) fn run(args: &RunsArgs) -> Result<Outcome> {
    let cannot = || format!("cannot read {}", args.folder.display());
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&args.folder).with_context(cannot)? {
        folders.push(entry.with_context(cannot)?.path());
    }
    folders.sort();
    // The folder may be a run itself.
    folders.insert(0, args.folder.clone());
    folders.retain(|folder| folder.join("run.json").exists() || is_graded(folder));
    let mut rows: Vec<Row> = Vec::new();
    for folder in &folders {
        match row(folder) {
            Ok(row) => rows.push(row),
            // One that is damaged does not hide the others.
            Err(error) => output::note(&format!("{error:#}")),
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
    match args.format {
        TableFormatName::Table => {}
        TableFormatName::Markdown => {
            output::text(&full_table(&rows, &args.measures).write(TableFormat::Markdown))?;
            return Ok(Outcome::Done);
        }
        TableFormatName::Csv => {
            output::text(&full_table(&rows, &args.measures).write(TableFormat::Csv))?;
            return Ok(Outcome::Done);
        }
        TableFormatName::Latex => {
            output::text(&full_table(&rows, &args.measures).write(TableFormat::Latex))?;
            return Ok(Outcome::Done);
        }
        TableFormatName::Junit => {
            output::text(&table::junit("runs", &checks(&rows)))?;
            return Ok(Outcome::Done);
        }
    }
    let is_timed = rows.iter().any(|row| row.usage.is_some_and(|usage| usage.seconds.is_some()));
    let is_paid = rows.iter().any(|row| row.usage.is_some_and(|usage| usage.cost.is_some()));
    let mut headings = vec!["run", "system", "benchmark", "n", "errors", "started", "state"];
    headings.extend(is_timed.then_some("s/question"));
    headings.extend(is_paid.then_some("cost"));
    headings.extend(args.measures.iter().map(String::as_str));
    let mut table =
        output::table(&headings).whole(&["run"]).optional(&["benchmark", "started", "state", "errors"]);
    for row in &rows {
        let mut cells = vec![
            row.run.clone(),
            row.system(),
            row.benchmark().to_owned(),
            output::count(row.predictions),
            if row.about.is_some() { output::count(row.errors) } else { String::new() },
            row.about.as_ref().map_or(String::new(), |about| {
                about.started.chars().take(16).collect::<String>().replace('T', " ")
            }),
            row.state().to_owned(),
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

/// Everything, without shortening.
fn full_table(rows: &[Row], measures: &[String]) -> Table {
    let fixed = [
        "run",
        "system",
        "benchmark",
        "n",
        "errors",
        "state",
        "median seconds",
        "tokens in",
        "tokens out",
        "cost",
    ];
    let mut table = Table::new("", fixed.into_iter().chain(measures.iter().map(String::as_str)));
    for row in rows {
        let usage = row.usage.unwrap_or_default();
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let mut cells = vec![
            row.run.clone(),
            row.system(),
            row.benchmark().to_owned(),
            row.predictions.to_string(),
            row.errors.to_string(),
            row.state().to_owned(),
            number(usage.seconds.map(|spread| spread.median)),
            number(usage.tokens_in.map(|spread| spread.total)),
            number(usage.tokens_out.map(|spread| spread.total)),
            number(usage.cost.map(|spread| spread.total)),
        ];
        cells.extend(
            measures.iter().map(|name| row.scores.get(name).map_or(String::new(), |score| three(*score))),
        );
        table.add(cells);
    }
    table
}

/// A run passes if it is complete and not all of it came to an error.
fn checks(rows: &[Row]) -> Vec<Check> {
    let check = |row: &Row| {
        let failure = if row.about.as_ref().is_some_and(|about| about.ended.is_none()) {
            Some("the run is not complete".to_owned())
        } else if row.predictions > 0 && row.errors == row.predictions {
            Some("every question came to an error".to_owned())
        } else {
            None
        };
        let found = format!("{} predictions, {} errors", row.predictions, row.errors);
        Check { name: row.run.clone(), found, failure }
    };
    rows.iter().map(check).collect()
}

/// Whether `touchstone grade --out` has written into a folder.
fn is_graded(folder: &Path) -> bool {
    folder.join("summary.json").is_file() && folder.join("grades.jsonl").is_file()
}

fn row(folder: &Path) -> Result<Row> {
    let about = if folder.join("run.json").exists() { Some(RunManifest::read(folder)?) } else { None };
    let path = folder.join("predictions.jsonl");
    let (mut predictions, mut errors, mut graded_on) = (0, 0, String::new());
    let mut usages: Vec<Usage> = Vec::new();
    if let Ok(file) = std::fs::File::open(&path) {
        for line in BufReader::new(file).lines() {
            // The last line of a run that goes on may be torn.
            let Ok(json) = serde_json::from_str::<Json>(
                &line.with_context(|| format!("cannot read {}", path.display()))?,
            ) else {
                continue;
            };
            predictions += 1;
            usages.push(Usage::of_json(&json["usage"]));
            errors += usize::from(json.get("error").is_some_and(|error| !error.is_null()));
        }
    }
    let mut scores = BTreeMap::new();
    if let Ok(text) = std::fs::read_to_string(folder.join("summary.json"))
        && let Ok(summary) = serde_json::from_str::<Json>(&text)
    {
        for (name, measure) in summary["measures"].as_object().into_iter().flatten() {
            scores.extend(measure["mean"].as_f64().map(|mean| (name.clone(), mean)));
        }
        if about.is_none() {
            predictions = summary["questions"].as_u64().unwrap_or(0) as usize;
            graded_on = summary["benchmark"].as_str().unwrap_or_default().to_owned();
        }
    }
    let run = folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(Row { run, about, graded_on, predictions, errors, usage: UsageSummary::of(&usages), scores })
}
