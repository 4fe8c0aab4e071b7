//! Recurrent layers for the CPU: all gates in one matrix product, and the projections of the inputs of all steps at once.

use super::linear::{Uniform, linear};
use crate::Pass;
use crate::kernels::{self, Steps};
use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::{sigmoid, tanh};
use burn::tensor::{Device, Tensor};

/// Which cell a stack is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecurrentCell {
    /// Gates in the order reset, update, new, as in PyTorch.
    Gru,
    /// Gates in the order input, forget, cell, output, as in PyTorch; 1 is added to the forget gate, as in TensorFlow's `BasicLSTM`.
    Lstm,
}

/// The state of one layer: `[batch, hidden]`.
#[derive(Debug, Clone)]
pub struct LayerState {
    /// The hidden state, which is also the output.
    pub hidden: Tensor<2>,
    /// The cell state of an LSTM.
    pub cell: Option<Tensor<2>>,
}

impl LayerState {
    fn zeros(cell: RecurrentCell, batch: usize, hidden: usize, device: &Device) -> LayerState {
        let zeros = || Tensor::zeros([batch, hidden], device);
        LayerState { hidden: zeros(), cell: (cell == RecurrentCell::Lstm).then(zeros) }
    }

    /// The states of some rows, in their order.
    pub fn select(&self, rows: &Tensor<1, burn::tensor::Int>) -> LayerState {
        LayerState {
            hidden: self.hidden.clone().select(0, rows.clone()),
            cell: self.cell.clone().map(|cell| cell.select(0, rows.clone())),
        }
    }
}

/// One recurrent layer.
#[derive(Module, Debug)]
pub struct RecurrentLayer {
    /// From the input to all gates.
    pub input: Linear,
    /// From the hidden state to all gates.
    pub hidden: Linear,
    #[module(skip)]
    cell: RecurrentCell,
}

impl RecurrentLayer {
    /// A layer with uniformly distributed parameters.
    pub fn new(
        cell: RecurrentCell,
        input: usize,
        hidden: usize,
        uniform: &mut Uniform,
        device: &Device,
    ) -> Self {
        let gates = hidden * if cell == RecurrentCell::Gru { 3 } else { 4 };
        RecurrentLayer {
            input: linear(input, gates, true, uniform, device),
            hidden: linear(hidden, gates, true, uniform, device),
            cell,
        }
    }

    /// Size of the hidden state.
    pub fn size(&self) -> usize {
        self.hidden.weight.val().dims()[0]
    }

    /// One step, with the input already projected to the gates.
    fn step(&self, projected: Tensor<2>, state: LayerState) -> LayerState {
        if kernels::are_on(&projected.device()) {
            let steps = Steps { mask: None, is_reversed: false };
            return self.all_steps(projected.unsqueeze_dim(1), state, steps).1;
        }
        self.composed_step(projected, state)
    }

    /// All steps at once, on a CPU.
    fn all_steps(&self, projected: Tensor<3>, state: LayerState, steps: Steps) -> (Tensor<3>, LayerState) {
        let (n, [batch, time, _]) = (self.size(), projected.dims());
        let weight = self.hidden.weight.val();
        let bias = match &self.hidden.bias {
            Some(bias) => bias.val(),
            None => Tensor::zeros([weight.dims()[1]], &projected.device()),
        };
        let state_at = |found: &Tensor<3>, at: usize| {
            found.clone().slice([0..batch, at..at + 1, 0..n]).reshape([batch, n])
        };
        let (found, cell) = match self.cell {
            RecurrentCell::Gru => (kernels::gru(projected, weight, bias, state.hidden, steps), None),
            RecurrentCell::Lstm => {
                let cell = state.cell.unwrap_or_else(|| state.hidden.zeros_like());
                let found = kernels::lstm(projected, weight, bias, [state.hidden, cell], steps);
                let cell = state_at(&found, time + 1);
                (found, Some(cell))
            }
        };
        let hidden = state_at(&found, time);
        (found.slice([0..batch, 0..time, 0..n]), LayerState { hidden, cell })
    }

    /// One step, composed of simple operations.
    fn composed_step(&self, projected: Tensor<2>, state: LayerState) -> LayerState {
        let n = self.size();
        let recurrent = self.hidden.forward(state.hidden.clone());
        let batch = recurrent.dims()[0];
        let part = |from: &Tensor<2>, at: usize, parts: usize| {
            from.clone().slice([0..batch, at * n..(at + parts) * n])
        };
        match self.cell {
            RecurrentCell::Gru => {
                let gates = sigmoid(part(&projected, 0, 2) + part(&recurrent, 0, 2));
                let (reset, update) = (part(&gates, 0, 1), part(&gates, 1, 1));
                let new = tanh(part(&projected, 2, 1) + reset * part(&recurrent, 2, 1));
                let hidden = new.clone() + update * (state.hidden - new);
                LayerState { hidden, cell: None }
            }
            RecurrentCell::Lstm => {
                let gates = projected + recurrent;
                let input = sigmoid(part(&gates, 0, 1));
                let forget = sigmoid(part(&gates, 1, 1).add_scalar(1.0));
                let new = tanh(part(&gates, 2, 1));
                let output = sigmoid(part(&gates, 3, 1));
                let before = state.cell.unwrap_or_else(|| state.hidden.zeros_like());
                let cell = forget * before + input * new;
                LayerState { hidden: output * tanh(cell.clone()), cell: Some(cell) }
            }
        }
    }

    /// All steps of a batch, `[batch, time, input]` to `[batch, time, hidden]`. Where the mask is 0, the state stays and the output is 0.
    pub fn forward(
        &self,
        inputs: Tensor<3>,
        state: LayerState,
        mask: Option<&Tensor<2>>,
        is_reversed: bool,
    ) -> (Tensor<3>, LayerState) {
        let projected = self.input.forward(inputs);
        if kernels::are_on(&projected.device()) {
            let values = |mask: &Tensor<2>| mask.to_data().try_to_vec::<f32>().unwrap_or_default();
            let steps = Steps { mask: mask.map(|mask| values(mask).into()), is_reversed };
            return self.all_steps(projected, state, steps);
        }
        self.composed(projected, state, mask, is_reversed)
    }

    /// All steps, composed of simple operations.
    fn composed(
        &self,
        projected: Tensor<3>,
        state: LayerState,
        mask: Option<&Tensor<2>>,
        is_reversed: bool,
    ) -> (Tensor<3>, LayerState) {
        let [batch, time, gates] = projected.dims();
        let mut state = state;
        let mut outputs = Vec::with_capacity(time);
        for number in 0..time {
            let at = if is_reversed { time - 1 - number } else { number };
            let step = projected.clone().slice([0..batch, at..at + 1, 0..gates]).reshape([batch, gates]);
            let next = self.composed_step(step, state.clone());
            state = match mask {
                Some(mask) => {
                    let keep = mask.clone().slice([0..batch, at..at + 1]);
                    let chosen = |new: Tensor<2>, old: Tensor<2>| old.clone() + keep.clone() * (new - old);
                    outputs.push(next.hidden.clone() * keep.clone());
                    LayerState {
                        hidden: chosen(next.hidden, state.hidden),
                        cell: next.cell.zip(state.cell).map(|(new, old)| chosen(new, old)),
                    }
                }
                None => {
                    outputs.push(next.hidden.clone());
                    next
                }
            };
        }
        if is_reversed {
            outputs.reverse();
        }
        (Tensor::stack(outputs, 1), state)
    }
}

/// Several recurrent layers above each other, in one direction.
#[derive(Module, Debug)]
pub struct RecurrentStack {
    /// From the input upwards.
    pub layers: Vec<RecurrentLayer>,
}

impl RecurrentStack {
    /// A stack.
    pub fn new(
        cell: RecurrentCell,
        layers: usize,
        input: usize,
        hidden: usize,
        uniform: &mut Uniform,
        device: &Device,
    ) -> RecurrentStack {
        let layer = |at: usize| {
            RecurrentLayer::new(cell, if at == 0 { input } else { hidden }, hidden, uniform, device)
        };
        RecurrentStack { layers: (0..layers).map(layer).collect() }
    }

    /// The state before the first step.
    pub fn zeros(&self, batch: usize, device: &Device) -> Vec<LayerState> {
        let state = |layer: &RecurrentLayer| LayerState::zeros(layer.cell, batch, layer.size(), device);
        self.layers.iter().map(state).collect()
    }

    /// All steps of a batch. `dropout` applies to the input of every layer except the first.
    pub fn forward(
        &self,
        inputs: Tensor<3>,
        states: Vec<LayerState>,
        mask: Option<&Tensor<2>>,
        dropout: f64,
        pass: &Pass,
    ) -> (Tensor<3>, Vec<LayerState>) {
        let mut inputs = inputs;
        let mut last = Vec::with_capacity(states.len());
        for (at, (layer, state)) in self.layers.iter().zip(states).enumerate() {
            if at > 0 {
                inputs = pass.dropout(inputs, dropout);
            }
            let (outputs, state) = layer.forward(inputs, state, mask, false);
            inputs = outputs;
            last.push(state);
        }
        (inputs, last)
    }

    /// One step for all layers: the output of the last one and the new states.
    pub fn step(
        &self,
        input: Tensor<2>,
        states: Vec<LayerState>,
        dropout: f64,
        pass: &Pass,
    ) -> (Tensor<2>, Vec<LayerState>) {
        let mut input = input;
        let mut next = Vec::with_capacity(states.len());
        for (at, (layer, state)) in self.layers.iter().zip(states).enumerate() {
            if at > 0 {
                input = pass.dropout(input, dropout);
            }
            let state = layer.step(layer.input.forward(input), state);
            input = state.hidden.clone();
            next.push(state);
        }
        (input, next)
    }
}

/// Layers that read a sequence in both directions; each layer sees both outputs of the one below.
#[derive(Module, Debug)]
pub struct BidirectionalStack {
    /// For each layer: forward and backward.
    pub layers: Vec<(RecurrentLayer, RecurrentLayer)>,
}

impl BidirectionalStack {
    /// A stack.
    pub fn new(
        cell: RecurrentCell,
        layers: usize,
        input: usize,
        hidden: usize,
        uniform: &mut Uniform,
        device: &Device,
    ) -> BidirectionalStack {
        let mut layer = |at: usize| {
            let input = if at == 0 { input } else { 2 * hidden };
            let mut one = || RecurrentLayer::new(cell, input, hidden, uniform, device);
            (one(), one())
        };
        BidirectionalStack { layers: (0..layers).map(&mut layer).collect() }
    }

    /// The outputs `[batch, time, 2 * hidden]`, and the last states of both directions for each layer.
    pub fn forward(
        &self,
        inputs: Tensor<3>,
        mask: Option<&Tensor<2>>,
        dropout: f64,
        pass: &Pass,
    ) -> (Tensor<3>, Vec<(LayerState, LayerState)>) {
        let (mut inputs, device) = (inputs.clone(), inputs.device());
        let mut last = Vec::new();
        for (at, (forward, backward)) in self.layers.iter().enumerate() {
            if at > 0 {
                inputs = pass.dropout(inputs, dropout);
            }
            let batch = inputs.dims()[0];
            let zeros = |layer: &RecurrentLayer| LayerState::zeros(layer.cell, batch, layer.size(), &device);
            let (left, left_state) = forward.forward(inputs.clone(), zeros(forward), mask, false);
            let (right, right_state) = backward.forward(inputs, zeros(backward), mask, true);
            inputs = Tensor::cat(vec![left, right], 2);
            last.push((left_state, right_state));
        }
        (inputs, last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::linear::Scale;
    use super::*;

    fn difference<const D: usize>(one: Tensor<D>, other: Tensor<D>) -> f32 {
        (one - other).abs().max().into_scalar::<f32>()
    }

    /// Steps in one piece, and composed of burn's operations: outputs, states and gradients.
    fn compare(cell: RecurrentCell, is_reversed: bool) {
        let device = Device::flex().autodiff();
        let mut uniform = Uniform::new(Scale::Bound(0.8), 5);
        let layer = RecurrentLayer::new(cell, 4, 7, &mut uniform, &device);
        let inputs = uniform.tensor([3, 6, 4], 4, 7, &device).require_grad();
        let mut first = LayerState::zeros(cell, 3, 7, &device);
        first.hidden = uniform.tensor([3, 7], 7, 7, &device).require_grad();
        let mask = Tensor::<2>::from_floats(
            [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
            &device,
        );
        let gradients = |outputs: Tensor<3>, last: LayerState| {
            let sum = outputs.clone().powi_scalar(2).sum() + last.hidden.clone().exp().sum();
            let sum = last.cell.iter().fold(sum, |sum, cell| sum + cell.clone().powi_scalar(3).sum());
            let gradients = sum.backward();
            let of =
                |parameters: Tensor<2>| parameters.grad(&gradients).unwrap_or_else(|| parameters.inner());
            let weights = [&layer.input, &layer.hidden].map(|part| of(part.weight.val()));
            (outputs.inner(), last.hidden.inner(), weights, of(first.hidden.clone()), inputs.grad(&gradients))
        };
        let (outputs, last) = layer.forward(inputs.clone(), first.clone(), Some(&mask), is_reversed);
        let ours = gradients(outputs, last);
        let projected = layer.input.forward(inputs.clone());
        let (outputs, last) = layer.composed(projected, first.clone(), Some(&mask), is_reversed);
        let theirs = gradients(outputs, last);
        assert!(difference(ours.0, theirs.0) < 1e-5);
        assert!(difference(ours.1, theirs.1) < 1e-5);
        for (ours, theirs) in ours.2.into_iter().zip(theirs.2) {
            assert!(difference(ours, theirs) < 1e-4);
        }
        assert!(difference(ours.3, theirs.3) < 1e-4);
        let inputs = ours.4.zip(theirs.4).map(|(ours, theirs)| difference(ours, theirs));
        assert!(inputs.is_some_and(|difference| difference < 1e-4), "{inputs:?}");
    }

    #[test]
    fn a_gru_in_one_piece_equals_the_composed_one() {
        compare(RecurrentCell::Gru, false);
        compare(RecurrentCell::Gru, true);
    }

    #[test]
    fn an_lstm_in_one_piece_equals_the_composed_one() {
        compare(RecurrentCell::Lstm, false);
        compare(RecurrentCell::Lstm, true);
    }
}
