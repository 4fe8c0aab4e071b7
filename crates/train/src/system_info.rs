//! A trainable system with its sizes and settings, as JSON.

use crate::settings::ModelScale;
use crate::trainable::{SystemAbout, Trainable, TrainingCost};
use serde::Serialize;
use std::collections::BTreeMap;
use toml::Table;

/// A system, with what it costs and how it is set at each scale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SystemInfo {
    /// What is known about it.
    #[serde(flatten)]
    pub about: SystemAbout,
    /// Its scales, by name.
    pub scales: BTreeMap<&'static str, ScaleInfo>,
}

/// A system at a scale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScaleInfo {
    /// What it costs.
    #[serde(flatten)]
    pub cost: TrainingCost,
    /// All its settings.
    pub settings: Table,
}

impl SystemInfo {
    /// What is known about a system.
    pub fn of(system: &dyn Trainable) -> SystemInfo {
        let scale = |scale: ModelScale| {
            (scale.name(), ScaleInfo { cost: system.cost(scale), settings: system.settings(scale) })
        };
        SystemInfo { about: system.about().clone(), scales: ModelScale::ALL.into_iter().map(scale).collect() }
    }
}
