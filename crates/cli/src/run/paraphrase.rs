//! `touchstone paraphrase`.

use super::{SystemArgs, registry};
use crate::Outcome;
use crate::args::BenchmarkArgs;
use crate::output::{self, counted, questions};
use crate::progress::Bar;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use touchstone_annotate::{ParaphraseConfig, ParaphraseReport, paraphrase, paraphrase_prompt};
use touchstone_benchmark::Benchmark;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::QueryContext;
use touchstone_run::{SystemContext, SystemSpec};
use touchstone_terminal::Table;

/// Arguments of `touchstone paraphrase`.
#[derive(Args)]
pub(crate) struct ParaphraseArgs {
    /// The folder of a benchmark
    #[arg(value_name = "BENCHMARK")]
    benchmark: PathBuf,
    /// The system that writes paraphrases and picks sentences: `llm:MODEL`, `command:PROGRAM ARGUMENTS` or `http:URL`
    #[arg(long = "with", value_name = "SYSTEM")]
    system: String,
    /// The folder of the new benchmark; an earlier benchmark there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier benchmark that were edited
    #[arg(long)]
    force: bool,
    /// `world` (embedded), or the directory of a compiled KB; without it the KB that the benchmark was made from
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
    /// Number of paraphrases to ask for, for each question
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    wanted: u8,
    /// Minimum share of words that differ from the question
    #[arg(long, value_name = "SHARE", default_value_t = 0.25)]
    min_distance: f64,
    /// Maximum number of near misses among which the system must find the question
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=20))]
    near_misses: u8,
    /// Number of questions to work on at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
    /// Also add each paraphrase as a question of its own, to run systems on
    #[arg(long)]
    as_questions: bool,
    #[command(flatten)]
    systems: SystemArgs,
    /// Print JSON, with every paraphrase that was not kept
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ParaphraseArgs) -> Result<Outcome> {
    if !(0.0..=1.0).contains(&args.min_distance) {
        bail!("--min-distance is {}; it must be a share from 0 to 1", args.min_distance);
    }
    let mut benchmark = Benchmark::read(&args.benchmark)?;
    if args.systems.show_prompt {
        let Some(first) = benchmark.questions.first() else { bail!("the benchmark has no questions") };
        output::text(paraphrase_prompt(first, usize::from(args.wanted)))?;
        return Ok(Outcome::Done);
    }
    let folder = Benchmark::reserve(&args.out, args.force)?;
    let open = BenchmarkArgs::of(args.benchmark.clone(), args.kb.clone()).open()?;
    let Some(kb) = open.kb.as_ref() else { bail!("paraphrases are checked with the KB; give it with --kb") };
    let asked = open.questions()?;
    let words = QueryContext::new(Some(kb), open.ontology.as_ref()).without_suggestions();
    let knowledge = words.knowledge();
    let context = SystemContext { benchmark: &open, questions: &asked, knowledge: &knowledge };
    let bar = Bar::new();
    let spec = SystemSpec::parse(&args.system)?;
    let settings = args.systems.settings(matches!(spec, SystemSpec::Llm(_)), None, &bar.cancel())?;
    let system = registry(None).open(&spec, &settings.without_prompt(), &context)?;
    let config = ParaphraseConfig {
        system: &*system,
        kb,
        lexicon: &Lexicon::of(kb),
        knowledge: &knowledge,
        wanted: usize::from(args.wanted),
        min_distance: args.min_distance,
        near_misses: usize::from(args.near_misses),
        workers: usize::from(args.parallel),
    };
    let report = paraphrase(&mut benchmark.questions, &config, &bar)?;
    drop(bar);
    if args.as_questions {
        benchmark = benchmark.with_paraphrases_as_questions();
    }
    let benchmark = Benchmark::new(benchmark.manifest, benchmark.questions);
    benchmark.write_to(folder)?;
    if args.json {
        output::json(&report)?;
    } else {
        show(&report, args)?;
    }
    Outcome::found(report.kept > 0)
}

fn show(report: &ParaphraseReport, args: &ParaphraseArgs) -> Result<()> {
    let mut table = Table::new(&["", "paraphrases"]);
    table.add_row(["written", &output::count(report.written)]);
    table.add_row(["kept", &output::count(report.kept)]);
    for (fault, n) in &report.rejected {
        table.add_row([fault.description(), &output::count(*n)]);
    }
    output::text(&table)?;
    if report.errors > 0 {
        note!("the system failed on {}", questions(report.errors));
    }
    say!(
        "{} of {} have paraphrases; {} written to {}",
        output::count(report.paraphrased),
        questions(report.questions),
        counted(report.kept, "paraphrase", "paraphrases"),
        args.out.display()
    )
}
