//! Training and greedy decoding of `sup-sparql` and `transformer`, compared with PyTorch on the same batches.
//!
//! `cargo bench -p touchstone-models --bench training` prints examples a second, decoded questions a second, and peak memory.
//! With `TOUCHSTONE_TORCH` naming a Python that has PyTorch, `tools/models/bench.py` runs the same batches in turns, and ratios are printed.
//! Both sides have two threads. `-- --system transformer` measures one system, `-- --rounds 5` more rounds than 3.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

#[path = "support/peer.rs"]
mod peer;
#[path = "support/task.rs"]
mod task;

use burn::optim::ModuleOptimizer;
use burn::tensor::Device;
use peer::Peer;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use task::{BATCHES, Task, WORDS};
use touchstone_models::networks::{
    NetworkDecoder, Seq2Seq, SupSparql, SupSparqlSizes, Transformer, TransformerSizes,
};
use touchstone_train::decode::{Decoder, greedy};
use touchstone_train::optimise::OptimiserSettings;
use touchstone_train::{END, LoopSettings, Observer, START, StepReport, TrainState, Trainer, TrainingSet};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const THREADS: usize = 2;
const SEED: u64 = 7;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value_of = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let rounds: usize = value_of("--rounds").map_or(3, |n| n.parse().unwrap());
    if let Some(system) = value_of("--only") {
        measure(system, rounds);
        return;
    }
    // A process for each system: peak memory is of a process.
    for system in ["sup-sparql", "transformer"] {
        if value_of("--system").is_some_and(|only| only != system) {
            continue;
        }
        let program = std::env::current_exe().unwrap();
        let rounds = rounds.to_string();
        let status =
            std::process::Command::new(program).args(["--only", system, "--rounds", &rounds]).status();
        assert!(status.unwrap().success());
    }
}

fn measure(system: &str, rounds: usize) {
    let device = Device::flex();
    match system {
        "sup-sparql" => {
            let sizes =
                SupSparqlSizes { embedding: 300, hidden: 512, layers: 2, dropout: 0.3, masks_source: true };
            let network = SupSparql::new(&sizes, WORDS, WORDS, SEED, &device);
            compare(system, network, serde_json::to_value(&sizes).unwrap(), &Task::new(64, 0.0), rounds);
        }
        _ => {
            let sizes = TransformerSizes {
                size: 256,
                layers: 3,
                heads: 8,
                feed_forward: 512,
                dropout: 0.1,
                positions: 100,
            };
            let network = Transformer::new(&sizes, WORDS, WORDS, SEED, &device);
            compare(system, network, serde_json::to_value(&sizes).unwrap(), &Task::new(128, 1.0), rounds);
        }
    }
}

fn compare<N: Seq2Seq>(system: &str, network: N, sizes: serde_json::Value, task: &Task, rounds: usize) {
    println!(
        "\n{system}: {:.1} M parameters, {BATCHES} batches of {}, {THREADS} threads",
        network.num_params() as f64 / 1e6,
        task.batch
    );
    let mut peer = Peer::start(Path::new(env!("CARGO_MANIFEST_DIR")), system, sizes, task, THREADS);
    if let Some(peer) = &mut peer {
        let parameters = peer.ask("parameters") as usize;
        assert_eq!(parameters, network.num_params(), "the networks differ");
    }
    let (mut ours, mut theirs) = (Best::new(), Best::new());
    for _ in 0..rounds {
        ours.note(timed(|| train(&network, task)), timed(|| decode(&network, task)));
        if let Some(peer) = &mut peer {
            theirs.note(peer.ask("train"), peer.ask("decode"));
        }
    }
    let examples = task.pairs.len() as f64;
    let row = |name: &str, ours: f64, theirs: f64, unit: &str, is_less_better: bool| {
        let ratio = if is_less_better { theirs / ours } else { ours / theirs };
        match peer {
            Some(_) => println!("  {name:18} {ours:8.0} {unit}, PyTorch {theirs:8.0}, ratio {ratio:.2}"),
            None => println!("  {name:18} {ours:8.0} {unit}"),
        }
    };
    row("training", examples / ours.train, examples / theirs.train, "examples/s ", false);
    row("greedy decoding", examples / ours.decode, examples / theirs.decode, "questions/s", false);
    let memory = peer::peak_memory();
    println!("  {:18} {memory:8.0} MB", "peak memory");
    if let Some(mut peer) = peer {
        let theirs = peer.ask("memory");
        println!("  {:18} {theirs:8.0} MB, ratio {:.2}", "PyTorch's", theirs / memory);
    }
}

/// The best rounds, in seconds.
struct Best {
    train: f64,
    decode: f64,
}

impl Best {
    fn new() -> Best {
        Best { train: f64::INFINITY, decode: f64::INFINITY }
    }

    fn note(&mut self, train: f64, decode: f64) {
        self.train = self.train.min(train);
        self.decode = self.decode.min(decode);
    }
}

fn timed(run: impl FnOnce()) -> f64 {
    let started = Instant::now();
    run();
    started.elapsed().as_secs_f64()
}

/// Training without evaluations and saved states.
struct Silent;

impl<N> Observer<N> for Silent {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn evaluate(&mut self, _: &N, _: u64) -> Result<Option<f64>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(None)
    }

    fn save(
        &mut self,
        _: &N,
        _: &ModuleOptimizer,
        _: &TrainState,
        _: bool,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// One epoch, as `touchstone train` runs it.
fn train<N: Seq2Seq>(network: &N, task: &Task) {
    let settings = LoopSettings {
        batch: task.batch,
        accumulate: 1,
        max_steps: u64::MAX,
        max_epochs: 1,
        evaluate_every: u64::MAX,
        patience: 0,
        save_every: u64::MAX,
        parts: THREADS,
    };
    let optimiser = OptimiserSettings { clip: task.clip, ..OptimiserSettings::adam(1e-4) };
    let trainer =
        Trainer { settings: &settings, optimiser: &optimiser, seed: task::SEED, device: Device::flex() };
    let lengths = task.lengths();
    let data = TrainingSet { lengths: &lengths, batch: &|examples| task.batch_of(examples) };
    let mut state = TrainState::default();
    trainer.fit(network.clone(), optimiser.optimizer(), &mut state, &data, &mut Silent).unwrap();
    assert_eq!(state.losses.len(), BATCHES);
    assert!(state.losses.iter().all(|loss| loss.is_finite()));
}

/// A decoder whose rows end where the right target ends, so that both sides decode the same number of words.
struct Ending<'n, N> {
    decoder: NetworkDecoder<'n, N>,
}

/// The state of a decoder, its step, and after how many steps each row ends.
struct EndingState<M> {
    memory: M,
    step: usize,
    ends: Vec<usize>,
}

impl<N: Seq2Seq> Decoder for Ending<'_, N> {
    type State = EndingState<N::Memory>;

    fn next(&self, state: Self::State, previous: &[u32]) -> (Vec<Vec<f32>>, Self::State) {
        let (mut log_probs, memory) = self.decoder.next(state.memory, previous);
        let step = state.step + 1;
        for (row, end) in log_probs.iter_mut().zip(&state.ends) {
            row[END as usize] = if step >= *end { f32::INFINITY } else { f32::NEG_INFINITY };
        }
        (log_probs, EndingState { memory, step, ends: state.ends })
    }

    fn select(&self, state: Self::State, rows: &[usize]) -> Self::State {
        let ends = rows.iter().map(|&row| state.ends[row]).collect();
        EndingState { memory: self.decoder.select(state.memory, rows), step: state.step, ends }
    }
}

/// Decodes all questions, one thread for each half of the batches.
fn decode<N: Seq2Seq>(network: &N, task: &Task) {
    let batches = task.batches();
    std::thread::scope(|scope| {
        for share in batches.chunks(batches.len().div_ceil(THREADS)) {
            scope.spawn(move || {
                let device = Device::flex();
                for examples in share {
                    let batch = task.batch_of(examples);
                    let ends: Vec<usize> =
                        examples.iter().map(|&at| task.pairs[at].target.len() + 1).collect();
                    let longest = ends.iter().copied().max().unwrap_or(0);
                    let decoder = Ending { decoder: NetworkDecoder { network, device: &device } };
                    let memory = network.encode(&batch.source, &device);
                    let rows = ends.len();
                    let state = EndingState { memory, step: 0, ends };
                    let decoded = greedy(&decoder, state, rows, START, longest);
                    assert!(decoded.iter().all(|one| one.is_finished));
                }
            });
        }
    });
}
