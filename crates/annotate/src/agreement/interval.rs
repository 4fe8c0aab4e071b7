//! Intervals: Wilson's for shares, the percentile bootstrap for coefficients.

use crate::cast::{float, whole};
use serde::Serialize;
use touchstone_benchmark::Random;

/// A share with its 95 % Wilson interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Proportion {
    /// Number of cases.
    pub count: usize,
    /// Number of items.
    pub n: usize,
    /// The share; absent if there are no items.
    pub share: Option<f64>,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A share with its 95 % Wilson interval. Without items the interval is from 0 to 1.
///
/// ```
/// use touchstone_annotate::agreement::wilson;
/// let share = wilson(26, 35);
/// assert!((share.low - 0.579).abs() < 0.001 && (share.high - 0.858).abs() < 0.001);
/// ```
pub fn wilson(count: usize, n: usize) -> Proportion {
    if n == 0 {
        return Proportion { count, n, share: None, low: 0.0, high: 1.0 };
    }
    let (share, items) = (float(count) / float(n), float(n));
    let center = share + Z * Z / (2.0 * items);
    let margin = Z * (share * (1.0 - share) / items + Z * Z / (4.0 * items * items)).sqrt();
    let scale = 1.0 + Z * Z / items;
    Proportion {
        count,
        n,
        share: Some(share),
        low: ((center - margin) / scale).clamp(0.0, 1.0),
        high: ((center + margin) / scale).clamp(0.0, 1.0),
    }
}

/// Something whose sum over a sample is all that a coefficient needs.
pub(crate) trait Additive: Clone + PartialEq {
    fn zero(&self) -> Self;
    fn add(&mut self, other: &Self);
}

const RESAMPLES: usize = 1000;
const SEED: u64 = 1;

/// The percentile interval of a coefficient. Samples for which it is not defined are left out; `None` if they are most of them.
pub(crate) fn bootstrap<P: Additive>(
    parts: &[P],
    coefficient: impl Fn(&P) -> Option<f64>,
) -> Option<(f64, f64)> {
    let first = parts.first()?;
    let mut random = Random::new(SEED, "agreement");
    let mut values: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut sum = first.zero();
            (0..parts.len()).for_each(|_| sum.add(&parts[random.below(parts.len())]));
            coefficient(&sum)
        })
        .collect();
    if values.len() < RESAMPLES / 2 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[whole(share * float(values.len())).min(values.len() - 1)];
    Some((at(0.025), at(0.975)))
}
