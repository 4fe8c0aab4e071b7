//! The commands about systems: `run`, `runs`, `ask`, `demo`, `cache`, `paraphrase`.

pub(crate) mod ask;
mod asking;
pub(crate) mod cache;
pub(crate) mod demo;
pub(crate) mod paraphrase;
mod resume;
pub(crate) mod runs;
mod systems;

use crate::args::BenchmarkArgs;
use crate::output::{count, counted};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
pub(crate) use ask::opened_systems;
use asking::{ask_system, benchmark_of_model};
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use systems::{SystemArgs, registry};
use touchstone_benchmark::{ErrorLimit, Gives, OpenBenchmark, Prices, Question};
use touchstone_engine::QueryContext;
use touchstone_grade::{Grader, RunningScore};
use touchstone_prospector::Regime;
use touchstone_run::{RunConfig, RunSummary, System, SystemContext, SystemSpec, open_llm, run_system};

/// Arguments of `touchstone run`.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// `oracle` (gold), `degraded:T2:0.2` (synthetic), `nearest` (the most similar training question's query), `prospector` (searches over
    /// queries; learns from the training split), `command:PROGRAM ARGUMENTS`,
    /// `http:URL`, `gerbil:URL`, `llm:MODEL`, `model:DIR` (trained by `touchstone train`), or `file:PATH` (predictions made elsewhere)
    #[arg(value_name = "SYSTEM", required_unless_present = "resume")]
    system: Option<String>,
    #[command(flatten)]
    gold: BenchmarkArgs,
    /// What `prospector` may learn from: Z0, the training split; Z1, also questions generated from the KB with its labels; Z2, also with its
    /// lexicon. A scorer of `touchstone train prospector --kb` that used the lexicon runs with Z2 only
    #[arg(long, value_name = "Z0|Z1|Z2")]
    regime: Option<Regime>,
    /// Maximum number of questions to ask
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Give the system the entities that a question names
    #[arg(long)]
    gold_entities: bool,
    /// Give the system the ten choices
    #[arg(long)]
    choices: bool,
    /// Give the system the part of the schema that the question is about
    #[arg(long)]
    schema: bool,
    /// What the system gives for a question: `answers`, `forms` or `both`. Grading uses this: what a system does not give is not measured,
    /// and what it leaves out scores 0
    #[arg(long, value_name = "answers|forms|both")]
    gives: Option<Gives>,
    /// The data that the system was trained on, in your words, for run.json
    #[arg(long, value_name = "TEXT")]
    trained_on: Option<String>,
    /// Number of questions to ask at once; a command is started once for each
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
    /// Exit with 1 if more questions than this fail: a number, like 5, or a share, like 10%
    #[arg(long, value_name = "N|P%", default_value = "10%")]
    max_errors: ErrorLimit,
    /// The price of a million tokens that the system reads, for the cost of each question
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price_in: Option<f64>,
    /// The price of a million tokens that the system writes
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price_out: Option<f64>,
    /// Ask the failed questions again
    #[arg(long)]
    retry_errors: bool,
    /// The folder of the run; with the same arguments an interrupted run resumes
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    out: Option<PathBuf>,
    /// Resume a run that was stopped, with the arguments that started it. If it was not started here and would run a program or ask
    /// a server, the command line is shown first, and you are asked whether to resume it
    #[arg(long, value_name = "RUN", conflicts_with_all = ["system", "out"])]
    resume: Option<PathBuf>,
    /// Resume a run that was not started here without asking
    #[arg(long, requires = "resume")]
    trust: bool,
    #[command(flatten)]
    systems: SystemArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The directory to which paths are relative, if it is not the current one.
    #[arg(skip)]
    directory: Option<PathBuf>,
}

impl RunArgs {
    fn config<'r>(
        &self,
        system: &'r dyn System,
        benchmark: &'r OpenBenchmark,
        questions: &'r [&'r Question],
        out: &Path,
    ) -> RunConfig<'r> {
        RunConfig {
            gold_entities: self.gold_entities,
            choices: self.choices,
            schema: self.schema,
            gives: self.gives,
            trained_on: self.trained_on.clone(),
            workers: usize::from(self.parallel),
            prices: Prices::of(self.price_in, self.price_out),
            retry_errors: self.retry_errors,
            max_errors: self.max_errors,
            ..RunConfig::new(system, benchmark, questions, out)
        }
    }

    /// The name of the system with the regime that it has.
    fn with_regime(&self, system: &str) -> Result<String> {
        match self.regime {
            Some(regime) if system == "prospector" => Ok(format!("{system}:{regime}")),
            Some(_) if !system.starts_with("model:") => {
                bail!("--regime is for `prospector` and for models of it; `{system}` is another system")
            }
            _ => Ok(system.to_owned()),
        }
    }
}

/// A price of a million tokens.
fn price(text: &str) -> Result<f64, String> {
    let price: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if price.is_finite() && price >= 0.0 { Ok(price) } else { Err(format!("`{text}` is not a price")) }
}

/// Runs with the arguments that led here, which are kept for `--resume`.
pub(crate) fn run(args: &RunArgs, arguments: &[String]) -> Result<Outcome> {
    if let Some(folder) = &args.resume {
        return resume::resume(folder, args.trust, arguments);
    }
    let (Some(name), Some(out)) = (&args.system, &args.out) else {
        bail!("give a system and --out DIR");
    };
    let directory = args.directory.as_deref();
    let gold = directory.map_or_else(|| args.gold.clone(), |directory| args.gold.relative_to(directory));
    let gold = gold.open_with_or_without_kb(args.limit.map(|limit| limit as usize))?;
    if let Err(missing) = gold.require_kb() {
        // Systems that need the KB are refused below; the others do without.
        note!("{missing}; give its folder with --kb DIR");
    }
    let questions = gold.questions()?;
    let words = QueryContext::new(gold.kb.as_ref(), gold.ontology.as_ref()).without_suggestions();
    let knowledge = words.knowledge();
    let context = SystemContext { benchmark: &gold, questions: &questions, knowledge: &knowledge };
    let bar = Bar::new();
    let spec = SystemSpec::parse(&args.with_regime(name)?)?;
    let is_llm = matches!(spec, SystemSpec::Llm(_));
    let settings = args.systems.settings(is_llm, directory, &bar.cancel())?;
    if args.systems.show_prompt {
        let SystemSpec::Llm(model) = &spec else { bail!("--show-prompt is for llm:MODEL") };
        let system = open_llm(model, &settings, &context)?;
        let inputs = args.config(&system, &gold, &questions, out).inputs()?;
        let first = inputs.first().context("there are no questions")?;
        return output::exact(&system.prompt(first)).map(|()| Outcome::Done);
    }
    let system = systems::registry_with(directory, args.regime == Some(Regime::Lexicon))
        .open(&spec, &settings, &context)?;
    let config = RunConfig {
        arguments: arguments.to_vec(),
        cache: Some(touchstone_kb::cache_dir()),
        ..args.config(&*system, &gold, &questions, out)
    };
    let grader = Grader {
        cancel: bar.cancel(),
        gives: config.declared_gives().unwrap_or(Gives::Both),
        ..Grader::for_benchmark(&gold, &words)
    };
    let is_watched = std::io::stderr().is_terminal();
    let (mut score, mut shown) = (RunningScore::new(grader, &questions), Instant::now());
    let summary = run_system(&config, &bar, &mut |_, prediction| {
        if is_watched {
            score.add(prediction);
            if shown.elapsed() > SHOW_EVERY {
                shown = Instant::now();
                bar.add_to_message(&score);
            }
        }
    });
    drop(bar);
    show(args, &summary?)
}

/// How often the score so far is shown.
const SHOW_EVERY: Duration = Duration::from_millis(200);

fn show(args: &RunArgs, summary: &RunSummary) -> Result<Outcome> {
    if args.json {
        output::json(summary)?;
    } else {
        say!(
            "{} asked, {} answered before, {}; predictions.jsonl is in {}",
            output::questions(summary.asked),
            count(summary.before),
            counted(summary.errors, "error", "errors"),
            summary.run.display()
        )?;
    }
    for error in &summary.error_messages {
        note!("error, {}: {}", counted(error.n, "time", "times"), error.message);
    }
    if !summary.complete {
        note!(
            "stopped; the same command, or `touchstone run --resume {}`, resumes it",
            summary.run.display()
        );
    } else if summary.too_many_errors {
        note!(
            "failed: {} of {} questions failed, more than --max-errors {} allows; --retry-errors asks them again",
            count(summary.errors + summary.errors_before),
            count(summary.asked + summary.before),
            args.max_errors
        );
    }
    Outcome::found(summary.complete && !summary.too_many_errors)
}
