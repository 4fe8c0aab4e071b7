//! `touchstone ask`.

use super::{ask_system, benchmark_of_model, registry};
use crate::args::BenchmarkArgs;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::{QueryContext, Session, Settings};
use touchstone_forge::{FormPrinter, SamplingContext};
use touchstone_kb::{Kb, cache_dir};
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::draw;
use touchstone_prospector::{
    AskReply, MIN_CONFIDENCE, Prospector, ProspectorFactory, Readings, Regime, is_scorer_folder,
};
use touchstone_run::SystemContext;
use touchstone_studio::AskSystems;
use touchstone_terminal::Table;

/// Arguments of `touchstone ask`.
#[derive(Args)]
pub(crate) struct AskArgs {
    /// The question, in English
    #[arg(value_name = "QUESTION")]
    question: String,
    /// `world` (embedded) or the directory of a compiled KB; without it the KB of --benchmark, or else World. For another KB than World, the
    /// system first learns from questions generated from it, once
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
    /// Learn from the training split of this benchmark instead
    #[arg(long, value_name = "DIR")]
    benchmark: Option<PathBuf>,
    /// Ask this system instead of the built-in one: model:DIR, or any other that `touchstone run` takes. A model is asked about the KB that
    /// it was trained on
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,
    /// Show how the question was understood: in English, the entities, the query in three languages, its graph, each step, and other readings
    #[arg(long)]
    explain: bool,
    /// Answer only with at least this confidence, from 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = MIN_CONFIDENCE, value_parser = confidence)]
    min_confidence: f32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Maximum number of answers to show.
const SHOWN: usize = 20;

/// Number of readings to show.
const READINGS: usize = 4;

fn confidence(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(format!("`{text}` is not between 0 and 1")) }
}

pub(crate) fn run(args: &AskArgs) -> Result<Outcome> {
    let model = args.system.as_deref().and_then(|system| system.strip_prefix("model:")).map(Path::new);
    if let Some(folder) = model.filter(|folder| is_scorer_folder(folder)) {
        let kb = crate::open_kb::open_kb(args.kb.as_deref().unwrap_or("world"))?;
        return answer(args, &Prospector::read_folder(&kb, folder)?);
    }
    let of_model = match &args.system {
        Some(system) if args.benchmark.is_none() => benchmark_of_model(system)?,
        _ => None,
    };
    let (folder, kb) = match (&args.benchmark, of_model) {
        (Some(folder), _) => (Some(folder.clone()), args.kb.clone()),
        (None, Some((folder, kb))) => (Some(folder), args.kb.clone().or(kb)),
        (None, None) => (None, args.kb.clone()),
    };
    if let Some(system) = &args.system {
        let benchmark =
            folder.context("give the benchmark that the system was made for with --benchmark DIR")?;
        return ask_system(system, &args.question, &BenchmarkArgs::of(benchmark, kb), args.json);
    }
    match folder {
        Some(folder) => {
            let gold = BenchmarkArgs::of(folder, kb).open()?;
            let words = QueryContext::new(gold.kb.as_ref(), gold.ontology.as_ref()).without_suggestions();
            let knowledge = words.knowledge();
            let context = SystemContext { benchmark: &gold, questions: &[], knowledge: &knowledge };
            let factory = ProspectorFactory::new(cache_dir(), Box::new(Bar::new()));
            answer(args, &factory.prospector(Regime::TrainingSplit, &context)?.0)
        }
        None => {
            let name = kb.unwrap_or_else(|| "world".to_owned());
            let kb = crate::open_kb::open_kb(&name)?;
            let bar = Bar::new();
            let prospector = Prospector::for_kb(&kb, shipped_scorer(&name), &cache_dir(), &bar)?;
            drop(bar);
            answer(args, &prospector)
        }
    }
}

/// The systems of the studio: the built-in one, and others by name.
pub(crate) fn opened_systems(
    kb: &'static Kb,
    kb_name: &str,
    benchmark: Option<PathBuf>,
    systems: &[(String, String)],
) -> Result<AskSystems> {
    let mut opened = AskSystems::built_in(kb, shipped_scorer(kb_name), &cache_dir(), &Bar::new())?;
    if !systems.is_empty() {
        let folder =
            benchmark.context("give the benchmark that the systems are made for with --benchmark DIR")?;
        let benchmark = BenchmarkArgs::of(folder, Some(kb_name.to_owned())).open()?;
        opened.open_more(benchmark, systems, &registry(None))?;
    }
    Ok(opened)
}

/// The scorer that comes with a KB.
fn shipped_scorer(kb: &str) -> Option<&'static [u8]> {
    #[cfg(feature = "world")]
    if kb == "world" {
        return Some(touchstone_world::SCORER);
    }
    let _ = kb;
    None
}

fn answer(args: &AskArgs, prospector: &Prospector<'_>) -> Result<Outcome> {
    let readings = prospector.read(&args.question, None, READINGS);
    let lexicon = Lexicon::of(prospector.kb());
    let reply = prospector.reply(&args.question, &readings, &lexicon, args.min_confidence);
    if args.json {
        output::json(&reply)?;
        return Outcome::found(!reply.abstained);
    }
    show_answer(&reply)?;
    if args.explain {
        explain(prospector, &reply, &readings)?;
    }
    Outcome::found(!reply.abstained)
}

/// The answer in one line, or why there is none.
fn show_answer(reply: &AskReply) -> Result<()> {
    if !reply.abstained {
        let texts: Vec<String> = reply.answers.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = reply.answers.len() - texts.len();
        let more = if more > 0 { format!(" and {} more", output::count(more)) } else { String::new() };
        let texts = if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
        return say!("{texts}{more} (confidence {:.2})", reply.confidence);
    }
    say!("I do not know.")?;
    if let Some(understood) = &reply.understood {
        say!("Understood, with confidence {:.2}: {understood}", reply.confidence)?;
    }
    for missing in &reply.missing {
        let nearest = match missing.nearest.is_empty() {
            true => String::new(),
            false => format!("; nearest: {}", missing.nearest.join(", ")),
        };
        say!("The KB has nothing like \"{}\" here{nearest}", missing.words)?;
    }
    Ok(())
}

fn explain(prospector: &Prospector<'_>, reply: &AskReply, readings: &Readings<'_>) -> Result<()> {
    let kb = prospector.kb();
    if let Some(understood) = &reply.understood {
        say!("\nUnderstood as:\n  {understood}")?;
    }
    if !reply.entities.is_empty() {
        let mut table = Table::new(&["in the question", "is", "id"]);
        for entity in &reply.entities {
            let label = kb.node(&entity.id).map_or("", |node| kb.label(node));
            table.add_row([entity.text.as_str(), label, entity.id.as_str()]);
        }
        say!("")?;
        output::text(&table)?;
    }
    if let Some(best) = readings.readings.first() {
        show_forms(kb, best)?;
        say!("\n{}", draw(&QueryGraph::of(&best.query)))?;
    }
    if let (Some(form), Some(language)) = (&reply.form, reply.lang) {
        let settings = Settings { trace: true, ..Settings::default() };
        let ran = Session::new(kb).run(language, form, &settings, &Bar::new().cancel());
        if let Some(trace) = ran.trace {
            say!("\n{trace}")?;
        }
    }
    for other in &reply.alternatives {
        let said = other.understood.as_deref().unwrap_or(&other.form);
        let answers: Vec<String> = other.answers.iter().take(3).map(ToString::to_string).collect();
        let more = if other.answers.len() > answers.len() { ", ..." } else { "" };
        say!("\nor, with probability {:.2}: {said}\n  {}{more}", other.probability, answers.join(", "))?;
    }
    say!(
        "\n{} sets computed, {} queries compared",
        output::count(readings.executions),
        output::count(readings.candidates)
    )
}

fn show_forms(kb: &Kb, best: &touchstone_prospector::RankedReading<'_>) -> Result<()> {
    let context = SamplingContext::new(kb, None);
    let Ok(forms) = FormPrinter::new(kb).forms(&context, &best.query, &best.found) else { return Ok(()) };
    let forms = forms.into_forms();
    let named = [("S-expression", &forms.sexpr), ("program", &forms.program), ("SPARQL", &forms.sparql)];
    for (name, form) in named {
        if let Some(form) = form {
            say!("\n{name}:\n  {}", form.trim().replace('\n', "\n  "))?;
        }
    }
    Ok(())
}
