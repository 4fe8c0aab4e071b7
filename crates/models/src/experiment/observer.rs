//! What an experiment reports while it runs.

use super::error::ExperimentError;
use super::plan::{ExperimentCell, ExperimentPlan};
use super::rows::{CellRow, StudyRow};
use touchstone_kb::{NoProgress, Progress};
use touchstone_train::{DevEvaluation, StepReport};

/// What a cell is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellStage {
    /// The network is trained.
    Training,
    /// The test questions are predicted.
    Running,
    /// The predictions are graded.
    Grading,
}

/// Watches an experiment; cells may report from several threads at once.
pub trait ExperimentObserver: Sync {
    /// Before the first cell: the plan, and the number of cells that have a row already and of those that will be run.
    fn planned(&self, _plan: &ExperimentPlan, _done: usize, _to_run: usize) {}

    /// The progress of building benchmarks and of studies.
    fn progress(&self) -> &dyn Progress {
        &NoProgress
    }

    /// A study is finished.
    fn studied(&self, _row: &StudyRow) {}

    /// A cell does something else, with a number of pairs or questions.
    fn stage(&self, _cell: &ExperimentCell, _stage: CellStage, _amount: usize) {}

    /// More questions are predicted or graded.
    fn advance(&self, _cell: &ExperimentCell, _stage: CellStage, _amount: u64) {}

    /// A step of training.
    fn step(&self, _cell: &ExperimentCell, _report: &StepReport) {}

    /// An evaluation on the development questions.
    fn evaluated(&self, _cell: &ExperimentCell, _evaluation: &DevEvaluation, _is_best: bool) {}

    /// A cell is finished, and its row is written.
    fn finished(&self, _row: &CellRow) {}

    /// A cell failed; the others go on.
    fn failed(&self, _cell: &ExperimentCell, _error: &ExperimentError) {}

    /// Whether to stop: cells save their state, and continue from it the next time.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing.
pub struct NoExperimentObserver;

impl ExperimentObserver for NoExperimentObserver {}
