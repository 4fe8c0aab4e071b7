//! Random questions and queries, in the batches of an epoch.

use touchstone_train::{PairBatch, SequencePair, batches};

pub const WORDS: usize = 5_000;
pub const BATCHES: usize = 8;
pub const SEED: u64 = 11;
/// Words of questions, and of queries: shortest and longest.
const SOURCE: (usize, usize) = (8, 20);
const TARGET: (usize, usize) = (12, 45);

pub struct Task {
    pub batch: usize,
    pub clip: f64,
    pub pairs: Vec<SequencePair>,
}

impl Task {
    pub fn new(batch: usize, clip: f64) -> Task {
        let mut state = SEED;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut words = |(least, most): (usize, usize)| {
            let n = least + below(most - least + 1);
            (0..n).map(|_| 4 + below(WORDS - 4) as u32).collect()
        };
        let pairs = (0..batch * BATCHES)
            .map(|_| SequencePair { source: words(SOURCE), target: words(TARGET) })
            .collect();
        Task { batch, clip, pairs }
    }

    pub fn lengths(&self) -> Vec<usize> {
        self.pairs.iter().map(|pair| pair.target.len()).collect()
    }

    /// The batches of the first epoch.
    pub fn batches(&self) -> Vec<Vec<usize>> {
        batches(&self.lengths(), self.batch, SEED, 0)
    }

    pub fn batch_of(&self, examples: &[usize]) -> PairBatch {
        let pairs: Vec<&SequencePair> = examples.iter().map(|&at| &self.pairs[at]).collect();
        PairBatch::new(&pairs, 100)
    }
}
