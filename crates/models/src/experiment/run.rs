//! Runs an experiment: benchmarks, studies, then cells, several at a time. What has a row already is skipped.

use super::benchmarks::BenchmarkMaker;
use super::cell::CellRunner;
use super::error::ExperimentError;
use super::observer::ExperimentObserver;
use super::plan::{ExperimentCell, ExperimentPlan, PlanConfig, PlannedBenchmark, PublishedPairs, plan};
use super::rows::{Row, RowJournal, StudyRow, current_rows, read_rows, rounded};
use super::spec::Experiment;
use super::study::run_study;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use touchstone_benchmark::{EmbeddedKb, OpenBenchmark};
use touchstone_engine::Engine;
use touchstone_train::Trainable;
use touchstone_train::settings::ModelScale;

/// What to run.
pub struct ExperimentConfig<'c> {
    /// The experiment.
    pub experiment: Experiment,
    /// The scale.
    pub scale: ModelScale,
    /// The systems that can be trained.
    pub systems: &'c [Box<dyn Trainable>],
    /// The folder of the experiment.
    pub out: PathBuf,
    /// The KB that this program carries.
    pub embedded: Option<EmbeddedKb>,
    /// Further changes of the settings of all systems, as `key=value`.
    pub changes: Vec<String>,
    /// The systems of the experiment to train; empty: all.
    pub only: Vec<String>,
    /// Maximum number of cells to run.
    pub cells: Option<usize>,
    /// Number of cells to run at a time; without it the number of processors divided by the threads of a training.
    pub jobs: Option<usize>,
    /// Published pairs that take the place of recipes, and what runs queries about them.
    pub pairs: Option<(PublishedPairs, Arc<dyn Engine>)>,
}

/// The state of an experiment.
#[derive(Debug, Clone)]
pub struct ExperimentState {
    /// The plan.
    pub plan: ExperimentPlan,
    /// The last row of each cell and study at this scale.
    pub rows: Vec<Row>,
    /// Number of planned cells without a row.
    pub missing: usize,
    /// Number of cells that were run now.
    pub ran: usize,
    /// Number of cells that failed now.
    pub failed: usize,
    /// Number of rows that were made with other settings than those of the plan.
    pub other_settings: usize,
    /// Whether the user stopped it.
    pub stopped: bool,
}

/// Reads what was run so far, without running anything.
pub fn experiment_state(config: &ExperimentConfig<'_>) -> Result<ExperimentState, ExperimentError> {
    let plan = config.plan()?;
    Ok(state(config, plan, &read_rows(&config.out)?))
}

/// Runs all cells that have no row yet. A cell that was stopped continues.
pub fn run_experiment(
    config: &ExperimentConfig<'_>,
    observer: &dyn ExperimentObserver,
) -> Result<ExperimentState, ExperimentError> {
    let plan = config.plan()?;
    std::fs::create_dir_all(&config.out).map_err(ExperimentError::io("create", &config.out))?;
    let mut journal = RowJournal::open(&config.out)?;
    let engine = config.pairs.as_ref().map(|(_, engine)| engine);
    let maker =
        BenchmarkMaker { out: &config.out, embedded: config.embedded, engine, progress: observer.progress() };
    let mut opened: BTreeMap<&str, OpenBenchmark> = BTreeMap::new();
    for benchmark in plan.benchmarks.iter().filter(|benchmark| is_needed(benchmark, &plan)) {
        opened.insert(&benchmark.name, maker.open(benchmark)?);
        if observer.cancelled() {
            return Ok(ExperimentState {
                stopped: true,
                ..state(config, plan.clone(), &journal.into_rows())
            });
        }
    }
    let stopped = studies(config, &plan, &opened, &mut journal, observer)?;
    let pending = pending(&plan, &opened, &journal);
    let done = plan.cells.len() - pending.len();
    let pending: VecDeque<&ExperimentCell> =
        pending.into_iter().take(config.cells.unwrap_or(usize::MAX)).collect();
    if stopped {
        return Ok(ExperimentState { stopped, ..state(config, plan.clone(), &journal.into_rows()) });
    }
    observer.planned(&plan, done, pending.len());
    let cells = Cells {
        config,
        plan: &plan,
        opened: &opened,
        observer,
        queue: Mutex::new(pending),
        journal: Mutex::new(journal),
        outcome: Mutex::new(Outcome::default()),
    };
    std::thread::scope(|scope| {
        let cells = &cells;
        for _ in 0..config.jobs(&plan) {
            scope.spawn(move || cells.run());
        }
    });
    let Cells { journal, outcome, .. } = cells;
    let Outcome { ran, failed, error } = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    let rows = journal.into_inner().unwrap_or_else(PoisonError::into_inner).into_rows();
    let stopped = observer.cancelled();
    Ok(ExperimentState { ran, failed, stopped, ..state(config, plan.clone(), &rows) })
}

impl ExperimentConfig<'_> {
    /// The plan.
    fn plan(&self) -> Result<ExperimentPlan, ExperimentError> {
        plan(&PlanConfig {
            experiment: &self.experiment,
            scale: self.scale,
            systems: self.systems,
            changes: &self.changes,
            only: &self.only,
            pairs: self.pairs.as_ref().map(|(pairs, _)| pairs),
            embedded: self.embedded.and_then(|embedded| embedded.fingerprint),
        })
    }
}

impl ExperimentConfig<'_> {
    /// Number of cells to run at a time.
    fn jobs(&self, plan: &ExperimentPlan) -> usize {
        let threads = |cell: &ExperimentCell| {
            let parts =
                cell.settings.get("training").and_then(|training| training.get("parts")?.as_integer());
            usize::try_from(parts.unwrap_or(1)).unwrap_or(1).max(1)
        };
        let most = plan.cells.iter().map(threads).max().unwrap_or(1);
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.jobs.unwrap_or(processors / most).max(1)
    }
}

fn is_needed(benchmark: &PlannedBenchmark, plan: &ExperimentPlan) -> bool {
    let of_cells = plan.cells.iter().map(|cell| &cell.benchmark);
    plan.studies.iter().map(|study| &study.benchmark).chain(of_cells).any(|name| *name == benchmark.name)
}

/// The cells without a row.
fn pending<'p>(
    plan: &'p ExperimentPlan,
    opened: &BTreeMap<&str, OpenBenchmark>,
    journal: &RowJournal,
) -> Vec<&'p ExperimentCell> {
    let has_row = |cell: &&ExperimentCell| {
        let open = opened.get(cell.benchmark.as_str());
        open.is_some_and(|open| journal.has(&cell.hash, &open.benchmark.identity))
    };
    plan.cells.iter().filter(|cell| !has_row(cell)).collect()
}

/// Computes the studies that have no row. Returns whether the user stopped it.
fn studies(
    config: &ExperimentConfig<'_>,
    plan: &ExperimentPlan,
    opened: &BTreeMap<&str, OpenBenchmark>,
    journal: &mut RowJournal,
    observer: &dyn ExperimentObserver,
) -> Result<bool, ExperimentError> {
    for study in &plan.studies {
        let Some(open) = opened.get(study.benchmark.as_str()) else { continue };
        let identity = &open.benchmark.identity;
        if journal.has(&study.hash, identity) {
            continue;
        }
        let started = Instant::now();
        let engine = config.pairs.as_ref().map(|(_, engine)| engine);
        let result = run_study(study, open, engine, observer.progress())?;
        if observer.cancelled() {
            return Ok(true);
        }
        let row = StudyRow {
            experiment: config.experiment.name.clone(),
            scale: config.scale,
            hash: study.hash.clone(),
            benchmark: study.benchmark.clone(),
            benchmark_identity: identity.clone(),
            questions: open.questions()?.len(),
            result,
            seconds: rounded(started.elapsed().as_secs_f64()),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        observer.studied(&row);
        journal.add(Row::Study(Box::new(row)))?;
    }
    Ok(false)
}

fn state(config: &ExperimentConfig<'_>, plan: ExperimentPlan, rows: &[Row]) -> ExperimentState {
    let hashes = plan.hashes();
    let rows = current_rows(rows, config.scale, &hashes);
    let has_row = |hash: &str| rows.iter().any(|row| row.hash() == hash);
    let missing = plan.cells.iter().filter(|cell| !has_row(&cell.hash)).count();
    // With a selection of systems, rows of the others have no plan.
    let is_selected = |row: &&Row| match row {
        Row::Cell(row) => config.only.is_empty() || config.only.contains(&row.system),
        Row::Study(_) => true,
    };
    let other_settings = rows.iter().filter(is_selected).filter(|row| !hashes.contains(&row.hash())).count();
    ExperimentState { rows, missing, ran: 0, failed: 0, other_settings, stopped: false, plan }
}

/// What has happened to the cells.
#[derive(Default)]
struct Outcome {
    ran: usize,
    failed: usize,
    /// The rows cannot be written: there is no point in going on.
    error: Option<ExperimentError>,
}

/// The cells that are being run.
struct Cells<'r> {
    config: &'r ExperimentConfig<'r>,
    plan: &'r ExperimentPlan,
    opened: &'r BTreeMap<&'r str, OpenBenchmark>,
    observer: &'r dyn ExperimentObserver,
    queue: Mutex<VecDeque<&'r ExperimentCell>>,
    journal: Mutex<RowJournal>,
    outcome: Mutex<Outcome>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cells<'_> {
    /// Runs cells until there are none, or the user stops it.
    fn run(&self) {
        loop {
            if self.observer.cancelled() || locked(&self.outcome).error.is_some() {
                return;
            }
            let Some(cell) = locked(&self.queue).pop_front() else { return };
            let result = catch_unwind(AssertUnwindSafe(|| self.cell(cell)));
            let result = result.unwrap_or_else(|panic| Err(ExperimentError::Panic(panic_message(&*panic))));
            if let Err(error) = result {
                locked(&self.outcome).failed += 1;
                self.observer.failed(cell, &error);
            }
        }
    }

    fn cell(&self, cell: &ExperimentCell) -> Result<(), ExperimentError> {
        let Some(open) = self.opened.get(cell.benchmark.as_str()) else { return Ok(()) };
        let kb = self.plan.benchmarks.iter().find(|benchmark| benchmark.name == cell.benchmark);
        let kb = kb.and_then(|benchmark| benchmark.kb.as_deref());
        let runner = CellRunner {
            experiment: &self.config.experiment.name,
            scale: self.config.scale,
            systems: self.config.systems,
            out: &self.config.out,
            engine: self.config.pairs.as_ref().map(|(_, engine)| engine),
            observer: self.observer,
        };
        let Some(row) = runner.run(cell, open, kb)? else { return Ok(()) };
        if let Err(error) = locked(&self.journal).add(Row::Cell(Box::new(row.clone()))) {
            locked(&self.outcome).error.get_or_insert(error);
            return Ok(());
        }
        locked(&self.outcome).ran += 1;
        self.observer.finished(&row);
        Ok(())
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

/// The folder with the model and the run of a cell.
pub fn cell_folder(out: &Path, cell: &ExperimentCell) -> PathBuf {
    out.join("cells").join(cell.folder_name())
}
