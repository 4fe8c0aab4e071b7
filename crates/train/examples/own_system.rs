//! Trains a system of one's own on a benchmark, and asks the trained model a question.
//!
//!     cargo run -p touchstone-train --example own_system
#![allow(clippy::print_stdout)]

#[allow(unreachable_pub)]
mod most_frequent_form;

use most_frequent_form::{MostFrequentForm, small_benchmark};
use std::error::Error;
use touchstone_run::{System, SystemInput};
use touchstone_train::settings::ModelScale;
use touchstone_train::{ModelSystem, NoTrainObserver, TrainConfig, Trainable, train_system};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    // 1. A benchmark with training questions.
    let benchmark = small_benchmark(&folder.path().join("bench"))?;

    // 2. The system, whose implementation is next to this file, and its settings.
    let system = MostFrequentForm::new();
    let model = folder.path().join("model");
    let config = TrainConfig {
        system: &system,
        benchmark: &benchmark,
        kb: None,
        scale: ModelScale::Small,
        settings: system.settings(ModelScale::Small),
        fraction: 1.0,
        seed: 1,
        out: &model,
    };

    // 3. Training writes the folder of the model.
    let manifest = train_system(&config, &mut NoTrainObserver)?;
    println!("{} questions, {} steps", manifest.training.questions, manifest.steps);

    // 4. The model is a system like any other.
    let systems: Vec<Box<dyn Trainable>> = vec![Box::new(system)];
    let trained = ModelSystem::open(&systems, &model)?;
    let prediction = trained.worker().answer(&SystemInput::new("q1", "Who directed Metropolis?"))?;
    println!("{}", prediction.logical_form.unwrap_or_default());
    Ok(())
}
