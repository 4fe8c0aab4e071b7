//! The networks of the systems. Parameters have PyTorch's meaning; the tests compare outputs and gradients with PyTorch.

mod classifier;
mod convs2s;
mod nspm;
mod program_batch;
mod program_decoder;
mod sup_program;
mod sup_sparql;
mod transformer;

pub use classifier::Classifier;
pub use convs2s::{ConvS2s, ConvS2sSizes, ConvStack, Convolution};
pub use nspm::{Nspm, NspmAttention, NspmSizes};
pub use program_batch::{ARGUMENTS, ProgramBatch, ProgramPair};
pub use program_decoder::DecodedProgram;
pub use sup_program::{
    ArgumentDecoder, ArgumentNetwork, ProgramArguments, ProgramLogits, ProgramWords, SupProgram,
    SupProgramSizes,
};
pub use sup_sparql::{SupSparql, SupSparqlSizes};
pub use transformer::{DecoderLayer, EncoderLayer, FeedForward, Positioned, Transformer, TransformerSizes};

use burn::nn::Embedding;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Int, Tensor};
use touchstone_train::decode::Decoder;
use touchstone_train::layers::MASKED;
use touchstone_train::{Network, PairBatch, Rows};

/// A network from one sequence to another.
pub trait Seq2Seq: Network<Batch = PairBatch> {
    /// What the decoder remembers.
    type Memory;

    /// Reads sources.
    fn encode(&self, source: &Rows, device: &Device) -> Self::Memory;

    /// The logits `[rows, words]` of the next word, and what is remembered after it.
    fn step(&self, memory: Self::Memory, previous: Tensor<1, Int>) -> (Tensor<2>, Self::Memory);

    /// The memory of some rows, in their order.
    fn select(&self, memory: Self::Memory, rows: Tensor<1, Int>) -> Self::Memory;

    /// Whether the output of the encoder is zero from now on, so that the decoder knows nothing of the question.
    fn set_blind(&mut self, is_blind: bool);

    /// The vectors of the words of questions; `None` for networks that only read sub-words.
    fn source_vectors(&mut self) -> Option<&mut Embedding> {
        None
    }

    /// Maximum number of words that it can write; `None`: no limit of its own.
    fn max_length(&self) -> Option<usize> {
        None
    }
}

/// A network as a decoder.
pub struct NetworkDecoder<'n, N> {
    /// The network.
    pub network: &'n N,
    /// Where it is.
    pub device: &'n Device,
}

impl<N: Seq2Seq> Decoder for NetworkDecoder<'_, N> {
    type State = N::Memory;

    fn next(&self, state: N::Memory, previous: &[u32]) -> (Vec<Vec<f32>>, N::Memory) {
        let previous = touchstone_train::decode::numbers(previous, self.device);
        let (logits, memory) = self.network.step(state, previous);
        (touchstone_train::decode::log_probabilities(logits), memory)
    }

    fn select(&self, state: N::Memory, rows: &[usize]) -> N::Memory {
        self.network.select(state, touchstone_train::decode::positions(rows, self.device))
    }
}

/// Dot attention of queries `[batch, time, units]` over a memory `[batch, source, units]`: the contexts of all steps.
pub(crate) fn dot_contexts(queries: Tensor<3>, memory: &Tensor<3>, mask: &Tensor<2>) -> Tensor<3> {
    let [batch, time, _] = queries.dims();
    let source = memory.dims()[1];
    let scores = queries.matmul(memory.clone().swap_dims(1, 2));
    let hidden = mask.clone().equal_elem(0.0).reshape([batch, 1, source]).expand([batch, time, source]);
    softmax(scores.mask_fill(hidden, MASKED), 2).matmul(memory.clone())
}
