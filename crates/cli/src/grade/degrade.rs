//! `touchstone degrade`.

use super::GoldArgs;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Question;
use touchstone_grade::degrade::{Degradation, degrade};

/// Arguments of `touchstone degrade`.
#[derive(Args)]
pub(crate) struct DegradeArgs {
    #[command(flatten)]
    gold: GoldArgs,
    /// T1 (a bracket lost), T2 (random names), T3 (another query with the same answers), drop, flip, function, unit, year
    #[arg(long, value_name = "NAME")]
    transform: String,
    /// The share of questions to degrade
    #[arg(long, default_value_t = 0.1)]
    share: f64,
    /// The same seed degrades the same questions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file of predictions
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
}

pub(crate) fn degradation(name: &str) -> Result<Degradation> {
    Degradation::from_name(name).with_context(|| {
        let known: Vec<&str> = Degradation::ALL.iter().map(|(name, _)| *name).collect();
        format!("there is no degradation `{name}`; there are {}", known.join(", "))
    })
}

pub(super) fn check_share(share: f64) -> Result<()> {
    if !(0.0..=1.0).contains(&share) {
        bail!("a share lies between 0 and 1, not at {share}");
    }
    Ok(())
}

/// What changes texts needs some.
pub(super) fn check_text(questions: &[&Question]) -> Result<()> {
    let has_text = |question: &&Question| question.forms.sparql.is_some() || question.forms.sexpr.is_some();
    if !questions.iter().any(has_text) {
        bail!(
            "no question here has a form in SPARQL or as an S-expression, and that is what T1, T2 and T3 change; drop, flip, function, unit and year change programs, too"
        );
    }
    Ok(())
}

/// The axioms are about SPARQL.
pub(super) fn check_sparql(questions: &[&Question]) -> Result<()> {
    if !questions.iter().any(|question| question.forms.sparql.is_some()) {
        bail!(
            "no question here has a form in SPARQL; `touchstone convert --to sparql` translates other forms"
        );
    }
    Ok(())
}

pub(crate) fn run(args: &DegradeArgs) -> Result<Outcome> {
    let transform = degradation(&args.transform)?;
    check_share(args.share)?;
    let file = output::file(&args.out, args.force)?;
    let gold = args.gold.open()?;
    let words = gold.words();
    let questions = gold.questions()?;
    let run =
        degrade(&questions, &gold.pool(), transform, args.share, args.seed, &gold.knowledge(words.as_ref()));
    if run.predictions.is_empty() {
        check_text(&questions)?;
    }
    let mut text = String::new();
    for prediction in &run.predictions {
        text += &serde_json::to_string(prediction)?;
        text.push('\n');
    }
    output::write_file(file, text.as_bytes())?;
    output::text(&format!(
        "{} written to {}: in {} {}; {} could not be changed in this way",
        output::counted(run.predictions.len() as u64, "prediction", "predictions"),
        args.out.display(),
        output::count(run.changed),
        transform.description(),
        output::count(run.unchanged),
    ))?;
    Ok(if run.predictions.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
