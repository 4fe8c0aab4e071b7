//! `touchstone compare`.

use super::three;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use hashbrown::HashMap;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use touchstone_grade::statistics::{compare, holm};

/// Arguments of `touchstone compare`.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Folders that `touchstone grade --out` has written; the first is compared with each of the others
    #[arg(value_name = "RUN", num_args = 2..)]
    runs: Vec<PathBuf>,
    /// The measures to compare, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "em_answer,f1")]
    measures: Vec<String>,
    /// Show so many questions that flipped
    #[arg(long, default_value_t = 5)]
    flips: usize,
    /// For machines
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    question: String,
    measures: BTreeMap<String, f64>,
}

struct Run {
    name: String,
    lines: HashMap<String, Line>,
}

fn read(folder: &Path) -> Result<Run> {
    let path = folder.join("grades.jsonl");
    let file = std::fs::File::open(&path).with_context(|| {
        format!("cannot read {}; `touchstone grade --out {}` writes it", path.display(), folder.display())
    })?;
    let mut lines = HashMap::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line: Line = serde_json::from_str(&line?)
            .with_context(|| format!("{}, line {}: no grade", path.display(), number + 1))?;
        lines.insert(line.id.clone(), line);
    }
    Ok(Run { name: folder.display().to_string(), lines })
}

pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    let runs: Vec<Run> = args.runs.iter().map(|folder| read(folder)).collect::<Result<_>>()?;
    let (first, others) = runs.split_first().context("there is no run")?;
    for other in others {
        let differs =
            |line: &&Line| first.lines.get(&line.id).is_some_and(|known| known.question != line.question);
        if let Some(line) = other.lines.values().find(differs) {
            bail!(
                "{} and {} are about different benchmarks: `{}` is another question there",
                first.name,
                other.name,
                line.id
            );
        }
    }
    let mut ids: Vec<&String> =
        first.lines.keys().filter(|id| others.iter().all(|run| run.lines.contains_key(*id))).collect();
    ids.sort();
    if ids.is_empty() {
        bail!("the runs have no question in common");
    }
    let mut rows = Vec::new();
    for other in others {
        for measure in &args.measures {
            let value =
                |run: &Run, id: &str| run.lines.get(id).and_then(|line| line.measures.get(measure)).copied();
            let both: Vec<(&String, f64, f64)> =
                ids.iter().filter_map(|id| Some((*id, value(first, id)?, value(other, id)?))).collect();
            if both.is_empty() {
                bail!("`{measure}` is not measured in both runs; `touchstone measures` lists the names");
            }
            let (a, b): (Vec<f64>, Vec<f64>) = both.iter().map(|(_, a, b)| (*a, *b)).unzip();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let flipped: Vec<&String> =
                both.iter().filter(|(_, a, b)| (*a >= 1.0) != (*b >= 1.0)).map(|(id, ..)| *id).collect();
            rows.push((other, measure, both.len(), mean(&a), mean(&b), compare(&a, &b), flipped));
        }
    }
    let corrected = holm(&rows.iter().map(|row| row.5.p_bootstrap).collect::<Vec<_>>());
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .zip(&corrected)
            .map(|((other, measure, n, a, b, comparison, flipped), p)| {
                json!({
                    "first": first.name, "second": other.name, "measure": measure, "n": n, "first_mean": a, "second_mean": b,
                    "comparison": comparison, "p_corrected": p, "flipped": flipped,
                })
            })
            .collect();
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    let mut table = output::table(&[
        "measure",
        "first",
        "second",
        "change",
        "95 % interval",
        "p",
        "Holm",
        "McNemar",
        "d",
        "least",
    ]);
    for ((_, measure, _, a, b, c, _), p) in rows.iter().zip(&corrected) {
        table.add_row([
            (*measure).clone(),
            three(*a),
            three(*b),
            format!("{:+.3}", c.difference),
            format!("{:+.3} to {:+.3}", c.low, c.high),
            three(c.p_bootstrap),
            three(*p),
            three(c.p_mcnemar),
            format!("{:+.2}", c.effect),
            three(c.detectable),
        ]);
    }
    for (at, other) in others.iter().enumerate() {
        output::text(&format!("first: {}; second {}: {}", first.name, at + 1, other.name))?;
    }
    output::text(&format!("{} in common", output::counted(ids.len() as u64, "question", "questions")))?;
    output::text(&table.to_string())?;
    output::text(
        "p: paired bootstrap, corrected for all comparisons (Holm); McNemar: right or wrong only; d: size of the effect; least: the smallest change that so many questions show",
    )?;
    for (other, measure, _, _, _, c, flipped) in &rows {
        if !flipped.is_empty() && args.flips > 0 {
            output::text(&format!("\n{measure}, {}: {} won, {} lost", other.name, c.won, c.lost))?;
            for id in flipped.iter().take(args.flips) {
                let value = |run: &Run| {
                    run.lines.get(*id).and_then(|line| line.measures.get(*measure)).copied().unwrap_or(0.0)
                };
                let question = first.lines.get(*id).map_or("", |line| line.question.as_str());
                output::text(&format!(
                    "  {} -> {}  {id}  {question}",
                    three(value(first)),
                    three(value(other))
                ))?;
            }
        }
    }
    Ok(Outcome::Done)
}
