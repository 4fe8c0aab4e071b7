//! Experiments: systems trained on benchmarks, run and graded, cell by cell, and the tables of a paper made of the results.
//!
//! An experiment is a TOML file ([`Experiment`]; `docs/experiments.md` documents its keys). [`run_experiment`] trains each system on each
//! benchmark with each fraction and seed: one cell. A finished cell is a line of `rows.jsonl`, and is not run again. [`tables`] and
//! [`charts`] need only the rows.

mod benchmarks;
mod cell;
mod charts;
mod error;
mod observer;
mod pairs;
mod plan;
mod rows;
mod run;
mod spec;
mod study;
mod tables;
#[cfg(test)]
mod test_rows;

pub use charts::{Chart, ChartSeries, charts};
pub use error::ExperimentError;
pub use observer::{CellStage, ExperimentObserver, NoExperimentObserver};
pub use plan::{
    BenchmarkSource, ExperimentCell, ExperimentPlan, PlanConfig, PlannedBenchmark, PublishedPairs, Study,
    plan,
};
pub use rows::{
    AxiomSigns, CellRow, CellSeconds, ROWS, Row, Sizes, StudyResult, StudyRow, current_rows, read_rows,
};
pub use run::{ExperimentConfig, ExperimentState, cell_folder, experiment_state, run_experiment};
pub use spec::{
    BenchmarkSpec, Division, Experiment, PublishedRow, ScaleSpec, TableKind, TableSpec, TrainedSpec,
};
pub use tables::{ExperimentTable, tables};
