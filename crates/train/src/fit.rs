//! The training loop: batches, gradients from several threads, the optimiser, early stopping, and a state from which training continues.

use crate::batch::{TrainBatch, batches};
use crate::cast;
use crate::optimise::{OptimiserSettings, norm, numbered, scaled};
use crate::pass::{Pass, mixed};
use burn::module::Module;
use burn::optim::{GradientsAccumulator, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Instant;

/// A network that can be trained.
pub trait Network: Module + Clone + Send + Sync {
    /// Its batches.
    type Batch: TrainBatch;

    /// The sum of the losses of a batch.
    fn loss(&self, batch: &Self::Batch, pass: &Pass, device: &Device) -> Tensor<1>;

    /// What the sum is divided by: the number of words, of positions or of rows.
    fn weight(&self, batch: &Self::Batch) -> f64;
}

/// Settings of the loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopSettings {
    /// Number of examples in a batch.
    pub batch: usize,
    /// Number of batches whose gradients are added up before a step.
    pub accumulate: usize,
    /// Maximum number of steps.
    pub max_steps: u64,
    /// Maximum number of epochs.
    pub max_epochs: u64,
    /// Number of steps between two evaluations on the development questions.
    pub evaluate_every: u64,
    /// Number of evaluations without improvement after which training stops; 0: never.
    pub patience: u64,
    /// Number of steps between two saved states.
    pub save_every: u64,
    /// Number of parts that a batch is divided into, each in a thread of its own. It influences the last digits of the result.
    pub parts: usize,
}

/// One evaluation on the development questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DevEvaluation {
    /// After how many steps.
    pub step: u64,
    /// The score; greater is better.
    pub score: f64,
}

/// The mean loss of some steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The last of the steps.
    pub step: u64,
    /// Their mean loss.
    pub loss: f64,
}

/// What a training has done so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainState {
    /// Number of steps.
    pub step: u64,
    /// Number of finished epochs.
    pub epoch: u64,
    /// Number of finished batches of the epoch.
    pub batch: usize,
    /// The loss of every step.
    pub losses: Vec<f32>,
    /// All evaluations.
    pub evaluations: Vec<DevEvaluation>,
}

impl TrainState {
    /// The best evaluation, the last of equal ones: where the score cannot tell networks apart, more training is better.
    pub fn best(&self) -> Option<DevEvaluation> {
        self.evaluations
            .iter()
            .copied()
            .reduce(|best, next| if next.score >= best.score { next } else { best })
    }

    /// Whether the loss has grown far beyond where it began, and stayed there.
    fn is_diverging(&self, loss: f64) -> bool {
        const STEPS: usize = 10;
        const FACTOR: f64 = 10.0;
        let (Some(first), Some(last)) = (self.losses.first(), self.losses.last_chunk::<STEPS>()) else {
            return false;
        };
        let limit = FACTOR * f64::from(*first);
        loss > limit && last.iter().all(|&loss| f64::from(loss) > limit)
    }

    /// Number of evaluations since the best one.
    fn since_best(&self) -> u64 {
        let best = self.best().map_or(0, |best| best.step);
        self.evaluations.iter().filter(|evaluation| evaluation.step > best).count() as u64
    }

    /// The losses as a curve of at most `points` points.
    pub fn curve(&self, points: usize) -> Vec<CurvePoint> {
        let size = self.losses.len().div_ceil(points.max(1)).max(1);
        let mut step = 0;
        let mean = |losses: &[f32]| {
            step += losses.len() as u64;
            let sum: f64 = losses.iter().map(|&loss| f64::from(loss)).sum();
            CurvePoint { step, loss: sum / cast::float(losses.len()) }
        };
        self.losses.chunks(size).map(mean).collect()
    }
}

/// One finished step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Its number, from 1.
    pub step: u64,
    /// Number of steps in all, at most.
    pub steps: u64,
    /// The epoch, from 0.
    pub epoch: u64,
    /// The loss.
    pub loss: f64,
    /// The norm of the gradients before they were limited.
    pub norm: f64,
    /// Examples a second since training was started or resumed.
    pub examples_per_second: f64,
}

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The maximum number of steps or epochs was reached.
    Limit,
    /// The development score did not improve.
    Patience,
    /// The observer asked for it.
    Cancelled,
}

/// Why training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are no examples.
    #[error("there are no training examples")]
    NoExamples,
    /// The loss is not a number.
    #[error(
        "training diverges: the loss is {loss:.3} at step {step}; try a smaller optimiser.learning_rate (now {rate}{}), or a smaller \
         optimiser.clip ({})", at_step(*rate, *rate_at_step), if *clip > 0.0 { format!("now {clip}") } else { "now 0: no limit; 1 is usual".to_owned() }
    )]
    Diverged {
        /// The step.
        step: u64,
        /// The loss.
        loss: f64,
        /// The setting `optimiser.learning_rate`.
        rate: f64,
        /// The learning rate at the step, after warm-up and decay.
        rate_at_step: f64,
        /// The limit of the gradient.
        clip: f64,
    },
    /// A thread panicked, or a state could not be saved.
    #[error("{0}")]
    Observer(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// The learning rate at a step, if warm-up or decay make it another than the setting.
fn at_step(setting: f64, rate: f64) -> String {
    if rate == setting {
        return String::new();
    }
    // Three digits: the product of setting, warm-up and decay has rounding errors.
    let rounded: f64 = format!("{rate:.2e}").parse().unwrap_or(rate);
    format!("; {rounded} at this step, after warm-up and decay")
}

/// What happens besides training.
pub trait Observer<N> {
    /// After every step; `Break` stops training.
    fn step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// After a number of steps: the score of a network on the development questions, greater is better; `None`: there are none.
    fn evaluate(
        &mut self,
        network: &N,
        step: u64,
    ) -> Result<Option<f64>, Box<dyn std::error::Error + Send + Sync>>;

    /// Saves what is needed to continue. `is_best`: this network has the best score so far.
    fn save(
        &mut self,
        network: &N,
        optimizer: &ModuleOptimizer,
        state: &TrainState,
        is_best: bool,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// What is trained on.
pub struct TrainingSet<'d, B> {
    /// The lengths of the examples, for batches of similar lengths.
    pub lengths: &'d [usize],
    /// Makes a batch of some examples.
    pub batch: &'d (dyn Fn(&[usize]) -> B + Sync),
}

/// How fast training is, and when it was saved.
struct Pace {
    started: Instant,
    examples: usize,
    saved: u64,
}

/// Trains a network; with a state and an optimiser of an earlier training, continues it.
pub struct Trainer<'s> {
    /// Settings of the loop.
    pub settings: &'s LoopSettings,
    /// Settings of the optimiser.
    pub optimiser: &'s OptimiserSettings,
    /// The seed of order and dropout.
    pub seed: u64,
    /// The device, without autodiff.
    pub device: Device,
}

impl Trainer<'_> {
    /// Trains until a limit is reached, the score does not improve, or the observer stops it. Returns the last network.
    pub fn fit<N: Network>(
        &self,
        network: N,
        optimizer: ModuleOptimizer,
        state: &mut TrainState,
        data: &TrainingSet<'_, N::Batch>,
        observer: &mut dyn Observer<N>,
    ) -> Result<(N, StopReason), FitError> {
        if data.lengths.is_empty() {
            return Err(FitError::NoExamples);
        }
        let device = self.device.clone().autodiff();
        let mut network = numbered(network).fork(&device).train();
        let mut optimizer = optimizer;
        let mut pace = Pace { started: Instant::now(), examples: 0, saved: state.step };
        if state.step == 0 {
            observer.save(&network.valid(), &optimizer, state, false)?;
        } else if self.is_due(state) && state.evaluations.last().is_none_or(|last| last.step != state.step) {
            // Training was stopped before this evaluation.
            let is_best = self.evaluate(&network, state, observer)?;
            observer.save(&network.valid(), &optimizer, state, is_best)?;
        }
        let mut epoch = batches(data.lengths, self.settings.batch, self.seed, state.epoch);
        loop {
            if let Some(stop) = self.ended(state) {
                return Ok((network.valid(), stop));
            }
            let until = (state.batch + self.settings.accumulate.max(1)).min(epoch.len());
            let parts = &epoch[state.batch..until];
            let (loss, gradients) = self.gradients(&network, parts, data, state.step, &device)?;
            let (gradients, size) = self.checked(&network, loss, gradients, state)?;
            let rate = self.optimiser.rate(state.step, state.epoch);
            network = optimizer.step(rate, network, gradients);
            pace.examples += parts.iter().map(Vec::len).sum::<usize>();
            let report = StepReport {
                step: state.step + 1,
                steps: self.steps(data.lengths.len()),
                epoch: state.epoch,
                loss,
                norm: size,
                examples_per_second: cast::float(pace.examples)
                    / pace.started.elapsed().as_secs_f64().max(1e-9),
            };
            state.step += 1;
            state.losses.push(cast::single(loss));
            state.batch = until;
            if state.batch >= epoch.len() {
                (state.epoch, state.batch) = (state.epoch + 1, 0);
                epoch = batches(data.lengths, self.settings.batch, self.seed, state.epoch);
            }
            if observer.step(&report).is_break() {
                observer.save(&network.valid(), &optimizer, state, false)?;
                return Ok((network.valid(), StopReason::Cancelled));
            }
            if self.is_due(state) {
                let is_best = self.evaluate(&network, state, observer)?;
                observer.save(&network.valid(), &optimizer, state, is_best)?;
                pace.saved = state.step;
            } else if state.step - pace.saved >= self.settings.save_every.max(1) {
                observer.save(&network.valid(), &optimizer, state, false)?;
                pace.saved = state.step;
            }
        }
    }

    /// Maximum number of steps for a number of examples.
    pub fn steps(&self, examples: usize) -> u64 {
        let batches = examples.div_ceil(self.settings.batch.max(1)) as u64;
        let steps = batches.div_ceil(self.settings.accumulate.max(1) as u64);
        steps.saturating_mul(self.settings.max_epochs).min(self.settings.max_steps)
    }

    /// Whether training is over.
    fn ended(&self, state: &TrainState) -> Option<StopReason> {
        let LoopSettings { max_steps, max_epochs, patience, .. } = *self.settings;
        if state.epoch >= max_epochs || state.step >= max_steps {
            Some(StopReason::Limit)
        } else {
            (patience > 0 && state.since_best() >= patience).then_some(StopReason::Patience)
        }
    }

    /// Whether there is an evaluation after the last step.
    fn is_due(&self, state: &TrainState) -> bool {
        state.step.is_multiple_of(self.settings.evaluate_every.max(1))
            || state.step >= self.settings.max_steps
            || state.epoch >= self.settings.max_epochs
    }

    /// The gradients within their limit, and their norm before.
    fn checked<N: Network>(
        &self,
        network: &N,
        loss: f64,
        gradients: GradientsParams,
        state: &TrainState,
    ) -> Result<(GradientsParams, f64), FitError> {
        let size = norm(network, &gradients);
        let clip = self.optimiser.clip;
        if !loss.is_finite() || !size.is_finite() || state.is_diverging(loss) {
            let rate_at_step = self.optimiser.rate(state.step, state.epoch);
            let rate = self.optimiser.learning_rate;
            return Err(FitError::Diverged { step: state.step + 1, loss, rate, rate_at_step, clip });
        }
        let is_large = clip > 0.0 && size > clip;
        let gradients = if is_large { scaled(network, gradients, clip / size) } else { gradients };
        Ok((gradients, size))
    }

    /// Evaluates, and returns whether this is the best network so far.
    fn evaluate<N: Network>(
        &self,
        network: &N,
        state: &mut TrainState,
        observer: &mut dyn Observer<N>,
    ) -> Result<bool, FitError> {
        let Some(score) = observer.evaluate(&network.valid(), state.step)? else { return Ok(true) };
        let is_best = state.best().is_none_or(|best| score >= best.score);
        state.evaluations.push(DevEvaluation { step: state.step, score });
        Ok(is_best)
    }

    /// The loss and the gradients of some batches. Each batch is divided into parts, and each part has a thread and a copy of the network.
    fn gradients<N: Network>(
        &self,
        network: &N,
        parts: &[Vec<usize>],
        data: &TrainingSet<'_, N::Batch>,
        step: u64,
        device: &Device,
    ) -> Result<(f64, GradientsParams), FitError> {
        let mut accumulator = GradientsAccumulator::new();
        let mut loss = 0.0;
        for (number, examples) in parts.iter().enumerate() {
            let batch = (data.batch)(examples);
            let weight = network.weight(&batch) * cast::float(parts.len());
            let rows = batch.rows();
            let size = rows.div_ceil(self.settings.parts.max(1));
            let starts: Vec<usize> = (0..rows).step_by(size.max(1)).collect();
            let one = |(part, &start): (usize, &usize)| {
                let own = network.clone().fork(device).train();
                let seed = mixed(self.seed ^ mixed(step) ^ ((number as u64) << 32) ^ part as u64);
                let rows = batch.part(start..(start + size).min(rows));
                let loss = own.loss(&rows, &Pass::training(seed), device).div_scalar(weight);
                let value = f64::from(loss.clone().into_scalar::<f32>());
                (value, GradientsParams::from_grads(loss.backward(), &own))
            };
            let results: Vec<std::thread::Result<(f64, GradientsParams)>> = std::thread::scope(|scope| {
                let one = &one;
                let threads: Vec<_> =
                    starts.iter().enumerate().map(|part| scope.spawn(move || one(part))).collect();
                threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
            });
            for result in results {
                let (value, gradients) =
                    result.map_err(|_| FitError::Observer("a training thread panicked".into()))?;
                loss += value;
                accumulator.accumulate(network, gradients);
            }
        }
        Ok((loss, accumulator.grads()))
    }
}
