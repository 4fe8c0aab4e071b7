//! Precision, recall and F1 of sets.

use crate::cast::float;

/// How two sets overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// What is in both.
    pub common: usize,
    /// The size of the predicted set.
    pub predicted: usize,
    /// The size of the gold set.
    pub gold: usize,
}

impl Overlap {
    /// Of two sorted lists without repetitions.
    pub fn of<T: Ord>(predicted: &[T], gold: &[T]) -> Overlap {
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < predicted.len() && j < gold.len() {
            match predicted[i].cmp(&gold[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
            }
        }
        Overlap { common, predicted: predicted.len(), gold: gold.len() }
    }

    fn both_empty(self) -> bool {
        self.predicted == 0 && self.gold == 0
    }

    /// The share of the predicted set that is right; 1 if both are empty, 0 if only it is.
    pub fn precision(self) -> f64 {
        match (self.both_empty(), self.predicted) {
            (true, _) => 1.0,
            (_, 0) => 0.0,
            (_, n) => float(self.common) / float(n),
        }
    }

    /// The share of the gold set that was found; 1 if both are empty, 0 if only it is.
    pub fn recall(self) -> f64 {
        match (self.both_empty(), self.gold) {
            (true, _) => 1.0,
            (_, 0) => 0.0,
            (_, n) => float(self.common) / float(n),
        }
    }

    /// The balanced mean of both; 1 if both sets are empty, 0 if they have nothing in common.
    pub fn f1(self) -> f64 {
        if self.both_empty() {
            return 1.0;
        }
        2.0 * float(self.common) / float((self.predicted + self.gold).max(1))
    }

    /// What is in both of what is in any: 1 if both are empty.
    pub fn accuracy(self) -> f64 {
        if self.both_empty() {
            return 1.0;
        }
        float(self.common) / float((self.predicted + self.gold - self.common).max(1))
    }

    /// Whether both are the same.
    pub fn is_exact(self) -> bool {
        self.common == self.predicted && self.common == self.gold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_cases() {
        let scores = |predicted: &[u32], gold: &[u32]| {
            let overlap = Overlap::of(predicted, gold);
            (overlap.precision(), overlap.recall(), overlap.f1(), overlap.accuracy(), overlap.is_exact())
        };
        assert_eq!(scores(&[], &[]), (1.0, 1.0, 1.0, 1.0, true));
        assert_eq!(scores(&[1], &[]), (0.0, 0.0, 0.0, 0.0, false));
        assert_eq!(scores(&[], &[1]), (0.0, 0.0, 0.0, 0.0, false));
        assert_eq!(scores(&[1, 2], &[2, 3]), (0.5, 0.5, 0.5, 1.0 / 3.0, false));
        assert_eq!(scores(&[1, 2], &[1, 2]), (1.0, 1.0, 1.0, 1.0, true));
    }
}
