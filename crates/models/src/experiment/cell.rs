//! One cell: a training, a run and grades, exactly as `touchstone train`, `run` and `grade` do them.

use super::error::ExperimentError;
use super::observer::{CellStage, ExperimentObserver};
use super::plan::ExperimentCell;
use super::rows::{CellRow, CellSeconds, Sizes, rounded};
use super::run::cell_folder;
use super::spec::CORPUS_BLEU;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use touchstone_benchmark::{OpenBenchmark, Question};
use touchstone_engine::Engine;
use touchstone_grade::summary::Summary;
use touchstone_grade::{GradeOptions, PredictionSource, grade_benchmark};
use touchstone_kb::Progress;
use touchstone_run::{RunConfig, run_system};
use touchstone_train::settings::ModelScale;
use touchstone_train::{
    CurvePoint, DevEvaluation, Model, ModelManifest, ModelSystem, SavedTraining, StepReport, TrainConfig,
    TrainError, TrainObserver, Trainable, TrainingHeader, resume_training, system_named, train_system,
};

/// What a cell is run with.
pub(crate) struct CellRunner<'r> {
    /// The name of the experiment.
    pub(crate) experiment: &'r str,
    /// The scale.
    pub(crate) scale: ModelScale,
    /// All trainable systems.
    pub(crate) systems: &'r [Box<dyn Trainable>],
    /// The folder of the experiment.
    pub(crate) out: &'r Path,
    /// What runs queries; without it the KB of the benchmark.
    pub(crate) engine: Option<&'r Arc<dyn Engine>>,
    /// Watches it.
    pub(crate) observer: &'r dyn ExperimentObserver,
}

impl CellRunner<'_> {
    /// Trains, runs and grades a cell. What an earlier process finished is used; `None`: it was stopped.
    pub(crate) fn run(
        &self,
        cell: &ExperimentCell,
        open: &OpenBenchmark,
        kb: Option<&str>,
    ) -> Result<Option<CellRow>, ExperimentError> {
        let folder = cell_folder(self.out, cell);
        std::fs::create_dir_all(&folder).map_err(ExperimentError::io("create", &folder))?;
        let manifest = self.trained(cell, open, kb, &folder.join("model"))?;
        if !manifest.is_finished() {
            return Ok(None);
        }
        let started = Instant::now();
        let system = ModelSystem::open(self.systems, &folder.join("model"))?;
        let questions = open.questions()?;
        let run = folder.join("run");
        let config = RunConfig::new(&system, open, &questions, &run);
        let watched = Watched { observer: self.observer, cell, stage: CellStage::Running };
        watched.observer.stage(cell, CellStage::Running, questions.len());
        let ran = run_system(&config, &watched, &mut |_, _| {})?;
        if !ran.complete {
            return Ok(None);
        }
        let run_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let options = GradeOptions {
            out: Some(run.clone()),
            engine: self.engine.cloned(),
            ..GradeOptions::new(PredictionSource::Path(run))
        };
        let watched = Watched { stage: CellStage::Grading, ..watched };
        watched.observer.stage(cell, CellStage::Grading, questions.len());
        let graded = grade_benchmark(open, &options, &watched)?;
        let grade_seconds = started.elapsed().as_secs_f64();
        let seconds = CellSeconds {
            train: rounded(manifest.seconds),
            run: rounded(run_seconds),
            grade: rounded(grade_seconds),
        };
        Ok(Some(self.row(cell, (open, &questions), manifest, &graded.summary, seconds)))
    }

    /// The trained model of a cell.
    fn trained(
        &self,
        cell: &ExperimentCell,
        open: &OpenBenchmark,
        kb: Option<&str>,
        folder: &Path,
    ) -> Result<ModelManifest, ExperimentError> {
        match Model::manifest(folder) {
            Ok(manifest) if manifest.is_finished() => return Ok(manifest),
            Ok(_) | Err(TrainError::Unfinished { .. } | TrainError::NotAModel { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let system = system_named(self.systems, &cell.trainable)?;
        let mut watched = Watched { observer: self.observer, cell, stage: CellStage::Training };
        match SavedTraining::read(folder) {
            Ok(saved) => Ok(resume_training(system, saved, folder, open, &mut watched)?),
            Err(TrainError::NotAModel { .. }) => {
                let config = TrainConfig {
                    system,
                    benchmark: open,
                    kb: kb.map(str::to_owned),
                    scale: self.scale,
                    settings: cell.settings.clone(),
                    fraction: cell.fraction,
                    seed: cell.seed,
                    out: folder,
                };
                Ok(train_system(&config, &mut watched)?)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn row(
        &self,
        cell: &ExperimentCell,
        (open, questions): (&OpenBenchmark, &[&Question]),
        manifest: ModelManifest,
        summary: &Summary,
        seconds: CellSeconds,
    ) -> CellRow {
        let training = &manifest.training;
        let sizes = Sizes {
            train: training.questions,
            training_pairs: training.examples,
            dev: training.dev_questions,
            test: questions.len(),
            parameters: training.parameters,
        };
        let scores = summary.measures.iter().map(|(name, score)| (name.clone(), score.all.mean));
        // There is none if no prediction has a word.
        let corpus_bleu = (CORPUS_BLEU.to_owned(), summary.corpus_bleu.unwrap_or(0.0));
        let scores = scores.chain([corpus_bleu]).filter(|(_, value)| value.is_finite());
        let scores = scores.map(|(name, value)| (name, rounded(value)));
        let evaluation = |one: &DevEvaluation| DevEvaluation { score: rounded(one.score), ..*one };
        let curve = manifest.curve.iter().map(|point| CurvePoint { loss: rounded(point.loss), ..*point });
        CellRow {
            experiment: self.experiment.to_owned(),
            scale: self.scale,
            hash: cell.hash.clone(),
            system: cell.system.clone(),
            trainable: cell.trainable.clone(),
            benchmark: cell.benchmark.clone(),
            benchmark_identity: open.benchmark.identity.clone(),
            fraction: cell.fraction,
            seed: cell.seed,
            sizes,
            settings: cell.settings.clone(),
            steps: manifest.steps,
            pairs_seen: pairs_seen(&manifest),
            stopping_rule: stopping_rule(&manifest),
            stop: manifest.stop,
            best: manifest.best.as_ref().map(evaluation),
            scores: scores.collect(),
            outcomes: summary.outcomes.clone(),
            notes: training.notes.clone(),
            curve: curve.collect(),
            evaluations: manifest.evaluations.iter().map(evaluation).collect(),
            seconds,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// A whole number of the section `training` of a system's settings.
fn training_number(manifest: &ModelManifest, key: &str) -> Option<u64> {
    let value = manifest.training.settings.get("training")?.get(key)?.as_integer()?;
    u64::try_from(value).ok()
}

/// Number of training pairs that were seen, repetitions included: epochs are cut into batches, and the last one may be smaller.
fn pairs_seen(manifest: &ModelManifest) -> u64 {
    let of_step = training_number(manifest, "batch").unwrap_or(1)
        * training_number(manifest, "accumulate").unwrap_or(1);
    let of_epoch = manifest.training.examples as u64;
    let steps_of_epoch = of_epoch.div_ceil(of_step.max(1)).max(1);
    let rest = (manifest.steps % steps_of_epoch) * of_step;
    manifest.steps / steps_of_epoch * of_epoch + rest.min(of_epoch)
}

/// When training ends and which network is kept, in words.
fn stopping_rule(manifest: &ModelManifest) -> String {
    let number = |key: &str| training_number(manifest, key).unwrap_or(0);
    let mut limits = vec![format!("{} steps", number("max_steps"))];
    let (epochs, steps) = (number("max_epochs"), manifest.steps);
    // A limit that is never reached says nothing.
    if epochs > 0 && epochs <= manifest.epochs && steps < number("max_steps") {
        limits.push(format!("{epochs} epochs"));
    }
    if number("patience") > 0 {
        limits.push(format!("{} evaluations without improvement", number("patience")));
    }
    let training = &manifest.training;
    let kept = match training.dev_questions {
        0 => "the last network is kept".to_owned(),
        dev => format!(
            "of the networks after every {} steps, the one with the best {} on {dev} development questions is kept",
            number("evaluate_every"),
            training.measure
        ),
    };
    format!("at most {}; {kept}", limits.join(" or "))
}

/// Tells the observer of the experiment about one cell.
struct Watched<'w> {
    observer: &'w dyn ExperimentObserver,
    cell: &'w ExperimentCell,
    stage: CellStage,
}

impl TrainObserver for Watched<'_> {
    fn begin(&mut self, training: &TrainingHeader, _: u64) {
        self.observer.stage(self.cell, self.stage, training.examples);
    }

    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.observer.step(self.cell, report);
        if self.observer.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn evaluated(&mut self, evaluation: &DevEvaluation, is_best: bool) {
        self.observer.evaluated(self.cell, evaluation, is_best);
    }
}

impl Progress for Watched<'_> {
    fn stage(&self, _: &str, _: Option<u64>) {}

    fn advance(&self, amount: u64) {
        self.observer.advance(self.cell, self.stage, amount);
    }

    fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }
}
