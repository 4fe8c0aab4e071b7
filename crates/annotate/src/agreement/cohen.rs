//! Cohen's kappa of two people.

use crate::agreement::{Ratings, Undefined};
use crate::cast::float;

/// Minimum number of items that two people have in common.
const IN_COMMON: usize = 10;

/// Cohen's kappa of two people, and the number of items that both rated.
pub fn cohen_kappa(ratings: &Ratings, a: &str, b: &str) -> (Result<f64, Undefined>, usize) {
    let common: Vec<(f64, f64)> =
        ratings.items().filter_map(|row| Some((*row.get(a)?, *row.get(b)?))).collect();
    let n = common.len();
    if n < IN_COMMON {
        return (Err(Undefined::TooFewInCommon), n);
    }
    let share = |count: usize| float(count) / float(n);
    let observed = share(common.iter().filter(|(a, b)| a == b).count());
    let mut values: Vec<f64> = common.iter().flat_map(|(a, b)| [*a, *b]).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let expected: f64 = values
        .iter()
        .map(|value| {
            let of_a = common.iter().filter(|(a, _)| a == value).count();
            let of_b = common.iter().filter(|(_, b)| b == value).count();
            share(of_a) * share(of_b)
        })
        .sum();
    let kappa = if expected >= 1.0 {
        Err(Undefined::NoVariation)
    } else {
        Ok((observed - expected) / (1.0 - expected))
    };
    (kappa, n)
}
