//! Operations that training spends its time in, each in one piece with its gradient by hand: recurrent layers over all steps, and the
//! output layer with its cross-entropy. They run on the CPU; for other devices the same functions are composed of burn's operations.
//!
//! Composed of burn's operations, a recurrent layer stores a dozen tensors for each step, and the gradient of each slice of its inputs
//! is a tensor as large as all inputs.

mod cross_entropy;
mod flex;
mod gru;
mod lstm;
pub(crate) mod math;

pub use cross_entropy::cross_entropy;
pub(crate) use gru::gru;
pub(crate) use lstm::lstm;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Flex, backend_extension};
use burn::tensor::Device;
use std::sync::{Arc, Once};

/// What the logits of a batch are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Targets {
    /// The right word of each position.
    pub(crate) words: Arc<[i32]>,
    /// The weight of each position; positions with weight 0 are left out.
    pub(crate) weights: Arc<[f32]>,
}

/// Which steps of a recurrent layer count, and their order.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    /// 0 where the state stays as it is, by rows; `None`: all steps count.
    pub(crate) mask: Option<Arc<[f32]>>,
    /// From the last step to the first.
    pub(crate) is_reversed: bool,
}

impl Steps {
    fn counts(&self, row: usize, time: usize, at: usize) -> bool {
        self.mask.as_ref().is_none_or(|mask| mask[row * time + at] != 0.0)
    }

    /// The numbers of steps in their order.
    fn order(&self, time: usize) -> impl DoubleEndedIterator<Item = usize> {
        let is_reversed = self.is_reversed;
        (0..time).map(move |number| if is_reversed { time - 1 - number } else { number })
    }
}

#[backend_extension(Flex, Autodiff)]
pub(crate) trait Kernels: Backend {
    /// The sum of the losses `[1]` of an output layer above vectors `[positions, size]`.
    fn cross_entropy_sum(
        vectors: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        targets: Targets,
    ) -> FloatTensor<Self>;

    /// The outputs `[batch, time, hidden]` and after them the last state, `[batch, 1, hidden]`.
    fn gru_steps(
        projected: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        steps: Steps,
    ) -> FloatTensor<Self>;

    /// The outputs `[batch, time, hidden]` and after them the last hidden state and the last cell state, `[batch, 2, hidden]`.
    fn lstm_steps(
        projected: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        cell: FloatTensor<Self>,
        steps: Steps,
    ) -> FloatTensor<Self>;
}

impl Kernels for Flex {
    fn cross_entropy_sum(
        vectors: FloatTensor<Flex>,
        weight: FloatTensor<Flex>,
        bias: FloatTensor<Flex>,
        targets: Targets,
    ) -> FloatTensor<Flex> {
        let inputs = cross_entropy::Inputs { vectors: &vectors, weight: &weight, bias: &bias };
        cross_entropy::forward(&inputs, &targets)
    }

    fn gru_steps(
        projected: FloatTensor<Flex>,
        weight: FloatTensor<Flex>,
        bias: FloatTensor<Flex>,
        hidden: FloatTensor<Flex>,
        steps: Steps,
    ) -> FloatTensor<Flex> {
        gru::forward(&projected, &weight, &bias, &hidden, &steps, None)
    }

    fn lstm_steps(
        projected: FloatTensor<Flex>,
        weight: FloatTensor<Flex>,
        bias: FloatTensor<Flex>,
        hidden: FloatTensor<Flex>,
        cell: FloatTensor<Flex>,
        steps: Steps,
    ) -> FloatTensor<Flex> {
        lstm::forward(&projected, &weight, &bias, [&hidden, &cell], &steps, None)
    }
}

impl<C: CheckpointStrategy> Kernels for Autodiff<Flex, C> {
    fn cross_entropy_sum(
        vectors: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        targets: Targets,
    ) -> FloatTensor<Self> {
        cross_entropy::tracked::<C>([vectors, weight, bias], &targets)
    }

    fn gru_steps(
        projected: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        steps: Steps,
    ) -> FloatTensor<Self> {
        gru::tracked::<C>([projected, weight, bias, hidden], steps)
    }

    fn lstm_steps(
        projected: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        cell: FloatTensor<Self>,
        steps: Steps,
    ) -> FloatTensor<Self> {
        lstm::tracked::<C>([projected, weight, bias, hidden, cell], steps)
    }
}

/// Matrices with at most 6 times this many rows are multiplied by weights as they are; for more, the weights are rearranged first.
/// The default of 8 rearranges them at every step that decodes 64 rows, which costs a tenth of the time.
const REARRANGE_WEIGHTS_FROM: usize = 32;

/// Whether the operations run on this device.
pub(crate) fn are_on(device: &Device) -> bool {
    static SETTINGS: Once = Once::new();
    SETTINGS.call_once(|| gemm::set_lhs_packing_threshold_single_thread(REARRANGE_WEIGHTS_FROM));
    device.clone().without_autodiff() == Device::flex()
}
