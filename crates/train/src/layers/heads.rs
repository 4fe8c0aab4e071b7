//! Attention with several heads, as Transformers have it.

use super::attention::MASKED;
use super::linear::{Uniform, linear};
use crate::Pass;
use crate::cast;
use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, Device, Int, Tensor};

/// Attention with several heads.
#[derive(Module, Debug)]
pub struct Heads {
    /// From the positions that look.
    pub query: Linear,
    /// From the positions that are looked at: what is compared.
    pub key: Linear,
    /// From the positions that are looked at: what is taken.
    pub value: Linear,
    /// From all heads.
    pub output: Linear,
    #[module(skip)]
    heads: usize,
}

impl Heads {
    /// Linear layers with a bias for all vectors.
    pub fn new(size: usize, heads: usize, uniform: &mut Uniform, device: &Device) -> Heads {
        let mut one = || linear(size, size, true, uniform, device);
        Heads { query: one(), key: one(), value: one(), output: one(), heads }
    }

    /// What is compared with queries, and what is taken, for positions `[batch, positions, size]`.
    pub fn keys_values(&self, memory: Tensor<3>) -> KeysValues {
        KeysValues {
            keys: self.split(self.key.forward(memory.clone())),
            values: self.split(self.value.forward(memory)),
        }
    }

    fn split(&self, vectors: Tensor<3>) -> Tensor<4> {
        let [batch, n, size] = vectors.dims();
        vectors.reshape([batch, n, self.heads, size / self.heads]).swap_dims(1, 2)
    }

    /// What the positions of `queries` find in `memory`. `hidden`: `[batch, queries or 1, keys]`, true where a key must not be looked at.
    pub fn forward(
        &self,
        queries: Tensor<3>,
        memory: Tensor<3>,
        hidden: &Tensor<3, Bool>,
        dropout: f64,
        pass: &Pass,
    ) -> Tensor<3> {
        self.attend(queries, &self.keys_values(memory), hidden, dropout, pass)
    }

    /// As [`Heads::forward`], with keys and values that were computed before.
    pub fn attend(
        &self,
        queries: Tensor<3>,
        memory: &KeysValues,
        hidden: &Tensor<3, Bool>,
        dropout: f64,
        pass: &Pass,
    ) -> Tensor<3> {
        let [batch, n_queries, size] = queries.dims();
        let n_keys = memory.keys.dims()[2];
        let query = self.split(self.query.forward(queries));
        // Queries are smaller than scores.
        let query = query.div_scalar(cast::float(size / self.heads).sqrt());
        let scores = query.matmul(memory.keys.clone().swap_dims(2, 3));
        let rows = hidden.dims()[1];
        let hidden =
            hidden.clone().reshape([batch, 1, rows, n_keys]).expand([batch, self.heads, n_queries, n_keys]);
        let weights = pass.dropout(softmax(scores.mask_fill(hidden, MASKED), 3), dropout);
        let found = weights.matmul(memory.values.clone()).swap_dims(1, 2).reshape([batch, n_queries, size]);
        self.output.forward(found)
    }
}

/// Keys and values of positions, divided among heads: `[batch, heads, positions, size of a head]`.
#[derive(Debug, Clone)]
pub struct KeysValues {
    keys: Tensor<4>,
    values: Tensor<4>,
}

impl KeysValues {
    /// These positions after earlier ones.
    #[must_use]
    pub fn after(self, earlier: Option<KeysValues>) -> KeysValues {
        match earlier {
            Some(earlier) => KeysValues {
                keys: Tensor::cat(vec![earlier.keys, self.keys], 2),
                values: Tensor::cat(vec![earlier.values, self.values], 2),
            },
            None => self,
        }
    }

    /// Those of some rows, in their order.
    #[must_use]
    pub fn select(&self, rows: &Tensor<1, Int>) -> KeysValues {
        KeysValues {
            keys: self.keys.clone().select(0, rows.clone()),
            values: self.values.clone().select(0, rows.clone()),
        }
    }
}
