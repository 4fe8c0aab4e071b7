//! Sup. SPARQL of KQA Pro: GRU encoder and decoder with dot attention.

use super::classifier::Classifier;
use super::{Seq2Seq, dot_contexts};
use crate::cast;
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor};
use serde::{Deserialize, Serialize};
use touchstone_train::kernels::cross_entropy;
use touchstone_train::layers::{
    Attention, LayerState, RecurrentCell, RecurrentStack, Scale, Uniform, embedding,
};
use touchstone_train::{Network, PairBatch, Pass, Rows};

/// Sizes and dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupSparqlSizes {
    /// Size of the word vectors.
    pub embedding: usize,
    /// Size of the hidden states.
    pub hidden: usize,
    /// Number of recurrent layers.
    pub layers: usize,
    /// Dropout of word vectors and between layers.
    pub dropout: f64,
    /// Whether attention leaves out the padding of questions. The released code does not, so there what is decoded depends on the batch.
    pub masks_source: bool,
}

/// The network.
#[derive(Module, Debug)]
pub struct SupSparql {
    /// Vectors of the words of questions.
    pub source: Embedding,
    /// Vectors of the words of SPARQL.
    pub target: Embedding,
    /// Reads the question.
    pub encoder: RecurrentStack,
    /// Writes the query.
    pub decoder: RecurrentStack,
    /// To the words.
    pub classifier: Classifier,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    masks_source: bool,
    #[module(skip)]
    is_blind: bool,
}

impl SupSparql {
    /// A network with PyTorch's initial distribution.
    pub fn new(
        sizes: &SupSparqlSizes,
        source_words: usize,
        target_words: usize,
        seed: u64,
        device: &Device,
    ) -> Self {
        let mut uniform = Uniform::new(Scale::FanIn, seed);
        let mut vectors = uniform.scaled(Scale::Bound(0.1));
        let SupSparqlSizes { embedding: size, hidden, layers, dropout, masks_source } = *sizes;
        SupSparql {
            source: embedding(source_words, size, &mut vectors, device),
            target: embedding(target_words, size, &mut vectors, device),
            encoder: RecurrentStack::new(RecurrentCell::Gru, layers, size, hidden, &mut uniform, device),
            decoder: RecurrentStack::new(RecurrentCell::Gru, layers, size, hidden, &mut uniform, device),
            classifier: Classifier::new(hidden, hidden, target_words, &mut uniform, device),
            dropout,
            masks_source,
            is_blind: false,
        }
    }

    fn encoded(
        &self,
        source: &Rows,
        pass: &Pass,
        device: &Device,
    ) -> (Tensor<3>, Vec<LayerState>, Tensor<2>) {
        let vectors = pass.dropout(self.source.forward(source.tensor(device)), self.dropout);
        let mask = source.mask(device);
        let zeros = self.encoder.zeros(source.rows(), device);
        let needed = (!source.is_full()).then_some(&mask);
        let (outputs, states) = self.encoder.forward(vectors, zeros, needed, self.dropout, pass);
        let attended = if self.masks_source { mask } else { mask.ones_like() };
        match self.is_blind {
            true => (outputs.zeros_like(), self.encoder.zeros(source.rows(), device), attended),
            false => (outputs, states, attended),
        }
    }

    /// The logits of all positions, with the right words before them.
    pub fn logits(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        self.classifier.output.forward(self.vectors(batch, pass, device))
    }

    /// What the output layer reads at all positions.
    fn vectors(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<3> {
        let (memory, states, mask) = self.encoded(&batch.source, pass, device);
        let vectors = pass.dropout(self.target.forward(batch.input.tensor(device)), self.dropout);
        let input_mask = batch.input.mask(device);
        let needed = (!batch.input.is_full()).then_some(&input_mask);
        let (outputs, _) = self.decoder.forward(vectors, states, needed, self.dropout, pass);
        let outputs = outputs.clone() + dot_contexts(outputs, &memory, &mask);
        self.classifier.vectors(outputs)
    }
}

impl Network for SupSparql {
    type Batch = PairBatch;

    fn loss(&self, batch: &PairBatch, pass: &Pass, device: &Device) -> Tensor<1> {
        cross_entropy(self.vectors(batch, pass, device), &self.classifier.output, &batch.output, true)
    }

    /// All positions, padding included, as the released code does.
    fn weight(&self, batch: &PairBatch) -> f64 {
        cast::float(batch.output.rows() * batch.output.length())
    }
}

/// What the decoder remembers.
pub struct SupSparqlMemory {
    memory: Tensor<3>,
    mask: Tensor<2>,
    states: Vec<LayerState>,
}

impl Seq2Seq for SupSparql {
    type Memory = SupSparqlMemory;

    fn source_vectors(&mut self) -> Option<&mut Embedding> {
        Some(&mut self.source)
    }

    fn set_blind(&mut self, is_blind: bool) {
        self.is_blind = is_blind;
    }

    fn encode(&self, source: &Rows, device: &Device) -> SupSparqlMemory {
        let (memory, states, mask) = self.encoded(source, &Pass::inference(), device);
        SupSparqlMemory { memory, mask, states }
    }

    fn step(&self, memory: SupSparqlMemory, previous: Tensor<1, Int>) -> (Tensor<2>, SupSparqlMemory) {
        let [rows] = previous.dims();
        let vectors = self.target.forward(previous.reshape([rows, 1]));
        let size = vectors.dims()[2];
        let (output, states) =
            self.decoder.step(vectors.reshape([rows, size]), memory.states, 0.0, &Pass::inference());
        let (_, context) =
            Attention::dot().forward(output.clone(), &memory.memory, &memory.memory, &memory.mask);
        let logits = self.classifier.forward(output + context);
        (logits, SupSparqlMemory { states, ..memory })
    }

    fn select(&self, memory: SupSparqlMemory, rows: Tensor<1, Int>) -> SupSparqlMemory {
        SupSparqlMemory {
            memory: memory.memory.select(0, rows.clone()),
            mask: memory.mask.select(0, rows.clone()),
            states: memory.states.iter().map(|state| state.select(&rows)).collect(),
        }
    }
}
