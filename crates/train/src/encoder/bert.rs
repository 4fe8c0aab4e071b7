//! The network of BERT: learned positions, post-norm, GELU.

use super::batch::EncoderBatch;
use super::config::{Activation, BertConfig};
use crate::Pass;
use crate::layers::{Heads, Scale, Uniform, embedding, linear};
use burn::module::Module;
use burn::nn::{Embedding, LayerNorm, LayerNormConfig, Linear};
use burn::tensor::activation::{gelu, gelu_approximate, relu, tanh};
use burn::tensor::{Device, Tensor};

/// Vectors of pieces, positions and token types.
#[derive(Module, Debug)]
pub struct BertEmbeddings {
    /// Of pieces.
    pub words: Embedding,
    /// Of positions.
    pub positions: Embedding,
    /// Of token types.
    pub types: Embedding,
    /// After their sum.
    pub norm: LayerNorm,
}

/// A layer.
#[derive(Module, Debug)]
pub struct BertLayer {
    /// Attention over all positions.
    pub own: Heads,
    /// After it.
    pub own_norm: LayerNorm,
    /// To the hidden layer of the feed-forward network.
    pub first: Linear,
    /// Back.
    pub second: Linear,
    /// After it.
    pub feed_norm: LayerNorm,
}

/// The network.
#[derive(Module, Debug)]
pub struct Bert {
    /// Vectors of pieces.
    pub embeddings: BertEmbeddings,
    /// The layers.
    pub layers: Vec<BertLayer>,
    /// From the vector of the first piece to that of the text. Some published models have none.
    pub pooler: Option<Linear>,
    #[module(skip)]
    activation: Activation,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    attention_dropout: f64,
}

impl Bert {
    /// A network with random parameters: the published standard deviation of 0.02, but uniformly distributed.
    pub fn new(config: &BertConfig, has_pooler: bool, seed: u64, device: &Device) -> Bert {
        let mut uniform = Uniform::new(Scale::Bound(0.02 * 3.0_f64.sqrt()), seed);
        let size = config.size;
        let norm = || LayerNormConfig::new(size).with_epsilon(config.epsilon).init(device);
        let embeddings = BertEmbeddings {
            words: embedding(config.words, size, &mut uniform, device),
            positions: embedding(config.positions, size, &mut uniform, device),
            types: embedding(config.types, size, &mut uniform, device),
            norm: norm(),
        };
        let layers = (0..config.layers).map(|_| BertLayer {
            own: Heads::new(size, config.heads, &mut uniform, device),
            own_norm: norm(),
            first: linear(size, config.feed_forward, true, &mut uniform, device),
            second: linear(config.feed_forward, size, true, &mut uniform, device),
            feed_norm: norm(),
        });
        let layers = layers.collect();
        Bert {
            embeddings,
            layers,
            pooler: has_pooler.then(|| linear(size, size, true, &mut uniform, device)),
            activation: config.activation,
            dropout: config.dropout,
            attention_dropout: config.attention_dropout,
        }
    }

    /// The vectors `[texts, pieces, size]` of the last layer. Those of the padding mean nothing.
    pub fn forward(&self, batch: &EncoderBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        let (rows, length) = (batch.texts(), batch.length());
        let words = self.embeddings.words.forward(batch.numbers(device));
        let size = words.dims()[2];
        let positions = self.embeddings.positions.weight.val().slice([0..length, 0..size]);
        let types = self.embeddings.types.forward(batch.types(device));
        let sum = words + positions.reshape([1, length, size]) + types;
        let mut vectors = pass.dropout(self.embeddings.norm.forward(sum), self.dropout);
        let hidden = batch.mask(device).equal_elem(0.0).reshape([rows, 1, length]);
        for layer in &self.layers {
            let own =
                layer.own.forward(vectors.clone(), vectors.clone(), &hidden, self.attention_dropout, pass);
            vectors = layer.own_norm.forward(vectors + pass.dropout(own, self.dropout));
            let inside = layer.first.forward(vectors.clone());
            let inside = match self.activation {
                Activation::Gelu => gelu(inside),
                Activation::GeluApproximate => gelu_approximate(inside),
                Activation::Relu => relu(inside),
            };
            let fed = pass.dropout(layer.second.forward(inside), self.dropout);
            vectors = layer.feed_norm.forward(vectors + fed);
        }
        vectors
    }

    /// The vectors `[texts, size]` of the pooler, for what [`Bert::forward`] returned. `None`: the model has no pooler.
    pub fn pooled(&self, vectors: &Tensor<3>) -> Option<Tensor<2>> {
        let [rows, _, size] = vectors.dims();
        let first = vectors.clone().slice([0..rows, 0..1, 0..size]).reshape([rows, size]);
        self.pooler.as_ref().map(|pooler| tanh(pooler.forward(first)))
    }
}
