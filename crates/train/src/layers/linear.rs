//! Linear layers and embeddings with parameters drawn from a seeded generator: the same seed gives the same network on every machine.

use crate::cast;
use crate::pass::mixed;
use burn::module::Param;
use burn::nn::{Embedding, Linear};
use burn::tensor::{Device, Tensor, TensorData};

/// How the parameters of a network are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Uniformly between minus and plus this.
    Bound(f64),
    /// Uniformly, by the number of inputs: PyTorch's default for linear and recurrent layers.
    FanIn,
    /// Uniformly, by the numbers of inputs and outputs (Glorot).
    Xavier,
}

/// Draws parameters.
#[derive(Debug, Clone)]
pub struct Uniform {
    scale: Scale,
    state: u64,
}

impl Uniform {
    /// A generator with a seed.
    pub fn new(scale: Scale, seed: u64) -> Uniform {
        Uniform { scale, state: mixed(seed ^ 0x5bf0_3635_0cf6_91a1) }
    }

    /// The same generator with another scale for what follows.
    #[must_use]
    pub fn scaled(&self, scale: Scale) -> Uniform {
        Uniform { scale, state: mixed(self.state) }
    }

    fn unit(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        cast::float_of(mixed(self.state) >> 11) / cast::float_of(1 << 53)
    }

    /// A tensor with the numbers of inputs and outputs that its scale may depend on.
    pub fn tensor<const D: usize>(
        &mut self,
        shape: [usize; D],
        inputs: usize,
        outputs: usize,
        device: &Device,
    ) -> Tensor<D> {
        let bound = match self.scale {
            Scale::Bound(bound) => bound,
            Scale::FanIn => 1.0 / cast::float(inputs).sqrt(),
            Scale::Xavier => (6.0 / cast::float(inputs + outputs)).sqrt(),
        };
        let n = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|_| cast::single((2.0 * self.unit() - 1.0) * bound)).collect();
        Tensor::from_data(TensorData::new(values, shape), device)
    }
}

/// A linear layer.
pub fn linear(input: usize, output: usize, has_bias: bool, uniform: &mut Uniform, device: &Device) -> Linear {
    let weight = uniform.tensor([input, output], input, output, device);
    let bias = has_bias.then(|| match uniform.scale {
        Scale::Xavier => Tensor::zeros([output], device),
        _ => uniform.tensor([output], input, output, device),
    });
    Linear { weight: Param::from_tensor(weight), bias: bias.map(Param::from_tensor) }
}

/// A table of vectors for words.
pub fn embedding(words: usize, size: usize, uniform: &mut Uniform, device: &Device) -> Embedding {
    let weight = uniform.tensor([words, size], words, size, device);
    Embedding { weight: Param::from_tensor(weight) }
}
