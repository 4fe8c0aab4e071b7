//! `touchstone grade`.

use super::input::Input;
use super::written::Written;
use super::{Gold, GoldArgs};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use touchstone_benchmark::Usage;
use touchstone_benchmark::{Gives, Prediction, PredictionFormat, Predictions};
use touchstone_benchmark::{GradeRow, Graph, Question, Split};
use touchstone_engine::budget::Cancel;
use touchstone_grade::compat::Compat;
use touchstone_grade::distil::Distilled;
use touchstone_grade::facets::{self, FACETS};
use touchstone_grade::overlap::Smoothing;
use touchstone_grade::summary::{Collector, Summary};
use touchstone_grade::table::{self, Check, TableFormat};
use touchstone_grade::usage::UsageSummary;
use touchstone_grade::{Grade, Grader, Measure, Product, Threshold};
use touchstone_kb::{Change, Kb, Progress};
use touchstone_run::ErrorLimit;

/// Arguments of `touchstone grade`.
#[derive(Args)]
pub(crate) struct GradeArgs {
    /// The folder of a run, whose benchmark and KB are found by themselves; or a file of predictions, or `-` for standard input
    #[arg(
        value_name = "RUN|FILE|-",
        required_unless_present = "predictions",
        conflicts_with = "predictions"
    )]
    run: Option<String>,
    #[command(flatten)]
    gold: GoldArgs,
    /// The predictions, another way to give them
    #[arg(long, value_name = "RUN|FILE|-")]
    predictions: Option<String>,
    /// How the predictions are written
    #[arg(long, value_enum, value_name = "FORMAT")]
    predictions_format: Option<FormatName>,
    /// How the scores are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Grade only the questions that have a prediction; without it the others count 0
    #[arg(long)]
    only_predicted: bool,
    /// Grade only the questions whose ids are in this file, one a line
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
    #[arg(long, value_name = "answers|forms|both", value_parser = super::gives)]
    gives: Option<Gives>,
    /// Repeat an official evaluator: grailqa, webqsp, kqapro, qald, gerbil, or gek (the paper's measures by the letter)
    #[arg(long, value_name = "EVALUATOR")]
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
    /// Exit with 1 if more questions than this came to an error of the system: a number, like 5, or a share, like 10%
    #[arg(long, value_name = "N|P%")]
    max_errors: Option<ErrorLimit>,
    /// Seconds that a logical form may run; a longer one is over budget
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    max_time: f64,
    /// Operations (facts and rows looked at) that a logical form may take; a longer one is over budget
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    max_operations: u64,
    /// Seconds that all of it may take; predictions that come after are not graded, and the exit code is 1
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_total_time: Option<f64>,
    /// Only the table of measures
    #[arg(long)]
    brief: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Lines of {"id", "answers", "logical_form", "lang"}, or GrailQA's {"qid", "logical_form", "answer"}
    Lines,
    /// KQA Pro's: an answer a line, in the order of the questions
    Kqapro,
    /// QALD's JSON
    Qald,
}

impl GradeArgs {
    fn predictions_format(&self) -> Result<PredictionFormat> {
        let old = match self.format {
            Format::Lines => Some(FormatName::Lines),
            Format::Kqapro => Some(FormatName::Kqapro),
            Format::Qald => Some(FormatName::Qald),
            _ => None,
        };
        if old.is_some() && self.predictions_format.is_some() {
            bail!("--format is for the scores here: table, markdown, csv, latex or junit");
        }
        Ok(match self.predictions_format.or(old).unwrap_or(FormatName::Lines) {
            FormatName::Lines => PredictionFormat::Lines,
            FormatName::Kqapro => PredictionFormat::KqaPro,
            FormatName::Qald => PredictionFormat::Qald,
        })
    }

    /// Where the predictions are.
    fn source(&self) -> &str {
        self.run.as_deref().or(self.predictions.as_deref()).unwrap_or("-")
    }
}

/// How scores are printed; formats of predictions stood here in 0.1 and are still understood.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable
    Table,
    /// For a comment or a page
    Markdown,
    /// For a spreadsheet: a row for each facet, value and measure, numbers in full
    Csv,
    /// For a paper, with the rules of booktabs
    Latex,
    /// For continuous integration: what was demanded, as tests
    Junit,
    #[value(hide = true)]
    Lines,
    #[value(hide = true)]
    Kqapro,
    #[value(hide = true)]
    Qald,
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

/// Maximum number of predictions to hold at once.
const CHUNK: usize = 4096;

pub(crate) fn run(args: &GradeArgs) -> Result<Outcome> {
    let compat = args.compat.as_deref().map(evaluator).transpose()?;
    let shown = shown(&args.measures, &args.product)?;
    let facets = checked_facets(&args.by)?;
    let source = Path::new(args.source());
    let mut gold = args.gold.for_run(source)?.open()?;
    gold.as_asked_by(source)?;
    let words = gold.words();
    let mut grader = gold.grader(words.as_ref());
    for product in &args.product {
        grader.products.push(Product::parse(product)?);
    }
    grader.compat = compat;
    grader.smoothing = Smoothing::from_word(&args.bleu_smoothing).with_context(|| {
        format!("there is no smoothing `{}`; there are none, exp, floor and add-k", args.bleu_smoothing)
    })?;
    if let Some(path) = &args.robust {
        let kb = gold.kb().context("neighbours are laid over a KB: give --kb")?;
        grader.neighbours = neighbours(kb, path)?;
    }
    if compat == Some(Compat::GrailQa) && grader.ontology.is_none() {
        bail!(
            "--compat grailqa compares with Freebase's ontology, which a compiled KB does not keep: add --ontology DIR, the folder with fb_roles, fb_types and reverse_properties (the one that `kb import --ontology` read)"
        );
    }
    let limits = &mut grader.settings.limits;
    (limits.operations, limits.time) = (args.max_operations, Duration::from_secs_f64(args.max_time));
    for Threshold { measure, .. } in &args.fail_under {
        is_measure(measure, &args.product, compat)?;
    }
    let summary = match grade_all(args, &gold, &mut grader, &facets)? {
        Graded::Scores(summary) => *summary,
        Graded::Nothing(reason) => {
            output::note(&reason);
            return Ok(Outcome::NothingFound);
        }
    };
    let checks = checks(args, &summary, &shown);
    let official = compat.map_or(&[][..], Compat::scores);
    let names: Vec<&str> = shown.iter().map(String::as_str).chain(official.iter().copied()).collect();
    let columns: Vec<&str> = match args.measures.is_empty() {
        true => vec!["em_canonical", "f1_aligned", "exec", "em_answer", "f1", "gek_3"],
        false => args.measures.iter().map(String::as_str).collect(),
    };
    let tables = || {
        let facets = if args.brief { Vec::new() } else { table::by_facet(&summary, &columns) };
        [table::scores(&summary, &names)].into_iter().chain(facets).chain(table::usage(&summary))
    };
    match args.format {
        _ if args.json => output::json(&summary)?,
        Format::Markdown => {
            output::text(&table::write_all(&tables().collect::<Vec<_>>(), TableFormat::Markdown))?;
        }
        Format::Latex => {
            output::text(&table::write_all(&tables().collect::<Vec<_>>(), TableFormat::Latex))?;
        }
        Format::Csv => output::text(&table::tidy(&summary, &names).write(TableFormat::Csv))?,
        Format::Junit => output::text(&table::junit(&summary.benchmark, &checks))?,
        Format::Table | Format::Lines | Format::Kqapro | Format::Qald => {
            show(&summary, &names, &columns, compat, args.brief)?;
            if let Some(out) = &args.out {
                output::text(&format!("grades.jsonl and summary.json are in {}", out.display()))?;
            }
        }
    }
    if let Some(differs) = summary.gold_differs {
        output::note(&format!(
            "warning: {} of {} gold queries do not give their gold answers on this KB",
            output::count(differs),
            output::count(gold.questions()?.len())
        ));
    }
    let failures: Vec<&String> = checks.iter().filter_map(|check| check.failure.as_ref()).collect();
    for failure in &failures {
        output::note(&format!("failed: {failure}"));
    }
    Ok(if failures.is_empty() { Outcome::Done } else { Outcome::NothingFound })
}

/// What is demanded of the grades: the measures that are shown, with the scores they must reach, and that everything could be graded.
fn checks(args: &GradeArgs, summary: &Summary, shown: &[String]) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for name in shown.iter().filter(|name| summary.measures.contains_key(*name)) {
        let all = &summary.measures[name].all;
        let found = format!("{:.4} ({:.4} to {:.4}) over {}", all.mean, all.low, all.high, all.n);
        checks.push(Check { name: name.clone(), found, failure: None });
    }
    for threshold in &args.fail_under {
        let failure = threshold.failure(summary);
        match checks.iter_mut().find(|check| check.name == threshold.measure) {
            Some(check) => check.failure = check.failure.take().or(failure),
            None => {
                let found = format!("at least {} is demanded", threshold.least);
                checks.push(Check { name: threshold.measure.clone(), found, failure });
            }
        }
    }
    let mut count = |name: &str, n: usize, failure: Option<String>| {
        checks.push(Check { name: name.to_owned(), found: n.to_string(), failure });
    };
    let errors = summary.outcomes.get("system_error").copied().unwrap_or(0);
    let too_many = args.max_errors.filter(|limit| limit.is_exceeded(errors, summary.questions));
    let message = |limit| {
        format!(
            "{} of {} questions came to an error of the system, and at most {limit} may (--max-errors)",
            output::count(errors),
            output::count(summary.questions)
        )
    };
    count("errors of the system", errors, too_many.map(message));
    let predictions = |n: usize| output::counted(n as u64, "prediction is", "predictions are");
    let unknown = (summary.unknown > 0)
        .then(|| format!("{} for questions that the benchmark does not have", predictions(summary.unknown)));
    count("predictions for unknown questions", summary.unknown, unknown);
    let not_graded = (summary.not_graded > 0).then(|| {
        format!("{} not graded: the time of --max-total-time is spent", predictions(summary.not_graded))
    });
    count("predictions that are not graded", summary.not_graded, not_graded);
    checks
}

/// What `touchstone distil` wrote, in the ids of the KB. A neighbour of another KB is found out here.
fn neighbours(kb: &Kb, path: &Path) -> Result<HashMap<String, Vec<Change>>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut neighbours = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{}, line {}", path.display(), number + 1);
        let distilled: Distilled = serde_json::from_str(line)
            .with_context(|| format!("{}: no neighbours as `touchstone distil` writes them", place()))?;
        let changes: Result<Vec<Change>, _> =
            distilled.neighbours.iter().map(|neighbour| neighbour.change(kb)).collect();
        let changes = changes.with_context(|| format!("{}: not made for this KB", place()))?;
        neighbours.insert(distilled.id, changes);
    }
    Ok(neighbours)
}

fn evaluator(name: &str) -> Result<Compat> {
    Compat::from_name(name).with_context(|| {
        let known: Vec<&str> = Compat::ALL.iter().map(|(name, _)| *name).collect();
        format!("there is no evaluator `{name}`; there are {}", known.join(", "))
    })
}

fn shown(measures: &[String], products: &[String]) -> Result<Vec<String>> {
    let own = products.iter().filter_map(|text| Some(text.split_once('=')?.0.trim().to_owned()));
    let own: Vec<String> = own.collect();
    if measures.is_empty() {
        let usual = [
            Measure::EmCanonical,
            Measure::EmString,
            Measure::Bleu,
            Measure::F1Sem,
            Measure::F1Tri,
            Measure::F1Aligned,
            Measure::Exec,
            Measure::EmAnswer,
            Measure::F1,
            Measure::F1Exec,
            Measure::Hits1,
        ];
        let usual = usual.iter().map(|measure| measure.name().to_owned());
        return Ok(usual.chain(["gek_1", "gek_2", "gek_3"].map(str::to_owned)).chain(own).collect());
    }
    for name in measures {
        is_measure(name, products, None)?;
    }
    Ok(measures.to_vec())
}

/// Refuses names that are not measures, products or official scores.
fn is_measure(name: &str, products: &[String], compat: Option<Compat>) -> Result<()> {
    let own = products.iter().filter_map(|text| Some(text.split_once('=')?.0.trim()));
    let official = compat.map_or(&[][..], Compat::scores).iter().copied();
    let measures = Measure::ALL.iter().map(|measure| measure.name());
    let known: Vec<&str> = measures.chain(["gek_1", "gek_2", "gek_3"]).chain(own).chain(official).collect();
    if known.contains(&name) {
        return Ok(());
    }
    let nearest = touchstone_kb::nearest_name(name, known.iter().copied());
    let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
    bail!("there is no measure `{name}`{hint} (`touchstone measures` lists them)");
}

fn checked_facets(by: &[String]) -> Result<Vec<String>> {
    for facet in by.iter().flat_map(|facet| facet.split('*')) {
        if !FACETS.contains(&facet) {
            let nearest = touchstone_kb::nearest_name(facet, FACETS.iter().copied());
            let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
            bail!("there is no facet `{facet}`{hint} (there are {})", FACETS.join(", "));
        }
    }
    Ok(by.to_vec())
}

/// The values of a facet, or of two that are crossed.
fn facet_values(facet: &str, question: &Question, seen: &HashSet<String>) -> Vec<String> {
    match facet.split_once('*') {
        None => facets::values(facet, question, seen),
        Some((left, right)) => {
            let (left, right) = (facets::values(left, question, seen), facet_values(right, question, seen));
            left.iter().flat_map(|l| right.iter().map(move |r| format!("{l} · {r}"))).collect()
        }
    }
}

/// What came of grading.
enum Graded {
    Scores(Box<Summary>),
    /// There was nothing to grade, and why.
    Nothing(String),
}

/// How often a watch looks whether grading must stop.
const WATCH: Duration = Duration::from_millis(20);

/// Cancels what is being run when the user stops the program or when the time is up, until it is dropped.
struct Watch {
    stop: Cancel,
    ended: Arc<AtomicBool>,
}

impl Watch {
    fn new(bar: &Bar, deadline: Option<Instant>) -> Watch {
        let watch = Watch { stop: Cancel::default(), ended: Arc::default() };
        let (user, stop, ended) = (bar.cancel(), watch.stop.clone(), watch.ended.clone());
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                if user.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    stop.cancel();
                    break;
                }
                std::thread::sleep(WATCH);
            }
        });
        watch
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Keeps the questions whose ids are in a file.
fn chosen<'q>(questions: Vec<&'q Question>, path: &Path) -> Result<Vec<&'q Question>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut wanted: HashMap<&str, usize> = HashMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        wanted.entry(line.trim()).or_insert(number + 1);
    }
    if wanted.is_empty() {
        bail!("{} has no ids; write one a line", path.display());
    }
    let kept: Vec<&Question> =
        questions.into_iter().filter(|question| wanted.remove(question.id.as_str()).is_some()).collect();
    if let Some((id, line)) = wanted.iter().min_by_key(|(_, line)| **line) {
        bail!(
            "{}, line {line}: there is no question `{}` among those to grade{}",
            path.display(),
            output::shortened(id),
            if wanted.len() > 1 { format!(", nor {} others", wanted.len() - 1) } else { String::new() }
        );
    }
    Ok(kept)
}

fn grade_all(args: &GradeArgs, gold: &Gold, grader: &mut Grader<'_>, facets: &[String]) -> Result<Graded> {
    let mut questions = gold.questions()?;
    if let Some(path) = &args.ids {
        questions = chosen(questions, path)?;
    }
    let places: HashMap<&str, usize> =
        questions.iter().enumerate().map(|(at, q)| (q.id.as_str(), at)).collect();
    let training = gold.benchmark.questions.iter().filter(|question| question.split == Split::Train);
    let seen: HashSet<String> = training.flat_map(|question| question.schema_items.iter().cloned()).collect();
    let format = args.predictions_format()?;
    let input = Input::new(args.source())?;
    grader.gives = input.what_is_given(args.gives.or(gold.gives), args.source(), format)?;
    let mut predictions =
        Predictions::new(input.open()?, format).with_namespaces(grader.knowledge.namespaces.clone());
    let official = grader.compat.map_or(&[][..], Compat::scores);
    let mut collector = Collector::new(questions.len(), &grader.products, official, facets);
    let names: Vec<String> = collector.names().map(str::to_owned).collect();
    let mut written = args.out.as_deref().map(|folder| Written::reserve(folder, args.force)).transpose()?;
    let bar = Bar::new();
    bar.stage("grading", Some(questions.len() as u64));
    let deadline = args.max_total_time.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let watch = Watch::new(&bar, deadline);
    grader.cancel = watch.stop.clone();
    // The content of the prediction that each question has.
    let mut graded: Vec<Option<u64>> = vec![None; questions.len()];
    let (mut unknown, mut elsewhere, mut repeated, mut next) = (0, 0, 0, 0);
    let mut not_graded = 0;
    let mut usages: Vec<Usage> = Vec::new();
    let everywhere: HashSet<&str> = gold.benchmark.questions.iter().map(|q| q.id.as_str()).collect();
    loop {
        let mut chunk: Vec<(usize, Option<Prediction>)> = Vec::with_capacity(CHUNK);
        while chunk.len() < CHUNK {
            let Some(prediction) =
                predictions.next().transpose().with_context(|| args.source().to_owned())?
            else {
                break;
            };
            let place = match format {
                // Lines without ids follow the questions.
                PredictionFormat::KqaPro => Some(next).filter(|&at| at < questions.len()),
                _ => places.get(prediction.id.as_str()).copied(),
            };
            next += 1;
            match place {
                None if everywhere.contains(prediction.id.as_str()) => elsewhere += 1,
                None => unknown += 1,
                Some(at) => {
                    let content = Some(prediction.content_hash());
                    match graded[at] {
                        None => {
                            graded[at] = content;
                            chunk.push((at, Some(prediction)));
                        }
                        known if known == content => repeated += 1,
                        // Which of them counts would depend on the order of the file.
                        Some(_) => bail!(
                            "{}: there are two different predictions for question `{}`; remove one of them",
                            args.source(),
                            output::shortened(&prediction.id)
                        ),
                    }
                }
            }
        }
        let is_last = chunk.is_empty();
        if is_last && next == 0 {
            return Ok(Graded::Nothing(format!("there are no predictions in {}", args.source())));
        }
        if is_last && graded.iter().all(Option::is_none) {
            let what = if elsewhere > 0 { "are among those to grade" } else { "are in the benchmark" };
            return Ok(Graded::Nothing(format!(
                "{} in {}, and no question of theirs {what} `{}`: nothing was graded",
                output::counted(next as u64, "prediction is", "predictions are"),
                args.source(),
                output::shortened(&gold.benchmark.manifest.name)
            )));
        }
        if is_last && !args.only_predicted {
            chunk = (0..questions.len()).filter(|&at| graded[at].is_none()).map(|at| (at, None)).collect();
        }
        type Row<'g> = (Grade<'g>, Vec<Vec<String>>, String);
        let rows: Vec<Option<Row<'_>>> = chunk
            .par_iter()
            .map(|(at, prediction)| {
                let question = questions[*at];
                let must_stop = || prediction.is_some() && grader.cancel.is_cancelled();
                if must_stop() {
                    return None;
                }
                let grade = grader.grade(question, prediction.as_ref());
                // What was running when it was stopped is not known.
                if must_stop() {
                    return None;
                }
                let values: Vec<Vec<String>> =
                    facets.iter().map(|facet| facet_values(facet, question, &seen)).collect();
                let line = if args.out.is_some() {
                    line(question, prediction.as_ref(), &grade, &names, facets, &values)
                } else {
                    String::new()
                };
                bar.advance(1);
                Some((grade, values, line))
            })
            .collect();
        if bar.cancelled() {
            bail!("stopped; nothing was written");
        }
        for (row, (at, prediction)) in rows.iter().zip(&chunk) {
            let Some((grade, values, line)) = row else {
                not_graded += 1;
                continue;
            };
            usages.extend(prediction.as_ref().map(|prediction| prediction.usage));
            collector.add(*at, grade, &questions[*at].shape, values);
            if let Some(written) = &mut written {
                written.add(line)?;
            }
        }
        if is_last {
            break;
        }
    }
    bar.stage("working out intervals", None);
    let mut summary = collector.summary(&gold.benchmark.manifest.name, unknown, repeated);
    summary.identity.clone_from(&gold.benchmark.identity);
    summary.kb = gold.kb().map(|kb| kb.manifest().fingerprint.clone());
    summary.not_graded = not_graded;
    summary.usage = UsageSummary::of(&usages);
    if gold.is_another_kb() {
        summary.gold_differs = gold_differs(grader, &questions, &bar);
    }
    if bar.cancelled() {
        bail!("stopped; nothing was written");
    }
    if let Some(written) = written {
        written.finish(&summary)?;
    }
    drop(bar);
    if elsewhere > 0 {
        output::note(&format!(
            "{} for questions of the benchmark that are not among those to grade",
            output::counted(elsewhere as u64, "prediction is", "predictions are")
        ));
    }
    Ok(Graded::Scores(Box::new(summary)))
}

/// How many gold queries do not give the gold answers on the KB at hand; `None` if there was no time.
fn gold_differs(grader: &Grader<'_>, questions: &[&Question], bar: &Bar) -> Option<usize> {
    bar.stage("running gold on this KB", Some(questions.len() as u64));
    let differs = |question: &&Question| {
        let holds = grader.gold_holds(question);
        bar.advance(1);
        if grader.cancel.is_cancelled() { None } else { Some(usize::from(holds == Some(false))) }
    };
    questions.par_iter().map(differs).sum()
}

/// A line of grades.jsonl.
fn line(
    question: &Question,
    prediction: Option<&Prediction>,
    grade: &Grade<'_>,
    names: &[String],
    facets: &[String],
    values: &[Vec<String>],
) -> String {
    let measures = names.iter().zip(Collector::row(grade));
    let facets = facets.iter().cloned().zip(values.iter().cloned());
    let forms = &question.forms;
    let gold = forms.sexpr.as_ref().or(forms.program.as_ref()).or(forms.sparql.as_ref());
    let row = GradeRow {
        id: question.id.clone(),
        outcome: grade.outcome.word().to_owned(),
        cause: grade.cause.clone(),
        measures: measures.filter_map(|(name, value)| Some((name.clone(), value?))).collect(),
        facets: facets.collect(),
        shape: question.shape.clone(),
        predicted_shape: grade.predicted_shape.clone(),
        robust: grade.robust,
        question: question.question.clone(),
        graph: Some(question.graph.clone()),
        predicted_graph: grade.predicted_graph.as_ref().map(Graph::from),
        gold: gold.cloned(),
        predicted: prediction.and_then(|prediction| prediction.logical_form.clone()),
        gold_answers: question.answers.clone(),
        answers: grade.answers.iter().take(50).map(|answer| answer.text.to_string()).collect(),
        trace: prediction.and_then(|prediction| prediction.trace.clone()),
        usage: prediction.map(|prediction| prediction.usage).filter(|usage| !usage.is_unknown()),
    };
    serde_json::to_string(&row).unwrap_or_default() + "\n"
}

/// Rows of a breakdown that are shown.
const SHOWN: usize = 12;

fn show(
    summary: &Summary,
    names: &[&str],
    columns: &[&str],
    compat: Option<Compat>,
    brief: bool,
) -> Result<()> {
    let outcomes: Vec<String> = summary
        .outcomes
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(word, n)| format!("{} {}", output::count(*n), word.replace('_', " ")))
        .collect();
    output::prose(&format!(
        "{}: {}",
        output::counted(summary.questions as u64, "question", "questions"),
        outcomes.join(", ")
    ))?;
    output::text(&output::shown(&table::scores(summary, names), usize::MAX).to_string())?;
    let facets = if brief { Vec::new() } else { table::by_facet(summary, columns) };
    for facet in &facets {
        output::text(&format!(
            "\n{}",
            output::shown(facet, SHOWN).optional(&["f1_aligned", "em_canonical"])
        ))?;
        if facet.rows.len() > SHOWN {
            output::text(&format!("and {} more", facet.rows.len() - SHOWN))?;
        }
    }
    if let Some(usage) = table::usage(summary) {
        output::text(&format!("\n{}", output::shown(&usage, usize::MAX)))?;
    }
    if let Some(robust) = summary.robust {
        output::prose(&format!(
            "\n{} of {} with the right answers give something else than gold on neighbours of the KB ({:.1} %)",
            output::count(robust.failed),
            output::counted(robust.checked as u64, "prediction", "predictions"),
            100.0 * robust.failed as f64 / robust.checked.max(1) as f64
        ))?;
    }
    if summary.repeated > 0 {
        output::note(&format!(
            "{} ignored: the same prediction for a question again",
            output::counted(summary.repeated as u64, "prediction was", "predictions were")
        ));
    }
    if summary.incomparable > 0 {
        output::note(&format!(
            "{} in a language in which gold has no form and into which it cannot be translated: 0 in measures of forms",
            output::counted(summary.incomparable as u64, "form is", "forms are")
        ));
    }
    if summary.answers_from_kb > 0 {
        output::note(&format!(
            "{} without gold answers: what the gold query returns on the KB was taken for them",
            output::counted(summary.answers_from_kb as u64, "question is", "questions are")
        ));
    }
    if summary.answers_unknown > 0 {
        output::note(&format!(
            "{} without gold answers, and the gold query could not be run: answers are not measured there (give the KB with --kb)",
            output::counted(summary.answers_unknown as u64, "question is", "questions are")
        ));
    }
    if let Some(compat) = compat {
        output::note(&format!("why official scores differ from ours: {}", compat.difference()));
    }
    Ok(())
}
