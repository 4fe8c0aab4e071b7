//! Confidence intervals and paired tests.

use crate::cast::{float, whole};
use crate::null_as_nan;
use serde::{Deserialize, Serialize};
use statrs::function::gamma::gamma_ur;
use touchstone_benchmark::Random;

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Estimate {
    /// Number of values.
    pub n: usize,
    /// Their mean.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub mean: f64,
    /// The lower end of the interval.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub low: f64,
    /// The upper end.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub high: f64,
}

/// Of no values: all numbers are NaN. Files may lack some of them.
impl Default for Estimate {
    fn default() -> Estimate {
        Estimate { n: 0, mean: f64::NAN, low: f64::NAN, high: f64::NAN }
    }
}

/// Maximum number of values for the percentile bootstrap; above it, where both agree, the normal approximation is used.
const BOOTSTRAP_UP_TO: usize = 1000;
const RESAMPLES: usize = 1000;
const SEED: u64 = 1;

impl Estimate {
    /// The estimate of values; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let (mean, deviation) = mean_and_deviation(values);
        if n > BOOTSTRAP_UP_TO {
            let margin = 1.959_963_985 * deviation / float(n).sqrt();
            return Some(Estimate { n, mean, low: mean - margin, high: mean + margin });
        }
        let mut means = resampled_means(values);
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[whole(share * float(RESAMPLES)).min(RESAMPLES - 1)];
        Some(Estimate { n, mean, low: at(0.025), high: at(0.975) })
    }
}

fn resampled_means(values: &[f64]) -> Vec<f64> {
    let mut random = Random::new(SEED, "bootstrap");
    let n = values.len();
    let mean = |_| (0..n).map(|_| values[random.below(n)]).sum::<f64>() / float(n);
    (0..RESAMPLES).map(mean).collect()
}

/// The mean and the standard deviation of a sample.
pub(crate) fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = float(values.len());
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// A comparison of two systems on the same questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedComparison {
    /// The difference of the means, the second minus the first.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The two-sided p-value of the paired bootstrap.
    pub p_bootstrap: f64,
    /// The p-value of McNemar's exact test on right and wrong, where right means a value of 1.
    pub p_mcnemar: f64,
    /// Questions that only the first gets right.
    pub lost: usize,
    /// Questions that only the second gets right.
    pub won: usize,
    /// The difference in units of the standard deviation of differences (Cohen's d for pairs).
    pub effect: f64,
    /// The smallest difference that this number of questions detects with 80 % power at the 5 % level.
    pub detectable: f64,
}

/// Compares two systems by their values for the same questions.
pub fn compare(first: &[f64], second: &[f64]) -> PairedComparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
    let n = float(differences.len().max(1));
    let (difference, deviation) = mean_and_deviation(&differences);
    let (low, high, p_bootstrap) = if differences.is_empty() || deviation == 0.0 {
        // Nothing to resample. That all questions differ in the same direction says as much as a sign test.
        let p = if difference == 0.0 { 1.0 } else { sign_test(0, differences.len()) };
        (difference, difference, p)
    } else if differences.len() > BOOTSTRAP_UP_TO {
        let error = deviation / n.sqrt();
        let margin = 1.959_963_985 * error;
        (difference - margin, difference + margin, 2.0 * normal_tail((difference / error).abs()))
    } else {
        let mut means = resampled_means(&differences);
        means.sort_by(f64::total_cmp);
        // Under the null hypothesis, the differences have the same spread around 0.
        let extreme = means.iter().filter(|mean| (**mean - difference).abs() >= difference.abs()).count();
        let p = float(extreme + 1) / float(RESAMPLES + 1);
        (means[RESAMPLES / 40], means[RESAMPLES - RESAMPLES / 40 - 1], p)
    };
    let right = |value: f64| value >= 1.0;
    let pairs = || first.iter().zip(second);
    let lost = pairs().filter(|(a, b)| right(**a) && !right(**b)).count();
    let won = pairs().filter(|(a, b)| !right(**a) && right(**b)).count();
    PairedComparison {
        difference,
        low,
        high,
        p_bootstrap,
        p_mcnemar: sign_test(lost, won),
        lost,
        won,
        effect: if deviation > 0.0 { difference / deviation } else { 0.0 },
        detectable: (1.959_963_985 + 0.841_621_234) * deviation / n.sqrt(),
    }
}

/// McNemar's exact test: the probability of a split at least as uneven as this one.
fn sign_test(lost: usize, won: usize) -> f64 {
    let (n, few) = (lost + won, lost.min(won));
    if n == 0 {
        return 1.0;
    }
    // The sum of binomial coefficients over 2^n, by logarithms.
    let mut term = -float(n) * std::f64::consts::LN_2;
    let mut sum = term.exp();
    for k in 1..=few {
        term += float(n - k + 1).ln() - float(k).ln();
        sum += term.exp();
    }
    (2.0 * sum).min(1.0)
}

/// Holm's correction of several p-values: it bounds the probability of any false positive by 5 %.
pub(crate) fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = vec![1.0; p.len()];
    let mut highest: f64 = 0.0;
    for (rank, &at) in order.iter().enumerate() {
        highest = highest.max(p[at] * float(p.len() - rank)).min(1.0);
        corrected[at] = highest;
    }
    corrected
}

/// The upper tail probability of the standard normal distribution.
fn normal_tail(z: f64) -> f64 {
    // Exact to 1e-12, unlike the crate's `erfc`.
    let half_square = 0.5 * z * z;
    let both_tails = match half_square {
        0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => gamma_ur(0.5, half_square),
    };
    if z < 0.0 { 1.0 - 0.5 * both_tails } else { 0.5 * both_tails }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_mean() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 4 == 0)).collect();
        let small = Estimate::of(&values).expect("values");
        assert_eq!((small.n, small.mean), (200, 0.25));
        assert!(small.low < 0.25 && small.high > 0.25 && small.high - small.low < 0.15);
        let many: Vec<f64> = values.iter().cycle().take(20_000).copied().collect();
        let large = Estimate::of(&many).expect("values");
        assert!((large.high - large.low - 0.012).abs() < 0.001, "{large:?}");
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn tails_and_tests() {
        assert!((normal_tail(1.959_963_985) - 0.025).abs() < 1e-9);
        assert!((normal_tail(0.0) - 0.5).abs() < 1e-15);
        assert!((normal_tail(-1.0) - 0.841_344_746_068_543).abs() < 1e-12);
        assert_eq!((normal_tail(f64::INFINITY), normal_tail(f64::NEG_INFINITY)), (0.0, 1.0));
        assert!((normal_tail(1.0) - 0.158_655_253_931_457_05).abs() < 1e-12);
        assert!((normal_tail(4.0) - 3.167_124_183_311_986e-5).abs() < 1e-17);
        // 2 * (1 + 10) / 2^10.
        assert!((sign_test(1, 9) - 22.0 / 1024.0).abs() < 1e-12);
        assert_eq!(sign_test(0, 0), 1.0);
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
    }

    #[test]
    fn better_systems_are_found() {
        let first: Vec<f64> = (0..300).map(|i| f64::from(i % 2)).collect();
        let second: Vec<f64> = (0..300).map(|i| f64::from(i % 2 == 1 || i % 10 == 0)).collect();
        let result = compare(&first, &second);
        assert!(result.p_bootstrap < 0.01 && result.p_mcnemar < 0.001 && result.low > 0.0, "{result:?}");
        assert_eq!((result.lost, result.won), (0, 30));
        let same = compare(&first, &first);
        assert_eq!((same.difference, same.p_bootstrap, same.p_mcnemar), (0.0, 1.0, 1.0));
        // One question proves nothing, many that all differ in the same way do.
        assert_eq!(compare(&[0.0], &[1.0]).p_bootstrap, 1.0);
        assert!(compare(&[0.0; 10], &[0.5; 10]).p_bootstrap < 0.01);
    }
}
