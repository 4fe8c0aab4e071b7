//! `touchstone mix`.

use crate::args::KnowledgeArgs;
use crate::output::questions;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use touchstone_benchmark::{Benchmark, Split};
use touchstone_forge::mix::{MixConfig, mix, mixed_levels, mixed_shape};

/// Arguments of `touchstone mix`.
#[derive(Args)]
pub(crate) struct MixArgs {
    /// Folders of benchmarks to take questions from
    #[arg(value_name = "DIR", required = true)]
    sources: Vec<PathBuf>,
    /// The benchmark with the training questions that levels are relative to
    #[arg(long, value_name = "DIR")]
    against: PathBuf,
    /// Levels to take: i.i.d., compositional, zero-shot, or all
    #[arg(long, value_name = "LEVEL", default_value = "zero-shot")]
    level: Vec<String>,
    /// A shape to take, by name or code, with how many at most (Iso-3 or Iso-3=100); all shapes otherwise
    #[arg(long, value_name = "SHAPE[=N]")]
    shape: Vec<String>,
    /// The folder of the new benchmark; an earlier benchmark there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier benchmark that were edited
    #[arg(long)]
    force: bool,
    /// The name of the new benchmark
    #[arg(long, default_value = "mix")]
    name: String,
    /// Seed that chooses the questions, if there are more than requested
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave the training questions out of the new benchmark
    #[arg(long)]
    without_training: bool,
    #[command(flatten)]
    knowledge: KnowledgeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MixArgs) -> Result<Outcome> {
    let levels = mixed_levels(&args.level)?;
    let shapes = args.shape.iter().map(|text| mixed_shape(text)).collect::<Result<BTreeMap<_, _>, _>>()?;
    let folder = Benchmark::reserve(&args.out, args.force)?;
    let against = Benchmark::read(&args.against)?;
    let sources: Vec<Benchmark> =
        args.sources.iter().map(|dir| Benchmark::read(dir)).collect::<Result<_, _>>()?;
    let opened = args.knowledge.open()?;
    let config = MixConfig {
        name: args.name.clone(),
        against: &against,
        sources: &sources,
        context: &opened.context().without_suggestions(),
        levels,
        shapes,
        seed: args.seed,
        with_training: !args.without_training,
    };
    let mixed = mix(&config, &Bar::new())?;
    mixed.write_to(folder)?;
    if args.json {
        output::json(&mixed.manifest)?;
    } else {
        super::counts(&mixed.manifest.counts)?;
        for (reason, n) in &mixed.manifest.rejections {
            say!("left out: {} ({reason})", questions(*n))?;
        }
        say!("{} written to {}", questions(mixed.questions.len()), args.out.display())?;
    }
    Outcome::found(mixed.questions.iter().any(|question| question.split == Split::Test))
}
