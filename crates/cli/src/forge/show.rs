//! `touchstone show`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::{Benchmark, Random, Split};
use touchstone_forge::find::QuestionFilter;
use touchstone_forge::{question_line, question_page};

/// Arguments of `touchstone show`.
#[derive(Args)]
pub(crate) struct ShowArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// The question with this id
    #[arg(long)]
    id: Option<String>,
    /// Questions of this shape, by name (Iso-6) or code
    #[arg(long)]
    shape: Option<String>,
    /// Questions of this split: train, dev or test
    #[arg(long)]
    split: Option<Split>,
    /// Questions with this function
    #[arg(long)]
    function: Option<String>,
    /// Pick random matches instead of the first
    #[arg(long)]
    random: bool,
    /// The seed of --random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of questions to show
    #[arg(long, short = 'n', default_value_t = 1)]
    number: usize,
    /// Only the questions and answers
    #[arg(long)]
    brief: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs) -> Result<Outcome> {
    let benchmark = Benchmark::read(&args.benchmark)?;
    let filter = QuestionFilter {
        id: args.id.clone(),
        shape: args.shape.clone(),
        split: args.split,
        function: args.function.clone(),
    };
    let mut questions = filter.find(&benchmark);
    if args.random {
        Random::new(args.seed, "show").shuffle(&mut questions);
    }
    questions.truncate(args.number);
    if args.json {
        output::json(&questions)?;
    } else {
        for question in &questions {
            output::text(if args.brief { question_line(question) } else { question_page(question) })?;
        }
    }
    if questions.is_empty() {
        output::note(filter.explain(&benchmark));
    }
    Outcome::found(!questions.is_empty())
}
