//! `touchstone train`.

use super::prospector::{self, ProspectorArgs};
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
use touchstone_kb::Progress;
use touchstone_models::systems;
use touchstone_prospector::KbTraining;
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
    if let (Some(prospector::NAME), Some(out)) = (args.system.as_deref(), &args.out) {
        return prospector::run(&ProspectorArgs {
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
