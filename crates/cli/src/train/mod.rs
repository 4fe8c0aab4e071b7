//! The commands about trainable systems: `train`, `models`, `experiment`.

pub(crate) mod experiment;
mod experiment_output;
mod experiment_watcher;
pub(crate) mod models;
pub(crate) mod training;

use crate::choice::choice;
use clap::builder::TypedValueParser;
use experiment_output::{Outputs, show};
use experiment_watcher::ExperimentWatcher;
use touchstone_train::settings::ModelScale;

/// The scales by name.
fn scales() -> impl TypedValueParser<Value = ModelScale> {
    choice([
        ("smoke", "seconds", ModelScale::Smoke),
        ("small", "minutes on two cores", ModelScale::Small),
        ("paper", "the published sizes and settings", ModelScale::Paper),
    ])
}
