//! Optimisers with a global limit of the gradient, and learning rates.

use crate::cast;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamConfig, AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// Which optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimiserKind {
    /// Stochastic gradient descent, with momentum if it is not 0.
    Sgd,
    /// Adam; weight decay is added to the gradient.
    Adam,
    /// Adam with decoupled weight decay.
    AdamW,
}

/// Settings of the optimiser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimiserSettings {
    /// Which optimiser.
    pub optimiser: OptimiserKind,
    /// The learning rate after the warm-up.
    pub learning_rate: f64,
    /// Momentum of stochastic gradient descent.
    pub momentum: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Maximum norm of all gradients together; 0: no limit.
    pub clip: f64,
    /// Number of steps over which the learning rate grows to its value.
    pub warm_up: u64,
    /// Factor of the learning rate after each epoch in `decay_after`.
    pub decay: f64,
    /// Epochs after which the learning rate decays.
    pub decay_after: Vec<u64>,
}

impl OptimiserSettings {
    /// Adam with a learning rate.
    pub fn adam(learning_rate: f64) -> OptimiserSettings {
        OptimiserSettings {
            optimiser: OptimiserKind::Adam,
            learning_rate,
            momentum: 0.0,
            weight_decay: 0.0,
            clip: 0.0,
            warm_up: 0,
            decay: 1.0,
            decay_after: Vec::new(),
        }
    }

    /// The learning rate of a step, counted from 0, in an epoch, counted from 0.
    pub fn rate(&self, step: u64, epoch: u64) -> f64 {
        let warm = match self.warm_up {
            0 => 1.0,
            steps => (cast::float_of(step + 1) / cast::float_of(steps)).min(1.0),
        };
        let decays = self.decay_after.iter().filter(|&&after| epoch >= after).count();
        self.learning_rate * warm * self.decay.powi(i32::try_from(decays).unwrap_or(i32::MAX))
    }

    /// The optimiser. Its small constants are PyTorch's.
    pub fn optimizer(&self) -> ModuleOptimizer {
        let decay =
            (self.weight_decay > 0.0).then(|| WeightDecayConfig::new(cast::single(self.weight_decay)));
        match self.optimiser {
            OptimiserKind::Sgd => {
                let momentum = (self.momentum > 0.0)
                    .then(|| MomentumConfig::new().with_momentum(self.momentum).with_dampening(0.0));
                SgdConfig::new().with_momentum(momentum).with_weight_decay(decay).init()
            }
            OptimiserKind::Adam => AdamConfig::new().with_epsilon(1e-8).with_weight_decay(decay).init(),
            OptimiserKind::AdamW => AdamWConfig::new()
                .with_epsilon(1e-8)
                .with_weight_decay(cast::single(self.weight_decay))
                .init(),
        }
    }
}

/// Gives the parameters of a network the numbers 1, 2, ..., so that the state of an optimiser fits a network that was read from a file.
#[must_use]
pub fn numbered<M: Module>(network: M) -> M {
    struct Numbering(u64);
    impl ModuleMapper for Numbering {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            self.0 += 1;
            // Everything else stays, also whether it is trained.
            let mut param = param;
            param.id = ParamId::from(self.0);
            param
        }
    }
    network.map(&mut Numbering(0))
}

/// The norm of all gradients together.
pub fn norm<M: Module>(network: &M, gradients: &GradientsParams) -> f64 {
    struct Norm<'g> {
        gradients: &'g GradientsParams,
        squares: f64,
    }
    impl ModuleVisitor for Norm<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.gradients.get::<D>(param.id) {
                self.squares += f64::from((gradient.clone() * gradient).sum().into_scalar::<f32>());
            }
        }
    }
    let mut visitor = Norm { gradients, squares: 0.0 };
    network.visit(&mut visitor);
    visitor.squares.sqrt()
}

/// The gradients times a factor.
pub fn scaled<M: Module>(network: &M, gradients: GradientsParams, factor: f64) -> GradientsParams {
    struct Scale {
        gradients: GradientsParams,
        scaled: GradientsParams,
        factor: f64,
    }
    impl ModuleVisitor for Scale {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.gradients.remove::<D>(param.id) {
                self.scaled.register(param.id, gradient.mul_scalar(self.factor));
            }
        }
    }
    let mut visitor = Scale { gradients, scaled: GradientsParams::new(), factor };
    network.visit(&mut visitor);
    visitor.scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_warm_up_and_decay() {
        let settings = OptimiserSettings {
            warm_up: 4,
            decay: 0.1,
            decay_after: vec![5, 50],
            ..OptimiserSettings::adam(1.0)
        };
        assert_eq!(settings.rate(0, 0), 0.25);
        assert_eq!(settings.rate(9, 4), 1.0);
        assert!((settings.rate(9, 5) - 0.1).abs() < 1e-12);
        assert!((settings.rate(9, 60) - 0.01).abs() < 1e-12);
    }
}
