//! `touchstone compare`.

use super::three;
use crate::output::TableFormatName;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use hashbrown::HashMap;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use touchstone_benchmark::GradeRow;
use touchstone_benchmark::Usage;
use touchstone_grade::same::{About, GradedRun, same_benchmark};
use touchstone_grade::statistics::{Comparison, compare, holm};
use touchstone_grade::table::{self, Check, Table, TableFormat};
use touchstone_grade::usage::UsageSummary;

/// Arguments of `touchstone compare`.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Folders that `touchstone grade --out` has written; the first is compared with each of the others
    #[arg(value_name = "RUN", num_args = 2..)]
    runs: Vec<PathBuf>,
    /// The measures to compare, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "em_answer,f1")]
    measures: Vec<String>,
    /// Compare by a facet, too: level, function, shape, or another that `touchstone grade --by` was given
    #[arg(long, value_name = "FACET")]
    by: Option<String>,
    /// Exit with 1 if a run is significantly worse than the first in this measure: lower, with a corrected p below 0.05; may be given several times
    #[arg(long, value_name = "MEASURE", value_delimiter = ',')]
    fail_on_regression: Vec<String>,
    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t = TableFormatName::Table)]
    format: TableFormatName,
    /// Maximum number of questions to show that are right in one run only
    #[arg(long, default_value_t = 5)]
    flips: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

struct Run {
    name: String,
    about: About,
    lines: HashMap<String, GradeRow>,
}

impl Run {
    fn questions(&self) -> HashMap<&str, &str> {
        self.lines.iter().map(|(id, line)| (id.as_str(), line.question.as_str())).collect()
    }
}

/// A difference with a lower corrected p is significant.
const SIGNIFICANT: f64 = 0.05;

/// One measure of two runs.
struct Row<'r> {
    other: &'r Run,
    measure: &'r str,
    n: usize,
    means: (f64, f64),
    comparison: Comparison,
    /// Corrected for all comparisons.
    p: f64,
    flipped: Vec<&'r String>,
}

impl Row<'_> {
    /// Why the second run is a regression; `None` if it is not.
    fn regression(&self) -> Option<String> {
        let difference = self.comparison.difference;
        (difference < 0.0 && self.p < SIGNIFICANT).then(|| {
            format!(
                "{} of {} fell from {} to {} ({difference:+.3}, corrected p {})",
                self.measure,
                self.other.name,
                three(self.means.0),
                three(self.means.1),
                three(self.p)
            )
        })
    }
}

fn read(folder: &Path) -> Result<Run> {
    let path = folder.join("grades.jsonl");
    let file = std::fs::File::open(&path).with_context(|| {
        format!("cannot read {}; `touchstone grade --out {}` writes it", path.display(), folder.display())
    })?;
    let mut lines = HashMap::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line: GradeRow = serde_json::from_str(&line?)
            .with_context(|| format!("{}, line {}: not a grade record", path.display(), number + 1))?;
        lines.insert(line.id.clone(), line);
    }
    let about = match std::fs::read_to_string(folder.join("summary.json")) {
        Ok(text) => serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged", folder.join("summary.json").display()))?,
        Err(_) => About::default(),
    };
    Ok(Run { name: folder.display().to_string(), about, lines })
}

/// What the columns of the table mean.
const MEANINGS: [(&str, &str); 8] = [
    (
        "n",
        "questions for which the measure has a value in both runs; the means are over these, so they can differ from those of `touchstone grade`",
    ),
    ("change", "mean of the second run minus mean of the first"),
    (
        "95 % interval",
        "where the change lies with 95 % confidence (paired bootstrap; normal distribution above 1,000 questions)",
    ),
    ("p", "probability of a change at least this large if the runs do not differ (same method, two-sided)"),
    ("p (Holm)", "p corrected for the number of comparisons on this page: below 0.05 the runs differ"),
    (
        "McNemar",
        "p of McNemar's exact test, which counts only questions that are right (value 1) in one run and wrong in the other",
    ),
    ("d", "change in standard deviations of the differences (Cohen's d)"),
    ("detectable", "smallest change that n questions detect with 80 % power at p = 0.05"),
];

/// A p-value; what rounds to zero is not zero.
fn probability(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { three(p) }
}

pub(crate) fn run(args: &CompareArgs) -> Result<Outcome> {
    let runs: Vec<Run> = args
        .runs
        .iter()
        .map(|folder| touchstone_kb::output::read(folder, || read(folder)))
        .collect::<Result<_>>()?;
    let graded: Vec<GradedRun<'_>> = runs
        .iter()
        .map(|run| GradedRun { name: &run.name, about: &run.about, questions: run.questions() })
        .collect();
    same_benchmark(&graded)?;
    let (first, others) = runs.split_first().context("there is no run")?;
    let mut ids: Vec<&String> =
        first.lines.keys().filter(|id| others.iter().all(|run| run.lines.contains_key(*id))).collect();
    ids.sort();
    if ids.is_empty() {
        bail!("the runs have no question in common");
    }
    let mut measures: Vec<&str> = args.measures.iter().map(String::as_str).collect();
    for measure in &args.fail_on_regression {
        if !measures.contains(&measure.as_str()) {
            measures.push(measure);
        }
    }
    let mut rows: Vec<Row<'_>> = Vec::new();
    for other in others {
        for &measure in &measures {
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
            let (means, comparison) = ((mean(&a), mean(&b)), compare(&a, &b));
            rows.push(Row { other, measure, n: both.len(), means, comparison, p: 1.0, flipped });
        }
    }
    let corrected = holm(&rows.iter().map(|row| row.comparison.p_bootstrap).collect::<Vec<_>>());
    for (row, p) in rows.iter_mut().zip(corrected) {
        row.p = p;
    }
    let checks: Vec<Check> = rows
        .iter()
        .map(|row| {
            let demanded = args.fail_on_regression.iter().any(|measure| measure == row.measure);
            let found = format!(
                "{} to {} over {}, corrected p {}",
                three(row.means.0),
                three(row.means.1),
                row.n,
                three(row.p)
            );
            let failure = if demanded { row.regression() } else { None };
            Check { name: format!("{} of {}", row.measure, row.other.name), found, failure }
        })
        .collect();
    let usage = usage_table(&runs, &ids);
    let by = args.by.as_deref().map(|facet| facet_table(first, &rows, &ids, facet)).transpose()?;
    match args.format {
        _ if args.json => output::json(&rows.iter().map(|row| to_json(first, row)).collect::<Vec<_>>())?,
        TableFormatName::Table => {
            show(args, first, others, &ids, &rows, usage.as_ref())?;
            if let Some(by) = &by {
                output::text(&format!("\n{}", output::shown(by, usize::MAX)))?;
                output::text("p: paired bootstrap, corrected for all rows of this table (Holm)")?;
            }
        }
        TableFormatName::Markdown => print(first, &rows, by.into_iter().chain(usage), TableFormat::Markdown)?,
        TableFormatName::Latex => print(first, &rows, by.into_iter().chain(usage), TableFormat::Latex)?,
        TableFormatName::Csv => output::text(&full_table(first, &rows).write(TableFormat::Csv))?,
        TableFormatName::Junit => {
            output::text(&table::junit(&format!("compared with {}", first.name), &checks))?;
        }
    }
    let failures: Vec<&String> = checks.iter().filter_map(|check| check.failure.as_ref()).collect();
    for failure in &failures {
        output::note(&format!("failed: {failure}"));
    }
    Ok(if failures.is_empty() { Outcome::Done } else { Outcome::NothingFound })
}

fn to_json(first: &Run, row: &Row<'_>) -> Json {
    json!({
        "first": first.name, "second": row.other.name, "measure": row.measure, "n": row.n,
        "first_mean": row.means.0, "second_mean": row.means.1, "comparison": row.comparison, "p_corrected": row.p,
        "regression": row.regression().is_some(), "flipped": row.flipped,
    })
}

/// The numbers in full.
fn full_table(first: &Run, rows: &[Row<'_>]) -> Table {
    let headings = [
        "first",
        "second",
        "measure",
        "n",
        "first_mean",
        "second_mean",
        "difference",
        "low",
        "high",
        "p",
        "p_corrected",
        "p_mcnemar",
        "won",
        "lost",
    ];
    let mut table = Table::new("", headings);
    for row in rows {
        let c = &row.comparison;
        let numbers =
            [row.means.0, row.means.1, c.difference, c.low, c.high, c.p_bootstrap, row.p, c.p_mcnemar];
        let names = [first.name.clone(), row.other.name.clone(), row.measure.to_owned(), row.n.to_string()];
        let counts = [c.won.to_string(), c.lost.to_string()];
        table.add(names.into_iter().chain(numbers.map(|number| number.to_string())).chain(counts));
    }
    table
}

/// As people read it, with the names of the runs.
fn print(
    first: &Run,
    rows: &[Row<'_>],
    others: impl Iterator<Item = Table>,
    format: TableFormat,
) -> Result<()> {
    let headings = ["run", "measure", "first", "second", "change", "95 % interval", "corrected p", "n"];
    let mut table = Table::new(&format!("compared with {}", first.name), headings);
    for row in rows {
        let c = &row.comparison;
        table.add([
            row.other.name.clone(),
            row.measure.to_owned(),
            three(row.means.0),
            three(row.means.1),
            format!("{:+.3}", c.difference),
            format!("{:+.3} to {:+.3}", c.low, c.high),
            three(row.p),
            output::count(row.n),
        ]);
    }
    output::text(&table::write_all(&[table].into_iter().chain(others).collect::<Vec<_>>(), format))
}

/// The same comparisons for each value of a facet, the largest groups first.
fn facet_table(first: &Run, rows: &[Row<'_>], ids: &[&String], facet: &str) -> Result<Table> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for line in ids.iter().filter_map(|id| first.lines.get(*id)) {
        known.extend(line.facets.iter().map(|(name, _)| name));
        for value in line.facets.get(facet).into_iter().flatten() {
            groups.entry(value).or_default().push(&line.id);
        }
    }
    if groups.is_empty() {
        let known: Vec<&str> = known.into_iter().collect();
        bail!(
            "{} is not graded by `{facet}`: it has {}; `touchstone grade --by {facet}` adds it",
            first.name,
            if known.is_empty() { "no facets".to_owned() } else { known.join(", ") }
        );
    }
    let mut groups: Vec<(&str, Vec<&str>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    let mut compared = Vec::new();
    for row in rows {
        for (value, ids) in &groups {
            let of = |run: &Run, id: &str| {
                run.lines.get(id).and_then(|line| line.measures.get(row.measure)).copied()
            };
            let (a, b): (Vec<f64>, Vec<f64>) =
                ids.iter().filter_map(|id| Some((of(first, id)?, of(row.other, id)?))).unzip();
            if !a.is_empty() {
                let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
                compared.push((row, *value, a.len(), mean(&a), mean(&b), compare(&a, &b)));
            }
        }
    }
    let corrected = holm(&compared.iter().map(|(.., comparison)| comparison.p_bootstrap).collect::<Vec<_>>());
    let mut table = Table::new("", [facet, "run", "measure", "n", "first", "second", "change", "p"]);
    for ((row, value, n, a, b, comparison), p) in compared.iter().zip(corrected) {
        table.add([
            (*value).to_owned(),
            row.other.name.clone(),
            row.measure.to_owned(),
            output::count(*n),
            three(*a),
            three(*b),
            format!("{:+.3}", comparison.difference),
            three(p),
        ]);
    }
    Ok(table)
}

/// What the runs cost, over the questions that all have; `None` if nothing is known.
fn usage_table(runs: &[Run], ids: &[&String]) -> Option<Table> {
    let mut table = Table::new("", ["run", "per question", "mean", "median", "95 %", "total", "n"]);
    for run in runs {
        let usages: Vec<Usage> = ids
            .iter()
            .filter_map(|id| run.lines.get(*id))
            .map(|line| line.usage.unwrap_or_default())
            .collect();
        for (name, spread) in UsageSummary::of(&usages).iter().flat_map(UsageSummary::rows) {
            let numbers = [spread.mean, spread.median, spread.p95, spread.total].map(table::quantity);
            let names = [run.name.clone(), name.to_owned()];
            table.add(names.into_iter().chain(numbers).chain([output::count(spread.n)]));
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

fn show(
    args: &CompareArgs,
    first: &Run,
    others: &[Run],
    ids: &[&String],
    rows: &[Row<'_>],
    usage: Option<&Table>,
) -> Result<()> {
    for other in others {
        let mut table = output::table(&[
            "measure",
            "n",
            "first",
            "second",
            "change",
            "95 % interval",
            "p",
            "p (Holm)",
            "McNemar",
            "d",
            "detectable",
        ])
        .optional(&["d", "detectable", "p"]);
        for Row { measure, n, means: (a, b), comparison: c, p, .. } in
            rows.iter().filter(|row| std::ptr::eq(row.other, other))
        {
            table.add_row([
                (*measure).to_owned(),
                output::count(*n),
                three(*a),
                three(*b),
                format!("{:+.3}", c.difference),
                format!("{:+.3} to {:+.3}", c.low, c.high),
                probability(c.p_bootstrap),
                probability(*p),
                probability(c.p_mcnemar),
                format!("{:+.2}", c.effect),
                three(c.detectable),
            ]);
        }
        output::text(&format!("first:  {}\nsecond: {}", first.name, other.name))?;
        output::text(&format!("{table}\n"))?;
    }
    output::prose(&format!(
        "All runs have {} in common.",
        output::counted(ids.len() as u64, "question", "questions")
    ))?;
    for (column, meaning) in MEANINGS {
        output::item(&format!("  {column:<14} {meaning}"), 17)?;
    }
    if let Some(usage) = usage {
        output::text(&format!("\n{}", output::shown(usage, usize::MAX)))?;
    }
    for Row { other, measure, comparison: c, flipped, .. } in rows {
        if !flipped.is_empty() && args.flips > 0 {
            output::text(&format!("\n{measure}, {}: {} won, {} lost", other.name, c.won, c.lost))?;
            for id in flipped.iter().take(args.flips) {
                let value = |run: &Run| {
                    run.lines.get(*id).and_then(|line| line.measures.get(measure)).copied().unwrap_or(0.0)
                };
                let question = first.lines.get(*id).map_or("", |line| line.question.as_str());
                output::item(
                    &format!("  {} -> {}  {id}  {question}", three(value(first)), three(value(other))),
                    18,
                )?;
            }
        }
    }
    Ok(())
}
