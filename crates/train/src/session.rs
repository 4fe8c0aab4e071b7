//! One training of one network: progress, evaluations by the grader, saved states.

use crate::checkpoint::{SavedTraining, Saving, TrainingHeader};
use crate::error::TrainError;
use crate::fit::{
    DevEvaluation, LoopSettings, Network, Observer, StepReport, StopReason, TrainState, Trainer, TrainingSet,
};
use crate::model_files::ModelFiles;
use crate::optimise::OptimiserSettings;
use crate::weights::{network_bytes, network_from_bytes, optimizer_bytes, optimizer_from_bytes};
use burn::optim::ModuleOptimizer;
use burn::tensor::Device;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use touchstone_benchmark::{Prediction, Question};

type BoxedError = Box<dyn Error + Send + Sync>;

/// Computes the score of predictions for the development questions.
pub(crate) type Score<'s> = dyn Fn(&[Prediction]) -> Result<f64, TrainError> + 's;

/// Watches a training.
pub trait TrainObserver {
    /// Before the first step: what is trained.
    fn begin(&mut self, _training: &TrainingHeader, _steps_before: u64) {}

    /// After every step; `Break` saves and stops.
    fn step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// After every evaluation on the development questions.
    fn evaluated(&mut self, _evaluation: &DevEvaluation, _is_best: bool) {}
}

/// Watches nothing.
pub struct NoTrainObserver;

impl TrainObserver for NoTrainObserver {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// One training: [`TrainSession::fit`] trains a network, from the beginning or from a saved state.
pub struct TrainSession<'s> {
    pub(crate) folder: &'s Path,
    pub(crate) header: TrainingHeader,
    pub(crate) dev: &'s [&'s Question],
    pub(crate) score: &'s Score<'s>,
    pub(crate) observer: &'s mut dyn TrainObserver,
    pub(crate) saved: Option<SavedTraining>,
    pub(crate) finished: Option<FinishedTraining>,
}

/// What a training has come to.
pub(crate) struct FinishedTraining {
    pub(crate) state: TrainState,
    pub(crate) seconds: f64,
    pub(crate) stop: StopReason,
    pub(crate) network: Vec<u8>,
}

impl TrainSession<'_> {
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.header.seed
    }

    /// The development questions.
    pub fn dev(&self) -> &[&Question] {
        self.dev
    }

    /// The device for networks.
    pub fn device(&self) -> Device {
        crate::device()
    }

    /// Trains a network. `files` are saved with it; `predict` predicts the development questions, in their order.
    pub fn fit<N: Network>(
        &mut self,
        network: N,
        settings: (&LoopSettings, &OptimiserSettings),
        data: &TrainingSet<'_, N::Batch>,
        files: &ModelFiles,
        predict: &dyn Fn(&N) -> Vec<Prediction>,
    ) -> Result<(), TrainError> {
        let (settings, optimiser) = settings;
        self.header.parameters = network.num_params() as u64;
        let (mut network, mut optimizer) = (network, optimiser.optimizer());
        let (mut state, mut seconds, mut best) = (TrainState::default(), 0.0, None);
        if let Some(saved) = self.saved.take() {
            network = network_from_bytes(network, &saved.last, &self.folder.join("state/last.safetensors"))?;
            let path = self.folder.join("state/optimiser.burnpack");
            optimizer = optimizer_from_bytes(optimizer, &saved.optimiser, &path)?;
            (state, seconds, best) = (saved.record.state, saved.record.seconds, saved.best);
        }
        self.observer.begin(&self.header, state.step);
        let trainer = Trainer { settings, optimiser, seed: self.header.seed, device: crate::device() };
        let mut keeper = Keeper {
            folder: self.folder,
            header: &self.header,
            has_dev: !self.dev.is_empty(),
            score: self.score,
            observer: &mut *self.observer,
            files,
            predict,
            best,
            evaluation: None,
            seconds_before: seconds,
            started: Instant::now(),
        };
        let (last, stop) = trainer.fit(network, optimizer, &mut state, data, &mut keeper)?;
        let seconds = keeper.seconds();
        let network = match keeper.best {
            Some(best) => best,
            None => network_bytes(&last)?,
        };
        self.finished = Some(FinishedTraining { state, seconds, stop, network });
        Ok(())
    }
}

/// Saves states, and keeps the best network.
struct Keeper<'s, N> {
    folder: &'s Path,
    header: &'s TrainingHeader,
    has_dev: bool,
    score: &'s Score<'s>,
    observer: &'s mut dyn TrainObserver,
    files: &'s ModelFiles,
    predict: &'s dyn Fn(&N) -> Vec<Prediction>,
    best: Option<Vec<u8>>,
    evaluation: Option<DevEvaluation>,
    seconds_before: f64,
    started: Instant,
}

impl<N> Keeper<'_, N> {
    fn seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }
}

impl<N: Network> Observer<N> for Keeper<'_, N> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.observer.step(report)
    }

    fn evaluate(&mut self, network: &N, step: u64) -> Result<Option<f64>, BoxedError> {
        if !self.has_dev {
            return Ok(None);
        }
        let score = (self.score)(&(self.predict)(network))?;
        self.evaluation = Some(DevEvaluation { step, score });
        Ok(Some(score))
    }

    fn save(
        &mut self,
        network: &N,
        optimizer: &ModuleOptimizer,
        state: &TrainState,
        is_best: bool,
    ) -> Result<(), BoxedError> {
        let last = network_bytes(network)?;
        if is_best {
            self.best = Some(last.clone());
        }
        if let Some(evaluation) = self.evaluation.take() {
            self.observer.evaluated(&evaluation, is_best);
        }
        let saving = Saving {
            training: self.header,
            state,
            seconds: self.seconds(),
            files: self.files,
            last: &last,
            best: self.best.as_deref(),
            optimiser: &optimizer_bytes(optimizer)?,
        };
        Ok(SavedTraining::write(self.folder, &saving).map_err(|source| NotSaved {
            step: state.step,
            way_on: WayOn::of(self.folder),
            source,
        })?)
    }
}

/// A state that could not be saved.
#[derive(Debug, thiserror::Error)]
#[error("the state after {step} steps cannot be saved: {source}; {way_on}")]
struct NotSaved {
    step: u64,
    way_on: WayOn,
    source: TrainError,
}

/// What the user can do after a state could not be saved.
#[derive(Debug, thiserror::Error)]
enum WayOn {
    /// An earlier state is there.
    #[error("the last saved state is intact, and `touchstone train --resume {0}` continues from it")]
    Resume(String),
    /// There is no earlier state.
    #[error("nothing was saved; free space or choose another --out, and start again")]
    StartAgain,
}

impl WayOn {
    fn of(folder: &Path) -> WayOn {
        match SavedTraining::is_in(folder) {
            Ok(false) => WayOn::StartAgain,
            Ok(true) | Err(_) => WayOn::Resume(folder.display().to_string()),
        }
    }
}
