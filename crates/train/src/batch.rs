//! Padded batches of pairs of sequences.

use crate::cast;
use crate::pass::mixed;
use crate::vocabulary::{END, PAD, START};
use burn::tensor::{Device, Int, Tensor, TensorData};
use std::ops::Range;

/// A source and its target, without start and end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequencePair {
    /// The words of the question.
    pub source: Vec<u32>,
    /// The words of the logical form.
    pub target: Vec<u32>,
}

/// Rows of numbers, all padded to the same length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    numbers: Vec<i32>,
    length: usize,
}

impl Rows {
    /// Pads sequences to the longest one; at least to one position.
    pub fn padded<'s>(rows: impl Iterator<Item = &'s [u32]> + Clone) -> Rows {
        let length = rows.clone().map(<[u32]>::len).max().unwrap_or(0).max(1);
        let mut numbers = Vec::new();
        for row in rows {
            numbers.extend(row.iter().map(|&number| number.cast_signed()));
            numbers.resize(numbers.len() + length - row.len(), PAD.cast_signed());
        }
        Rows { numbers, length }
    }

    /// All numbers, row by row.
    pub fn as_slice(&self) -> &[i32] {
        &self.numbers
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.len() / self.length
    }

    /// Number of positions in a row.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Some of the rows, padded as before.
    #[must_use]
    pub fn part(&self, rows: Range<usize>) -> Rows {
        let numbers = self.numbers[rows.start * self.length..rows.end * self.length].to_vec();
        Rows { numbers, length: self.length }
    }

    /// As a tensor `[rows, length]`.
    pub fn tensor(&self, device: &Device) -> Tensor<2, Int> {
        Tensor::from_data(TensorData::new(self.numbers.clone(), [self.rows(), self.length]), device)
    }

    /// 1 where there is a word, 0 at the padding: `[rows, length]`.
    pub fn mask(&self, device: &Device) -> Tensor<2> {
        let mask: Vec<f32> =
            self.numbers.iter().map(|&number| if number == PAD.cast_signed() { 0.0 } else { 1.0 }).collect();
        Tensor::from_data(TensorData::new(mask, [self.rows(), self.length]), device)
    }

    /// Number of positions that are not padding.
    pub fn words(&self) -> usize {
        self.numbers.iter().filter(|&&number| number != PAD.cast_signed()).count()
    }

    /// Whether nothing is padded.
    pub fn is_full(&self) -> bool {
        self.words() == self.numbers.len()
    }
}

/// A batch of pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairBatch {
    /// The sources.
    pub source: Rows,
    /// The targets with [`START`] before them: the inputs of the decoder.
    pub input: Rows,
    /// The targets with [`END`] after them: what the decoder must say.
    pub output: Rows,
}

impl PairBatch {
    /// Pads pairs. Sequences are cut to `max_length` words. The input of a shorter target goes on with [`END`] and padding, as the published
    /// systems have it.
    pub fn new(pairs: &[&SequencePair], max_length: usize) -> PairBatch {
        let cut = |words: &[u32]| words[..words.len().min(max_length)].to_vec();
        let source: Vec<Vec<u32>> = pairs.iter().map(|pair| cut(&pair.source)).collect();
        let full = |pair: &&SequencePair| [&[START], &cut(&pair.target)[..], &[END]].concat();
        let mut full: Vec<Vec<u32>> = pairs.iter().map(full).collect();
        let longest = full.iter().map(Vec::len).max().unwrap_or(2);
        full.iter_mut().for_each(|row| row.resize(longest, PAD));
        PairBatch {
            source: Rows::padded(source.iter().map(Vec::as_slice)),
            input: Rows::padded(full.iter().map(|row| &row[..longest - 1])),
            output: Rows::padded(full.iter().map(|row| &row[1..])),
        }
    }
}

/// A batch whose rows can be divided among threads.
pub trait TrainBatch: Send + Sync + Sized {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Some of the rows, padded as the whole batch is.
    #[must_use]
    fn part(&self, rows: Range<usize>) -> Self;
}

impl TrainBatch for PairBatch {
    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn part(&self, rows: Range<usize>) -> PairBatch {
        PairBatch {
            source: self.source.part(rows.clone()),
            input: self.input.part(rows.clone()),
            output: self.output.part(rows),
        }
    }
}

/// Number of batches whose examples are sorted by length before they are cut.
const POOL: usize = 50;

/// The examples of an epoch, by position, in batches of similar lengths. The order depends on the seed and the epoch only.
pub fn batches(lengths: &[usize], batch: usize, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
    let mut random = mixed(seed ^ mixed(epoch.wrapping_add(1)));
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    shuffle(&mut order, &mut random);
    let batch = batch.max(1);
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for pool in order.chunks_mut(batch * POOL) {
        pool.sort_by_key(|&at| lengths[at]);
        batches.extend(pool.chunks(batch).map(<[usize]>::to_vec));
    }
    shuffle(&mut batches, &mut random);
    batches
}

fn shuffle<T>(items: &mut [T], random: &mut u64) {
    for at in (1..items.len()).rev() {
        *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        items.swap(at, cast::below(mixed(*random), at + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_padded_and_divided() {
        let long = SequencePair { source: vec![4, 5, 6], target: vec![7] };
        let short = SequencePair { source: vec![8], target: vec![9, 10] };
        let batch = PairBatch::new(&[&long, &short], 2);
        assert_eq!(batch.source.numbers, [4, 5, 8, 0]);
        assert_eq!(batch.input.numbers, [2, 7, 3, 2, 9, 10]);
        assert_eq!(batch.output.numbers, [7, 3, 0, 9, 10, 3]);
        let second = batch.part(1..2);
        assert_eq!((second.source.numbers.as_slice(), second.output.length()), (&[8, 0][..], 3));
        assert_eq!(batch.source.words(), 3);
    }

    #[test]
    fn every_example_is_in_one_batch() {
        let lengths: Vec<usize> = (0..1000).map(|at| at * 7 % 13).collect();
        let epoch = batches(&lengths, 8, 1, 0);
        let mut all: Vec<usize> = epoch.concat();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        assert_eq!(epoch, batches(&lengths, 8, 1, 0));
        assert_ne!(epoch, batches(&lengths, 8, 1, 1));
        let spread = |batch: &Vec<usize>| {
            let of = |at: &usize| lengths[*at];
            batch.iter().map(of).max().unwrap_or(0) - batch.iter().map(of).min().unwrap_or(0)
        };
        assert!(epoch.iter().map(spread).sum::<usize>() < epoch.len() * 2);
    }
}
