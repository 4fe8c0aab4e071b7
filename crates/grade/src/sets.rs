//! Precision, recall and F1 of sets.

use crate::cast::float;

/// The overlap of two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Overlap {
    /// The size of the intersection.
    pub(crate) common: usize,
    /// The size of the predicted set.
    pub(crate) predicted: usize,
    /// The size of the gold set.
    pub(crate) gold: usize,
}

impl Overlap {
    /// The overlap of two sorted lists without duplicates.
    pub(crate) fn of<T: Ord>(predicted: &[T], gold: &[T]) -> Overlap {
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

    /// Precision; 1 if both sets are empty, 0 if only the predicted one is.
    pub(crate) fn precision(self) -> f64 {
        match (self.both_empty(), self.predicted) {
            (true, _) => 1.0,
            (_, 0) => 0.0,
            (_, n) => float(self.common) / float(n),
        }
    }

    /// Recall; 1 if both sets are empty, 0 if only the gold one is.
    pub(crate) fn recall(self) -> f64 {
        match (self.both_empty(), self.gold) {
            (true, _) => 1.0,
            (_, 0) => 0.0,
            (_, n) => float(self.common) / float(n),
        }
    }

    /// F1; 1 if both sets are empty, 0 if they are disjoint.
    pub(crate) fn f1(self) -> f64 {
        if self.both_empty() {
            return 1.0;
        }
        2.0 * float(self.common) / float((self.predicted + self.gold).max(1))
    }

    /// Jaccard index: intersection over union; 1 if both sets are empty.
    pub(crate) fn accuracy(self) -> f64 {
        if self.both_empty() {
            return 1.0;
        }
        float(self.common) / float((self.predicted + self.gold - self.common).max(1))
    }

    /// Whether both sets are the same.
    pub(crate) fn is_exact(self) -> bool {
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
