//! `touchstone train`.

use super::scales;
use crate::Outcome;
use crate::args::BenchmarkArgs;
use crate::output::{self, count, counted};
use crate::progress::Bar;
use anyhow::{Result, bail};
use clap::Args;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use touchstone_engine::QueryContext;
use touchstone_kb::Progress;
use touchstone_models::systems;
use touchstone_prospector::{KbTraining, Prospector, TrainingReport, check_scorer_output};
use touchstone_train::settings::{ModelScale, SettingsEditor};
use touchstone_train::{
    DevEvaluation, ModelManifest, SavedTraining, StepReport, StopReason, TrainConfig, TrainObserver,
    TrainingHeader, resume_training, system_named, train_system,
};

/// Arguments of `touchstone train`.
#[derive(Args)]
pub(crate) struct TrainArgs {
    /// The system to train; `touchstone models` lists all
    #[arg(value_name = "SYSTEM", required_unless_present = "resume")]
    system: Option<String>,
    /// The folder of the benchmark whose training split it learns from; `prospector` can do without, and learns from questions generated
    /// from --kb
    #[arg(long, value_name = "DIR")]
    benchmark: Option<PathBuf>,
    /// `world` (embedded), the directory of a compiled KB, or `none`; without it the KB that the benchmark was made from. Without a KB,
    /// early stopping can only use measures of forms
    #[arg(long, value_name = "world|DIR|none")]
    kb: Option<String>,
    /// The folder of the model
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    out: Option<PathBuf>,
    /// How large the system is, and how long it is trained
    #[arg(long, default_value = "small", value_parser = scales())]
    scale: ModelScale,
    /// A TOML file with settings that differ from those of the scale
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting that differs, like training.batch=64; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Learn from this share of the training questions only
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    fraction: f64,
    /// Number of questions that `prospector` generates from --kb
    #[arg(long, value_name = "N", default_value_t = KbTraining::default().questions)]
    questions: usize,
    /// Word the questions that `prospector` generates by the labels of the KB, not by its lexicon
    #[arg(long)]
    labels_only: bool,
    /// The seed: the same seed gives the same model on the same machine
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Continue the training of this model, which was interrupted, with the settings that it began with
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["system", "out", "scale", "config", "settings", "fraction", "seed"])]
    resume: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    let systems = systems();
    let mut watcher = Watcher::new();
    if let Some(folder) = &args.resume {
        let saved = SavedTraining::read(folder)?;
        let training = saved.training().clone();
        let system = system_named(&systems, &training.system)?;
        let benchmark = args.benchmark.clone().unwrap_or(training.benchmark.path);
        let kb = args.kb.clone().or(training.benchmark.kb);
        let benchmark = BenchmarkArgs::of(benchmark, kb).open()?;
        let manifest = resume_training(system, saved, folder, &benchmark, &mut watcher)?;
        drop(watcher);
        return show(args, folder, &manifest);
    }
    if let (Some(PROSPECTOR), Some(out)) = (args.system.as_deref(), &args.out) {
        return train_prospector(&ProspectorArgs {
            benchmark: args.benchmark.as_deref(),
            kb: args.kb.as_deref(),
            out,
            questions: args.questions,
            labels_only: args.labels_only,
            seed: args.seed,
            json: args.json,
        });
    }
    let (Some(name), Some(folder), Some(out)) = (&args.system, &args.benchmark, &args.out) else {
        bail!("give a system, --benchmark DIR and --out DIR");
    };
    let system = system_named(&systems, name)?;
    let mut settings = SettingsEditor::new(system.about().name, system.settings(args.scale));
    if let Some(file) = &args.config {
        settings.apply_file(file)?;
    }
    args.settings.iter().try_for_each(|setting| settings.set(setting))?;
    let benchmark = BenchmarkArgs::of(folder.clone(), args.kb.clone()).open()?;
    let config = TrainConfig {
        system,
        benchmark: &benchmark,
        kb: args.kb.clone(),
        scale: args.scale,
        settings: settings.into_settings(),
        fraction: args.fraction,
        seed: args.seed,
        out,
    };
    let manifest = train_system(&config, &mut watcher)?;
    drop(watcher);
    show(args, out, &manifest)
}

fn show(args: &TrainArgs, folder: &Path, manifest: &ModelManifest) -> Result<Outcome> {
    let folder = folder.display();
    let training = &manifest.training;
    if args.json {
        output::json(manifest)?;
    } else {
        let best = match manifest.best {
            Some(best) => {
                format!("{} {:.3} after {} steps", training.measure, best.score, count(best.step))
            }
            None => "no development questions".to_owned(),
        };
        say!(
            "{}: {} on {}, {} parameters, {} in {:.0} s; {best}",
            training.system,
            counted(training.examples, "example", "examples"),
            training.benchmark.name,
            count(training.parameters),
            counted(manifest.steps, "step", "steps"),
            manifest.seconds
        )?;
        training.notes.iter().try_for_each(output::text)?;
        if manifest.is_finished() {
            say!("`touchstone run model:{folder} --benchmark DIR --out RUN` runs it")?;
        }
    }
    match manifest.stop {
        StopReason::Cancelled => {
            note!("stopped; `touchstone train --resume {folder}` continues");
            Ok(Outcome::NothingFound)
        }
        StopReason::Limit | StopReason::Patience => Ok(Outcome::Done),
    }
}

/// Shows progress, and stops on Ctrl-C.
struct Watcher {
    bar: Bar,
    measure: String,
    last: Option<f64>,
    steps: Option<u64>,
    steps_before: u64,
    is_terminal: bool,
}

impl Watcher {
    fn new() -> Watcher {
        let is_terminal = std::io::stderr().is_terminal();
        let measure = String::new();
        Watcher { bar: Bar::new(), measure, last: None, steps: None, steps_before: 0, is_terminal }
    }
}

impl TrainObserver for Watcher {
    fn begin(&mut self, training: &TrainingHeader, steps_before: u64) {
        training.measure.clone_into(&mut self.measure);
        self.steps_before = steps_before;
        if self.is_terminal {
            note!(
                "{}: {}, {} parameters",
                training.system,
                counted(training.examples, "example", "examples"),
                count(training.parameters)
            );
        }
    }

    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if self.steps != Some(report.steps) {
            self.steps = Some(report.steps);
            self.bar.stage("training", Some(report.steps));
            self.bar.advance(self.steps_before);
        }
        self.bar.advance(1);
        let score = self.last.map_or(String::new(), |last| format!(", {} {last:.3}", self.measure));
        self.bar.add_to_message(&format!(
            "step {}, loss {:.3}, {:.0} examples/s{score}",
            report.step, report.loss, report.examples_per_second
        ));
        if self.bar.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn evaluated(&mut self, evaluation: &DevEvaluation, is_best: bool) {
        self.last = Some(evaluation.score);
        if !self.is_terminal {
            let best = if is_best { ", the best so far" } else { "" };
            let (step, score) = (evaluation.step, evaluation.score);
            note!("step {}: {} {score:.3}{best}", count(step), self.measure);
        }
    }
}

/// The name of our own system, which is trained in its own way.
const PROSPECTOR: &str = "prospector";

/// What to train on, and where to.
struct ProspectorArgs<'a> {
    benchmark: Option<&'a Path>,
    kb: Option<&'a str>,
    out: &'a Path,
    questions: usize,
    labels_only: bool,
    seed: u64,
    json: bool,
}

fn train_prospector(args: &ProspectorArgs<'_>) -> Result<Outcome> {
    check_scorer_output(args.out)?;
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
    show_prospector(args, &report)
}

fn show_prospector(args: &ProspectorArgs<'_>, report: &TrainingReport) -> Result<Outcome> {
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
