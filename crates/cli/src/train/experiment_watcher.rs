//! The progress of an experiment on the terminal.

use crate::output::{count, counted};
use crate::progress::Bar;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use touchstone_kb::Progress;
use touchstone_models::experiment::{
    CellRow, CellStage, ExperimentCell, ExperimentError, ExperimentObserver, ExperimentPlan, StudyRow,
};
use touchstone_train::StepReport;

/// Shows one bar for all cells, and a line for each that is finished.
pub(super) struct ExperimentWatcher {
    bar: Bar,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What each running cell does, by its hash.
    running: BTreeMap<String, String>,
    finished: usize,
    to_run: usize,
}

impl ExperimentWatcher {
    pub(super) fn new() -> ExperimentWatcher {
        ExperimentWatcher { bar: Bar::new(), state: Mutex::default() }
    }

    /// Shows what a cell does now.
    fn show(&self, cell: &ExperimentCell, doing: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running.insert(cell.hash.clone(), doing);
        let all: Vec<&str> = state.running.values().map(String::as_str).collect();
        self.bar.add_to_message(&all.join("; "));
    }

    /// A cell is over. Returns how many are finished, of how many.
    fn end(&self, hash: &str) -> (usize, usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running.remove(hash);
        state.finished += 1;
        self.bar.advance(1);
        (state.finished, state.to_run)
    }
}

impl ExperimentObserver for ExperimentWatcher {
    fn planned(&self, plan: &ExperimentPlan, done: usize, to_run: usize) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).to_run = to_run;
        if to_run > 0 {
            let before = if done > 0 {
                format!("; {} already", counted(done, "cell is finished", "cells are finished"))
            } else {
                String::new()
            };
            note!("{} of {} to run{before}", counted(to_run, "cell", "cells"), count(plan.cells.len()));
        }
        self.bar.stage("cells", Some(to_run as u64));
    }

    fn progress(&self) -> &dyn Progress {
        &self.bar
    }

    fn studied(&self, row: &StudyRow) {
        note!("{} on {}: {:.0} s", row.result.words(), row.benchmark, row.seconds);
    }

    fn stage(&self, cell: &ExperimentCell, stage: CellStage, amount: usize) {
        let doing = match stage {
            CellStage::Training => format!("{}: {}", cell.words(), counted(amount, "pair", "pairs")),
            CellStage::Running => {
                format!("{}: predicting {}", cell.words(), crate::output::questions(amount))
            }
            CellStage::Grading => format!("{}: grading", cell.words()),
        };
        self.show(cell, doing);
    }

    fn step(&self, cell: &ExperimentCell, report: &StepReport) {
        self.show(
            cell,
            format!("{}: step {} of {}, loss {:.3}", cell.words(), report.step, report.steps, report.loss),
        );
    }

    fn finished(&self, row: &CellRow) {
        let (finished, all) = self.end(&row.hash);
        let score = |name: &str| row.scores.get(name).map_or("–".to_owned(), |value| format!("{value:.3}"));
        note!(
            "{finished}/{all} {}, {} % of {}, seed {}: em_answer {}, bleu {}, gek_3 {}; {:.0} s training, {:.0} s prediction",
            row.system,
            row.fraction * 100.0,
            row.benchmark,
            row.seed,
            score("em_answer"),
            score("bleu"),
            score("gek_3"),
            row.seconds.train,
            row.seconds.run
        );
    }

    fn failed(&self, cell: &ExperimentCell, error: &ExperimentError) {
        let (finished, all) = self.end(&cell.hash);
        note!("{finished}/{all} {} failed: {error}", cell.words());
    }

    fn cancelled(&self) -> bool {
        self.bar.cancelled()
    }
}
