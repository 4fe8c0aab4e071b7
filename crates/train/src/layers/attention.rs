//! Attention of one query over a memory, in the variants of recurrent systems.

use super::linear::{Uniform, linear};
use crate::cast;
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::{softmax, tanh};
use burn::tensor::{Device, Tensor};

/// The score of a position that must not be looked at.
pub const MASKED: f32 = -1e10;

/// How a query and a position of the memory are compared.
#[derive(Module, Debug)]
#[expect(clippy::large_enum_variant, reason = "a network has one of it")]
pub enum Attention {
    /// Their product.
    Dot(Dot),
    /// `g * q . (W m)`
    ScaledLuong(ScaledLuong),
    /// `g * (v / |v|) . tanh(W1 m + W2 q + b)`
    NormedBahdanau(NormedBahdanau),
}

/// The product of query and memory.
#[derive(Module, Debug)]
pub struct Dot {}

/// See [`Attention::ScaledLuong`].
#[derive(Module, Debug)]
pub struct ScaledLuong {
    /// From the memory to the keys, without bias.
    pub memory: Linear,
    /// The scale, one number.
    pub scale: Param<Tensor<1>>,
}

/// See [`Attention::NormedBahdanau`].
#[derive(Module, Debug)]
pub struct NormedBahdanau {
    /// From the memory to the keys, without bias.
    pub memory: Linear,
    /// From the query, without bias.
    pub query: Linear,
    /// The direction.
    pub direction: Param<Tensor<1>>,
    /// The scale, one number.
    pub scale: Param<Tensor<1>>,
    /// The bias.
    pub bias: Param<Tensor<1>>,
}

impl Attention {
    /// The product, without parameters.
    pub fn dot() -> Attention {
        Attention::Dot(Dot {})
    }

    /// Luong's attention with a scale that begins with 1.
    pub fn scaled_luong(units: usize, uniform: &mut Uniform, device: &Device) -> Attention {
        let memory = linear(units, units, false, uniform, device);
        Attention::ScaledLuong(ScaledLuong { memory, scale: Param::from_tensor(Tensor::ones([1], device)) })
    }

    /// Bahdanau's attention with a normed direction and a scale that begins with the square root of 1/units.
    pub fn normed_bahdanau(units: usize, uniform: &mut Uniform, device: &Device) -> Attention {
        Attention::NormedBahdanau(NormedBahdanau {
            memory: linear(units, units, false, uniform, device),
            query: linear(units, units, false, uniform, device),
            direction: Param::from_tensor(uniform.tensor([units], units, 1, device)),
            scale: Param::from_tensor(Tensor::full([1], (1.0 / cast::float(units)).sqrt(), device)),
            bias: Param::from_tensor(Tensor::zeros([units], device)),
        })
    }

    /// What is compared with queries, for a memory `[batch, time, units]`: computed once for all steps.
    pub fn keys(&self, memory: &Tensor<3>) -> Tensor<3> {
        match self {
            Attention::Dot(_) => memory.clone(),
            Attention::ScaledLuong(luong) => luong.memory.forward(memory.clone()),
            Attention::NormedBahdanau(bahdanau) => bahdanau.memory.forward(memory.clone()),
        }
    }

    /// The weights `[batch, time]` and the context `[batch, units]` for a query `[batch, units]`.
    pub fn forward(
        &self,
        query: Tensor<2>,
        keys: &Tensor<3>,
        memory: &Tensor<3>,
        mask: &Tensor<2>,
    ) -> (Tensor<2>, Tensor<2>) {
        let [batch, time, units] = memory.dims();
        let products =
            |query: Tensor<2>| keys.clone().matmul(query.reshape([batch, units, 1])).reshape([batch, time]);
        let scores = match self {
            Attention::Dot(_) => products(query),
            Attention::ScaledLuong(luong) => products(query) * luong.scale.val().reshape([1, 1]),
            Attention::NormedBahdanau(bahdanau) => {
                let projected = bahdanau.query.forward(query).reshape([batch, 1, units]);
                let inside = tanh(keys.clone() + projected + bahdanau.bias.val().reshape([1, 1, units]));
                let direction = bahdanau.direction.val();
                let norm = (direction.clone() * direction.clone()).sum().sqrt();
                let direction = direction / norm * bahdanau.scale.val();
                inside
                    .matmul(direction.reshape([1, units, 1]).expand([batch, units, 1]))
                    .reshape([batch, time])
            }
        };
        let scores = scores.mask_fill(mask.clone().equal_elem(0.0), MASKED);
        let weights = softmax(scores, 1);
        let context =
            weights.clone().reshape([batch, 1, time]).matmul(memory.clone()).reshape([batch, units]);
        (weights, context)
    }
}
