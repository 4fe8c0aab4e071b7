//! The weights of features, and how they are learned: candidates of a question compete in a softmax, and those that are right should win.

use crate::feature_names::*;
use crate::features::Features;

/// The weights of features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weights(pub(crate) Vec<f32>);

/// The candidates of a training question.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    /// The features of each candidate.
    pub(crate) candidates: Vec<Features>,
    /// Which of them are right.
    pub(crate) right: Vec<bool>,
}

/// How weights are learned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learning {
    pub(crate) epochs: usize,
    pub(crate) rate: f32,
    /// How strongly weights are drawn back to their start.
    pub(crate) decay: f32,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning { epochs: 8, rate: 0.1, decay: 1e-3 }
    }
}

impl Weights {
    /// The weights before training: what is known about any KB.
    pub(crate) fn start() -> Weights {
        let mut weights = vec![0.0; WEIGHTS];
        let how_many = Name::of("how many");
        let ask = |kind: &str| ASK.with(Name::of(kind));
        for (name, weight) in [
            (ITEM_FIT, 1.5),
            (LEAST_FIT, 1.0),
            (MISSED_WORDS, -0.6),
            (UNEXPLAINED_ITEMS, -0.8),
            (UNUSED_LEAVES, -2.0),
            (UNUSED_LEAVES.with(LEAF), -0.3),
            (TWICE, -0.5),
            (OUTER_CLASSES, -0.5),
            (LEAF_FIT, 1.0),
            (LINK.with(Name::truth(true)), 0.5),
            (LINK.with(Name::truth(false)), -0.5),
            (LINK_FIT, -1.0),
            (LINK_DEGREE, 0.1),
            (CONDITION_FIT, 1.0),
            (EDGES, -0.4),
            (EDGES.with(Name::number(0)), -1.0),
            (RETURNS, -1.0),
            (HEAD_CLASS.with(Name::truth(true)), 0.5),
            (HEAD_FITS.with(Name::truth(true)), 0.7),
            (ask("count").with(how_many), 3.0),
            (ask("count"), -2.0),
            (EXTREME.with(Name::truth(true)), 1.0),
            (EXTREME.with(Name::truth(false)), -1.0),
            (ask("exists"), 0.3),
            (ANSWER.with(Name::of("boolean").with(Name::truth(true))), 0.5),
            (ask("verify"), -1.5),
            (ask("between"), -1.0),
            (ask("relation"), -2.0),
            (ask("qualifier"), -1.0),
            (OWN_NAME, 0.3),
        ] {
            weights[name.weight() as usize] = weight;
        }
        Weights(weights)
    }

    /// The score of a candidate.
    pub(crate) fn score(&self, features: &[(u32, f32)]) -> f32 {
        features.iter().map(|&(number, value)| self.0[number as usize] * value).sum()
    }

    /// Learns from examples, in an order that depends on the seed only.
    pub(crate) fn learn(&mut self, examples: &[Example], learning: Learning, seed: u64) {
        let start = self.0.clone();
        let mut squares = vec![1e-6_f32; WEIGHTS];
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut random = seed | 1;
        let mut gradient: Vec<(u32, f32)> = Vec::new();
        for _ in 0..learning.epochs {
            for at in (1..order.len()).rev() {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                order.swap(at, (random % (at as u64 + 1)) as usize);
            }
            for &at in &order {
                self.gradient(&examples[at], &mut gradient);
                for &(number, value) in &gradient {
                    let number = number as usize;
                    let value = value + learning.decay * (self.0[number] - start[number]);
                    squares[number] += value * value;
                    self.0[number] -= learning.rate * value / squares[number].sqrt();
                }
            }
        }
    }

    /// The gradient of the negative log-likelihood of the right candidates, added up by feature.
    fn gradient(&self, example: &Example, gradient: &mut Vec<(u32, f32)>) {
        gradient.clear();
        let scores: Vec<f32> = example.candidates.iter().map(|features| self.score(features)).collect();
        let all = probabilities(&scores);
        let right: Vec<f32> = scores
            .iter()
            .zip(&example.right)
            .map(|(&score, &right)| if right { score } else { f32::NEG_INFINITY })
            .collect();
        let wanted = probabilities(&right);
        for ((features, got), wanted) in example.candidates.iter().zip(all).zip(wanted) {
            let difference = got - wanted;
            if difference.abs() > 1e-5 {
                gradient.extend(features.iter().map(|&(number, value)| (number, difference * value)));
            }
        }
        gradient.sort_unstable_by_key(|&(number, _)| number);
        gradient.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}

/// The softmax of scores.
pub(crate) fn probabilities(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if most == f32::NEG_INFINITY {
        return vec![0.0; scores.len()];
    }
    let mut values: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f32 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_right_wins() {
        let (good, bad) = (vec![(7, 1.0), (9, 1.0)], vec![(8, 1.0), (9, 1.0)]);
        let example = Example { candidates: vec![bad.clone(), good.clone()], right: vec![false, true] };
        let mut weights = Weights(vec![0.0; WEIGHTS]);
        weights.learn(&[example], Learning::default(), 1);
        assert!(weights.score(&good) > weights.score(&bad) + 0.3);
        assert!(weights.0[9].abs() < 1e-3);
    }

    #[test]
    fn probabilities_sum_to_one() {
        let found = probabilities(&[1.0, 2.0, f32::NEG_INFINITY]);
        assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(found[2], 0.0);
        assert_eq!(probabilities(&[f32::NEG_INFINITY]), [0.0]);
    }
}
