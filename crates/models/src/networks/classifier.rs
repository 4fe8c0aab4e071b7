//! The classifier of the KQA Pro systems: two linear layers with a ReLU between them.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use touchstone_train::layers::{Uniform, linear};

/// Two linear layers with a ReLU between them.
#[derive(Module, Debug)]
pub struct Classifier {
    /// To the hidden layer.
    pub hidden: Linear,
    /// To the classes.
    pub output: Linear,
}

impl Classifier {
    pub(super) fn new(
        input: usize,
        hidden: usize,
        classes: usize,
        uniform: &mut Uniform,
        device: &Device,
    ) -> Classifier {
        Classifier {
            hidden: linear(input, hidden, true, uniform, device),
            output: linear(hidden, classes, true, uniform, device),
        }
    }

    /// The logits of the classes.
    pub(super) fn forward<const D: usize>(&self, input: Tensor<D>) -> Tensor<D> {
        self.output.forward(self.vectors(input))
    }

    /// What the output layer reads.
    pub(super) fn vectors<const D: usize>(&self, input: Tensor<D>) -> Tensor<D> {
        relu(self.hidden.forward(input))
    }
}
