//! Padded batches of texts for an encoder.

use super::pieces::TextPieces;
use crate::batch::TrainBatch;
use crate::cast;
use burn::tensor::{Device, Int, Tensor, TensorData};
use std::ops::Range;

/// A batch of texts, all padded to the same number of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderBatch {
    numbers: Vec<i32>,
    types: Vec<i32>,
    lengths: Vec<usize>,
    length: usize,
}

impl EncoderBatch {
    /// Pads texts to the longest one; at least to one piece.
    pub fn new(texts: &[TextPieces]) -> EncoderBatch {
        let lengths: Vec<usize> = texts.iter().map(|text| text.pieces.len()).collect();
        let length = lengths.iter().copied().max().unwrap_or(0).max(1);
        let n = texts.len() * length;
        let (mut numbers, mut types) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (row, text) in texts.iter().enumerate() {
            numbers.extend(text.pieces.iter().map(|piece| piece.number.cast_signed()));
            types.extend(text.pieces.iter().map(|piece| piece.kind.cast_signed()));
            // What the padding is does not matter: it is masked.
            numbers.resize((row + 1) * length, 0);
            types.resize((row + 1) * length, 0);
        }
        EncoderBatch { numbers, types, lengths, length }
    }

    /// Number of texts.
    pub fn texts(&self) -> usize {
        self.lengths.len()
    }

    /// Number of positions of each text.
    pub fn length(&self) -> usize {
        self.length
    }

    fn table(&self, values: &[i32], device: &Device) -> Tensor<2, Int> {
        Tensor::from_data(TensorData::new(values.to_vec(), [self.texts(), self.length]), device)
    }

    /// The numbers of pieces, `[texts, pieces]`.
    pub fn numbers(&self, device: &Device) -> Tensor<2, Int> {
        self.table(&self.numbers, device)
    }

    /// The token types, `[texts, pieces]`.
    pub fn types(&self, device: &Device) -> Tensor<2, Int> {
        self.table(&self.types, device)
    }

    /// 1 where there is a piece, 0 at the padding: `[texts, pieces]`.
    pub fn mask(&self, device: &Device) -> Tensor<2> {
        let row = |&n: &usize| (0..self.length).map(move |at| if at < n { 1.0_f32 } else { 0.0 });
        let mask: Vec<f32> = self.lengths.iter().flat_map(row).collect();
        Tensor::from_data(TensorData::new(mask, [self.texts(), self.length]), device)
    }

    /// The means `[texts, size]` over the vectors `[texts, pieces, size]` of all pieces, special ones included.
    pub fn mean(&self, vectors: Tensor<3>) -> Tensor<2> {
        let [rows, length, size] = vectors.dims();
        let shares: Vec<f32> = self
            .lengths
            .iter()
            .flat_map(|&n| {
                (0..length).map(move |at| if at < n { cast::single(1.0 / cast::float(n)) } else { 0.0 })
            })
            .collect();
        let shares = Tensor::<3>::from_data(TensorData::new(shares, [rows, 1, length]), &vectors.device());
        shares.matmul(vectors).reshape([rows, size])
    }
}

impl TrainBatch for EncoderBatch {
    fn rows(&self) -> usize {
        self.texts()
    }

    fn part(&self, rows: Range<usize>) -> EncoderBatch {
        let numbers = rows.start * self.length..rows.end * self.length;
        EncoderBatch {
            numbers: self.numbers[numbers.clone()].to_vec(),
            types: self.types[numbers].to_vec(),
            lengths: self.lengths[rows].to_vec(),
            length: self.length,
        }
    }
}
