//! Ratings of items by people.

use crate::agreement::interval::bootstrap;
use crate::agreement::krippendorff::{Coincidences, alpha_of};
use crate::agreement::{AgreementFigure, Metric, Undefined, cohen_kappa, fleiss_kappa, krippendorff_alpha};
use crate::cast::float;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Ratings of items by people. A person rates an item at most once, and need not rate it.
///
/// ```
/// use touchstone_annotate::agreement::{Metric, Ratings, krippendorff_alpha};
/// let mut ratings = Ratings::default();
/// for (item, (ada, ben)) in [(1, 1), (2, 2), (1, 1), (2, 1)].into_iter().enumerate() {
///     ratings.add(&item.to_string(), "ada", f64::from(ada));
///     ratings.add(&item.to_string(), "ben", f64::from(ben));
/// }
/// assert_eq!(ratings.observed(), Some(0.75));
/// let alpha = krippendorff_alpha(&ratings, Metric::Nominal);
/// assert!((alpha.unwrap() - 8.0 / 15.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ratings {
    /// By item, in the order of their names, and person.
    items: BTreeMap<String, BTreeMap<String, f64>>,
    /// The group of an item, for items that are not independent of each other.
    clusters: BTreeMap<String, String>,
}

impl Ratings {
    /// Adds a rating; another one of the same person replaces it.
    pub fn add(&mut self, item: &str, person: &str, value: f64) {
        self.items.entry(item.to_owned()).or_default().insert(person.to_owned(), value);
    }

    /// Says that an item belongs to a group, which intervals keep together.
    pub fn set_cluster(&mut self, item: &str, cluster: &str) {
        self.clusters.insert(item.to_owned(), cluster.to_owned());
    }

    /// The values of each item that has at least two.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        self.items.values().filter(|row| row.len() >= 2).map(|row| row.values().copied().collect())
    }

    /// The values of all items by person.
    pub(crate) fn items(&self) -> impl Iterator<Item = &BTreeMap<String, f64>> {
        self.items.values()
    }

    /// All people.
    pub fn people(&self) -> BTreeSet<&str> {
        self.items.values().flat_map(|row| row.keys().map(String::as_str)).collect()
    }

    /// Number of ratings.
    pub fn len(&self) -> usize {
        self.items.values().map(BTreeMap::len).sum()
    }

    /// Whether there are no ratings.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Without those of one person.
    #[must_use]
    pub fn without(&self, person: &str) -> Ratings {
        let rows = self.items.iter().map(|(item, row)| {
            let kept = row.iter().filter(|(who, _)| *who != person);
            (item.clone(), kept.map(|(who, value)| (who.clone(), *value)).collect())
        });
        Ratings { items: rows.collect(), clusters: self.clusters.clone() }
    }

    /// The observed agreement: the mean over items of the share of pairs of people who agree. `None` if nothing was rated by two people.
    pub fn observed(&self) -> Option<f64> {
        let agreed = self.rows().map(|row| {
            let pairs = row.len() * (row.len() - 1);
            let equal = row.iter().map(|value| row.iter().filter(|other| *other == value).count() - 1);
            float(equal.sum()) / float(pairs)
        });
        let agreed: Vec<f64> = agreed.collect();
        if agreed.is_empty() { None } else { Some(agreed.iter().sum::<f64>() / float(agreed.len())) }
    }

    /// Krippendorff's alpha with the interval of 1,000 bootstrap samples of groups of items.
    pub fn alpha(&self, metric: Metric) -> AgreementFigure {
        let n = self.rows().count();
        let found = krippendorff_alpha(self, metric);
        let mut figure = AgreementFigure::without_interval(found, n);
        if found.is_err() {
            return figure;
        }
        let values = self.values();
        let mut clusters: BTreeMap<&str, Coincidences> = BTreeMap::new();
        for (item, row) in self.items.iter().filter(|(_, row)| row.len() >= 2) {
            let cluster = self.clusters.get(item).unwrap_or(item);
            let row: Vec<f64> = row.values().copied().collect();
            clusters.entry(cluster).or_insert_with(|| Coincidences::new(values.len())).add_row(&values, &row);
        }
        let clusters: Vec<Coincidences> = clusters.into_values().collect();
        if let Some((low, high)) = bootstrap(&clusters, |sample| alpha_of(sample, &values, metric).ok()) {
            (figure.low, figure.high) = (Some(low), Some(high));
        }
        figure
    }

    /// The different values of items that were rated by two people, in their order.
    pub(crate) fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.rows().flatten().collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// The usual figures.
    pub fn summary(&self, metric: Metric) -> RatingsSummary {
        let people: Vec<&str> = self.people().into_iter().collect();
        let pairs =
            people.iter().enumerate().flat_map(|(at, a)| people[at + 1..].iter().map(move |b| (*a, *b)));
        let pair = |(a, b): (&str, &str)| {
            let (found, items) = cohen_kappa(self, a, b);
            let figure = AgreementFigure::without_interval(found, items);
            super::PairAgreement { a: a.to_owned(), b: b.to_owned(), kappa: figure }
        };
        let without = |person: &&str| {
            let found = krippendorff_alpha(&self.without(person), metric);
            ((*person).to_owned(), found.ok())
        };
        RatingsSummary {
            ratings: self.len(),
            metric,
            alpha: self.alpha(metric),
            observed: self.observed(),
            fleiss: AgreementFigure::without_interval(fleiss_kappa(self), self.rows().count()),
            pairs: pairs
                .map(pair)
                .filter(|pair| pair.kappa.undefined != Some(Undefined::TooFewInCommon))
                .collect(),
            without: people.iter().map(without).collect(),
        }
    }
}

/// The usual figures of some ratings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingsSummary {
    /// Number of ratings.
    pub ratings: usize,
    /// How values are compared.
    pub metric: Metric,
    /// Krippendorff's alpha.
    pub alpha: AgreementFigure,
    /// The share of pairs of people who agree on an item.
    pub observed: Option<f64>,
    /// Fleiss' kappa, if all items have the same number of ratings.
    pub fleiss: AgreementFigure,
    /// Cohen's kappa of pairs of people with at least 10 items in common.
    pub pairs: Vec<super::PairAgreement>,
    /// Krippendorff's alpha without each person.
    pub without: BTreeMap<String, Option<f64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for each item, a value for each person; 0 is missing.
    fn ratings(rows: &[Vec<u32>]) -> Ratings {
        let mut ratings = Ratings::default();
        for (item, row) in rows.iter().enumerate() {
            for (person, value) in row.iter().enumerate().filter(|(_, value)| **value > 0) {
                ratings.add(&format!("{item:04}"), &format!("p{person:02}"), f64::from(*value));
            }
        }
        ratings
    }

    #[test]
    fn krippendorffs_example() {
        // Four people, twelve items, from "Computing Krippendorff's alpha-reliability".
        let by_person = [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ];
        let rows: Vec<Vec<u32>> = (0..12).map(|item| by_person.map(|row| row[item]).to_vec()).collect();
        let ratings = ratings(&rows);
        for (metric, published) in
            [(Metric::Nominal, 0.743), (Metric::Ordinal, 0.815), (Metric::Interval, 0.849)]
        {
            let alpha = krippendorff_alpha(&ratings, metric).expect("defined");
            assert!((alpha - published).abs() < 0.0005, "{metric:?}: {alpha}");
        }
        let figure = ratings.alpha(Metric::Nominal);
        let (low, high) = (figure.low.expect("an interval"), figure.high.expect("an interval"));
        assert!(low < 0.743 && high > 0.743 && low > 0.3 && high <= 1.0, "{figure:?}");
        assert_eq!(ratings.alpha(Metric::Nominal), figure, "the seed is fixed");
    }

    #[test]
    fn fleiss_example() {
        // Fourteen people, ten items, five categories.
        let counts = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ];
        let row = |counts: &[usize; 5]| -> Vec<u32> {
            (1..=5).zip(counts).flat_map(|(value, n)| std::iter::repeat_n(value, *n)).collect()
        };
        let rows: Vec<Vec<u32>> = counts.iter().map(row).collect();
        let kappa = fleiss_kappa(&ratings(&rows)).expect("defined");
        assert!((kappa - 0.210).abs() < 0.0005, "{kappa}");
    }

    #[test]
    fn undefined_says_why() {
        let same = ratings(&vec![vec![1, 1, 1]; 20]);
        assert_eq!(krippendorff_alpha(&same, Metric::Nominal), Err(Undefined::NoVariation));
        assert_eq!(fleiss_kappa(&same), Err(Undefined::NoVariation));
        assert_eq!(cohen_kappa(&same, "p00", "p01").0, Err(Undefined::NoVariation));
        assert_eq!(same.observed(), Some(1.0));
        let alone = ratings(&[vec![1], vec![2]]);
        assert_eq!(krippendorff_alpha(&alone, Metric::Ordinal), Err(Undefined::NoPairs));
        assert_eq!((fleiss_kappa(&alone), alone.observed()), (Err(Undefined::NoPairs), None));
        let unequal = ratings(&[vec![1, 2], vec![1, 2, 1]]);
        assert_eq!(fleiss_kappa(&unequal), Err(Undefined::UnequalNumbers));
        assert_eq!(cohen_kappa(&unequal, "p00", "p01"), (Err(Undefined::TooFewInCommon), 2));
    }
}
