//! Trains the smallest `transformer` on a benchmark, and asks it a question of the benchmark.
//!
//!     cargo run -p touchstone-models --example train_system -- BENCHMARK MODEL
//!
//! Without arguments it makes a small benchmark out of the World KB, in a temporary folder.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use touchstone_benchmark::{KbSource, OpenBenchmark, QuestionSource, Selection};
use touchstone_forge::{Recipe, built_in_recipe};
use touchstone_kb::NoProgress;
use touchstone_models::systems;
use touchstone_run::{System, SystemInput};
use touchstone_train::settings::{ModelScale, SettingsEditor};
use touchstone_train::{ModelSystem, StepReport, TrainConfig, TrainObserver, system_named, train_system};

/// Prints the loss of every tenth step.
struct Printer;

impl TrainObserver for Printer {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if report.step.is_multiple_of(10) {
            println!("step {} of {}: loss {:.3}", report.step, report.steps, report.loss);
        }
        ControlFlow::Continue(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let temporary = tempfile::tempdir()?;
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    // 1. A benchmark with training questions.
    let benchmark = match arguments.next() {
        Some(folder) => open(folder)?,
        None => open(made(temporary.path().join("bench"))?)?,
    };
    let model = arguments.next().unwrap_or_else(|| temporary.path().join("model"));

    // 2. A system and its settings: those of a scale, some of them changed.
    let systems = systems();
    let system = system_named(&systems, "transformer")?;
    let mut settings = SettingsEditor::new("transformer", system.settings(ModelScale::Smoke));
    settings.set("max_steps=40")?;

    // 3. Training writes the folder of the model.
    let config = TrainConfig {
        system,
        benchmark: &benchmark,
        kb: None,
        scale: ModelScale::Smoke,
        settings: settings.into_settings(),
        fraction: 1.0,
        seed: 1,
        out: &model,
    };
    let manifest = train_system(&config, &mut Printer)?;
    println!("{} parameters, {} steps", manifest.training.parameters, manifest.steps);

    // 4. A model is a system like any other.
    let trained = ModelSystem::open(&systems, &model)?;
    let question = benchmark.training()[0];
    let prediction = trained.worker().answer(&SystemInput::new(&question.id, &question.question))?;
    println!("{}\n  {}", question.question, prediction.logical_form.unwrap_or_default());
    Ok(())
}

fn open(folder: PathBuf) -> Result<OpenBenchmark, Box<dyn Error>> {
    let questions = Some(QuestionSource::Folder(folder));
    Ok(Selection { questions, kb: KbSource::None, ..Selection::default() }.open()?)
}

/// A small benchmark of the World KB.
fn made(folder: PathBuf) -> Result<PathBuf, Box<dyn Error>> {
    let kb = touchstone_world::open(&NoProgress)?;
    let mut recipe = Recipe::parse(built_in_recipe("dbnqa")?)?;
    recipe.questions = 200;
    let lexicon = touchstone_benchmark::english::Lexicon::of(&kb);
    touchstone_forge::make(&kb, &recipe, &lexicon, &NoProgress)?.write(&folder)?;
    Ok(folder)
}
