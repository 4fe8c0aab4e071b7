//! `touchstone grade`.

use super::{Gold, GoldArgs, three};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use touchstone_forge::{Graph, Question};
use touchstone_grade::compat::Compat;
use touchstone_grade::distil::Distilled;
use touchstone_grade::facets::{self, FACETS};
use touchstone_grade::overlap::Smoothing;
use touchstone_grade::summary::{Collector, Summary};
use touchstone_grade::{Grade, Grader, Measure, Prediction, PredictionFormat, Predictions, Product};
use touchstone_kb::{Change, Kb, Progress};

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
    /// How they are written
    #[arg(long, value_enum, default_value_t = FormatName::Lines)]
    format: FormatName,
    /// The measures to show, separated by commas; all are written to the files
    #[arg(long, value_delimiter = ',')]
    measures: Vec<String>,
    /// A compound measure of your own, like "mine = f1_sem * exec ^ 0.5 * f1"
    #[arg(long, value_name = "NAME = PRODUCT")]
    product: Vec<String>,
    /// Repeat an official evaluator: grailqa, webqsp, kqapro, qald, gerbil
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
    /// A folder for grades.jsonl and summary.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only the table of measures
    #[arg(long)]
    brief: bool,
    /// For machines
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
    /// Where the predictions are.
    fn source(&self) -> &str {
        self.run.as_deref().or(self.predictions.as_deref()).unwrap_or("-")
    }
}

/// So many predictions are held at once.
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
            "GrailQA's exact match needs the ontology: give --ontology DIR with fb_roles, fb_types and reverse_properties"
        );
    }
    let summary = grade_all(args, &gold, &mut grader, &facets)?;
    if args.json {
        output::json(&summary)?;
    } else {
        let columns: Vec<&str> = match args.measures.is_empty() {
            true => vec!["em_canonical", "f1_aligned", "exec", "em_answer", "f1", "gek_3"],
            false => args.measures.iter().map(String::as_str).collect(),
        };
        show(&summary, &shown, &columns, compat, args.brief)?;
        if let Some(out) = &args.out {
            output::text(&format!("grades.jsonl and summary.json are in {}", out.display()))?;
        }
    }
    Ok(Outcome::Done)
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
            Measure::Hits1,
        ];
        let usual = usual.iter().map(|measure| measure.name().to_owned());
        return Ok(usual.chain(["gek_1", "gek_2", "gek_3"].map(str::to_owned)).chain(own).collect());
    }
    for name in measures {
        let known = || Measure::ALL.iter().map(|measure| measure.name()).chain(["gek_1", "gek_2", "gek_3"]);
        if !known().any(|known| known == name) && !own.contains(name) {
            let nearest = touchstone_kb::nearest_name(name, known());
            let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
            bail!("there is no measure `{name}`{hint} (`touchstone measures` lists them)");
        }
    }
    Ok(measures.to_vec())
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

fn open(path: &str) -> Result<Box<dyn BufRead>> {
    if path == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    // The folder of a run will do.
    let run = Path::new(path).join("predictions.jsonl");
    let file = if run.is_file() { File::open(&run) } else { File::open(path) };
    let file = file.with_context(|| format!("cannot read {path}"))?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}

/// Where grades are written: aside, until all are there.
struct Written {
    folder: PathBuf,
    grades: BufWriter<tempfile::NamedTempFile>,
}

impl Written {
    fn new(folder: &Path) -> Result<Written> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let aside =
            output::aside_in(folder).with_context(|| format!("cannot write to {}", folder.display()))?;
        Ok(Written { folder: folder.to_owned(), grades: BufWriter::with_capacity(1 << 20, aside) })
    }

    fn finish(self, summary: &Summary) -> Result<()> {
        let aside = self.grades.into_inner().context("cannot write grades.jsonl")?;
        aside.persist(self.folder.join("grades.jsonl")).context("cannot write grades.jsonl")?;
        let text = serde_json::to_string_pretty(summary)? + "\n";
        output::write_file(&self.folder.join("summary.json"), text.as_bytes())
    }
}

fn grade_all(args: &GradeArgs, gold: &Gold, grader: &mut Grader<'_>, facets: &[String]) -> Result<Summary> {
    let questions = gold.questions()?;
    let places: HashMap<&str, usize> =
        questions.iter().enumerate().map(|(at, q)| (q.id.as_str(), at)).collect();
    let training = gold.benchmark.questions.iter().filter(|question| question.split == "train");
    let seen: HashSet<String> = training.flat_map(|question| question.schema_items.iter().cloned()).collect();
    let format = match args.format {
        FormatName::Lines => PredictionFormat::Lines,
        FormatName::Kqapro => PredictionFormat::KqaPro,
        FormatName::Qald => PredictionFormat::Qald,
    };
    let mut predictions =
        Predictions::new(open(args.source())?, format).with_namespaces(grader.knowledge.namespaces.clone());
    let official = grader.compat.map_or(&[][..], Compat::scores);
    let mut collector = Collector::new(&grader.products, official, facets);
    let names: Vec<String> = collector.names().map(str::to_owned).collect();
    let mut written = args.out.as_deref().map(Written::new).transpose()?;
    let bar = Bar::new();
    bar.stage("grading", Some(questions.len() as u64));
    let mut graded = vec![false; questions.len()];
    let (mut unknown, mut repeated, mut next) = (0, 0, 0);
    let mut first = true;
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
                None => unknown += 1,
                Some(at) if graded[at] => repeated += 1,
                Some(at) => {
                    graded[at] = true;
                    chunk.push((at, Some(prediction)));
                }
            }
        }
        if first {
            // Systems that give forms may abstain now and then.
            let has_form = |(_, prediction): &(usize, Option<Prediction>)| {
                prediction.as_ref().is_some_and(|prediction| prediction.logical_form.is_some())
            };
            grader.gives_forms = chunk.iter().any(has_form);
            first = false;
        }
        let is_last = chunk.is_empty();
        if is_last {
            chunk = (0..questions.len()).filter(|&at| !graded[at]).map(|at| (at, None)).collect();
        }
        let rows: Vec<(Grade<'_>, Vec<Vec<String>>, String)> = chunk
            .par_iter()
            .map(|(at, prediction)| {
                let question = questions[*at];
                let grade = grader.grade(question, prediction.as_ref());
                let values: Vec<Vec<String>> =
                    facets.iter().map(|facet| facet_values(facet, question, &seen)).collect();
                let line = if args.out.is_some() {
                    line(question, prediction.as_ref(), &grade, &names, facets, &values)
                } else {
                    String::new()
                };
                bar.advance(1);
                (grade, values, line)
            })
            .collect();
        if bar.cancelled() {
            bail!("stopped; nothing was written");
        }
        for ((grade, values, line), (at, _)) in rows.iter().zip(&chunk) {
            collector.add(grade, &questions[*at].shape, values);
            if let Some(written) = &mut written {
                written.grades.write_all(line.as_bytes()).context("cannot write grades.jsonl")?;
            }
        }
        if is_last {
            break;
        }
    }
    bar.stage("working out intervals", None);
    let summary = collector.summary(&gold.benchmark.manifest.name, unknown, repeated);
    if let Some(written) = written {
        written.finish(&summary)?;
    }
    Ok(summary)
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
    let measures: Map<String, Json> = names
        .iter()
        .zip(Collector::row(grade))
        .filter_map(|(name, value)| Some((name.clone(), json!(value?))))
        .collect();
    let facets: Map<String, Json> =
        facets.iter().zip(values).map(|(facet, values)| (facet.clone(), json!(values))).collect();
    let forms = &question.forms;
    let gold = forms.sexpr.as_ref().or(forms.program.as_ref()).or(forms.sparql.as_ref());
    let answers: Vec<&str> = grade.answers.iter().take(50).map(|answer| &*answer.text).collect();
    let row = json!({
        "id": question.id,
        "outcome": grade.outcome.word(),
        "cause": grade.cause,
        "measures": measures,
        "facets": facets,
        "shape": question.shape,
        "predicted_shape": grade.predicted_shape,
        "robust": grade.robust,
        "question": question.question,
        "graph": question.graph,
        "predicted_graph": grade.predicted_graph.as_ref().map(Graph::from),
        "gold": gold,
        "predicted": prediction.and_then(|prediction| prediction.logical_form.clone()),
        "gold_answers": question.answers,
        "answers": answers,
        "trace": prediction.and_then(|prediction| prediction.trace.as_ref()),
    });
    row.to_string() + "\n"
}

fn show(
    summary: &Summary,
    shown: &[String],
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
    output::text(&format!(
        "{}: {}",
        output::counted(summary.questions as u64, "question", "questions"),
        outcomes.join(", ")
    ))?;
    let mut table = output::table(&["measure", "all", "95 % interval", "n", "answered"]);
    let official = compat.map_or(&[][..], Compat::scores);
    for name in shown.iter().map(String::as_str).chain(official.iter().copied()) {
        let Some(score) = summary.measures.get(name) else { continue };
        table.add_row([
            name.to_owned(),
            three(score.all.mean),
            format!("{} to {}", three(score.all.low), three(score.all.high)),
            output::count(score.all.n),
            score.answered.map_or(String::new(), |answered| three(answered.mean)),
        ]);
    }
    if let Some(bleu) = summary.corpus_bleu.filter(|_| shown.iter().any(|name| name == "bleu")) {
        table.add_row(["bleu (corpus)".to_owned(), three(bleu)]);
    }
    output::text(&table.to_string())?;
    let is_measured = |name: &&str| summary.measures.contains_key(*name);
    let columns: Vec<&str> = columns.iter().copied().filter(is_measured).collect();
    for (facet, cells) in summary.by.iter().filter(|_| !brief) {
        let mut headings = vec![facet.as_str(), "n"];
        headings.extend(&columns);
        headings.push("95 % of f1");
        let mut table = output::table(&headings);
        let mut rows: Vec<_> = cells.iter().collect();
        rows.sort_by_key(|(_, cell)| std::cmp::Reverse(cell.n));
        for (value, cell) in rows.iter().take(12) {
            let mut row = vec![(*value).clone(), output::count(cell.n)];
            row.extend(
                columns.iter().map(|name| cell.measures.get(*name).map_or(String::new(), |e| three(e.mean))),
            );
            let interval = cell.measures.get("f1").map(|e| format!("{:.2}–{:.2}", e.low, e.high));
            row.push(interval.unwrap_or_default());
            table.add_row(row);
        }
        output::text(&format!("\n{table}"))?;
        if rows.len() > 12 {
            output::text(&format!("and {} more", rows.len() - 12))?;
        }
    }
    if let Some(robust) = summary.robust {
        output::text(&format!(
            "\n{} of {} with the right answers give something else than gold on neighbours of the KB ({:.1} %)",
            output::count(robust.failed),
            output::counted(robust.checked as u64, "prediction", "predictions"),
            100.0 * robust.failed as f64 / robust.checked.max(1) as f64
        ))?;
    }
    if summary.unknown > 0 {
        output::note(&format!(
            "{} for questions that the benchmark does not have",
            output::counted(summary.unknown as u64, "prediction", "predictions")
        ));
    }
    if summary.repeated > 0 {
        output::note(&format!(
            "{} not graded: another one for the question stands before",
            output::counted(summary.repeated as u64, "prediction was", "predictions were")
        ));
    }
    if let Some(compat) = compat {
        output::note(&format!("why official scores differ from ours: {}", compat.difference()));
    }
    Ok(())
}
