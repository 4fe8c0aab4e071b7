//! The total cost of the predictions of a run: time, tokens, money.

use crate::cast::float;
use crate::null_as_nan;
use serde::{Deserialize, Serialize};
use touchstone_benchmark::Usage;

/// The distribution of a quantity over predictions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of predictions that have it.
    pub n: usize,
    /// The mean.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub mean: f64,
    /// The median.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub median: f64,
    /// The 95th percentile.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub p95: f64,
    /// The sum.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub total: f64,
}

impl Spread {
    /// The distribution of values; `None` if there are none.
    pub(crate) fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        // By nearest rank, which gives a value that occurs.
        let at =
            |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        let (median, p95) = (at(50)?, at(95)?);
        let total: f64 = sorted.iter().sum();
        Some(Spread { n: sorted.len(), mean: total / float(sorted.len()), median, p95, total })
    }
}

/// The cost of the predictions of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UsageSummary {
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Spread>,
    /// Tokens read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<Spread>,
    /// Tokens written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<Spread>,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Spread>,
}

impl UsageSummary {
    /// The cost of predictions; `None` if nothing is known for any.
    pub(crate) fn of(usages: &[Usage]) -> Option<UsageSummary> {
        let spread =
            |of: fn(&Usage) -> Option<f64>| Spread::of(&usages.iter().filter_map(of).collect::<Vec<_>>());
        let summary = UsageSummary {
            seconds: spread(|usage| usage.seconds),
            tokens_in: spread(|usage| usage.tokens_in),
            tokens_out: spread(|usage| usage.tokens_out),
            cost: spread(|usage| usage.cost),
        };
        (summary != UsageSummary::default()).then_some(summary)
    }

    /// The known quantities, by name.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Spread)> + use<> {
        let rows = [
            ("seconds", self.seconds),
            ("tokens in", self.tokens_in),
            ("tokens out", self.tokens_out),
            ("cost", self.cost),
        ];
        rows.into_iter().filter_map(|(name, spread)| Some((name, spread?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_values_that_occur() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let spread = Spread::of(&values).expect("values");
        assert_eq!(
            (spread.n, spread.median, spread.p95, spread.total, spread.mean),
            (100, 50.0, 95.0, 5050.0, 50.5)
        );
        let one = Spread::of(&[3.0]).expect("a value");
        assert_eq!((one.median, one.p95), (3.0, 3.0));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(UsageSummary::of(&[Usage::default()]), None);
    }
}
