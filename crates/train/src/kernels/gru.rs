//! All steps of a GRU layer. Gates in the order reset, update, new.

use super::flex::{Dense, FlexTensor, column_sums, product, tensor, transposed};
use super::math::{sigmoid, tanh};
use super::{Kernels, Steps};
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Dispatch, Flex};
use burn::tensor::Tensor;

/// The outputs and the last state, see [`Kernels::gru_steps`].
pub(crate) fn gru(
    projected: Tensor<3>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    hidden: Tensor<2>,
    steps: Steps,
) -> Tensor<3> {
    Tensor::from_dispatch(<Dispatch as Kernels>::gru_steps(
        projected.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        hidden.into_dispatch(),
        steps,
    ))
}

/// What the gradient needs of each position: the gates, the recurrent part of the new state before its gate, and the state before.
#[derive(Debug, Clone, Default)]
pub(super) struct Saved {
    gates: Vec<f32>,
    recurrent: Vec<f32>,
    before: Vec<f32>,
}

pub(super) fn forward(
    projected: &FlexTensor,
    weight: &FlexTensor,
    bias: &FlexTensor,
    hidden: &FlexTensor,
    steps: &Steps,
    mut saved: Option<&mut Saved>,
) -> FlexTensor {
    let n = weight.layout().shape()[0];
    let [batch, time] = [projected.layout().shape()[0], projected.layout().shape()[1]];
    let (projected, bias) = (Dense::new(projected), Dense::new(bias));
    let mut state = Dense::new(hidden).numbers().to_vec();
    let mut found = vec![0.0; batch * (time + 1) * n];
    if let Some(saved) = saved.as_deref_mut() {
        saved.gates = vec![0.0; batch * time * 3 * n];
        saved.recurrent = vec![0.0; batch * time * n];
        saved.before = vec![0.0; batch * time * n];
    }
    for at in steps.order(time) {
        let recurrent = Dense::new(&product(tensor(state.clone(), [batch, n]), weight.clone()));
        for row in (0..batch).filter(|&row| steps.counts(row, time, at)) {
            let place = row * time + at;
            let projected = &projected.numbers()[place * 3 * n..(place + 1) * 3 * n];
            let recurrent = &recurrent.numbers()[row * 3 * n..(row + 1) * 3 * n];
            let state = &mut state[row * n..(row + 1) * n];
            let cell = Cell { projected, recurrent, bias: bias.numbers() };
            match saved.as_deref_mut() {
                Some(saved) => {
                    saved.before[place * n..(place + 1) * n].copy_from_slice(state);
                    let gates = &mut saved.gates[place * 3 * n..(place + 1) * 3 * n];
                    cell.step_saved(state, gates, &mut saved.recurrent[place * n..(place + 1) * n]);
                }
                None => cell.step(state),
            }
            found[(row * (time + 1) + at) * n..][..n].copy_from_slice(state);
        }
    }
    for row in 0..batch {
        found[(row * (time + 1) + time) * n..][..n].copy_from_slice(&state[row * n..(row + 1) * n]);
    }
    tensor(found, [batch, time + 1, n])
}

/// A step of one row.
struct Cell<'c> {
    projected: &'c [f32],
    recurrent: &'c [f32],
    bias: &'c [f32],
}

impl Cell<'_> {
    /// The sum of projection, recurrent part and bias of a gate.
    fn sums(&self, gate: usize, n: usize) -> impl Iterator<Item = f32> {
        let part = gate * n..(gate + 1) * n;
        let recurrent = self.recurrent[part.clone()].iter().zip(&self.bias[part.clone()]);
        self.projected[part].iter().zip(recurrent).map(|(x, (h, b))| x + (h + b))
    }

    fn step(&self, state: &mut [f32]) {
        let n = state.len();
        let new = self.projected[2 * n..].iter().zip(self.recurrent[2 * n..].iter().zip(&self.bias[2 * n..]));
        let gates = self.sums(0, n).zip(self.sums(1, n));
        for (state, ((reset, update), (x, (h, b)))) in state.iter_mut().zip(gates.zip(new)) {
            let new = tanh(x + sigmoid(reset) * (h + b));
            *state = new + sigmoid(update) * (*state - new);
        }
    }

    fn step_saved(&self, state: &mut [f32], gates: &mut [f32], recurrent: &mut [f32]) {
        let n = state.len();
        let (two, last) = gates.split_at_mut(2 * n);
        let (first, second) = two.split_at_mut(n);
        first.iter_mut().zip(self.sums(0, n)).for_each(|(gate, sum)| *gate = sigmoid(sum));
        second.iter_mut().zip(self.sums(1, n)).for_each(|(gate, sum)| *gate = sigmoid(sum));
        let parts = self.recurrent[2 * n..].iter().zip(&self.bias[2 * n..]);
        recurrent.iter_mut().zip(parts).for_each(|(place, (h, b))| *place = h + b);
        let inputs = self.projected[2 * n..].iter().zip(first.iter().zip(recurrent.iter()));
        last.iter_mut().zip(inputs).for_each(|(new, (x, (reset, h)))| *new = tanh(x + reset * h));
        let all = state.iter_mut().zip(second.iter().zip(last.iter()));
        all.for_each(|(state, (update, new))| *state = new + update * (*state - new));
    }
}

#[derive(Debug)]
struct Gru;

#[derive(Debug, Clone)]
struct State {
    weight: FlexTensor,
    saved: std::sync::Arc<Saved>,
    steps: Steps,
    batch: usize,
    time: usize,
}

pub(super) fn tracked<C: CheckpointStrategy>(
    inputs: [FloatTensor<Autodiff<Flex, C>>; 4],
    steps: Steps,
) -> FloatTensor<Autodiff<Flex, C>> {
    let [(projected, one), (weight, two), (bias, three), (hidden, four)] =
        inputs.map(|input| input.into_parts());
    match Gru.prepare::<C>([one, two, three, four]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let mut saved = Saved::default();
            let found = forward(&projected, &weight, &bias, &hidden, &steps, Some(&mut saved));
            let [batch, time] = [projected.layout().shape()[0], projected.layout().shape()[1]];
            prepared.finish(State { weight, saved: saved.into(), steps, batch, time }, found)
        }
        OpsKind::UnTracked(prepared) => {
            prepared.finish(forward(&projected, &weight, &bias, &hidden, &steps, None))
        }
    }
}

impl Backward<Flex, 4> for Gru {
    type State = State;

    fn backward(self, ops: Ops<State, 4>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = Dense::new(&grads.consume::<Flex>(&ops.node));
        let State { weight, saved, steps, batch, time } = ops.state;
        let n = weight.layout().shape()[0];
        let found = gradients(gradient.numbers(), &weight, &saved, &steps, [batch, time, n]);
        let positions = batch * time;
        let [projected, weight, bias, hidden] = ops.parents;
        if let Some(bias) = bias {
            grads.register::<Flex>(bias.id, tensor(column_sums(&found.recurrent, 3 * n), [3 * n]));
        }
        if let Some(weight) = weight {
            let before = tensor(saved.before.clone(), [positions, n]);
            let recurrent = tensor(found.recurrent, [positions, 3 * n]);
            grads.register::<Flex>(weight.id, product(transposed(before), recurrent));
        }
        if let Some(projected) = projected {
            grads.register::<Flex>(projected.id, tensor(found.projected, [batch, time, 3 * n]));
        }
        if let Some(hidden) = hidden {
            grads.register::<Flex>(hidden.id, tensor(found.hidden, [batch, n]));
        }
    }
}

/// Gradients for the projections, for the recurrent parts, and for the first state.
struct Found {
    projected: Vec<f32>,
    recurrent: Vec<f32>,
    hidden: Vec<f32>,
}

fn gradients(
    gradient: &[f32],
    weight: &FlexTensor,
    saved: &Saved,
    steps: &Steps,
    [batch, time, n]: [usize; 3],
) -> Found {
    // In rows, so that no step has to rearrange it.
    let weight = transposed(weight.clone()).to_contiguous();
    let mut projected = vec![0.0; batch * time * 3 * n];
    let mut recurrent = vec![0.0; batch * time * 3 * n];
    let mut hidden = Vec::with_capacity(batch * n);
    for row in 0..batch {
        hidden.extend_from_slice(&gradient[(row * (time + 1) + time) * n..][..n]);
    }
    for at in steps.order(time).rev() {
        let mut step = vec![0.0; batch * 3 * n];
        for row in (0..batch).filter(|&row| steps.counts(row, time, at)) {
            let place = row * time + at;
            let output = &gradient[(row * (time + 1) + at) * n..][..n];
            let hidden = &mut hidden[row * n..(row + 1) * n];
            hidden.iter_mut().zip(output).for_each(|(hidden, output)| *hidden += output);
            let three = place * 3 * n..(place + 1) * 3 * n;
            let recurrent = &mut recurrent[three.clone()];
            let row_before = &saved.before[place * n..(place + 1) * n];
            let row_recurrent = &saved.recurrent[place * n..(place + 1) * n];
            let gates = &saved.gates[three.clone()];
            step_back(hidden, gates, row_recurrent, row_before, &mut projected[three], recurrent);
            step[row * 3 * n..(row + 1) * 3 * n].copy_from_slice(recurrent);
        }
        let back = Dense::new(&product(tensor(step, [batch, 3 * n]), weight.clone()));
        hidden.iter_mut().zip(back.numbers()).for_each(|(hidden, back)| *hidden += back);
    }
    Found { projected, recurrent, hidden }
}

/// The gradients of one step of one row. `hidden` becomes the part of the gradient of the state before that does not go through the weights.
fn step_back(
    hidden: &mut [f32],
    gates: &[f32],
    recurrent_new: &[f32],
    before: &[f32],
    projected: &mut [f32],
    recurrent: &mut [f32],
) {
    let n = hidden.len();
    let (reset, rest) = gates.split_at(n);
    let (update, new) = rest.split_at(n);
    let (projected_reset, rest) = projected.split_at_mut(n);
    let (projected_update, projected_new) = rest.split_at_mut(n);
    let (two, recurrent_last) = recurrent.split_at_mut(2 * n);
    for at in 0..n {
        let (r, z, c) = (reset[at], update[at], new[at]);
        let gradient = hidden[at];
        let d_new = gradient * (1.0 - z) * (1.0 - c * c);
        projected_new[at] = d_new;
        projected_update[at] = gradient * (before[at] - c) * z * (1.0 - z);
        projected_reset[at] = d_new * recurrent_new[at] * r * (1.0 - r);
        recurrent_last[at] = d_new * r;
        hidden[at] = gradient * z;
    }
    two[..n].copy_from_slice(projected_reset);
    two[n..].copy_from_slice(projected_update);
}
