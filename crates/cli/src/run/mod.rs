//! The commands about systems: `run`, `runs`, `ask`, `demo`, `cache`.

pub(crate) mod ask;
pub(crate) mod cache;
pub(crate) mod demo;
pub(crate) mod runs;
mod systems;

use crate::args::{BenchmarkArgs, gives};
use crate::output::three;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use systems::SystemArgs;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{
    ErrorLimit, Gives, Prediction, Prices, Question, RunHeader, RunJournal, RunManifest,
};
use touchstone_engine::QueryContext;
use touchstone_grade::{Grader, Measure};
use touchstone_run::{
    AskSettings, Linker, SystemInput, ask_all, packed_schema, remember_started, was_started_here,
};

/// Arguments of `touchstone run`.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// `oracle` (gold), `degraded:T2:0.2` (synthetic), `nearest` (the most similar training question's query), `command:PROGRAM ARGUMENTS`,
    /// `http:URL`, `gerbil:URL`, `llm:MODEL`, or `file:PATH` (predictions made elsewhere)
    #[arg(value_name = "SYSTEM", required_unless_present = "resume")]
    system: Option<String>,
    #[command(flatten)]
    gold: BenchmarkArgs,
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
    /// What the system gives for a question: `answers`, `forms` or `both`. Grading goes by it: what a system does not give is not measured,
    /// and what it leaves out scores 0
    #[arg(long, value_name = "answers|forms|both", value_parser = gives)]
    gives: Option<Gives>,
    /// How many questions are asked at once; a command is started so many times
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
    /// Exit with 1 if more questions than this come to an error: a number, like 5, or a share, like 10%
    #[arg(long, value_name = "N|P%", default_value = "10%")]
    max_errors: ErrorLimit,
    /// The price of a million tokens that the system reads, for the cost of each question
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price_in: Option<f64>,
    /// The price of a million tokens that the system writes
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price_out: Option<f64>,
    /// Ask the questions again that came to an error
    #[arg(long)]
    retry_errors: bool,
    /// The folder of the run; with the same arguments it goes on where it stopped
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    out: Option<PathBuf>,
    /// Resume a run that was stopped, with the arguments that started it. If it was not started here and would run a program or ask
    /// a server, it is shown first, and asks whether to go on
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
}

/// Runs with the arguments that led here, which are kept for `--resume`.
pub(crate) fn run(args: &RunArgs, arguments: &[String]) -> Result<Outcome> {
    if let Some(folder) = &args.resume {
        let is_own = |word: &&String| {
            !["run", "--trust", "--wide"].contains(&word.as_str())
                && !word.starts_with("--resume")
                && Path::new(word) != folder
        };
        if let Some(other) = arguments.iter().find(is_own) {
            bail!(
                "--resume takes the arguments from run.json: `{other}` cannot be given with it, only --trust can"
            );
        }
        return resume(folder, args.trust);
    }
    let (Some(name), Some(out)) = (&args.system, &args.out) else {
        bail!("give a system and --out DIR");
    };
    let gold = args.gold.open_with_or_without_kb(args.limit.map(|limit| limit as usize))?;
    if let Err(missing) = gold.require_kb() {
        // Systems that need the KB are refused below; the others do without.
        output::note(&format!("{missing}; give its folder with --kb DIR"));
    }
    let questions = gold.questions()?;
    if name.starts_with("gerbil:") && (args.choices || args.gold_entities || args.schema) {
        bail!("GERBIL's contract has no place for choices, entities or a schema");
    }
    let bar = Bar::new();
    let context = QueryContext::new(gold.kb.as_ref(), gold.ontology.as_ref()).without_suggestions();
    let system = args.systems.system(name, &gold, &questions, &context, &bar.cancel())?;
    let prices = (args.price_in.is_some() || args.price_out.is_some()).then(|| Prices {
        tokens_in: args.price_in.unwrap_or(0.0),
        tokens_out: args.price_out.unwrap_or(0.0),
    });
    let mut asked: Vec<SystemInput> = questions
        .iter()
        .map(|question| SystemInput::of(question, args.gold_entities, args.choices))
        .collect();
    if args.schema {
        let kb = gold.kb.as_ref().context("--schema needs the KB of the benchmark; give it with --kb")?;
        let linker = Linker::new(kb, &Lexicon::of(kb));
        for asked in &mut asked {
            let links = linker.link(&asked.question, asked.entities.as_deref());
            asked.schema = Some(packed_schema(kb, &asked.question, &links, SCHEMA_TOKENS, false));
        }
    }
    if args.systems.show_prompt {
        return output::exact(&args.systems.prompt_of(name, &gold, &context, &asked)?)
            .map(|()| Outcome::Done);
    }
    let header = RunHeader {
        touchstone_run: 1,
        system: system.name(),
        benchmark: gold.benchmark.manifest.name.clone(),
        benchmark_identity: gold.benchmark.identity.clone(),
        benchmark_path: gold.path.as_ref().map_or(String::new(), |path| path.display().to_string()),
        split: gold.split,
        limit: args.limit.map(|limit| limit as usize),
        questions: RunHeader::hash_questions(&questions),
        kb: gold.kb_fingerprint().to_owned(),
        gold_entities: args.gold_entities,
        choices: args.choices,
        schema: args.schema,
        gives: args.gives.or_else(|| system.gives()),
        trained_on: system.trained_on(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let mut journal = RunJournal::open(out, &header, arguments, args.retry_errors)?;
    if let Err(error) = remember_started(journal.manifest(), &touchstone_kb::cache_dir()) {
        tracing::debug!(%error, "`run --resume` will ask before it resumes this run");
    }
    let grader = Grader {
        cancel: bar.cancel(),
        gives: header.gives.unwrap_or(Gives::Both),
        ..Grader::for_benchmark(&gold, &context)
    };
    let mut score = RunningScore::new(grader, &questions, &bar);
    let settings = AskSettings { workers: usize::from(args.parallel), prices };
    let done = ask_all(&*system, &asked, &mut journal, settings, &bar, &mut |input, prediction| {
        score.add(input, prediction);
    })?;
    drop(bar);
    if let Some(error) = &done.gave_up {
        bail!(
            "the first {} questions all came to an error, so the rest is not asked, and nothing is kept of it. The last error: {error}",
            done.errors
        );
    }
    if args.json {
        output::json(&json!({
            "asked": done.asked, "before": done.before, "errors": done.errors, "complete": done.complete, "run": out,
            "error_messages": done.messages.iter().take(MESSAGES).map(|(message, n)| json!({ "message": message, "n": n })).collect::<Vec<_>>(),
        }))?;
    } else {
        output::text(&format!(
            "{} asked, {} answered before, {}; predictions.jsonl is in {}",
            output::counted(done.asked as u64, "question", "questions"),
            output::count(done.before),
            output::counted(done.errors as u64, "error", "errors"),
            out.display()
        ))?;
    }
    for (message, n) in done.messages.iter().take(MESSAGES) {
        output::note(&format!("error, {}: {message}", output::counted(n as u64, "time", "times")));
    }
    if !done.complete {
        output::note(&format!(
            "stopped; the same command, or `touchstone run --resume {}`, goes on where it was",
            out.display()
        ));
        return Ok(Outcome::NothingFound);
    }
    let (errors, all) = (done.errors + done.errors_before, done.asked + done.before);
    if args.max_errors.is_exceeded(errors, all) {
        output::note(&format!(
            "failed: {} of {} questions came to an error, and at most {} may (--max-errors); --retry-errors asks them again",
            output::count(errors),
            output::count(all),
            args.max_errors
        ));
        return Ok(Outcome::NothingFound);
    }
    Ok(Outcome::Done)
}

/// Messages of errors that are shown.
const MESSAGES: usize = 3;

/// A price of a million tokens.
fn price(text: &str) -> Result<f64, String> {
    let price: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if price.is_finite() && price >= 0.0 { Ok(price) } else { Err(format!("`{text}` is not a price")) }
}

/// Maximum number of tokens to spend on `--schema`.
const SCHEMA_TOKENS: usize = 1000;

/// Resumes a run with the arguments that started it.
fn resume(folder: &Path, trust: bool) -> Result<Outcome> {
    let about = RunManifest::read(folder)?;
    let folder = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
    if about.arguments.is_empty() {
        bail!(
            "{} does not say with which arguments it began; give them again",
            folder.join("run.json").display()
        );
    }
    let line = ["touchstone".to_owned()].into_iter().chain(about.arguments.iter().cloned());
    let crate::Command::Run(mut args) = crate::parsed(line)? else {
        bail!("{} holds the arguments of another command", folder.join("run.json").display());
    };
    if !trust && !is_trusted(&about, args.system.as_deref(), &folder)? {
        return Ok(Outcome::NothingFound);
    }
    // Paths among the arguments are relative to where the run started.
    std::env::set_current_dir(&about.directory)
        .with_context(|| format!("cannot go to {}", about.directory))?;
    args.out = Some(folder);
    args.resume = None;
    run(&args, &about.arguments)
}

/// Whether a run may be resumed without asking, or the user agrees to it.
fn is_trusted(about: &RunManifest, system: Option<&str>, folder: &Path) -> Result<bool> {
    // These neither run a program nor send anything to a server.
    const HARMLESS: [&str; 4] = ["oracle", "degraded", "nearest", "file"];
    let kind = system.unwrap_or_default().split(':').next().unwrap_or_default();
    if HARMLESS.contains(&kind) || was_started_here(about, &touchstone_kb::cache_dir()) {
        return Ok(true);
    }
    let words: Vec<String> = about.arguments.iter().map(|word| visible(word)).collect();
    let line = words.join(" ");
    let directory = visible(&about.directory);
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        bail!(
            "the run in {} was not started here. It would run, in {directory}:\n  touchstone {line}\nGive --trust if that is what you want",
            folder.display()
        );
    }
    output::note(&format!(
        "The run in {} was not started here. It would run, in {directory}:\n  touchstone {line}\nResume it? [y/N]",
        folder.display()
    ));
    let mut reply = String::new();
    std::io::stdin().read_line(&mut reply).context("cannot read the reply")?;
    Ok(["y", "yes"].contains(&reply.trim().to_lowercase().as_str()))
}

/// A word of a stranger's command line as it is: quoted if need be, and without characters that change what a terminal shows.
fn visible(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("{word:?}") }
}

/// The share of right answers so far, for the progress bar.
struct RunningScore<'g, 'b> {
    gold: hashbrown::HashMap<&'g str, &'g Question>,
    grader: Grader<'g>,
    bar: &'b Bar,
    started: Instant,
    grading: Duration,
    shown: Instant,
    graded: usize,
    right: f64,
    replies: usize,
    errors: usize,
    abstained: usize,
    /// A bar that is not on a terminal is not seen.
    watched: bool,
}

impl<'g, 'b> RunningScore<'g, 'b> {
    fn new(grader: Grader<'g>, questions: &[&'g Question], bar: &'b Bar) -> RunningScore<'g, 'b> {
        RunningScore {
            gold: questions.iter().map(|question| (question.id.as_str(), *question)).collect(),
            grader,
            bar,
            started: Instant::now(),
            grading: Duration::ZERO,
            shown: Instant::now(),
            graded: 0,
            right: 0.0,
            replies: 0,
            errors: 0,
            abstained: 0,
            watched: std::io::stderr().is_terminal(),
        }
    }

    fn add(&mut self, input: &SystemInput, prediction: &Prediction) {
        self.replies += 1;
        if prediction.error.is_some() {
            self.errors += 1;
        } else if prediction.answers.is_none() && prediction.logical_form.is_none() {
            self.abstained += 1;
        }
        if !self.watched {
            return;
        }
        // Grading may not take more than a twentieth of the time.
        if self.grading * 20 < self.started.elapsed()
            && let Some(question) = self.gold.get(input.id.as_str())
        {
            let start = Instant::now();
            let grade = self.grader.grade(question, Some(prediction));
            self.right += grade.values.get(Measure::F1).unwrap_or(0.0);
            self.graded += 1;
            self.grading += start.elapsed();
        }
        if self.shown.elapsed() > Duration::from_millis(200) {
            self.shown = Instant::now();
            let rate = self.replies as f64 / self.started.elapsed().as_secs_f64();
            let score =
                if self.graded == 0 { "?".to_owned() } else { three(self.right / self.graded as f64) };
            self.bar.tell(&format!(
                "{rate:.0}/s, F1 so far {score}; {} said something, {} abstained, {} failed",
                self.replies - self.errors - self.abstained,
                self.abstained,
                self.errors
            ));
        }
    }
}
