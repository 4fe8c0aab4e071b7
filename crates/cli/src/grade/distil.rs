//! `touchstone distil`.

use super::GoldArgs;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use rayon::prelude::*;
use std::path::PathBuf;
use touchstone_grade::distil::{Distilled, distil};
use touchstone_kb::Progress;

/// Arguments of `touchstone distil`.
#[derive(Args)]
pub(crate) struct DistilArgs {
    #[command(flatten)]
    gold: GoldArgs,
    /// Maximum number of questions
    #[arg(long, default_value_t = 500)]
    limit: usize,
    /// The same seed makes the same neighbours
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file of neighbours, for `touchstone grade --robust`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &DistilArgs) -> Result<Outcome> {
    let file = output::file(&args.out, args.force)?;
    let gold = args.gold.open()?;
    let words = gold.words();
    let kb = gold.kb().context("neighbours are made out of a KB: give --kb")?;
    let knowledge = gold.knowledge(words.as_ref());
    let mut questions = gold.questions()?;
    questions.truncate(args.limit);
    let bar = Bar::new();
    bar.stage("making neighbours", Some(questions.len() as u64));
    let found: Vec<Distilled> = questions
        .par_iter()
        .filter_map(|question| {
            bar.advance(1);
            if bar.cancelled() { None } else { distil(kb, &knowledge, question, args.seed) }
        })
        .collect();
    if bar.cancelled() {
        bail!("stopped; nothing was written");
    }
    drop(bar);
    let mut text = String::new();
    for distilled in &found {
        text += &serde_json::to_string(distilled)?;
        text.push('\n');
    }
    output::write_file(file, text.as_bytes())?;
    let sum = |of: fn(&Distilled) -> usize| found.iter().map(of).sum::<usize>();
    let (misses, told) = (sum(|d| d.misses), sum(|d| d.told));
    output::text(&format!(
        "{} of {} written to {}; they tell {} of {} near misses from gold, and {} of the {} that give gold's answers on the KB as it is",
        output::counted(sum(|d| d.neighbours.len()) as u64, "neighbour", "neighbours"),
        output::counted(found.len() as u64, "question", "questions"),
        args.out.display(),
        output::count(told),
        output::count(misses),
        output::count(sum(|d| d.lucky_told)),
        output::count(sum(|d| d.lucky)),
    ))?;
    Ok(if found.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
