//! `touchstone train prospector`.

use crate::Outcome;
use crate::args::BenchmarkArgs;
use crate::output::{self, counted};
use crate::progress::Bar;
use anyhow::{Result, bail};
use std::path::Path;
use touchstone_engine::QueryContext;
use touchstone_prospector::{KbTraining, Prospector, TrainingReport};

/// The name of the system.
pub(super) const NAME: &str = "prospector";

/// What to train on, and where to.
pub(super) struct ProspectorArgs<'a> {
    pub(super) benchmark: Option<&'a Path>,
    pub(super) kb: Option<&'a str>,
    pub(super) out: &'a Path,
    pub(super) questions: usize,
    pub(super) labels_only: bool,
    pub(super) seed: u64,
    pub(super) json: bool,
}

pub(super) fn run(args: &ProspectorArgs<'_>) -> Result<Outcome> {
    let bar = Bar::new();
    let report = match (args.benchmark, args.kb) {
        (Some(folder), kb) => {
            let gold = BenchmarkArgs::of(folder.to_owned(), kb.map(str::to_owned)).open()?;
            let words = QueryContext::new(gold.kb.as_ref(), gold.ontology.as_ref()).without_suggestions();
            let knowledge = words.knowledge();
            let Some(kb) = &gold.kb else {
                bail!("`prospector` needs the KB of the benchmark; give it with --kb")
            };
            let training: Vec<_> = gold
                .training()
                .into_iter()
                .filter_map(|question| Some((question, question.query(&knowledge)?)))
                .collect();
            if training.is_empty() {
                bail!("the training split of {} has no question with a query", folder.display());
            }
            let mut prospector = Prospector::new(kb);
            let report = prospector.learn(&training, args.seed, &bar)?;
            let trained_on = format!("regime Z0: the training split of {}", gold.benchmark.manifest.name);
            prospector.write_folder(args.out, &trained_on, args.seed, &report)?;
            report
        }
        (None, Some(name)) => {
            let kb = crate::open_kb::open_kb(name)?;
            let with_lexicon = !args.labels_only;
            let config = KbTraining { questions: args.questions, seed: args.seed, with_lexicon };
            let (prospector, report) = Prospector::train_on_kb(&kb, config, &bar)?;
            let words = if with_lexicon { "the lexicon" } else { "the labels" };
            let trained_on =
                format!("questions generated from {} with {words} of the KB", kb.manifest().name);
            prospector.write_folder(args.out, &trained_on, args.seed, &report)?;
            report
        }
        (None, None) => bail!("give what to learn from: --kb world|DIR, or --benchmark DIR"),
    };
    drop(bar);
    show(args, &report)
}

fn show(args: &ProspectorArgs<'_>, report: &TrainingReport) -> Result<Outcome> {
    let folder = args.out.display();
    if args.json {
        output::json(report)?;
    } else {
        let TrainingReport { questions, reached, answered, calibrated_on } = report;
        say!(
            "prospector: {}; the search found the gold query of {reached} and only the gold answers of {answered}; confidence fitted to {calibrated_on} readings",
            counted(*questions, "training question", "training questions"),
        )?;
        say!("`touchstone ask --system model:{folder} \"...\"` asks it")?;
    }
    Ok(Outcome::Done)
}
