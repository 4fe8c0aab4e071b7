//! One pass through a network: whether it trains, and its random numbers.

use crate::cast;
use burn::tensor::{Tensor, TensorData};
use std::cell::Cell;

/// Whether a network is being trained, with the random numbers of its dropout. They depend only on the seed and on their order within the pass,
/// not on other threads or earlier passes, so a training that was interrupted continues with the same numbers.
#[derive(Debug)]
pub struct Pass {
    training: Option<Cell<u64>>,
}

impl Pass {
    /// A pass that trains.
    pub fn training(seed: u64) -> Pass {
        Pass { training: Some(Cell::new(seed)) }
    }

    /// A pass without dropout.
    pub fn inference() -> Pass {
        Pass { training: None }
    }

    /// In training: the tensor with a share of its elements set to 0 and the others scaled up.
    pub fn dropout<const D: usize>(&self, input: Tensor<D>, rate: f64) -> Tensor<D> {
        let Some(state) = self.training.as_ref().filter(|_| rate > 0.0) else { return input };
        let shape = input.shape();
        let n = shape.num_elements();
        let scale = cast::single(1.0 / (1.0 - rate));
        // 16 bits for each element: a rate is met to 1/65,536.
        let limit = cast::whole(rate * 65_536.0) as u64;
        let mut mask = Vec::with_capacity(n);
        let mut random = state.get();
        while mask.len() < n {
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = mixed(random);
            for _ in 0..4 {
                mask.push(if bits & 0xffff < limit { 0.0 } else { scale });
                bits >>= 16;
            }
        }
        mask.truncate(n);
        state.set(random);
        let mask = Tensor::from_data(TensorData::new(mask, shape), &input.device());
        input * mask
    }
}

/// The output function of SplitMix64.
pub(crate) fn mixed(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    fn dropped(seed: u64) -> Vec<f32> {
        let ones = Tensor::<2>::ones([100, 50], &Device::flex());
        Pass::training(seed).dropout(ones, 0.2).into_data().try_to_vec().unwrap_or_default()
    }

    #[test]
    fn a_share_is_dropped_and_the_sum_stays() {
        let values = dropped(1);
        let zeros = values.iter().filter(|value| **value == 0.0).count();
        assert!((900..1100).contains(&zeros), "{zeros}");
        let sum: f32 = values.iter().sum();
        assert!((4800.0..5200.0).contains(&sum), "{sum}");
        assert_eq!(dropped(1), values);
        assert_ne!(dropped(2), values);
        let ones = Tensor::<1>::ones([8], &Device::flex());
        let kept: Vec<f32> =
            Pass::inference().dropout(ones, 0.5).into_data().try_to_vec().unwrap_or_default();
        assert_eq!(kept, [1.0; 8]);
    }
}
