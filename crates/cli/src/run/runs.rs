//! `touchstone runs`.

use crate::grade::three;
use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use comfy_table::ColumnConstraint;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use touchstone_run::RunFile;

/// Arguments of `touchstone runs`.
#[derive(Args)]
pub(crate) struct RunsArgs {
    /// The folder that holds the folders of runs
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The measures to show, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "em_answer,f1,gek_3")]
    measures: Vec<String>,
    /// For machines
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    run: String,
    #[serde(flatten)]
    about: RunFile,
    predictions: usize,
    errors: usize,
    scores: BTreeMap<String, f64>,
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
    folders.retain(|folder| folder.join("run.json").exists());
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
            "there is no run in {}; `touchstone run ... --out DIR` makes one",
            args.folder.display()
        ));
        return Ok(Outcome::NothingFound);
    }
    if args.json {
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    let mut headings = vec!["run", "system", "benchmark", "n", "errors", "started", "state"];
    headings.extend(args.measures.iter().map(String::as_str));
    let mut table = output::table(&headings);
    for row in &rows {
        let state = if row.about.ended.is_some() { "complete" } else { "stopped" };
        let header = &row.about.header;
        let mut cells = vec![
            row.run.clone(),
            // The configuration is in run.json.
            output::shortened(header.system.split([',', ';']).next().unwrap_or_default()),
            header.benchmark.clone(),
            output::count(row.predictions),
            output::count(row.errors),
            row.about.started.chars().take(16).collect::<String>().replace('T', " "),
            state.to_owned(),
        ];
        cells.extend(
            args.measures
                .iter()
                .map(|name| row.scores.get(name).map_or("".to_owned(), |score| three(*score))),
        );
        table.add_row(cells);
    }
    // Times and numbers stay in one line; long names may break.
    for column in table.column_iter_mut().skip(3) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    output::text(&table.to_string())?;
    if rows.iter().any(|row| row.scores.is_empty()) {
        output::note(
            "runs without scores are not graded: touchstone grade --benchmark DIR --predictions RUN --out RUN",
        );
    }
    Ok(Outcome::Done)
}

fn row(folder: &Path) -> Result<Row> {
    let about = RunFile::read(folder)?;
    let path = folder.join("predictions.jsonl");
    let (mut predictions, mut errors) = (0, 0);
    if let Ok(file) = std::fs::File::open(&path) {
        for line in BufReader::new(file).lines() {
            // The last line of a run that goes on may be torn.
            let Ok(json) = serde_json::from_str::<Json>(
                &line.with_context(|| format!("cannot read {}", path.display()))?,
            ) else {
                continue;
            };
            predictions += 1;
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
    }
    let run = folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(Row { run, about, predictions, errors, scores })
}
