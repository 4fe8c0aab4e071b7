//! Convolutional sequence to sequence: gated convolutions with attention in every block of the decoder.

use super::Seq2Seq;
use crate::cast;
use burn::module::{Module, Param};
use burn::nn::{Embedding, Linear};
use burn::tensor::activation::{sigmoid, softmax};
use burn::tensor::{Device, Int, Tensor};
use serde::{Deserialize, Serialize};
use touchstone_train::kernels::cross_entropy;
use touchstone_train::layers::{Scale, Uniform, embedding, linear};
use touchstone_train::{Network, PairBatch, Pass, Rows};

/// Sizes and dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvS2sSizes {
    /// Size of the word vectors.
    pub embedding: usize,
    /// Number of channels.
    pub hidden: usize,
    /// Number of blocks of the encoder, and of the decoder.
    pub blocks: usize,
    /// Width of the convolutions, an odd number.
    pub kernel: usize,
    /// Dropout.
    pub dropout: f64,
    /// Maximum number of positions.
    pub positions: usize,
    /// What the inputs of the decoder's convolutions are padded with on the left, in every block. The notebook takes the number of the padding
    /// word, which is 1 in its vocabulary and 0 in ours.
    pub pad_value: f32,
}

/// A convolution over positions, as one matrix product: the neighbours of a position are put side by side.
#[derive(Module, Debug)]
pub struct Convolution {
    /// `[kernel * input, 2 * output]`
    pub weight: Param<Tensor<2>>,
    /// `[2 * output]`
    pub bias: Param<Tensor<1>>,
    #[module(skip)]
    kernel: usize,
}

impl Convolution {
    fn new(hidden: usize, kernel: usize, uniform: &mut Uniform, device: &Device) -> Convolution {
        let (inputs, outputs) = (kernel * hidden, 2 * hidden);
        Convolution {
            weight: Param::from_tensor(uniform.tensor([inputs, outputs], inputs, outputs, device)),
            bias: Param::from_tensor(uniform.tensor([outputs], inputs, outputs, device)),
            kernel,
        }
    }

    /// Convolution and gate: the input is already padded by `kernel - 1` positions.
    fn forward(&self, padded: Tensor<3>) -> Tensor<3> {
        let [batch, length, input] = padded.dims();
        let time = length + 1 - self.kernel;
        let shifted = |by: usize| padded.clone().slice([0..batch, by..by + time, 0..input]);
        let beside = Tensor::cat((0..self.kernel).map(shifted).collect(), 2);
        let outputs = self.weight.val().dims()[1];
        let all = burn::tensor::module::linear(beside, self.weight.val(), Some(self.bias.val()));
        let half = outputs / 2;
        let left = all.clone().slice([0..batch, 0..time, 0..half]);
        left * sigmoid(all.slice([0..batch, 0..time, half..outputs]))
    }
}

/// Encoder or decoder.
#[derive(Module, Debug)]
pub struct ConvStack {
    /// Vectors of words.
    pub words: Embedding,
    /// Vectors of positions.
    pub positions: Embedding,
    /// From vectors to channels.
    pub widen: Linear,
    /// From channels to vectors.
    pub narrow: Linear,
    /// The convolutions.
    pub convolutions: Vec<Convolution>,
}

impl ConvStack {
    fn new(words: usize, sizes: &ConvS2sSizes, uniform: &mut Uniform, device: &Device) -> ConvStack {
        let ConvS2sSizes { embedding: size, hidden, blocks, kernel, positions, .. } = *sizes;
        // PyTorch draws embeddings from a normal distribution with variance 1; a uniform one with the same variance is used here.
        let mut vectors = uniform.scaled(Scale::Bound(3.0_f64.sqrt()));
        ConvStack {
            words: embedding(words, size, &mut vectors, device),
            positions: embedding(positions, size, &mut vectors, device),
            widen: linear(size, hidden, true, uniform, device),
            narrow: linear(hidden, size, true, uniform, device),
            convolutions: (0..blocks).map(|_| Convolution::new(hidden, kernel, uniform, device)).collect(),
        }
    }

    /// Vectors of words at positions from `first` on.
    fn embedded(&self, words: Tensor<2, Int>, first: usize, dropout: f64, pass: &Pass) -> Tensor<3> {
        let [_, time] = words.dims();
        let vectors = self.words.forward(words);
        let size = vectors.dims()[2];
        let positions = self.positions.weight.val().slice([first..first + time, 0..size]);
        let positions = positions.reshape([1, time, size]);
        pass.dropout(vectors + positions, dropout)
    }
}

/// The network.
#[derive(Module, Debug)]
pub struct ConvS2s {
    /// Reads the source.
    pub encoder: ConvStack,
    /// Writes the target.
    pub decoder: ConvStack,
    /// From the channels of a block to a query.
    pub attend: Linear,
    /// From the context to channels.
    pub attended: Linear,
    /// To the words.
    pub output: Linear,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    pad_value: f32,
    #[module(skip)]
    is_blind: bool,
}

impl ConvS2s {
    /// A network with PyTorch's initial distribution.
    pub fn new(
        sizes: &ConvS2sSizes,
        source_words: usize,
        target_words: usize,
        seed: u64,
        device: &Device,
    ) -> Self {
        let mut uniform = Uniform::new(Scale::FanIn, seed);
        let ConvS2sSizes { embedding: size, hidden, dropout, pad_value, .. } = *sizes;
        ConvS2s {
            encoder: ConvStack::new(source_words, sizes, &mut uniform, device),
            decoder: ConvStack::new(target_words, sizes, &mut uniform.scaled(Scale::FanIn), device),
            attend: linear(hidden, size, true, &mut uniform, device),
            attended: linear(size, hidden, true, &mut uniform, device),
            output: linear(size, target_words, true, &mut uniform, device),
            dropout,
            pad_value,
            is_blind: false,
        }
    }

    /// What is compared with queries, and what is taken from the source.
    fn encoded(&self, source: &Rows, pass: &Pass, device: &Device) -> (Tensor<3>, Tensor<3>) {
        let vectors = self.encoder.embedded(source.tensor(device), 0, self.dropout, pass);
        let mut channels = self.encoder.widen.forward(vectors.clone());
        let [batch, _, hidden] = channels.dims();
        for convolution in &self.encoder.convolutions {
            let sides = Tensor::zeros([batch, convolution.kernel / 2, hidden], device);
            let input = pass.dropout(channels.clone(), self.dropout);
            let padded = Tensor::cat(vec![sides.clone(), input, sides], 1);
            channels = (convolution.forward(padded) + channels).mul_scalar(HALF_ROOT);
        }
        let keys = self.encoder.narrow.forward(channels);
        match self.is_blind {
            true => (keys.zeros_like(), keys.zeros_like()),
            false => (keys.clone(), (keys + vectors).mul_scalar(HALF_ROOT)),
        }
    }

    /// What the output layer reads for words, and the inputs of the convolutions at the last positions, for the words after them.
    fn decoded(
        &self,
        words: Tensor<2, Int>,
        memory: &ConvMemory,
        pass: &Pass,
    ) -> (Tensor<3>, Vec<Tensor<3>>) {
        let vectors = self.decoder.embedded(words, memory.written, self.dropout, pass);
        let mut channels = self.decoder.widen.forward(vectors.clone());
        let mut inputs = Vec::with_capacity(memory.inputs.len());
        for (convolution, before) in self.decoder.convolutions.iter().zip(&memory.inputs) {
            let input = pass.dropout(channels.clone(), self.dropout);
            let padded = Tensor::cat(vec![before.clone(), input], 1);
            let [batch, time, hidden] = padded.dims();
            inputs.push(padded.clone().slice([0..batch, time + 1 - convolution.kernel..time, 0..hidden]));
            let gated = convolution.forward(padded);
            let query = (self.attend.forward(gated.clone()) + vectors.clone()).mul_scalar(HALF_ROOT);
            let weights = softmax(query.matmul(memory.keys.clone().swap_dims(1, 2)), 2);
            let context = self.attended.forward(weights.matmul(memory.values.clone()));
            let gated = (gated + context).mul_scalar(HALF_ROOT);
            channels = (gated + channels).mul_scalar(HALF_ROOT);
        }
        (pass.dropout(self.decoder.narrow.forward(channels), self.dropout), inputs)
    }

    fn memory(&self, source: &Rows, pass: &Pass, device: &Device) -> ConvMemory {
        let (keys, values) = self.encoded(source, pass, device);
        let hidden = self.decoder.widen.weight.val().dims()[1];
        let padding = |convolution: &Convolution| {
            Tensor::full([source.rows(), convolution.kernel - 1, hidden], self.pad_value, device)
        };
        let inputs = self.decoder.convolutions.iter().map(padding).collect();
        ConvMemory { keys, values, inputs, written: 0 }
    }

    /// The logits of all positions, with the right words before them.
    pub fn logits(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        self.output.forward(self.vectors(batch, pass, device))
    }

    /// What the output layer reads at all positions.
    fn vectors(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        let memory = self.memory(&batch.source, pass, device);
        self.decoded(batch.input.tensor(device), &memory, pass).0
    }
}

/// The square root of 1/2: keeps the variance of a sum of two.
const HALF_ROOT: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl Network for ConvS2s {
    type Batch = PairBatch;

    fn loss(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<1> {
        cross_entropy(self.vectors(batch, pass, device), &self.output, &batch.output, false)
    }

    /// The number of words.
    fn weight(&self, batch: &PairBatch) -> f64 {
        cast::float(batch.output.words())
    }
}

/// What the decoder remembers.
pub struct ConvMemory {
    /// What is compared with queries, and what is taken from the source.
    keys: Tensor<3>,
    values: Tensor<3>,
    /// For each block, the inputs of its convolution at the last `kernel - 1` positions.
    inputs: Vec<Tensor<3>>,
    /// Number of words so far.
    written: usize,
}

impl Seq2Seq for ConvS2s {
    type Memory = ConvMemory;

    fn set_blind(&mut self, is_blind: bool) {
        self.is_blind = is_blind;
    }

    fn encode(&self, source: &Rows, device: &Device) -> ConvMemory {
        self.memory(source, &Pass::inference(), device)
    }

    fn step(&self, memory: ConvMemory, previous: Tensor<1, Int>) -> (Tensor<2>, ConvMemory) {
        let [rows] = previous.dims();
        let (vectors, inputs) = self.decoded(previous.reshape([rows, 1]), &memory, &Pass::inference());
        (
            self.output.forward(vectors.squeeze_dim(1)),
            ConvMemory { inputs, written: memory.written + 1, ..memory },
        )
    }

    fn select(&self, memory: ConvMemory, rows: Tensor<1, Int>) -> ConvMemory {
        let of = |tensor: Tensor<3>| tensor.select(0, rows.clone());
        ConvMemory {
            keys: of(memory.keys),
            values: of(memory.values),
            inputs: memory.inputs.into_iter().map(of).collect(),
            written: memory.written,
        }
    }

    fn max_length(&self) -> Option<usize> {
        Some(self.decoder.positions.weight.val().dims()[0])
    }
}
