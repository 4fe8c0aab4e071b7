//! Decoding: greedy and beam search over any network that predicts the next word.

use crate::cast;
use crate::kernels::math::{greatest, log_sum_exp};
use crate::vocabulary::END;
use burn::tensor::{Device, Int, Tensor, TensorData};

/// A network that predicts one word after another. A state holds several rows, one for each open hypothesis.
pub trait Decoder {
    /// What is known after some words.
    type State;

    /// The log-probabilities `[rows, words]` of the next word after `previous`, and the state after it.
    fn next(&self, state: Self::State, previous: &[u32]) -> (Vec<Vec<f32>>, Self::State);

    /// The state with some rows, in their order; a row may occur several times.
    fn select(&self, state: Self::State, rows: &[usize]) -> Self::State;
}

/// A decoded sequence, without start and end.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The words.
    pub words: Vec<u32>,
    /// The log-probability of each word, and of the end if it was reached.
    pub log_probs: Vec<f32>,
    /// Whether the end was reached within the maximum length.
    pub is_finished: bool,
}

impl Decoded {
    /// The sum of the log-probabilities.
    pub fn score(&self) -> f64 {
        self.log_probs.iter().map(|&value| f64::from(value)).sum()
    }
}

/// The most likely next word at each step, for all rows of a state at once.
pub fn greedy<D: Decoder>(
    decoder: &D,
    state: D::State,
    rows: usize,
    start: u32,
    max_length: usize,
) -> Vec<Decoded> {
    let empty = || Decoded { words: Vec::new(), log_probs: Vec::new(), is_finished: false };
    let mut decoded: Vec<Decoded> = (0..rows).map(|_| empty()).collect();
    let mut open: Vec<usize> = (0..rows).collect();
    let mut previous = vec![start; rows];
    let mut state = state;
    for _ in 0..max_length {
        let (log_probs, next) = decoder.next(state, &previous);
        let mut kept = Vec::new();
        previous.clear();
        for (at, (row, log_probs)) in open.iter().zip(&log_probs).enumerate() {
            let Some((word, value)) = best(log_probs) else { continue };
            decoded[*row].log_probs.push(value);
            if word == END {
                decoded[*row].is_finished = true;
            } else {
                decoded[*row].words.push(word);
                previous.push(word);
                kept.push(at);
            }
        }
        if kept.is_empty() {
            break;
        }
        state = if kept.len() == open.len() { next } else { decoder.select(next, &kept) };
        open = kept.iter().map(|&at| open[at]).collect();
    }
    decoded
}

/// The best sequences of one row, best first. Finished hypotheses keep their score and compete with open ones.
pub fn beam<D: Decoder>(
    decoder: &D,
    state: D::State,
    start: u32,
    width: usize,
    max_length: usize,
) -> Vec<Decoded> {
    let mut state = state;
    let mut open = vec![Decoded { words: Vec::new(), log_probs: Vec::new(), is_finished: false }];
    let mut finished: Vec<Decoded> = Vec::new();
    for _ in 0..max_length {
        let previous: Vec<u32> = open.iter().map(|one| one.words.last().copied().unwrap_or(start)).collect();
        let (log_probs, next) = decoder.next(state, &previous);
        // Finished ones have no row.
        let mut all: Vec<(Option<usize>, Decoded)> =
            finished.drain(..).map(|hypothesis| (None, hypothesis)).collect();
        for (row, (hypothesis, log_probs)) in open.iter().zip(&log_probs).enumerate() {
            for (word, value) in top(log_probs, width) {
                let mut longer = hypothesis.clone();
                longer.log_probs.push(value);
                longer.is_finished = word == END;
                if !longer.is_finished {
                    longer.words.push(word);
                }
                all.push((Some(row), longer));
            }
        }
        all.sort_by(|one, other| other.1.score().total_cmp(&one.1.score()));
        all.truncate(width);
        let mut rows = Vec::new();
        open.clear();
        for (row, hypothesis) in all {
            match row.filter(|_| !hypothesis.is_finished) {
                Some(row) => {
                    rows.push(row);
                    open.push(hypothesis);
                }
                None => finished.push(hypothesis),
            }
        }
        if open.is_empty() {
            break;
        }
        state = decoder.select(next, &rows);
    }
    finished.append(&mut open);
    finished.sort_by(|one, other| other.score().total_cmp(&one.score()));
    finished
}

/// The most likely word, the first of several.
pub fn best(log_probs: &[f32]) -> Option<(u32, f32)> {
    let most = greatest(log_probs);
    let at = log_probs.iter().position(|&value| value == most)?;
    Some((cast::index32(at), most))
}

fn top(log_probs: &[f32], n: usize) -> Vec<(u32, f32)> {
    let mut all: Vec<(u32, f32)> = (0_u32..).zip(log_probs.iter().copied()).collect();
    let n = n.min(all.len());
    if n == 0 {
        return Vec::new();
    }
    all.select_nth_unstable_by(n - 1, |one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all.truncate(n);
    all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all
}

/// Numbers as a tensor.
pub fn numbers(values: &[u32], device: &Device) -> Tensor<1, Int> {
    let values: Vec<i32> = values.iter().map(|&value| value.cast_signed()).collect();
    let n = values.len();
    Tensor::from_data(TensorData::new(values, [n]), device)
}

/// Positions of rows as a tensor.
pub fn positions(rows: &[usize], device: &Device) -> Tensor<1, Int> {
    let rows: Vec<i32> = rows.iter().map(|&row| cast::index32(row).cast_signed()).collect();
    let n = rows.len();
    Tensor::from_data(TensorData::new(rows, [n]), device)
}

/// Logits `[rows, words]` as log-probabilities.
pub fn log_probabilities(logits: Tensor<2>) -> Vec<Vec<f32>> {
    let words = logits.dims()[1];
    let values: Vec<f32> = logits.into_data().try_to_vec().unwrap_or_default();
    let one = |row: &[f32]| {
        let sum = log_sum_exp(row);
        row.iter().map(|value| value - sum).collect()
    };
    values.chunks_exact(words.max(1)).map(one).collect()
}
