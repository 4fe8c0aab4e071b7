//! All steps of an LSTM layer. Gates in the order input, forget, new, output; 1 is added to the forget gate.

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
use std::sync::Arc;

/// The outputs and the last states, see [`Kernels::lstm_steps`].
pub(crate) fn lstm(
    projected: Tensor<3>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    [hidden, cell]: [Tensor<2>; 2],
    steps: Steps,
) -> Tensor<3> {
    Tensor::from_dispatch(<Dispatch as Kernels>::lstm_steps(
        projected.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        hidden.into_dispatch(),
        cell.into_dispatch(),
        steps,
    ))
}

/// What the gradient needs of each position: the gates, the hidden state and the cell state before, and the tangent of the cell state.
#[derive(Debug, Clone, Default)]
pub(super) struct Saved {
    gates: Vec<f32>,
    hidden_before: Vec<f32>,
    cell_before: Vec<f32>,
    tangent: Vec<f32>,
}

pub(super) fn forward(
    projected: &FlexTensor,
    weight: &FlexTensor,
    bias: &FlexTensor,
    [hidden, cell]: [&FlexTensor; 2],
    steps: &Steps,
    mut saved: Option<&mut Saved>,
) -> FlexTensor {
    let n = weight.layout().shape()[0];
    let [batch, time] = [projected.layout().shape()[0], projected.layout().shape()[1]];
    let (projected, bias) = (Dense::new(projected), Dense::new(bias));
    let mut hidden = Dense::new(hidden).numbers().to_vec();
    let mut cell = Dense::new(cell).numbers().to_vec();
    let mut found = vec![0.0; batch * (time + 2) * n];
    if let Some(saved) = saved.as_deref_mut() {
        let zeros = || vec![0.0; batch * time * n];
        *saved = Saved {
            gates: vec![0.0; batch * time * 4 * n],
            hidden_before: zeros(),
            cell_before: zeros(),
            tangent: zeros(),
        };
    }
    let (mut gates, mut tangent) = (vec![0.0; 4 * n], vec![0.0; n]);
    for at in steps.order(time) {
        let recurrent = Dense::new(&product(tensor(hidden.clone(), [batch, n]), weight.clone()));
        for row in (0..batch).filter(|&row| steps.counts(row, time, at)) {
            let (one, four) = (row * n..(row + 1) * n, row * 4 * n..(row + 1) * 4 * n);
            let place = row * time + at;
            let projected = &projected.numbers()[place * 4 * n..(place + 1) * 4 * n];
            let (hidden, cell) = (&mut hidden[one.clone()], &mut cell[one]);
            let sums = projected.iter().zip(recurrent.numbers()[four].iter().zip(bias.numbers()));
            gates.iter_mut().zip(sums).for_each(|(gate, (x, (h, b)))| *gate = x + (h + b));
            if let Some(saved) = saved.as_deref_mut() {
                saved.hidden_before[place * n..(place + 1) * n].copy_from_slice(hidden);
                saved.cell_before[place * n..(place + 1) * n].copy_from_slice(cell);
            }
            step(&mut gates, hidden, cell, &mut tangent);
            if let Some(saved) = saved.as_deref_mut() {
                saved.gates[place * 4 * n..(place + 1) * 4 * n].copy_from_slice(&gates);
                saved.tangent[place * n..(place + 1) * n].copy_from_slice(&tangent);
            }
            found[(row * (time + 2) + at) * n..][..n].copy_from_slice(hidden);
        }
    }
    for row in 0..batch {
        let last = (row * (time + 2) + time) * n;
        found[last..last + n].copy_from_slice(&hidden[row * n..(row + 1) * n]);
        found[last + n..last + 2 * n].copy_from_slice(&cell[row * n..(row + 1) * n]);
    }
    tensor(found, [batch, time + 2, n])
}

/// A step of one row. `gates` holds sums first, and then what the gates make of them.
fn step(gates: &mut [f32], hidden: &mut [f32], cell: &mut [f32], tangent: &mut [f32]) {
    let n = hidden.len();
    let (input, rest) = gates.split_at_mut(n);
    let (forget, rest) = rest.split_at_mut(n);
    let (new, output) = rest.split_at_mut(n);
    input.iter_mut().for_each(|gate| *gate = sigmoid(*gate));
    forget.iter_mut().for_each(|gate| *gate = sigmoid(*gate + 1.0));
    new.iter_mut().for_each(|gate| *gate = tanh(*gate));
    output.iter_mut().for_each(|gate| *gate = sigmoid(*gate));
    for (cell, ((i, f), g)) in cell.iter_mut().zip(input.iter().zip(forget.iter()).zip(new.iter())) {
        *cell = f * *cell + i * g;
    }
    tangent.iter_mut().zip(cell.iter()).for_each(|(tangent, cell)| *tangent = tanh(*cell));
    for (hidden, (o, t)) in hidden.iter_mut().zip(output.iter().zip(tangent.iter())) {
        *hidden = o * t;
    }
}

#[derive(Debug)]
struct Lstm;

#[derive(Debug, Clone)]
struct State {
    weight: FlexTensor,
    saved: Arc<Saved>,
    steps: Steps,
    batch: usize,
    time: usize,
}

pub(super) fn tracked<C: CheckpointStrategy>(
    inputs: [FloatTensor<Autodiff<Flex, C>>; 5],
    steps: Steps,
) -> FloatTensor<Autodiff<Flex, C>> {
    let [(projected, one), (weight, two), (bias, three), (hidden, four), (cell, five)] =
        inputs.map(|input| input.into_parts());
    match Lstm.prepare::<C>([one, two, three, four, five]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let mut saved = Saved::default();
            let found = forward(&projected, &weight, &bias, [&hidden, &cell], &steps, Some(&mut saved));
            let [batch, time] = [projected.layout().shape()[0], projected.layout().shape()[1]];
            prepared.finish(State { weight, saved: saved.into(), steps, batch, time }, found)
        }
        OpsKind::UnTracked(prepared) => {
            prepared.finish(forward(&projected, &weight, &bias, [&hidden, &cell], &steps, None))
        }
    }
}

impl Backward<Flex, 5> for Lstm {
    type State = State;

    fn backward(self, ops: Ops<State, 5>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = Dense::new(&grads.consume::<Flex>(&ops.node));
        let State { weight, saved, steps, batch, time } = ops.state;
        let n = weight.layout().shape()[0];
        let found = gradients(gradient.numbers(), &weight, &saved, &steps, [batch, time, n]);
        let positions = batch * time;
        let [projected, weight, bias, hidden, cell] = ops.parents;
        // Projections and recurrent parts are added up, so they have the same gradient.
        let sums = tensor(found.sums, [positions, 4 * n]);
        if let Some(bias) = bias {
            let sums = column_sums(Dense::new(&sums).numbers(), 4 * n);
            grads.register::<Flex>(bias.id, tensor(sums, [4 * n]));
        }
        if let Some(weight) = weight {
            let before = tensor(saved.hidden_before.clone(), [positions, n]);
            grads.register::<Flex>(weight.id, product(transposed(before), sums.clone()));
        }
        if let Some(projected) = projected {
            grads.register::<Flex>(projected.id, sums.reshape([batch, time, 4 * n].into()));
        }
        if let Some(hidden) = hidden {
            grads.register::<Flex>(hidden.id, tensor(found.hidden, [batch, n]));
        }
        if let Some(cell) = cell {
            grads.register::<Flex>(cell.id, tensor(found.cell, [batch, n]));
        }
    }
}

/// Gradients for the sums of projections and recurrent parts, and for the first states.
struct Found {
    sums: Vec<f32>,
    hidden: Vec<f32>,
    cell: Vec<f32>,
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
    let mut sums = vec![0.0; batch * time * 4 * n];
    let (mut hidden, mut cell) = (Vec::with_capacity(batch * n), Vec::with_capacity(batch * n));
    for row in 0..batch {
        let last = (row * (time + 2) + time) * n;
        hidden.extend_from_slice(&gradient[last..last + n]);
        cell.extend_from_slice(&gradient[last + n..last + 2 * n]);
    }
    for at in steps.order(time).rev() {
        let mut step = vec![0.0; batch * 4 * n];
        for row in (0..batch).filter(|&row| steps.counts(row, time, at)) {
            let place = row * time + at;
            let output = &gradient[(row * (time + 2) + at) * n..][..n];
            let one = row * n..(row + 1) * n;
            hidden[one.clone()].iter_mut().zip(output).for_each(|(hidden, output)| *hidden += output);
            let sums = &mut sums[place * 4 * n..(place + 1) * 4 * n];
            let part = place * n..(place + 1) * n;
            let position = Position {
                gates: &saved.gates[place * 4 * n..(place + 1) * 4 * n],
                cell_before: &saved.cell_before[part.clone()],
                tangent: &saved.tangent[part],
            };
            position.back(&mut hidden[one.clone()], &mut cell[one], sums);
            step[row * 4 * n..(row + 1) * 4 * n].copy_from_slice(sums);
        }
        let back = Dense::new(&product(tensor(step, [batch, 4 * n]), weight.clone()));
        hidden.iter_mut().zip(back.numbers()).for_each(|(hidden, back)| *hidden += back);
    }
    Found { sums, hidden, cell }
}

/// What a step of one row saved.
struct Position<'s> {
    gates: &'s [f32],
    cell_before: &'s [f32],
    tangent: &'s [f32],
}

impl Position<'_> {
    /// The gradients of the step. `hidden` becomes 0: all of it goes through the weights. `cell` becomes the gradient of the cell state before.
    fn back(&self, hidden: &mut [f32], cell: &mut [f32], sums: &mut [f32]) {
        let n = hidden.len();
        let (input, rest) = self.gates.split_at(n);
        let (forget, rest) = rest.split_at(n);
        let (new, output) = rest.split_at(n);
        let (sums_input, rest) = sums.split_at_mut(n);
        let (sums_forget, rest) = rest.split_at_mut(n);
        let (sums_new, sums_output) = rest.split_at_mut(n);
        for at in 0..n {
            let (i, f, g, o, t) = (input[at], forget[at], new[at], output[at], self.tangent[at]);
            let d_cell = cell[at] + hidden[at] * o * (1.0 - t * t);
            sums_output[at] = hidden[at] * t * o * (1.0 - o);
            sums_input[at] = d_cell * g * i * (1.0 - i);
            sums_new[at] = d_cell * i * (1.0 - g * g);
            sums_forget[at] = d_cell * self.cell_before[at] * f * (1.0 - f);
            cell[at] = d_cell * f;
            hidden[at] = 0.0;
        }
    }
}
