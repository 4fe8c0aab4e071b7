//! How often a system is right if it answers only the questions that it is surest of.

use crate::cast::float;
use serde::Serialize;

/// A threshold of confidence: what a system that is silent below it would answer, and how much of that would be right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RiskPoint {
    /// The least confidence of an answer that is given.
    pub threshold: f64,
    /// The share of all questions that are answered.
    pub answered: f64,
    /// The share of the answered questions that are right.
    pub right: f64,
}

/// The curve of a run: one point for each confidence that it states, from the surest down.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RiskCoverage {
    /// Number of questions.
    pub n: usize,
    /// Number of answers with a confidence.
    pub with_confidence: usize,
    /// The points; the last one answers everything that has a confidence.
    pub points: Vec<RiskPoint>,
    /// The mean share of wrong answers over all shares of answered questions (AURC): the less, the better the confidence orders the answers.
    pub area: f64,
}

impl RiskCoverage {
    /// The curve of a run from its questions: the confidence of the answer, if there is an answer with one, and whether it is right. `None`
    /// if no answer has a confidence. Answers of the same confidence are given together or not at all.
    ///
    /// ```
    /// use touchstone_grade::RiskCoverage;
    ///
    /// let curve = RiskCoverage::of(&[(Some(0.9), true), (Some(0.4), false), (None, false)]).expect("a curve");
    /// let points: Vec<_> = curve.points.iter().map(|point| (point.answered * 3.0, point.right)).collect();
    /// assert_eq!(points, [(1.0, 1.0), (2.0, 0.5)]);
    /// ```
    pub fn of(questions: &[(Option<f64>, bool)]) -> Option<RiskCoverage> {
        let stated = questions.iter().filter_map(|&(confidence, right)| Some((confidence?, right)));
        let mut stated: Vec<(f64, bool)> = stated.filter(|(confidence, _)| !confidence.is_nan()).collect();
        if stated.is_empty() {
            return None;
        }
        stated.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut points: Vec<RiskPoint> = Vec::new();
        let (mut answered, mut right, mut area) = (0, 0, 0.0);
        for group in stated.chunk_by(|one, other| one.0 == other.0) {
            answered += group.len();
            right += group.iter().filter(|(_, right)| *right).count();
            let share = float(right) / float(answered);
            area += float(group.len()) * (1.0 - share);
            let answered = float(answered) / float(questions.len());
            points.push(RiskPoint { threshold: group[0].0, answered, right: share });
        }
        let with_confidence = stated.len();
        Some(RiskCoverage {
            n: questions.len(),
            with_confidence,
            points,
            area: area / float(with_confidence),
        })
    }

    /// The greatest share of questions that can be answered with at least this share of right answers.
    pub fn answered_at(&self, right: f64) -> Option<RiskPoint> {
        self.points.iter().rfind(|point| point.right >= right).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::RiskCoverage;
    use proptest::prelude::*;

    #[test]
    fn without_confidence_there_is_no_curve() {
        assert_eq!(RiskCoverage::of(&[(None, true), (Some(f64::NAN), true)]), None);
        assert_eq!(RiskCoverage::of(&[]), None);
    }

    #[test]
    fn a_good_order_has_a_small_area() {
        let curve = |confidence: fn(usize) -> f64| {
            let questions: Vec<_> = (0..100).map(|i| (Some(confidence(i)), i < 60)).collect();
            RiskCoverage::of(&questions).expect("a curve")
        };
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let (good, bad) = (curve(|i| -(i as f64)), curve(|i| i as f64));
        assert!(good.area < 0.12 && bad.area > 0.6, "{} and {}", good.area, bad.area);
        assert_eq!(good.answered_at(1.0).map(|point| point.answered), Some(0.6));
        assert_eq!(bad.answered_at(0.9), None);
        let same = curve(|_| 0.5);
        assert_eq!(same.points.len(), 1, "answers of the same confidence cannot be told apart");
        assert!((same.area - 0.4).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_order_of_questions_does_not_matter(
            mut questions in prop::collection::vec((prop::option::of(0..5_u8), any::<bool>()), 1..40),
        ) {
            let curve = |questions: &[(Option<u8>, bool)]| {
                let questions: Vec<_> = questions.iter().map(|(c, right)| (c.map(f64::from), *right)).collect();
                RiskCoverage::of(&questions)
            };
            let first = curve(&questions);
            questions.reverse();
            prop_assert_eq!(&first, &curve(&questions));
            let stated: Vec<_> = questions.iter().filter(|(c, _)| c.is_some()).collect();
            prop_assert_eq!(first.is_some(), !stated.is_empty());
            if let Some(curve) = first {
                let last = curve.points[curve.points.len() - 1];
                let right = stated.iter().filter(|(_, right)| *right).count();
                prop_assert!((last.right * stated.len() as f64 - right as f64).abs() < 1e-9);
                prop_assert!((last.answered * questions.len() as f64 - stated.len() as f64).abs() < 1e-9);
                prop_assert!(curve.points.windows(2).all(|pair| pair[0].answered < pair[1].answered && pair[0].threshold > pair[1].threshold));
            }
        }
    }
}
