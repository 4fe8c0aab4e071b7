//! The Transformer of the neural SPARQL study: learned positions, post-norm, separate norms for each sub-layer.

use super::Seq2Seq;
use crate::cast;
use burn::module::Module;
use burn::nn::{Embedding, LayerNorm, LayerNormConfig, Linear};
use burn::tensor::activation::relu;
use burn::tensor::{Bool, Device, Int, Tensor};
use serde::{Deserialize, Serialize};
use touchstone_train::kernels::cross_entropy;
use touchstone_train::layers::{Heads, KeysValues, Scale, Uniform, embedding, linear};
use touchstone_train::{Network, PAD, PairBatch, Pass, Rows};

/// Sizes and dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformerSizes {
    /// Size of all vectors.
    pub size: usize,
    /// Number of layers of the encoder, and of the decoder.
    pub layers: usize,
    /// Number of heads.
    pub heads: usize,
    /// Size of the hidden layer of feed-forward networks.
    pub feed_forward: usize,
    /// Dropout.
    pub dropout: f64,
    /// Maximum number of positions.
    pub positions: usize,
}

/// The feed-forward network of a layer.
#[derive(Module, Debug)]
pub struct FeedForward {
    /// To the hidden layer.
    pub first: Linear,
    /// Back.
    pub second: Linear,
}

impl FeedForward {
    fn new(size: usize, hidden: usize, uniform: &mut Uniform, device: &Device) -> FeedForward {
        FeedForward {
            first: linear(size, hidden, true, uniform, device),
            second: linear(hidden, size, true, uniform, device),
        }
    }

    fn forward(&self, input: Tensor<3>, dropout: f64, pass: &Pass) -> Tensor<3> {
        self.second.forward(pass.dropout(relu(self.first.forward(input)), dropout))
    }
}

/// A layer of the encoder.
#[derive(Module, Debug)]
pub struct EncoderLayer {
    /// Attention over the source.
    pub own: Heads,
    /// After it.
    pub own_norm: LayerNorm,
    /// Feed-forward.
    pub feed: FeedForward,
    /// After it.
    pub feed_norm: LayerNorm,
}

/// A layer of the decoder.
#[derive(Module, Debug)]
pub struct DecoderLayer {
    /// Attention over the words before.
    pub own: Heads,
    /// After it.
    pub own_norm: LayerNorm,
    /// Attention over the source.
    pub source: Heads,
    /// After it.
    pub source_norm: LayerNorm,
    /// Feed-forward.
    pub feed: FeedForward,
    /// After it.
    pub feed_norm: LayerNorm,
}

/// Vectors of words and positions.
#[derive(Module, Debug)]
pub struct Positioned {
    /// Words.
    pub words: Embedding,
    /// Positions.
    pub positions: Embedding,
}

impl Positioned {
    fn new(words: usize, sizes: &TransformerSizes, uniform: &mut Uniform, device: &Device) -> Positioned {
        Positioned {
            words: embedding(words, sizes.size, uniform, device),
            positions: embedding(sizes.positions, sizes.size, uniform, device),
        }
    }

    /// Vectors of words at positions from `first` on.
    fn forward(&self, words: Tensor<2, Int>, first: usize, dropout: f64, pass: &Pass) -> Tensor<3> {
        let [_, time] = words.dims();
        let vectors = self.words.forward(words);
        let size = vectors.dims()[2];
        let positions = self.positions.weight.val().slice([first..first + time, 0..size]);
        let positions = positions.reshape([1, time, size]);
        pass.dropout(vectors.mul_scalar(cast::float(size).sqrt()) + positions, dropout)
    }
}

/// The network.
#[derive(Module, Debug)]
pub struct Transformer {
    /// Vectors of the source.
    pub source: Positioned,
    /// Vectors of the target.
    pub target: Positioned,
    /// The encoder.
    pub encoder: Vec<EncoderLayer>,
    /// The decoder.
    pub decoder: Vec<DecoderLayer>,
    /// To the words.
    pub output: Linear,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    is_blind: bool,
}

fn norm(size: usize, device: &Device) -> LayerNorm {
    LayerNormConfig::new(size).with_epsilon(1e-5).init(device)
}

impl Transformer {
    /// A network with Glorot's uniform distribution.
    pub fn new(
        sizes: &TransformerSizes,
        source_words: usize,
        target_words: usize,
        seed: u64,
        device: &Device,
    ) -> Self {
        let mut uniform = Uniform::new(Scale::Xavier, seed);
        let TransformerSizes { size, layers, heads, feed_forward, dropout, .. } = *sizes;
        let source = Positioned::new(source_words, sizes, &mut uniform, device);
        let target = Positioned::new(target_words, sizes, &mut uniform, device);
        let encoder = (0..layers)
            .map(|_| EncoderLayer {
                own: Heads::new(size, heads, &mut uniform, device),
                own_norm: norm(size, device),
                feed: FeedForward::new(size, feed_forward, &mut uniform, device),
                feed_norm: norm(size, device),
            })
            .collect();
        let decoder = (0..layers)
            .map(|_| DecoderLayer {
                own: Heads::new(size, heads, &mut uniform, device),
                own_norm: norm(size, device),
                source: Heads::new(size, heads, &mut uniform, device),
                source_norm: norm(size, device),
                feed: FeedForward::new(size, feed_forward, &mut uniform, device),
                feed_norm: norm(size, device),
            })
            .collect();
        let output = linear(size, target_words, true, &mut uniform, device);
        Transformer { source, target, encoder, decoder, output, dropout, is_blind: false }
    }

    fn encoded(&self, source: &Rows, pass: &Pass, device: &Device) -> (Tensor<3>, Tensor<3, Bool>) {
        let hidden = source.mask(device).equal_elem(0.0).reshape([source.rows(), 1, source.length()]);
        let mut vectors = self.source.forward(source.tensor(device), 0, self.dropout, pass);
        for layer in &self.encoder {
            let own = layer.own.forward(vectors.clone(), vectors.clone(), &hidden, self.dropout, pass);
            vectors = layer.own_norm.forward(vectors + pass.dropout(own, self.dropout));
            let fed = layer.feed.forward(vectors.clone(), self.dropout, pass);
            vectors = layer.feed_norm.forward(vectors + pass.dropout(fed, self.dropout));
        }
        let vectors = if self.is_blind { vectors.zeros_like() } else { vectors };
        (vectors, hidden)
    }

    /// A layer of the decoder, for all positions of `vectors`.
    fn decoded(
        &self,
        layer: &DecoderLayer,
        vectors: Tensor<3>,
        own: &Visible<'_>,
        source: &Visible<'_>,
        pass: &Pass,
    ) -> Tensor<3> {
        let found = layer.own.attend(vectors.clone(), own.memory, own.hidden, self.dropout, pass);
        let vectors = layer.own_norm.forward(vectors + pass.dropout(found, self.dropout));
        let found = layer.source.attend(vectors.clone(), source.memory, source.hidden, self.dropout, pass);
        let vectors = layer.source_norm.forward(vectors + pass.dropout(found, self.dropout));
        let fed = layer.feed.forward(vectors.clone(), self.dropout, pass);
        layer.feed_norm.forward(vectors + pass.dropout(fed, self.dropout))
    }

    /// The logits of all positions, with the right words before them.
    pub fn logits(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        self.output.forward(self.vectors(batch, pass, device))
    }

    /// What the output layer reads at all positions.
    fn vectors(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        let (memory, hidden_source) = self.encoded(&batch.source, pass, device);
        let words = batch.input.tensor(device);
        let [rows, time] = words.dims();
        let pads =
            words.clone().equal_elem(PAD.cast_signed()).reshape([rows, 1, time]).expand([rows, time, time]);
        let later = Tensor::<2, Bool>::triu_mask([time, time], 1, device).bool_not();
        let later = later.reshape([1, time, time]).expand([rows, time, time]);
        let hidden = pads.bool_or(later);
        let mut vectors = self.target.forward(words, 0, self.dropout, pass);
        for layer in &self.decoder {
            let own = layer.own.keys_values(vectors.clone());
            let found = layer.source.keys_values(memory.clone());
            let own = Visible { memory: &own, hidden: &hidden };
            let source = Visible { memory: &found, hidden: &hidden_source };
            vectors = self.decoded(layer, vectors, &own, &source, pass);
        }
        vectors
    }
}

/// What a layer looks at, and where it must not look.
struct Visible<'m> {
    memory: &'m KeysValues,
    hidden: &'m Tensor<3, Bool>,
}

impl Network for Transformer {
    type Batch = PairBatch;

    fn loss(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<1> {
        cross_entropy(self.vectors(batch, pass, device), &self.output, &batch.output, false)
    }

    /// The number of words.
    fn weight(&self, batch: &PairBatch) -> f64 {
        cast::float(batch.output.words())
    }
}

/// What a layer of the decoder remembers.
struct LayerMemory {
    /// The words so far.
    own: Option<KeysValues>,
    source: KeysValues,
}

/// What the decoder remembers: the source and the words so far, as keys and values.
pub struct TransformerMemory {
    layers: Vec<LayerMemory>,
    hidden_source: Tensor<3, Bool>,
    /// 1 for the words so far that are padding, `[rows, 1, words]`.
    pads: Option<Tensor<3>>,
}

impl Seq2Seq for Transformer {
    type Memory = TransformerMemory;

    fn set_blind(&mut self, is_blind: bool) {
        self.is_blind = is_blind;
    }

    fn encode(&self, source: &Rows, device: &Device) -> TransformerMemory {
        let (memory, hidden_source) = self.encoded(source, &Pass::inference(), device);
        let layer = |layer: &DecoderLayer| LayerMemory {
            own: None,
            source: layer.source.keys_values(memory.clone()),
        };
        TransformerMemory { layers: self.decoder.iter().map(layer).collect(), hidden_source, pads: None }
    }

    fn step(&self, memory: TransformerMemory, previous: Tensor<1, Int>) -> (Tensor<2>, TransformerMemory) {
        let [rows] = previous.dims();
        let pass = Pass::inference();
        let pad = previous.clone().equal_elem(PAD.cast_signed()).float().reshape([rows, 1, 1]);
        let pads = match memory.pads {
            Some(earlier) => Tensor::cat(vec![earlier, pad], 2),
            None => pad,
        };
        let (first, hidden) = (pads.dims()[2] - 1, pads.clone().greater_elem(0.5));
        let mut vectors = self.target.forward(previous.reshape([rows, 1]), first, self.dropout, &pass);
        let mut layers = Vec::with_capacity(memory.layers.len());
        for (layer, LayerMemory { own, source }) in self.decoder.iter().zip(memory.layers) {
            let own = layer.own.keys_values(vectors.clone()).after(own);
            let visible = Visible { memory: &own, hidden: &hidden };
            let found = Visible { memory: &source, hidden: &memory.hidden_source };
            vectors = self.decoded(layer, vectors, &visible, &found, &pass);
            layers.push(LayerMemory { own: Some(own), source });
        }
        let logits = self.output.forward(vectors.squeeze_dim(1));
        (logits, TransformerMemory { layers, pads: Some(pads), ..memory })
    }

    fn select(&self, memory: TransformerMemory, rows: Tensor<1, Int>) -> TransformerMemory {
        let layer = |layer: LayerMemory| LayerMemory {
            own: layer.own.map(|own| own.select(&rows)),
            source: layer.source.select(&rows),
        };
        TransformerMemory {
            layers: memory.layers.into_iter().map(layer).collect(),
            hidden_source: memory.hidden_source.select(0, rows.clone()),
            pads: memory.pads.map(|pads| pads.select(0, rows.clone())),
        }
    }

    fn max_length(&self) -> Option<usize> {
        Some(self.target.positions.weight.val().dims()[0])
    }
}
