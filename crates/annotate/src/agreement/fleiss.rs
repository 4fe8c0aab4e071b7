//! Fleiss' kappa.

use crate::agreement::{Ratings, Undefined};
use crate::cast::float;

/// Fleiss' kappa, for items that all have the same number of ratings. Items with fewer than two are left out.
pub fn fleiss_kappa(ratings: &Ratings) -> Result<f64, Undefined> {
    let rows: Vec<Vec<f64>> = ratings.rows().collect();
    let n = rows.first().ok_or(Undefined::NoPairs)?.len();
    if rows.iter().any(|row| row.len() != n) {
        return Err(Undefined::UnequalNumbers);
    }
    let observed = ratings.observed().ok_or(Undefined::NoPairs)?;
    let all = float(rows.len() * n);
    let share = |value: &f64| rows.iter().flatten().filter(|other| *other == value).count();
    let expected: f64 = ratings.values().iter().map(|value| (float(share(value)) / all).powi(2)).sum();
    if expected >= 1.0 { Err(Undefined::NoVariation) } else { Ok((observed - expected) / (1.0 - expected)) }
}
