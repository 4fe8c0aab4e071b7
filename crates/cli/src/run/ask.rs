//! `touchstone ask`.

use super::{ask_system, benchmark_of_model, registry};
use crate::args::BenchmarkArgs;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use std::io::IsTerminal;
use std::path::PathBuf;
use touchstone_engine::QueryContext;
use touchstone_forge::TrainingFolder;
use touchstone_kb::Kb;
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::draw;
use touchstone_run::{Linked, SystemContext, open_nearest};
use touchstone_studio::{AskSystems, NearestFound, ask_nearest};
use touchstone_terminal::Table;

/// Arguments of `touchstone ask`.
#[derive(Args)]
pub(crate) struct AskArgs {
    /// The question, in English
    #[arg(value_name = "QUESTION")]
    question: String,
    /// `world` (embedded) or the directory of a compiled KB; without it the KB of --benchmark, or else World
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
    /// Learn from the training split of this benchmark; without it from questions generated from the KB once and cached
    #[arg(long, value_name = "DIR")]
    benchmark: Option<PathBuf>,
    /// Ask this system instead of the built-in one: model:DIR, or any other that `touchstone run` takes. A model is asked about the KB that
    /// it was trained on
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Maximum number of answers to show.
const SHOWN: usize = 20;

pub(crate) fn run(args: &AskArgs) -> Result<Outcome> {
    let of_model = match &args.system {
        Some(system) if args.benchmark.is_none() => benchmark_of_model(system)?,
        _ => None,
    };
    let (benchmark, kb) = match (&args.benchmark, of_model) {
        (Some(folder), _) => (folder.clone(), args.kb.clone()),
        (None, Some((folder, kb))) => (folder, args.kb.clone().or(kb)),
        (None, None) => {
            let kb = args.kb.clone().unwrap_or_else(|| "world".to_owned());
            (training(&crate::open_kb::open_kb(&kb)?)?, Some(kb))
        }
    };
    if let Some(system) = &args.system {
        return ask_system(system, &args.question, &BenchmarkArgs::of(benchmark, kb), args.json);
    }
    let gold = BenchmarkArgs::of(benchmark, kb).open()?;
    let context = QueryContext::new(gold.kb.as_ref(), gold.ontology.as_ref()).without_suggestions();
    let kb = gold.kb.as_ref().context("the benchmark does not name its KB; give it with --kb DIR")?;
    let knowledge = context.knowledge();
    let context = SystemContext { benchmark: &gold, questions: &[], knowledge: &knowledge };
    let system = open_nearest(&context)?;
    let answer = ask_nearest(&system, kb, &args.question)?;
    if args.json {
        output::json(&answer.reply(kb, &args.question))?;
        return Ok(if answer.found.is_some() { Outcome::Done } else { Outcome::NothingFound });
    }
    show_links(kb, &args.question, &answer.links)?;
    let Some(NearestFound { adapted, forms, answers, trace }) = &answer.found else {
        note!("no similar training question leads to a query with answers; try rephrasing");
        return Ok(Outcome::NothingFound);
    };
    say!("\nMost similar training question:\n  {}", adapted.neighbour_question)?;
    let named = [("S-expression", &forms.sexpr), ("program", &forms.program), ("SPARQL", &forms.sparql)];
    for (name, form) in named {
        if let Some(form) = form {
            say!("\n{name}:\n  {}", form.trim().replace('\n', "\n  "))?;
        }
    }
    say!("\n{}\n", draw(&QueryGraph::of(&adapted.query)))?;
    if let Some(trace) = trace {
        say!("{trace}\n")?;
    }
    for answer in answers.iter().take(SHOWN) {
        output::text(answer)?;
    }
    if answers.len() > SHOWN {
        note!("the first {SHOWN} of {} answers; --json gives all", output::count(answers.len()));
    }
    Ok(Outcome::Done)
}

/// The systems of the studio, which live as long as the program: the built-in one, and those with names.
pub(crate) fn opened_systems(
    kb: &Kb,
    kb_name: &str,
    benchmark: Option<PathBuf>,
    systems: &[(String, String)],
) -> Result<AskSystems> {
    let benchmark = match benchmark {
        Some(folder) => folder,
        None => training(kb)?,
    };
    let benchmark = BenchmarkArgs::of(benchmark, Some(kb_name.to_owned())).open()?;
    Ok(AskSystems::open(benchmark, systems, &registry(None))?)
}

/// The folder of questions to learn from, which are made if they are not there yet.
fn training(kb: &Kb) -> Result<PathBuf> {
    let training = TrainingFolder::of(kb, &touchstone_kb::cache_dir());
    if !training.exists() {
        if std::io::stderr().is_terminal() {
            note!("generating questions to learn from (once)");
        }
        training.make(kb, &Bar::new())?;
    }
    Ok(training.path())
}

fn show_links(kb: &Kb, question: &str, links: &[Linked]) -> Result<()> {
    if links.is_empty() {
        return output::text("No name in the question was found in the KB.");
    }
    let mut table = Table::new(&["in the question", "is", "id"]);
    for row in links.iter().flat_map(|link| link.rows(kb, question)) {
        table.add_row(row);
    }
    output::text(&table)
}
