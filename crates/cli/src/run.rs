//! `touchstone run`.

use crate::grade::GoldArgs;
use crate::grade::degrade::degradation;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value as Json, json};
use std::io::BufRead;
use std::path::PathBuf;
use std::time::Duration;
use touchstone_forge::Question;
use touchstone_forge::english::Lexicon;
use touchstone_grade::degrade::degrade;
use touchstone_run::{Asked, CommandSystem, Given, Header, Journal, Nearest, System, run as ask};

/// Arguments of `touchstone run`.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// `oracle` (gold), `degraded:T2:0.2` (synthetic), `nearest` (the most similar training question's query), `file:PATH` (predictions made elsewhere) or `command:PROGRAM ARGUMENTS`
    #[arg(value_name = "SYSTEM")]
    system: String,
    #[command(flatten)]
    gold: GoldArgs,
    /// So many questions at most
    #[arg(long)]
    limit: Option<usize>,
    /// Give the system the entities that a question names
    #[arg(long)]
    gold_entities: bool,
    /// Give the system the ten choices
    #[arg(long)]
    choices: bool,
    /// How many questions are asked at once; a command is started so many times
    #[arg(long, default_value_t = 1)]
    parallel: usize,
    /// How many seconds an answer may take
    #[arg(long, default_value_t = 60.0)]
    timeout: f32,
    /// The folder of the run; with the same arguments it goes on where it stopped
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// For machines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunArgs) -> Result<Outcome> {
    let gold = args.gold.open()?;
    let mut questions = gold.questions()?;
    questions.truncate(args.limit.unwrap_or(usize::MAX));
    let words = gold.words();
    let system = system(args, &gold, &questions, words.as_ref())?;
    let asked: Vec<Asked> =
        questions.iter().map(|question| Asked::of(question, args.gold_entities, args.choices)).collect();
    let mut hasher = blake3::Hasher::new();
    for asked in &asked {
        hasher.update(&serde_json::to_vec(asked)?);
    }
    let header = Header {
        touchstone_run: 1,
        system: system.name(),
        benchmark: gold.benchmark.manifest.name.clone(),
        questions: hasher.finalize().to_hex().to_string(),
        kb: gold.benchmark.manifest.kb.fingerprint.clone(),
        gold_entities: args.gold_entities,
        choices: args.choices,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let mut journal = Journal::open(&args.out, &header)?;
    let bar = Bar::new();
    let done = ask(&*system, &asked, &mut journal, args.parallel, &bar)?;
    drop(bar);
    if args.json {
        output::json(&json!({
            "asked": done.asked, "before": done.before, "errors": done.errors, "complete": done.complete, "run": args.out,
        }))?;
    } else {
        output::text(&format!(
            "{} asked, {} answered before, {}; predictions.jsonl is in {}",
            output::counted(done.asked as u64, "question", "questions"),
            output::count(done.before),
            output::counted(done.errors as u64, "error", "errors"),
            args.out.display()
        ))?;
    }
    if !done.complete {
        output::note("stopped; the same command goes on where it was");
        return Ok(Outcome::NothingFound);
    }
    Ok(Outcome::Done)
}

fn system<'g>(
    args: &RunArgs,
    gold: &'g crate::grade::Gold,
    questions: &[&Question],
    words: Option<&touchstone_engine::Words<'_>>,
) -> Result<Box<dyn System + 'g>> {
    let (kind, rest) = args.system.split_once(':').unwrap_or((&args.system, ""));
    Ok(match (kind, rest) {
        ("oracle", "") => Box::new(Given::oracle(questions)),
        ("degraded", rest) => {
            let (name, share) = rest.split_once(':').unwrap_or((rest, "0.1"));
            let share: f64 =
                share.parse().ok().filter(|share| (0.0..=1.0).contains(share)).with_context(|| {
                    format!("`{share}` is no share between 0 and 1; write the system like degraded:T2:0.2")
                })?;
            let run = degrade(questions, &gold.pool(), degradation(name)?, share, 1, &gold.knowledge(words));
            let predictions = run.predictions.into_iter().map(|p| {
                let language = p.language.map(|language| language.word());
                (p.id.clone(), json!({ "id": p.id, "logical_form": p.logical_form, "lang": language }))
            });
            Box::new(Given::new(&args.system, predictions))
        }
        ("nearest", "") => {
            let kb = gold.kb().context("`nearest` needs the KB of the benchmark; give it with --kb")?;
            let training: Vec<&Question> =
                gold.benchmark.questions.iter().filter(|question| question.split == "train").collect();
            if training.is_empty() {
                bail!("`nearest` learns from the training split, and this benchmark has none");
            }
            Box::new(Nearest::new(kb, &Lexicon::of(kb), &training, &gold.knowledge(words)))
        }
        ("file", path) if !path.is_empty() => {
            let file = std::fs::File::open(path).with_context(|| format!("cannot read {path}"))?;
            let mut predictions = Vec::new();
            for (number, line) in std::io::BufReader::new(file).lines().enumerate() {
                let line = line.with_context(|| format!("cannot read {path}"))?;
                let json: Json = serde_json::from_str(&line)
                    .with_context(|| format!("{path}, line {}: not JSON", number + 1))?;
                let id = json.get("id").or_else(|| json.get("qid"));
                let id = id.with_context(|| format!("{path}, line {}: it has no `id`", number + 1))?;
                predictions.push((id.as_str().map_or_else(|| id.to_string(), str::to_owned), json.clone()));
            }
            Box::new(Given::new(&args.system, predictions))
        }
        ("command", command) if !command.is_empty() => {
            if !(args.timeout > 0.0 && args.timeout.is_finite()) {
                bail!("--timeout is a number of seconds above 0");
            }
            Box::new(CommandSystem::new(command, Duration::from_secs_f32(args.timeout)))
        }
        _ => bail!(
            "there is no system `{}`; there are oracle, degraded:T2:0.2, nearest, file:PATH and command:PROGRAM ARGUMENTS",
            output::shortened(&args.system)
        ),
    })
}
