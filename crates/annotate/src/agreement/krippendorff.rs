//! Krippendorff's alpha.

use crate::agreement::interval::Additive;
use crate::agreement::{Ratings, Undefined};
use crate::cast::float;
use serde::Serialize;

/// How far apart two values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Values are the same or not.
    Nominal,
    /// Values have an order.
    Ordinal,
    /// The difference of values has a meaning.
    Interval,
}

/// Krippendorff's alpha, for any number of people and missing ratings.
pub fn krippendorff_alpha(ratings: &Ratings, metric: Metric) -> Result<f64, Undefined> {
    let values = ratings.values();
    let mut coincidences = Coincidences::new(values.len());
    ratings.rows().for_each(|row| coincidences.add_row(&values, &row));
    alpha_of(&coincidences, &values, metric)
}

/// How often two values were given to the same item: a square matrix over the values, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coincidences {
    n_values: usize,
    counts: Vec<f64>,
}

impl Additive for Coincidences {
    fn zero(&self) -> Coincidences {
        Coincidences::new(self.n_values)
    }

    fn add(&mut self, other: &Coincidences) {
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            *own += other;
        }
    }
}

impl Coincidences {
    pub(crate) fn new(n_values: usize) -> Coincidences {
        Coincidences { n_values, counts: vec![0.0; n_values * n_values] }
    }

    /// Adds an item with at least two ratings: each pair counts 1 / (number of ratings - 1).
    pub(crate) fn add_row(&mut self, values: &[f64], row: &[f64]) {
        let places: Vec<usize> =
            row.iter().map(|value| values.partition_point(|known| known < value)).collect();
        let weight = 1.0 / float(row.len() - 1);
        for (i, a) in places.iter().enumerate() {
            for (j, b) in places.iter().enumerate() {
                if i != j {
                    self.counts[a * self.n_values + b] += weight;
                }
            }
        }
    }
}

/// The alpha of a matrix of coincidences.
pub(crate) fn alpha_of(
    coincidences: &Coincidences,
    values: &[f64],
    metric: Metric,
) -> Result<f64, Undefined> {
    let k = coincidences.n_values;
    let totals: Vec<f64> = (0..k).map(|c| coincidences.counts[c * k..(c + 1) * k].iter().sum()).collect();
    let n: f64 = totals.iter().sum();
    if n == 0.0 {
        return Err(Undefined::NoPairs);
    }
    let distance = |a: usize, b: usize| match metric {
        Metric::Nominal => 1.0,
        Metric::Ordinal => {
            let between: f64 = totals[a..=b].iter().sum();
            (between - (totals[a] + totals[b]) / 2.0).powi(2)
        }
        Metric::Interval => (values[a] - values[b]).powi(2),
    };
    let (mut observed, mut expected) = (0.0, 0.0);
    for a in 0..k {
        for b in a + 1..k {
            observed += coincidences.counts[a * k + b] * distance(a, b);
            expected += totals[a] * totals[b] * distance(a, b);
        }
    }
    if expected == 0.0 { Err(Undefined::NoVariation) } else { Ok(1.0 - (n - 1.0) * observed / expected) }
}
