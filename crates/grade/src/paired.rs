//! Two runs on the same questions: their values side by side, and the tests of all comparisons on a page.

use crate::cast::float;
use crate::statistics::{PairedComparison, compare, holm};
use serde::Serialize;

/// The values of two runs for the same questions.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedValues<'i> {
    /// The ids of the questions.
    pub ids: Vec<&'i str>,
    /// The values of the first run.
    pub first: Vec<f64>,
    /// The values of the second run.
    pub second: Vec<f64>,
}

/// The test of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedTest {
    /// Questions with a value in both runs.
    pub n: usize,
    /// The mean of the first run.
    pub first_mean: f64,
    /// The mean of the second run.
    pub second_mean: f64,
    /// The test of the difference.
    pub comparison: PairedComparison,
    /// The p-value of the bootstrap, corrected for all comparisons that were tested together.
    pub p_corrected: f64,
}

impl<'i> PairedValues<'i> {
    /// The values for those of the questions that have one in both runs; `None` if there are none. The bootstrap draws questions by their
    /// position, so the same questions in the same order give the same interval.
    pub fn of(
        ids: impl Iterator<Item = &'i str>,
        first: impl Fn(&str) -> Option<f64>,
        second: impl Fn(&str) -> Option<f64>,
    ) -> Option<PairedValues<'i>> {
        let mut paired = PairedValues { ids: Vec::new(), first: Vec::new(), second: Vec::new() };
        for id in ids {
            if let (Some(a), Some(b)) = (first(id), second(id)) {
                paired.ids.push(id);
                paired.first.push(a);
                paired.second.push(b);
            }
        }
        (!paired.ids.is_empty()).then_some(paired)
    }

    /// Questions that only one of the runs gets right.
    pub fn flipped(&self) -> impl Iterator<Item = &'i str> {
        let is_flipped = |at: &usize| (self.first[*at] >= 1.0) != (self.second[*at] >= 1.0);
        (0..self.ids.len()).filter(is_flipped).map(|at| self.ids[at])
    }

    /// The test, before correction.
    fn test(&self) -> PairedTest {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / float(values.len().max(1));
        let comparison = compare(&self.first, &self.second);
        PairedTest {
            n: self.ids.len(),
            first_mean: mean(&self.first),
            second_mean: mean(&self.second),
            p_corrected: comparison.p_bootstrap,
            comparison,
        }
    }
}

impl PairedTest {
    /// Significance level of the corrected p-value.
    pub const LEVEL: f64 = 0.05;

    /// Whether the runs differ.
    pub fn is_significant(&self) -> bool {
        self.p_corrected < PairedTest::LEVEL
    }

    /// Whether the second run is significantly worse.
    pub fn is_regression(&self) -> bool {
        self.comparison.difference < 0.0 && self.is_significant()
    }
}

/// Tests all pairs of runs that are shown together, and corrects the p-values for their number.
pub fn test_all(pairs: &[PairedValues<'_>]) -> Vec<PairedTest> {
    let mut tests: Vec<PairedTest> = pairs.iter().map(PairedValues::test).collect();
    let corrected = holm(&tests.iter().map(|test| test.comparison.p_bootstrap).collect::<Vec<_>>());
    tests.iter_mut().zip(corrected).for_each(|(test, p)| test.p_corrected = p);
    tests
}

#[cfg(test)]
mod tests {
    use super::{PairedTest, PairedValues, test_all};

    fn paired(values: &[(Option<f64>, Option<f64>)]) -> Option<Vec<PairedTest>> {
        let ids: Vec<String> = (0..values.len()).map(|at| at.to_string()).collect();
        let at = |id: &str| id.parse::<usize>().expect("a number");
        let paired =
            PairedValues::of(ids.iter().map(String::as_str), |id| values[at(id)].0, |id| values[at(id)].1)?;
        Some(test_all(&[paired.clone(), paired]))
    }

    #[test]
    fn only_questions_with_both_values_count() {
        let tests = paired(&[(Some(1.0), Some(0.0)), (None, Some(1.0)), (Some(0.5), None)]).expect("one");
        assert_eq!((tests[0].n, tests[0].first_mean, tests[0].second_mean), (1, 1.0, 0.0));
        assert_eq!(paired(&[(None, Some(1.0))]), None);
    }

    #[test]
    fn the_number_of_comparisons_is_corrected_for() {
        let values: Vec<_> = (0..60).map(|i| (Some(f64::from(i % 2)), Some(f64::from(i % 5 == 0)))).collect();
        let tests = paired(&values).expect("values");
        assert!((tests[0].p_corrected - (2.0 * tests[0].comparison.p_bootstrap).min(1.0)).abs() < 1e-12);
        assert!(tests[0].comparison.difference < 0.0);
        assert_eq!(tests[0].is_regression(), tests[0].is_significant());
    }
}
