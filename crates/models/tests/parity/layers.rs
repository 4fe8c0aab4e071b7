//! Recurrent stacks and attention.

use crate::fixture::{Fixture, Slot, check_gradients, linear, load, recurrent, stack, vector};
use burn::tensor::Tensor;
use touchstone_train::Pass;
use touchstone_train::layers::{
    Attention, BidirectionalStack, LayerState, RecurrentCell, RecurrentStack, Scale, Uniform,
};

const INPUT: usize = 5;
const UNITS: usize = 6;
const LAYERS: usize = 2;

/// 1 for the positions of a row, 0 after it.
fn mask(fixture: &Fixture, time: usize) -> Tensor<2> {
    let lengths = &fixture.ids("input.lengths")[0];
    let row = |length: &u32| (0..time as u32).map(|at| f32::from(at < *length)).collect::<Vec<f32>>();
    let values: Vec<f32> = lengths.iter().flat_map(row).collect();
    Tensor::<1>::from_floats(values.as_slice(), &fixture.device).reshape([lengths.len(), time])
}

fn hidden(states: &[LayerState]) -> Tensor<3> {
    Tensor::stack(states.iter().map(|state| state.hidden.clone()).collect(), 0)
}

fn check_stack(name: &str, cell: RecurrentCell) {
    let fixture = Fixture::open(name);
    let mut uniform = Uniform::new(Scale::FanIn, 1);
    let mut network = RecurrentStack::new(cell, LAYERS, INPUT, UNITS, &mut uniform, &fixture.device);
    load(&fixture, stack("", &mut network));
    let sequence = fixture.tensor::<3>("input.sequence").require_grad();
    let [batch, time, _] = sequence.dims();
    let mask = mask(&fixture, time);
    let zeros = network.zeros(batch, &fixture.device);
    let (outputs, states) = network.forward(sequence.clone(), zeros, Some(&mask), 0.0, &Pass::inference());
    let final_hidden = hidden(&states);
    fixture.check("output.outputs", outputs.clone());
    fixture.check("output.final_h", final_hidden.clone());
    let mut loss = outputs.clone().powi_scalar(2).sum() + final_hidden.sum();
    if cell == RecurrentCell::Lstm {
        let cells: Tensor<3> =
            Tensor::stack(states.iter().map(|state| state.cell.clone().unwrap()).collect(), 0);
        fixture.check("output.final_c", cells.clone());
        loss = loss + cells.sum();
    }
    fixture.check("output.loss", loss.clone());
    let gradients = loss.backward();
    fixture.check("grad.sequence", sequence.grad(&gradients).unwrap());
    check_gradients(&fixture, stack("", &mut network), &gradients);
    check_steps(&fixture, &network, &sequence);
}

/// One step after another gives the outputs of all steps at once, for the rows without padding.
fn check_steps(fixture: &Fixture, network: &RecurrentStack, sequence: &Tensor<3>) {
    let [batch, time, input] = sequence.dims();
    let zeros = network.zeros(batch, &fixture.device);
    let (expected, _) = network.forward(sequence.clone(), zeros, None, 0.0, &Pass::inference());
    let mut states = network.zeros(batch, &fixture.device);
    for at in 0..time {
        let step = sequence.clone().slice([0..batch, at..at + 1, 0..input]).reshape([batch, input]);
        let (output, next) = network.step(step, states, 0.0, &Pass::inference());
        states = next;
        let expected = expected.clone().slice([0..batch, at..at + 1, 0..UNITS]).reshape([batch, UNITS]);
        let difference = (output - expected).abs().max().into_scalar::<f32>();
        assert!(difference < 1e-5, "{difference} at step {at}");
    }
}

#[test]
fn gru_stack() {
    check_stack("gru_stack", RecurrentCell::Gru);
}

#[test]
fn lstm_stack() {
    check_stack("lstm_stack", RecurrentCell::Lstm);
}

fn both_directions(network: &mut BidirectionalStack) -> Vec<Slot<'_>> {
    let mut slots = Vec::new();
    for (at, (forward, backward)) in network.layers.iter_mut().enumerate() {
        slots.extend(recurrent("", &format!("l{at}"), forward));
        slots.extend(recurrent("", &format!("l{at}_reverse"), backward));
    }
    slots
}

#[test]
fn bidirectional_gru_stack() {
    let fixture = Fixture::open("bigru_stack");
    let mut uniform = Uniform::new(Scale::FanIn, 1);
    let mut network =
        BidirectionalStack::new(RecurrentCell::Gru, LAYERS, INPUT, UNITS, &mut uniform, &fixture.device);
    load(&fixture, both_directions(&mut network));
    let sequence = fixture.tensor::<3>("input.sequence").require_grad();
    let mask = mask(&fixture, sequence.dims()[1]);
    let (outputs, states) = network.forward(sequence.clone(), Some(&mask), 0.0, &Pass::inference());
    let states: Vec<LayerState> =
        states.into_iter().flat_map(|(forward, backward)| [forward, backward]).collect();
    let final_hidden = hidden(&states);
    fixture.check("output.outputs", outputs.clone());
    fixture.check("output.final_h", final_hidden.clone());
    let loss = outputs.powi_scalar(2).sum() + final_hidden.sum();
    fixture.check("output.loss", loss.clone());
    let gradients = loss.backward();
    fixture.check("grad.sequence", sequence.grad(&gradients).unwrap());
    check_gradients(&fixture, both_directions(&mut network), &gradients);
}

pub(crate) fn attention_slots<'n>(prefix: &str, attention: &'n mut Attention) -> Vec<Slot<'n>> {
    match attention {
        Attention::Dot(_) => Vec::new(),
        Attention::ScaledLuong(luong) => {
            let mut slots = linear(&format!("{prefix}memory_layer"), &mut luong.memory);
            slots.push(vector(format!("{prefix}g"), &mut luong.scale));
            slots
        }
        Attention::NormedBahdanau(bahdanau) => {
            let mut slots = linear(&format!("{prefix}memory_layer"), &mut bahdanau.memory);
            slots.extend(linear(&format!("{prefix}query_layer"), &mut bahdanau.query));
            slots.push(vector(format!("{prefix}v"), &mut bahdanau.direction));
            slots.push(vector(format!("{prefix}g"), &mut bahdanau.scale));
            slots.push(vector(format!("{prefix}b"), &mut bahdanau.bias));
            slots
        }
    }
}

fn check_attention(name: &str, attention: Attention) {
    let mut attention = attention;
    let fixture = Fixture::open(name);
    load(&fixture, attention_slots("", &mut attention));
    let query = fixture.tensor::<2>("input.query").require_grad();
    let memory = fixture.tensor::<3>("input.memory").require_grad();
    let keys = attention.keys(&memory);
    let (weights, context) = attention.forward(query.clone(), &keys, &memory, &fixture.flags("input.mask"));
    fixture.check("output.weights", weights);
    fixture.check("output.context", context.clone());
    let loss = context.powi_scalar(2).sum();
    fixture.check("output.loss", loss.clone());
    let gradients = loss.backward();
    fixture.check("grad.query", query.grad(&gradients).unwrap());
    fixture.check("grad.memory", memory.grad(&gradients).unwrap());
    check_gradients(&fixture, attention_slots("", &mut attention), &gradients);
}

fn uniform() -> Uniform {
    Uniform::new(Scale::FanIn, 1)
}

#[test]
fn dot_attention() {
    check_attention("attention_dot", Attention::dot());
}

#[test]
fn normed_bahdanau_attention() {
    let device = burn::tensor::Device::flex().autodiff();
    check_attention("attention_normed_bahdanau", Attention::normed_bahdanau(UNITS, &mut uniform(), &device));
}

#[test]
fn scaled_luong_attention() {
    let device = burn::tensor::Device::flex().autodiff();
    check_attention("attention_scaled_luong", Attention::scaled_luong(UNITS, &mut uniform(), &device));
}
