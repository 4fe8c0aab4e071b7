//! `touchstone regress`.

use super::GoldArgs;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use hashbrown::HashMap;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use touchstone_benchmark::GradeRow;
use touchstone_benchmark::{Question, Split};
use touchstone_grade::language::{Analyst, COLUMNS};
use touchstone_grade::regression::regress;
use touchstone_grade::same::About;
use touchstone_grade::statistics::mean_and_deviation;
use touchstone_kb::output::{OutputFolder, OutputKind};

/// Arguments of `touchstone regress`.
#[derive(Args)]
pub(crate) struct RegressArgs {
    #[command(flatten)]
    gold: GoldArgs,
    /// A folder that `touchstone grade --out` has written
    #[arg(long, value_name = "DIR")]
    grades: PathBuf,
    /// What to explain
    #[arg(long, default_value = "f1")]
    measure: String,
    /// Write regression.json into the folder of grades, for the report
    #[arg(long)]
    write: bool,
    /// Replace an earlier regression.json also if it was edited
    #[arg(long, requires = "write")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const REGRESSION: &str = "regression.json";

/// A regression as an output: it lies beside the grades.
const REGRESSION_OUTPUT: OutputKind = OutputKind {
    name: "regression",
    manifest: REGRESSION,
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: |folder| {
        let text = std::fs::read(folder.join(REGRESSION)).unwrap_or_default();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        if json["coefficients"].is_array() { vec![REGRESSION.to_owned()] } else { Vec::new() }
    },
};

pub(crate) fn run(args: &RegressArgs) -> Result<Outcome> {
    // Nothing is run: the KB is not needed.
    let (gold, _) = args.gold.open_with_or_without()?;
    let about: About = match std::fs::read_to_string(args.grades.join("summary.json")) {
        Ok(text) => serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged", args.grades.join("summary.json").display()))?,
        Err(_) => About::default(),
    };
    if !about.identity.is_empty() && about.identity != gold.benchmark.identity {
        bail!(
            "{} was graded on another benchmark: `{}` with identity {}, and this is `{}` with identity {}",
            args.grades.display(),
            output::shortened(&about.benchmark),
            about.identity,
            output::shortened(&gold.benchmark.manifest.name),
            gold.benchmark.identity
        );
    }
    let training: Vec<&Question> =
        gold.benchmark.questions.iter().filter(|q| q.split == Split::Train).collect();
    let analyst = Analyst::new(&training);
    let questions: HashMap<&str, &Question> =
        gold.questions()?.into_iter().map(|q| (q.id.as_str(), q)).collect();
    let path = args.grades.join("grades.jsonl");
    let file = std::fs::File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut columns: Vec<(String, Vec<f64>)> =
        COLUMNS.iter().map(|(name, _)| ((*name).to_owned(), Vec::new())).collect();
    let mut values = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line: GradeRow = serde_json::from_str(&line?)
            .with_context(|| format!("{}, line {}: not a grade record", path.display(), number + 1))?;
        let (Some(question), Some(&value)) =
            (questions.get(line.id.as_str()), line.measures.get(&args.measure))
        else {
            continue;
        };
        values.push(value);
        for ((_, column), value) in columns.iter_mut().zip(analyst.values(question)) {
            column.push(value);
        }
    }
    let found = regress(&args.measure, &values, &columns).with_context(|| {
        format!(
            "`{}` is measured for {}",
            args.measure,
            output::counted(values.len() as u64, "question", "questions")
        )
    })?;
    let means: Vec<(&str, f64, f64)> = columns
        .iter()
        .map(|(name, column)| {
            let (mean, deviation) = mean_and_deviation(column);
            (name.as_str(), mean, deviation)
        })
        .collect();
    if args.write {
        let text = serde_json::to_string_pretty(&found)? + "\n";
        let folder = OutputFolder::reserve(&args.grades, &REGRESSION_OUTPUT, &[REGRESSION], args.force)?;
        std::fs::write(folder.path().join(REGRESSION), text).context("cannot write regression.json")?;
        folder.commit()?;
    }
    if args.json {
        output::json(&json!({ "regression": found, "means": means, "columns": COLUMNS }))?;
        return Ok(Outcome::Done);
    }
    let mut table = output::table(&["", "mean", "deviation", "coefficient", "error", "p", ""]);
    for coefficient in &found.coefficients {
        let mean = means.iter().find(|(name, ..)| *name == coefficient.name);
        table.add_row([
            coefficient.name.clone(),
            mean.map_or(String::new(), |(_, mean, _)| format!("{mean:.2}")),
            mean.map_or(String::new(), |(.., deviation)| format!("{deviation:.2}")),
            format!("{:+.5}", coefficient.estimate),
            format!("{:.5}", coefficient.error),
            format!("{:.4}", coefficient.p),
            coefficient.stars.to_owned(),
        ]);
    }
    output::text(&table.to_string())?;
    output::prose(&format!(
        "{} explained by language: {}, R² {:.3}; * p up to 0.05, ** 0.01, *** 0.001",
        args.measure,
        output::counted(found.n as u64, "question", "questions"),
        found.r_squared
    ))?;
    for (name, reason) in &found.dropped {
        output::note(&format!("{name} is left out: {reason}"));
    }
    for (name, what) in COLUMNS {
        output::item(&format!("{name}: {what}"), 2)?;
    }
    Ok(Outcome::Done)
}
