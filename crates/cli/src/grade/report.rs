//! `touchstone report`.

use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use touchstone_benchmark::GradeRow;
use touchstone_grade::same::{About, GradedRun, same_benchmark};
use touchstone_studio::{Report, Run, html};

/// Arguments of `touchstone report`.
#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Folders that `touchstone grade --out` has written
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    runs: Vec<PathBuf>,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
    /// Its heading
    #[arg(long)]
    title: Option<String>,
}

fn read(folder: &Path) -> Result<Run> {
    let path = folder.join("grades.jsonl");
    let hint =
        || format!("cannot read {}; `touchstone grade --out {}` writes it", path.display(), folder.display());
    let file = std::fs::File::open(&path).with_context(hint)?;
    let mut grades: Vec<GradeRow> = Vec::new();
    for (number, line) in BufReader::with_capacity(1 << 20, file).lines().enumerate() {
        let line = line.with_context(hint)?;
        grades.push(
            serde_json::from_str(&line)
                .with_context(|| format!("{}, line {}: not a grade record", path.display(), number + 1))?,
        );
    }
    let json = |name: &str| -> Result<Option<serde_json::Value>> {
        let path = folder.join(name);
        if !path.exists() {
            return Ok(None);
        }
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).map(Some).with_context(|| format!("{}: not JSON", path.display()))
    };
    let mut extras = BTreeMap::new();
    for name in ["sensitivity", "regression"] {
        if let Some(found) = json(&format!("{name}.json"))? {
            extras.insert(name.to_owned(), found);
        }
    }
    let name = folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(Run { name, summary: json("summary.json")?.unwrap_or_default(), grades, extras })
}

pub(crate) fn run(args: &ReportArgs) -> Result<Outcome> {
    let file = output::file(&args.out, args.force)?;
    let runs: Vec<Run> = args
        .runs
        .iter()
        .map(|folder| touchstone_kb::output::read(folder, || read(folder)))
        .collect::<Result<_>>()?;
    let abouts: Vec<About> =
        runs.iter().map(|run| serde_json::from_value(run.summary.clone()).unwrap_or_default()).collect();
    let graded: Vec<GradedRun<'_>> = runs
        .iter()
        .zip(&abouts)
        .map(|(run, about)| {
            let questions = run.grades.iter().map(|grade| (grade.id.as_str(), grade.question.as_str()));
            GradedRun { name: &run.name, about, questions: questions.collect() }
        })
        .collect();
    same_benchmark(&graded)?;
    drop(graded);
    let benchmark = runs.first().and_then(|run| run.summary["benchmark"].as_str()).unwrap_or("a benchmark");
    let title = args.title.clone().unwrap_or_else(|| format!("Touchstone: {benchmark}"));
    let page = html(&Report { title, runs });
    output::write_file(file, page.as_bytes())?;
    output::text(&format!("{} written, {:.1} MB", args.out.display(), page.len() as f64 / 1e6))?;
    Ok(Outcome::Done)
}
