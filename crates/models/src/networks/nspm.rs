//! The neural SPARQL machines: LSTM encoder and decoder without attention, with normed Bahdanau or with scaled Luong attention.

use super::Seq2Seq;
use crate::cast;
use burn::module::Module;
use burn::nn::{Embedding, Linear};
use burn::tensor::{Device, Int, Tensor};
use serde::{Deserialize, Serialize};
use touchstone_train::kernels::cross_entropy;
use touchstone_train::layers::{
    Attention, LayerState, RecurrentCell, RecurrentStack, Scale, Uniform, embedding, linear,
};
use touchstone_train::{Network, PairBatch, Pass, Rows};

/// Which attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NspmAttention {
    /// None.
    None,
    /// Att1.
    NormedBahdanau,
    /// Att2.
    ScaledLuong,
}

/// Sizes and dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NspmSizes {
    /// Size of word vectors and states.
    pub units: usize,
    /// Number of layers.
    pub layers: usize,
    /// Dropout of the inputs of cells.
    pub dropout: f64,
    /// Which attention.
    pub attention: NspmAttention,
}

/// The network.
#[derive(Module, Debug)]
pub struct Nspm {
    /// Vectors of the words of questions.
    pub source: Embedding,
    /// Vectors of the words of SPARQL.
    pub target: Embedding,
    /// Reads the question.
    pub encoder: RecurrentStack,
    /// Writes the query.
    pub decoder: RecurrentStack,
    /// Looks at the question.
    pub attention: Option<Attention>,
    /// From the state and what attention found to the attention vector.
    pub attention_layer: Option<Linear>,
    /// From there to the words.
    pub output: Linear,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    is_blind: bool,
}

/// What the encoder found.
struct Encoded {
    memory: Tensor<3>,
    keys: Tensor<3>,
    mask: Tensor<2>,
    states: Vec<LayerState>,
}

impl Nspm {
    /// A network with parameters between -0.1 and 0.1, as TensorFlow NMT has it.
    pub fn new(
        sizes: &NspmSizes,
        source_words: usize,
        target_words: usize,
        seed: u64,
        device: &Device,
    ) -> Self {
        let mut uniform = Uniform::new(Scale::Bound(0.1), seed);
        let NspmSizes { units, layers, dropout, attention } = *sizes;
        let attention = match attention {
            NspmAttention::None => None,
            NspmAttention::NormedBahdanau => Some(Attention::normed_bahdanau(units, &mut uniform, device)),
            NspmAttention::ScaledLuong => Some(Attention::scaled_luong(units, &mut uniform, device)),
        };
        let input = if attention.is_some() { 2 * units } else { units };
        Nspm {
            source: embedding(source_words, units, &mut uniform, device),
            target: embedding(target_words, units, &mut uniform, device),
            encoder: RecurrentStack::new(RecurrentCell::Lstm, layers, units, units, &mut uniform, device),
            decoder: RecurrentStack::new(RecurrentCell::Lstm, layers, input, units, &mut uniform, device),
            attention_layer: attention
                .is_some()
                .then(|| linear(2 * units, units, false, &mut uniform, device)),
            attention,
            output: linear(units, target_words, false, &mut uniform, device),
            dropout,
            is_blind: false,
        }
    }

    fn encoded(&self, source: &Rows, pass: &Pass, device: &Device) -> Encoded {
        let vectors = pass.dropout(self.source.forward(source.tensor(device)), self.dropout);
        let mask = source.mask(device);
        let zeros = self.encoder.zeros(source.rows(), device);
        let needed = (!source.is_full()).then_some(&mask);
        let (memory, states) = self.encoder.forward(vectors, zeros, needed, self.dropout, pass);
        let (memory, states) = match self.is_blind {
            true => (memory.zeros_like(), self.encoder.zeros(source.rows(), device)),
            false => (memory, states),
        };
        let keys =
            self.attention.as_ref().map_or_else(|| memory.clone(), |attention| attention.keys(&memory));
        Encoded { memory, keys, mask, states }
    }

    /// One step of the decoder: the vector that goes to the output layer.
    fn decoded(
        &self,
        vector: Tensor<2>,
        fed_back: Option<Tensor<2>>,
        encoded: &mut Encoded,
        pass: &Pass,
    ) -> Tensor<2> {
        let input = match fed_back {
            Some(attended) => Tensor::cat(vec![vector, attended], 1),
            None => vector,
        };
        let input = pass.dropout(input, self.dropout);
        let states = std::mem::take(&mut encoded.states);
        let (output, states) = self.decoder.step(input, states, self.dropout, pass);
        encoded.states = states;
        match self.attention.as_ref().zip(self.attention_layer.as_ref()) {
            Some((attention, layer)) => {
                let (_, context) =
                    attention.forward(output.clone(), &encoded.keys, &encoded.memory, &encoded.mask);
                layer.forward(Tensor::cat(vec![output, context], 1))
            }
            None => output,
        }
    }

    /// The logits of all positions, with the right words before them.
    pub fn logits(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        self.output.forward(self.vectors(batch, pass, device))
    }

    /// What the output layer reads at all positions.
    fn vectors(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        let mut encoded = self.encoded(&batch.source, pass, device);
        let vectors = self.target.forward(batch.input.tensor(device));
        let [rows, time, units] = vectors.dims();
        if self.attention.is_none() {
            let vectors = pass.dropout(vectors, self.dropout);
            let (outputs, _) = self.decoder.forward(vectors, encoded.states, None, self.dropout, pass);
            return outputs;
        }
        let mut attended = Tensor::zeros([rows, units], device);
        let mut outputs = Vec::with_capacity(time);
        for at in 0..time {
            let vector = vectors.clone().slice([0..rows, at..at + 1, 0..units]).reshape([rows, units]);
            attended = self.decoded(vector, Some(attended), &mut encoded, pass);
            outputs.push(attended.clone());
        }
        Tensor::stack(outputs, 1)
    }
}

impl Network for Nspm {
    type Batch = PairBatch;

    fn loss(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<1> {
        cross_entropy(self.vectors(batch, pass, device), &self.output, &batch.output, false)
    }

    /// The number of rows: TensorFlow NMT divides the summed loss of all words by it.
    fn weight(&self, batch: &PairBatch) -> f64 {
        cast::float(batch.output.rows())
    }
}

/// What the decoder remembers.
pub struct NspmMemory {
    encoded: Encoded,
    attended: Option<Tensor<2>>,
}

impl Seq2Seq for Nspm {
    type Memory = NspmMemory;

    fn source_vectors(&mut self) -> Option<&mut Embedding> {
        Some(&mut self.source)
    }

    fn set_blind(&mut self, is_blind: bool) {
        self.is_blind = is_blind;
    }

    fn encode(&self, source: &Rows, device: &Device) -> NspmMemory {
        let encoded = self.encoded(source, &Pass::inference(), device);
        let units = encoded.memory.dims()[2];
        let attended = self.attention.as_ref().map(|_| Tensor::zeros([source.rows(), units], device));
        NspmMemory { encoded, attended }
    }

    fn step(&self, memory: NspmMemory, previous: Tensor<1, Int>) -> (Tensor<2>, NspmMemory) {
        let [rows] = previous.dims();
        let vector = self.target.forward(previous.reshape([rows, 1]));
        let units = vector.dims()[2];
        let NspmMemory { mut encoded, attended } = memory;
        let has_attention = attended.is_some();
        let output = self.decoded(vector.reshape([rows, units]), attended, &mut encoded, &Pass::inference());
        let logits = self.output.forward(output.clone());
        (logits, NspmMemory { encoded, attended: has_attention.then_some(output) })
    }

    fn select(&self, memory: NspmMemory, rows: Tensor<1, Int>) -> NspmMemory {
        let Encoded { memory: outputs, keys, mask, states } = memory.encoded;
        NspmMemory {
            encoded: Encoded {
                memory: outputs.select(0, rows.clone()),
                keys: keys.select(0, rows.clone()),
                mask: mask.select(0, rows.clone()),
                states: states.iter().map(|state| state.select(&rows)).collect(),
            },
            attended: memory.attended.map(|attended| attended.select(0, rows.clone())),
        }
    }
}
