//! Trains a network of one's own with the loop: it learns which of four words stands most often in a row.
//!
//!     cargo run -p touchstone-train --example train_network
#![allow(clippy::print_stdout)]

use burn::module::Module;
use burn::nn::{Embedding, Linear};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use std::error::Error;
use std::ops::ControlFlow;
use touchstone_train::layers::{Scale, Uniform, embedding, linear};
use touchstone_train::optimise::OptimiserSettings;
use touchstone_train::{
    LoopSettings, Network, Observer, PairBatch, Pass, SequencePair, StepReport, TrainState, Trainer,
    TrainingSet, device,
};

/// The mean of the vectors of all words, and a linear layer.
#[derive(Module, Debug)]
struct Bag {
    vectors: Embedding,
    output: Linear,
}

impl Bag {
    fn new(device: &Device) -> Bag {
        let mut uniform = Uniform::new(Scale::FanIn, 1);
        Bag {
            vectors: embedding(8, 16, &mut uniform, device),
            output: linear(16, 8, true, &mut uniform, device),
        }
    }

    fn log_probabilities(&self, batch: &PairBatch, device: &Device) -> Tensor<2> {
        let vectors = self.vectors.forward(batch.source.tensor(device));
        let [rows, _, size] = vectors.dims();
        log_softmax(self.output.forward(vectors.mean_dim(1).reshape([rows, size])), 1)
    }
}

impl Network for Bag {
    type Batch = PairBatch;

    fn loss(&self, batch: &PairBatch, _: &Pass, device: &Device) -> Tensor<1> {
        let rows = batch.output.rows();
        let wanted = batch.output.tensor(device).slice([0..rows, 0..1]);
        -self.log_probabilities(batch, device).gather(1, wanted).sum()
    }

    fn weight(&self, batch: &PairBatch) -> f64 {
        batch.output.rows() as f64
    }
}

/// Prints the loss; evaluates and saves nothing.
struct Printer;

type Failure = Box<dyn Error + Send + Sync>;

impl Observer<Bag> for Printer {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if report.step.is_multiple_of(20) {
            println!("step {}: loss {:.3}", report.step, report.loss);
        }
        ControlFlow::Continue(())
    }

    fn evaluate(&mut self, _: &Bag, _: u64) -> Result<Option<f64>, Failure> {
        Ok(None)
    }

    fn save(
        &mut self,
        _: &Bag,
        _: &burn::optim::ModuleOptimizer,
        _: &TrainState,
        _: bool,
    ) -> Result<(), Failure> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. Examples: five words of four, and the one that stands most often.
    let row = |number: u32| -> Vec<u32> { (0..5).map(|at| 4 + (number * 7 + at * number / 3) % 4).collect() };
    let most = |row: &[u32]| (4..8).max_by_key(|word| row.iter().filter(|other| *other == word).count());
    let pair = |source: Vec<u32>| SequencePair { target: most(&source).into_iter().collect(), source };
    let pairs: Vec<SequencePair> = (0..200).map(|number| pair(row(number))).collect();

    // 2. Settings of the loop and of the optimiser.
    let settings = LoopSettings {
        batch: 20,
        accumulate: 1,
        max_steps: 200,
        max_epochs: 100,
        evaluate_every: 50,
        patience: 0,
        save_every: 50,
        parts: 2,
    };
    let optimiser = OptimiserSettings { clip: 1.0, ..OptimiserSettings::adam(0.02) };

    // 3. Training, in two threads.
    let lengths: Vec<usize> = pairs.iter().map(|pair| pair.source.len()).collect();
    let batch =
        |examples: &[usize]| PairBatch::new(&examples.iter().map(|&at| &pairs[at]).collect::<Vec<_>>(), 10);
    let trainer = Trainer { settings: &settings, optimiser: &optimiser, seed: 1, device: device() };
    let data = TrainingSet { lengths: &lengths, batch: &batch };
    let mut state = TrainState::default();
    let (_, stop) =
        trainer.fit(Bag::new(&device()), optimiser.optimizer(), &mut state, &data, &mut Printer)?;
    println!("{stop:?} after {} steps", state.step);
    Ok(())
}
