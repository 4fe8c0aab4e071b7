//! `touchstone grade`.

use crate::args::{BenchmarkArgs, with_hint};
use crate::choice::{Auto, HIDDEN, choice};
use crate::data_set_arg::{self, predictions_formats};
use crate::output::{FOR_PEOPLE, count};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use std::time::Duration;
use touchstone_benchmark::{ErrorLimit, Gives};
use touchstone_datasets::DataSet;
use touchstone_engine::budget::Limits;
use touchstone_grade::facets;
use touchstone_grade::summary::Summary;
use touchstone_grade::table::{self, Check, ReportFormat};
use touchstone_grade::{
    GradeOptions, PredictionSource, Product, Requirements, ShownMeasures, Threshold, grade_benchmark,
};

/// Arguments of `touchstone grade`.
#[derive(Args)]
pub(crate) struct GradeArgs {
    /// The folder of a run, whose benchmark and KB are found automatically; or a file of predictions, or `-` for standard input
    #[arg(
        value_name = "RUN|FILE|-",
        required_unless_present = "predictions",
        conflicts_with = "predictions"
    )]
    run: Option<String>,
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// The predictions, as an option
    #[arg(long, value_name = "RUN|FILE|-")]
    predictions: Option<String>,
    /// How the predictions are written
    #[arg(long, value_parser = predictions_formats(), value_name = "FORMAT")]
    predictions_format: Option<DataSet>,
    /// How the scores are printed
    #[arg(long, value_parser = formats(), default_value = "table")]
    format: Format,
    /// Grade only the questions that have a prediction; without it, the others score 0
    #[arg(long)]
    only_predicted: bool,
    /// Grade only the questions whose ids are in this file, one per line
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// The measures to show, separated by commas; all are written to the files
    #[arg(long, value_delimiter = ',')]
    measures: Vec<String>,
    /// A compound measure of your own, like "mine = f1_sem * exec ^ 0.5 * f1"
    #[arg(long, value_name = "NAME = PRODUCT")]
    product: Vec<String>,
    /// What the system gives for a question: `answers`, `forms` or `both`. What it does not give is not measured, and what it leaves out
    /// scores 0. Without it: what the run declares, else what the whole file has
    #[arg(long, value_name = "answers|forms|both")]
    gives: Option<Gives>,
    #[arg(long, value_name = "EVALUATOR", help = compat_help())]
    compat: Option<String>,
    /// How BLEU treats orders of n-grams without a match: none, exp, floor or add-k
    #[arg(long, value_name = "METHOD", default_value = "none")]
    bleu_smoothing: String,
    /// Facets to group by, separated by commas; two with `*` between are crossed
    #[arg(long, value_delimiter = ',', default_value = "level,function,shape")]
    by: Vec<String>,
    /// Run right predictions on the neighbours of the KB that `touchstone distil` made: is the answer right for the right reason?
    #[arg(long, value_name = "FILE")]
    robust: Option<PathBuf>,
    /// A folder for grades.jsonl and summary.json; earlier grades there are replaced, other files are kept
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace earlier grades also if they were edited
    #[arg(long, requires = "out")]
    force: bool,
    /// Exit with 1 if a score is lower than this, like f1=0.6; may be given several times
    #[arg(long, value_name = "MEASURE=SCORE", value_delimiter = ',')]
    fail_under: Vec<Threshold>,
    /// Exit with 1 if the system failed on more questions than this: a number, like 5, or a share, like 10%
    #[arg(long, value_name = "N|P%")]
    max_errors: Option<ErrorLimit>,
    /// Seconds that a logical form may run; a longer one is over budget
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    max_time: f64,
    /// Operations (facts and rows visited) that a logical form may take; a longer one is over budget
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    max_operations: u64,
    /// Seconds that grading may take in total; the remaining predictions are not graded, and the exit code is 1
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_total_time: Option<f64>,
    /// Only the table of measures
    #[arg(long)]
    brief: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl GradeArgs {
    fn predictions_format(&self) -> Result<DataSet> {
        match (self.format, self.predictions_format) {
            (Format::OfPredictions(_), Some(_)) => {
                bail!("--format sets how scores are printed (table, markdown, csv, latex, junit)")
            }
            (Format::OfPredictions(old), None) => Ok(old),
            (Format::OfScores(_), format) => Ok(format.unwrap_or(DataSet::Lines)),
        }
    }
}

/// How scores are printed; formats of predictions stood here in 0.1 and are still understood.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    OfScores(Auto<ReportFormat>),
    OfPredictions(DataSet),
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let scores = ReportFormat::NAMED.map(|(name, help, format)| (name, help, Format::OfScores(Some(format))));
    let old = [DataSet::Lines, DataSet::KqaPro, DataSet::Qald];
    let old = old.map(|data_set| (data_set.name(), HIDDEN, Format::OfPredictions(data_set)));
    let (name, help) = FOR_PEOPLE;
    choice(std::iter::once((name, help, Format::OfScores(None))).chain(scores).chain(old))
}

/// A number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if seconds > 0.0 && seconds <= 1e9 {
        Ok(seconds)
    } else {
        Err(format!("`{text}` is not a number of seconds above 0"))
    }
}

pub(crate) fn run(args: &GradeArgs) -> Result<Outcome> {
    let options = args.options()?;
    let shown = options.shown(&args.measures)?;
    for Threshold { measure, .. } in &args.fail_under {
        options.check_measure(measure)?;
    }
    facets::check(&options.facets)?;
    let open = args.benchmark.open_for_run(options.predictions.path())?;
    let bar = Bar::new();
    let graded = match grade_benchmark(&open, &options, &bar) {
        Err(nothing) if nothing.is_nothing_to_grade() => {
            drop(bar);
            output::note(nothing);
            return Ok(Outcome::NothingFound);
        }
        graded => graded.map_err(with_hint)?,
    };
    drop(bar);
    graded.notes().iter().for_each(output::note);
    let summary = &graded.summary;
    let requirements = Requirements { thresholds: args.fail_under.clone(), max_errors: args.max_errors };
    let checks = requirements.check(summary, &shown.measures);
    args.print(summary, &options, &shown, &checks)?;
    if let Some(differs) = summary.gold_differs {
        let (differs, all) = (count(differs), count(graded.selected));
        note!("warning: {differs} of {all} gold queries do not give their gold answers on this KB");
    }
    Outcome::found(output::passed(&checks))
}

impl GradeArgs {
    fn options(&self) -> Result<GradeOptions> {
        let evaluator = |name: &String| DataSet::named(name, "evaluator", DataSet::has_evaluator);
        let compat = self.compat.as_ref().map(evaluator).transpose()?;
        let name = self.run.as_deref().or(self.predictions.as_deref()).unwrap_or("-");
        let products = self.product.iter().map(|text| Product::parse(text)).collect::<Result<_, _>>()?;
        Ok(GradeOptions {
            format: self.predictions_format()?,
            gives: self.gives,
            only_predicted: self.only_predicted,
            ids: self.ids.clone(),
            products,
            compat,
            smoothing: self.bleu_smoothing.parse()?,
            facets: self.by.clone(),
            neighbours: self.robust.clone(),
            out: self.out.clone(),
            force: self.force,
            limits: Limits {
                operations: self.max_operations,
                time: Duration::from_secs_f64(self.max_time),
                ..Limits::default()
            },
            max_total_time: self.max_total_time.map(Duration::from_secs_f64),
            ..GradeOptions::new(PredictionSource::named(name)?)
        })
    }

    fn print(
        &self,
        summary: &Summary,
        options: &GradeOptions,
        shown: &ShownMeasures,
        checks: &[Check],
    ) -> Result<()> {
        if self.json {
            return output::json(summary);
        }
        if let Format::OfScores(Some(format)) = self.format {
            return output::text(table::write_summary(summary, shown, self.brief, checks, format));
        }
        show(summary, shown, self.brief)?;
        summary.notes(options.compat).iter().for_each(output::note);
        let Some(out) = &self.out else { return Ok(()) };
        say!("grades.jsonl and summary.json are in {}", out.display())
    }
}

fn compat_help() -> String {
    let names = data_set_arg::list(DataSet::has_evaluator);
    format!("Repeat an official evaluator: {names}; `gek` computes the paper's measures exactly as published")
}

/// Rows of a breakdown that are shown.
const SHOWN: usize = 12;

fn show(summary: &Summary, shown: &ShownMeasures, brief: bool) -> Result<()> {
    output::prose(&summary.outcome_counts())?;
    output::text(output::shown(&table::scores(summary, &shown.all()), usize::MAX))?;
    let facets = if brief { Vec::new() } else { table::by_facet(summary, &shown.by_facet) };
    for facet in &facets {
        say!("\n{}", output::shown(facet, SHOWN).optional(&["f1_aligned", "em_canonical"]))?;
        if facet.rows.len() > SHOWN {
            say!("and {} more", facet.rows.len() - SHOWN)?;
        }
    }
    if let Some(usage) = table::usage(summary) {
        say!("\n{}", output::shown(&usage, usize::MAX))?;
    }
    if let Some(robust) = summary.robust {
        output::prose(&format!("\n{robust}"))?;
    }
    Ok(())
}
