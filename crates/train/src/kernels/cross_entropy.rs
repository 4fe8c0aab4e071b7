//! The cross-entropy of an output layer and the right words.
//!
//! The logits of a batch are its largest tensor by far, so they are computed for some positions at a time, together with their gradients, and
//! not at all for the padding.

use super::flex::{Dense, FlexTensor, column_sums, product, tensor, transposed};
use super::math::{exp, log_sum_exp};
use super::{Kernels, Targets};
use crate::batch::Rows;
use crate::cast;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Dispatch, Flex};
use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use std::sync::Arc;

/// Maximum number of logits at a time: 10 MB.
const CHUNK: usize = 2_500_000;

/// The sum of the cross-entropies of an output layer above vectors `[rows, length, size]`. `with_padding`: the padding counts as well.
pub fn cross_entropy(vectors: Tensor<3>, output: &Linear, targets: &Rows, with_padding: bool) -> Tensor<1> {
    let [batch, time, size] = vectors.dims();
    let device = vectors.device();
    if !super::are_on(&device) {
        return composed(vectors, output, targets, with_padding);
    }
    let weight = |&word: &i32| if with_padding || word != crate::PAD.cast_signed() { 1.0 } else { 0.0 };
    let targets = Targets {
        weights: targets.as_slice().iter().map(weight).collect(),
        words: Arc::from(targets.as_slice()),
    };
    let weight = output.weight.val();
    let bias = match &output.bias {
        Some(bias) => bias.val(),
        None => Tensor::zeros([weight.dims()[1]], &device),
    };
    Tensor::from_dispatch(<Dispatch as Kernels>::cross_entropy_sum(
        vectors.reshape([batch * time, size]).into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        targets,
    ))
}

/// The same, composed of simple operations.
fn composed(vectors: Tensor<3>, output: &Linear, targets: &Rows, with_padding: bool) -> Tensor<1> {
    let [batch, time, _] = vectors.dims();
    let device = vectors.device();
    let right = targets.tensor(&device).reshape([batch, time, 1]);
    let logits = output.forward(vectors);
    let chosen = log_softmax(logits, 2).gather(2, right).reshape([batch, time]);
    let chosen = if with_padding { chosen } else { chosen * targets.mask(&device) };
    -chosen.sum()
}

/// The inputs: vectors, weights and bias.
pub(super) struct Inputs<'i> {
    pub(super) vectors: &'i FlexTensor,
    pub(super) weight: &'i FlexTensor,
    pub(super) bias: &'i FlexTensor,
}

/// Gradients for the three inputs.
#[derive(Debug, Clone)]
struct Found {
    vectors: FlexTensor,
    weight: FlexTensor,
    bias: FlexTensor,
}

/// The sum of the losses.
pub(super) fn forward(inputs: &Inputs<'_>, targets: &Targets) -> FlexTensor {
    let mut loss = 0.0;
    each_chunk(inputs, targets, |mut chunk| loss += chunk.loss(false));
    tensor(vec![cast::single(loss)], [1])
}

fn forward_with_gradients(inputs: &Inputs<'_>, targets: &Targets) -> (FlexTensor, Found) {
    let shape = inputs.weight.layout().shape();
    let (size, words) = (shape[0], shape[1]);
    let back = transposed(inputs.weight.clone());
    let mut vectors = vec![0.0; targets.words.len() * size];
    let (mut weight, mut bias): (Option<FlexTensor>, _) = (None, vec![0.0; words]);
    let mut loss = 0.0;
    each_chunk(inputs, targets, |mut chunk| {
        loss += chunk.loss(true);
        let sums = column_sums(chunk.logits.storage(), words);
        bias.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
        let more = product(transposed(chunk.vectors), chunk.logits.clone());
        weight = Some(match weight.take() {
            Some(sum) => Flex::float_add(sum, more),
            None => more,
        });
        let found = Dense::new(&product(chunk.logits, back.clone()));
        for (&position, row) in chunk.positions.iter().zip(found.numbers().chunks_exact(size)) {
            vectors[position * size..(position + 1) * size].copy_from_slice(row);
        }
    });
    let found = Found {
        vectors: tensor(vectors, [targets.words.len(), size]),
        weight: weight.unwrap_or_else(|| tensor(vec![0.0; size * words], [size, words])),
        bias: tensor(bias, [words]),
    };
    (tensor(vec![cast::single(loss)], [1]), found)
}

/// Some positions, with their vectors and logits.
struct Chunk<'c> {
    positions: &'c [usize],
    targets: &'c Targets,
    vectors: FlexTensor,
    logits: FlexTensor,
}

fn each_chunk(inputs: &Inputs<'_>, targets: &Targets, mut each: impl FnMut(Chunk<'_>)) {
    let shape = inputs.weight.layout().shape();
    let (size, words) = (shape[0], shape[1]);
    let (vectors, bias) = (Dense::new(inputs.vectors), Dense::new(inputs.bias));
    let positions: Vec<usize> =
        (0..targets.words.len()).filter(|&position| targets.weights[position] != 0.0).collect();
    for positions in positions.chunks((CHUNK / words).max(1)) {
        let mut chosen = Vec::with_capacity(positions.len() * size);
        for position in positions {
            chosen.extend_from_slice(&vectors.numbers()[position * size..(position + 1) * size]);
        }
        let vectors = tensor(chosen, [positions.len(), size]);
        let mut logits = product(vectors.clone(), inputs.weight.clone());
        for row in logits.storage_mut::<f32>().chunks_exact_mut(words) {
            row.iter_mut().zip(bias.numbers()).for_each(|(logit, bias)| *logit += bias);
        }
        each(Chunk { positions, targets, vectors, logits });
    }
}

impl Chunk<'_> {
    /// The sum of the losses. `with_gradients`: the logits become their gradients.
    fn loss(&mut self, with_gradients: bool) -> f64 {
        let words = self.logits.layout().shape()[1];
        let mut loss = 0.0;
        let rows = self.logits.storage_mut::<f32>().chunks_exact_mut(words);
        for (&position, row) in self.positions.iter().zip(rows) {
            let (weight, right) =
                (self.targets.weights[position], cast::position(self.targets.words[position]));
            let sum = log_sum_exp(row);
            loss += f64::from(weight * (sum - row[right]));
            if with_gradients {
                row.iter_mut().for_each(|number| *number = weight * exp(*number - sum));
                row[right] -= weight;
            }
        }
        loss
    }
}

#[derive(Debug)]
struct CrossEntropy;

pub(super) fn tracked<C: CheckpointStrategy>(
    inputs: [FloatTensor<Autodiff<Flex, C>>; 3],
    targets: &Targets,
) -> FloatTensor<Autodiff<Flex, C>> {
    let [(vectors, one), (weight, two), (bias, three)] = inputs.map(|input| input.into_parts());
    let inputs = Inputs { vectors: &vectors, weight: &weight, bias: &bias };
    match CrossEntropy.prepare::<C>([one, two, three]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let (loss, found) = forward_with_gradients(&inputs, targets);
            prepared.finish(found, loss)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(forward(&inputs, targets)),
    }
}

impl Backward<Flex, 3> for CrossEntropy {
    type State = Found;

    fn backward(self, ops: Ops<Found, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = Dense::new(&grads.consume::<Flex>(&ops.node));
        let factor = gradient.numbers().first().copied().unwrap_or_default();
        let Found { vectors, weight, bias } = ops.state;
        for (parent, found) in ops.parents.into_iter().zip([vectors, weight, bias]) {
            if let Some(parent) = parent {
                grads.register::<Flex>(parent.id, Flex::float_mul_scalar(found, factor.into()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::{Scale, Uniform, linear};
    use burn::tensor::Device;

    /// In several chunks, and composed of burn's operations: the loss and its gradients.
    fn compare(has_bias: bool, with_padding: bool) {
        let device = Device::flex().autodiff();
        let (size, words) = (5, CHUNK / 3);
        let mut uniform = Uniform::new(Scale::Bound(0.5), 3);
        let output = linear(size, words, has_bias, &mut uniform, &device);
        let vectors = uniform.tensor([2, 4, size], 1, 1, &device).require_grad();
        let rows: [&[u32]; 2] = [&[7, 1, words as u32 - 1, 3], &[9, 3]];
        let targets = Rows::padded(rows.into_iter());
        let found = |loss: Tensor<1>| {
            let gradients = loss.clone().mul_scalar(0.5).backward();
            let value = loss.into_scalar::<f32>();
            let bias = output.bias.as_ref().and_then(|bias| bias.val().grad(&gradients));
            (value, vectors.grad(&gradients), output.weight.val().grad(&gradients), bias)
        };
        let ours = found(cross_entropy(vectors.clone(), &output, &targets, with_padding));
        let theirs = found(composed(vectors.clone(), &output, &targets, with_padding));
        assert!((ours.0 - theirs.0).abs() < 1e-3, "{} instead of {}", ours.0, theirs.0);
        assert_eq!(ours.3.is_some(), has_bias);
        let far = |ours: Tensor<2>, theirs: Tensor<2>| (ours - theirs).abs().max().into_scalar::<f32>();
        let flat = |tensor: Option<Tensor<3>>| tensor.map(|tensor| tensor.reshape([8, size]));
        let of_bias = |tensor: Option<Tensor<1>>| tensor.map(|tensor| tensor.reshape([1, words]));
        let pairs =
            [(flat(ours.1), flat(theirs.1)), (ours.2, theirs.2), (of_bias(ours.3), of_bias(theirs.3))];
        for (ours, theirs) in pairs {
            let difference = ours.zip(theirs).map_or(0.0, |(ours, theirs)| far(ours, theirs));
            assert!(difference < 1e-5, "{difference}");
        }
    }

    #[test]
    fn chunks_equal_the_composed_loss() {
        compare(true, false);
        compare(false, true);
    }
}
