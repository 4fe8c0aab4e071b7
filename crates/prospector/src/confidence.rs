//! How likely the best reading is right: a logistic regression on what is known about it, fitted on questions that were left out of training.

use crate::feature_names::*;
use crate::features::Features;

/// Number of facts about a reading that its confidence depends on.
pub(crate) const EVIDENCE: usize = 9;

/// What is known about the best reading of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence([f32; EVIDENCE]);

/// The probability of the best reading and of the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shares {
    pub(crate) best: f32,
    pub(crate) next: f32,
}

impl Evidence {
    /// What the features of the best reading and its share of the probability say.
    pub(crate) fn of(features: &Features, shares: Shares) -> Evidence {
        let value = |name: Name| {
            let number = name.weight();
            features.iter().find(|(other, _)| *other == number).map_or(0.0, |&(_, value)| value)
        };
        let unsure = LINK.with(Name::truth(false)).weight();
        let unsure = features.iter().filter(|(number, _)| *number == unsure).count();
        let (best, next) = (shares.best.clamp(1e-4, 0.9999), shares.next.max(1e-4));
        Evidence([
            1.0,
            (best / (1.0 - best)).ln(),
            (best / next).ln().min(8.0),
            value(MISSED_WORDS),
            value(MISSED_SHARE),
            value(UNUSED_LEAVES),
            value(LEAST_FIT),
            value(UNEXPLAINED_ITEMS),
            unsure as f32,
        ])
    }
}

/// The weights of the evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Confidence(pub(crate) [f32; EVIDENCE]);

impl Default for Confidence {
    /// The share of the probability itself, less what the question says and the reading does not.
    fn default() -> Confidence {
        Confidence([-0.5, 0.5, 0.0, -0.5, 0.0, -0.5, 1.0, -0.5, -0.3])
    }
}

/// Number of steps of a fit.
const STEPS: usize = 3000;

/// The size of a step.
const RATE: f32 = 0.1;

/// How strongly weights are drawn to 0.
const DECAY: f32 = 1e-3;

impl Confidence {
    /// The probability that a reading is right.
    pub(crate) fn probability(&self, evidence: &Evidence) -> f32 {
        let sum: f32 = self.0.iter().zip(&evidence.0).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// Fits the weights to readings that are known to be right or wrong.
    pub(crate) fn fit(rows: &[(Evidence, bool)]) -> Confidence {
        let mut fitted = Confidence::default();
        if rows.is_empty() {
            return fitted;
        }
        for _ in 0..STEPS {
            let mut gradient = [0.0; EVIDENCE];
            for (evidence, is_right) in rows {
                let error = fitted.probability(evidence) - f32::from(u8::from(*is_right));
                for (sum, value) in gradient.iter_mut().zip(&evidence.0) {
                    *sum += error * value / rows.len() as f32;
                }
            }
            for (weight, slope) in fitted.0.iter_mut().zip(gradient) {
                *weight -= RATE * (slope + DECAY * *weight);
            }
        }
        fitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_follows_the_share_of_right_readings() {
        let evidence = |best: f32| Evidence::of(&Vec::new(), Shares { best, next: 1.0 - best });
        // A probability of .9 is right in 6 of 10 cases, one of .3 in 1 of 10.
        let rows: Vec<(Evidence, bool)> = (0..100)
            .map(|at| (evidence(0.9), at % 10 < 6))
            .chain((0..100).map(|at| (evidence(0.3), at % 10 < 1)))
            .collect();
        let fitted = Confidence::fit(&rows);
        assert!((fitted.probability(&evidence(0.9)) - 0.6).abs() < 0.05);
        assert!((fitted.probability(&evidence(0.3)) - 0.1).abs() < 0.05);
        assert_eq!(Confidence::fit(&[]), Confidence::default());
    }

    #[test]
    fn what_is_not_understood_lowers_confidence() {
        let shares = Shares { best: 0.8, next: 0.1 };
        let missed = Evidence::of(&vec![(MISSED_WORDS.weight(), 2.0)], shares);
        let all = Evidence::of(&Vec::new(), shares);
        let confidence = Confidence::default();
        assert!(confidence.probability(&missed) < confidence.probability(&all));
    }
}
