//! A file of parameters, inputs, results and gradients, and the comparison of a network with it.

use burn::module::Param;
use burn::nn::{Embedding, LayerNorm, Linear};
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use safetensors::{Dtype, SafeTensors};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use touchstone_models::networks::Classifier;
use touchstone_train::layers::{RecurrentLayer, RecurrentStack};

/// Results in float32 differ from those in float64 by rounding errors only.
const TOLERANCE: f32 = 1e-4;

pub(crate) struct Fixture {
    numbers: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    ids: BTreeMap<String, (Vec<usize>, Vec<i32>)>,
    pub(crate) device: Device,
}

impl Fixture {
    pub(crate) fn open(name: &str) -> Fixture {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let bytes = std::fs::read(folder.join(format!("{name}.safetensors"))).unwrap();
        let (mut numbers, mut ids) = (BTreeMap::new(), BTreeMap::new());
        for (name, view) in SafeTensors::deserialize(&bytes).unwrap().tensors() {
            let words = view.data().chunks_exact(4).map(|word| word.try_into().unwrap());
            let shape = view.shape().to_vec();
            if view.dtype() == Dtype::F32 {
                numbers.insert(name, (shape, words.map(f32::from_le_bytes).collect()));
            } else {
                ids.insert(name, (shape, words.map(i32::from_le_bytes).collect()));
            }
        }
        Fixture { numbers, ids, device: Device::flex().autodiff() }
    }

    pub(crate) fn tensor<const D: usize>(&self, name: &str) -> Tensor<D> {
        let (shape, values) = self.numbers.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(shape.len(), D, "{name}");
        Tensor::from_data(TensorData::new(values.clone(), shape.clone()), &self.device)
    }

    /// The rows of a table of ids, up to the first id that is not counted.
    pub(crate) fn ids(&self, name: &str) -> Vec<Vec<u32>> {
        let (shape, values) = self.ids.get(name).unwrap_or_else(|| panic!("no {name}"));
        let length = *shape.last().unwrap();
        values.chunks(length).map(|row| row.iter().map(|&id| id as u32).collect()).collect()
    }

    /// A table of 0 and 1 as numbers.
    pub(crate) fn flags<const D: usize>(&self, name: &str) -> Tensor<D> {
        let (shape, values) = self.ids.get(name).unwrap_or_else(|| panic!("no {name}"));
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        Tensor::from_data(TensorData::new(values, shape.clone()), &self.device)
    }

    /// Compares a tensor with the file's.
    pub(crate) fn check<const D: usize>(&self, name: &str, found: Tensor<D>) {
        let (shape, expected) = self.numbers.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(&found.dims()[..], &shape[..], "{name}");
        let found: Vec<f32> = found.into_data().try_to_vec().unwrap();
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            let is_close = (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
            assert!(is_close, "{name}, number {at}: {found} instead of {expected}");
        }
    }
}

/// A parameter of a network and its name in the file.
pub(crate) struct Slot<'n> {
    name: String,
    place: Place<'n>,
}

enum Place<'n> {
    Vector(&'n mut Param<Tensor<1>>),
    Table(&'n mut Param<Tensor<2>>),
    /// Stored by outputs in PyTorch, by inputs here.
    Transposed(&'n mut Param<Tensor<2>>),
    /// `[out, in, kernel]` in PyTorch, `[kernel * in, out]` here.
    Convolution(&'n mut Param<Tensor<2>>),
}

pub(crate) fn vector<'n>(name: impl Into<String>, place: &'n mut Param<Tensor<1>>) -> Slot<'n> {
    Slot { name: name.into(), place: Place::Vector(place) }
}

pub(crate) fn embedding<'n>(name: &str, embedding: &'n mut Embedding) -> Slot<'n> {
    Slot { name: format!("{name}.weight"), place: Place::Table(&mut embedding.weight) }
}

pub(crate) fn convolution<'n>(name: &str, weight: &'n mut Param<Tensor<2>>) -> Slot<'n> {
    Slot { name: format!("{name}.weight"), place: Place::Convolution(weight) }
}

pub(crate) fn linear<'n>(name: &str, linear: &'n mut Linear) -> Vec<Slot<'n>> {
    let weight = Slot { name: format!("{name}.weight"), place: Place::Transposed(&mut linear.weight) };
    let bias = linear.bias.as_mut().map(|bias| vector(format!("{name}.bias"), bias));
    std::iter::once(weight).chain(bias).collect()
}

pub(crate) fn norm<'n>(name: &str, norm: &'n mut LayerNorm) -> Vec<Slot<'n>> {
    let gamma = vector(format!("{name}.weight"), &mut norm.gamma);
    vec![gamma, vector(format!("{name}.bias"), norm.beta.as_mut().unwrap())]
}

pub(crate) fn classifier<'n>(name: &str, classifier: &'n mut Classifier) -> Vec<Slot<'n>> {
    let mut slots = linear(&format!("{name}.0"), &mut classifier.hidden);
    slots.extend(linear(&format!("{name}.2"), &mut classifier.output));
    slots
}

pub(crate) fn recurrent<'n>(prefix: &str, suffix: &str, layer: &'n mut RecurrentLayer) -> Vec<Slot<'n>> {
    let mut slots = Vec::new();
    for (part, linear) in [("ih", &mut layer.input), ("hh", &mut layer.hidden)] {
        let weight = Place::Transposed(&mut linear.weight);
        slots.push(Slot { name: format!("{prefix}weight_{part}_{suffix}"), place: weight });
        slots.push(vector(format!("{prefix}bias_{part}_{suffix}"), linear.bias.as_mut().unwrap()));
    }
    slots
}

pub(crate) fn stack<'n>(prefix: &str, stack: &'n mut RecurrentStack) -> Vec<Slot<'n>> {
    let layers = stack.layers.iter_mut().enumerate();
    layers.flat_map(|(at, layer)| recurrent(prefix, &format!("l{at}"), layer)).collect()
}

/// `[out, in, kernel]` as `[kernel * in, out]`.
fn by_neighbours(weight: Tensor<3>) -> Tensor<2> {
    let [outputs, inputs, kernel] = weight.dims();
    weight.permute([2, 1, 0]).reshape([kernel * inputs, outputs])
}

/// Gives a network the parameters of the file. All of them must have a place.
pub(crate) fn load(fixture: &Fixture, slots: Vec<Slot<'_>>) {
    let mut names: BTreeSet<String> =
        fixture.numbers.keys().filter_map(|name| name.strip_prefix("param.")).map(str::to_owned).collect();
    for slot in slots {
        assert!(names.remove(&slot.name), "{} is not in the file, or twice in the network", slot.name);
        let name = format!("param.{}", slot.name);
        match slot.place {
            Place::Vector(place) => *place = Param::from_tensor(fixture.tensor(&name)),
            Place::Table(place) => *place = Param::from_tensor(fixture.tensor(&name)),
            Place::Transposed(place) => {
                *place = Param::from_tensor(fixture.tensor::<2>(&name).transpose().detach());
            }
            Place::Convolution(place) => {
                *place = Param::from_tensor(by_neighbours(fixture.tensor(&name)).detach());
            }
        }
    }
    assert!(names.is_empty(), "{names:?} have no place in the network");
}

/// Compares the gradients of all parameters.
pub(crate) fn check_gradients(fixture: &Fixture, slots: Vec<Slot<'_>>, gradients: &Gradients) {
    for slot in slots {
        let name = format!("grad.{}", slot.name);
        match slot.place {
            Place::Vector(place) => fixture.check(&name, place.val().grad(gradients).unwrap()),
            Place::Table(place) => fixture.check(&name, place.val().grad(gradients).unwrap()),
            Place::Transposed(place) => {
                fixture.check(&name, place.val().grad(gradients).unwrap().transpose());
            }
            Place::Convolution(place) => {
                let (shape, _) = &fixture.numbers[&name];
                let gradient = place.val().grad(gradients).unwrap();
                let gradient = gradient.reshape([shape[2], shape[1], shape[0]]).permute([2, 1, 0]);
                fixture.check(&name, gradient);
            }
        }
    }
}
