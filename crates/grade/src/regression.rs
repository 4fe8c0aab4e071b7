//! Ordinary least squares with an intercept, and two-sided p-values.

use crate::cast::float;
use crate::null_as_nan;
use serde::{Deserialize, Serialize};
use statrs::function::beta::checked_beta_reg;

/// The result of a regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// The explained measure.
    pub measure: String,
    /// Number of questions.
    pub n: usize,
    /// The explained share of the variance.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub r_squared: f64,
    /// The intercept, then the columns in order.
    pub coefficients: Vec<Coefficient>,
    /// Columns that were left out, with the reason.
    pub dropped: Vec<(String, DropReason)>,
}

/// Why a column was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DropReason {
    /// It is constant.
    #[serde(rename = "it is constant")]
    Constant,
    /// It is a linear combination of others.
    #[serde(
        rename = "it is determined by the columns before it",
        alias = "it follows from the columns before it"
    )]
    Dependent,
}

impl std::fmt::Display for DropReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DropReason::Constant => "it is constant",
            DropReason::Dependent => "it is determined by the columns before it",
        })
    }
}

/// A coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// The column.
    pub name: String,
    /// Its value.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub estimate: f64,
    /// Its standard error.
    #[serde(deserialize_with = "null_as_nan::number")]
    pub error: f64,
    /// Its p-value (Student's t, two-sided).
    #[serde(deserialize_with = "null_as_nan::number")]
    pub p: f64,
    /// `*` up to 0.05, `**` up to 0.01, `***` up to 0.001.
    pub stars: String,
}

/// Why there is no regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{n} questions are too few for {columns} columns")]
#[non_exhaustive]
pub struct TooFew {
    n: usize,
    columns: usize,
}

/// Explains values by columns. Columns that are constant, or linear combinations of earlier ones, are left out and reported.
pub(crate) fn regress(
    measure: &str,
    y: &[f64],
    columns: &[(String, Vec<f64>)],
) -> Result<Regression, TooFew> {
    let n = y.len();
    // Gram-Schmidt orthogonalisation, applied twice: precise to 1e-10, and it detects linear combinations.
    let mut basis: Vec<Vec<f64>> = vec![vec![1.0 / float(n.max(1)).sqrt(); n]];
    let mut upper: Vec<Vec<f64>> = vec![vec![float(n).sqrt()]];
    let mut names = vec!["intercept".to_owned()];
    let mut dropped = Vec::new();
    for (name, column) in columns {
        let size = dot(column, column).sqrt();
        let mut rest = column.clone();
        let mut weights = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (at, direction) in basis.iter().enumerate() {
                let weight = dot(direction, &rest);
                weights[at] += weight;
                rest.iter_mut().zip(direction).for_each(|(r, d)| *r -= weight * d);
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if length <= 1e-10 * size.max(1e-300) || size == 0.0 {
            let is_constant = column.windows(2).all(|pair| pair[0] == pair[1]);
            let reason = if is_constant { DropReason::Constant } else { DropReason::Dependent };
            dropped.push((name.clone(), reason));
            continue;
        }
        rest.iter_mut().for_each(|r| *r /= length);
        weights.push(length);
        basis.push(rest);
        upper.push(weights);
        names.push(name.clone());
    }
    let k = basis.len();
    if n <= k {
        return Err(TooFew { n, columns: k });
    }
    let projected: Vec<f64> = basis.iter().map(|direction| dot(direction, y)).collect();
    // upper[j][i] is the weight of direction i in column j.
    let mut estimates = vec![0.0; k];
    for row in (0..k).rev() {
        let known: f64 = (row + 1..k).map(|column| upper[column][row] * estimates[column]).sum();
        estimates[row] = (projected[row] - known) / upper[row][row];
    }
    let mut residuals = y.to_vec();
    for (direction, weight) in basis.iter().zip(&projected) {
        residuals.iter_mut().zip(direction).for_each(|(r, d)| *r -= weight * d);
    }
    let unexplained = dot(&residuals, &residuals);
    let mean = y.iter().sum::<f64>() / float(n);
    let total: f64 = y.iter().map(|value| (value - mean).powi(2)).sum();
    let freedom = float(n - k);
    let variance = unexplained / freedom;
    let coefficients = (0..k)
        .map(|at| {
            // A row of the inverse of the triangular matrix.
            let mut inverse = vec![0.0; k];
            inverse[at] = 1.0 / upper[at][at];
            for column in at + 1..k {
                let sum: f64 = (at..column).map(|i| inverse[i] * upper[column][i]).sum();
                inverse[column] = -sum / upper[column][column];
            }
            let error = (variance * dot(&inverse, &inverse)).sqrt();
            let p = if error > 0.0 { student_tails(estimates[at] / error, freedom) } else { 0.0 };
            Coefficient {
                name: names[at].clone(),
                estimate: estimates[at],
                error,
                p,
                stars: stars(p).to_owned(),
            }
        })
        .collect();
    let r_squared = if total > 0.0 { 1.0 - unexplained / total } else { 0.0 };
    Ok(Regression { measure: measure.to_owned(), n, r_squared, coefficients, dropped })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn stars(p: f64) -> &'static str {
    match p {
        p if p <= 0.001 => "***",
        p if p <= 0.01 => "**",
        p if p <= 0.05 => "*",
        _ => "",
    }
}

/// The two-sided tail probability of Student's t.
fn student_tails(t: f64, freedom: f64) -> f64 {
    checked_beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t)).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file holds the columns and the values of statsmodels, written by `benches/peers/regression.py`.
    #[test]
    fn statsmodels_agrees() {
        let data: serde_json::Value =
            serde_json::from_str(include_str!("../tests/cases/regression.json")).expect("JSON");
        let list = |value: &serde_json::Value| -> Vec<f64> {
            value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
        };
        let columns: Vec<(String, Vec<f64>)> = data["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .enumerate()
            .map(|(at, column)| (format!("x{at}"), list(column)))
            .collect();
        let found = regress("y", &list(&data["y"]), &columns).expect("a regression");
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-8 * b.abs().max(1e-3);
        for (at, coefficient) in found.coefficients.iter().enumerate() {
            let theirs = |name: &str| data[name][at].as_f64().expect("a number");
            assert!(close(coefficient.estimate, theirs("estimates")), "{at}: {coefficient:?}");
            assert!(close(coefficient.error, theirs("errors")), "{at}: {coefficient:?}");
            assert!(close(coefficient.p, theirs("p")), "{at}: {coefficient:?} {}", theirs("p"));
        }
        assert!(close(found.r_squared, data["r_squared"].as_f64().expect("a number")));
    }

    #[test]
    fn tails_of_students_t() {
        for (t, freedom, p) in [
            (2.0, 10.0, 0.07338803477074046),
            (0.5, 3.0, 0.651447964848151),
            (5.0, 200.0, 1.2501981277715426e-06),
            (1.0, 1.0, 0.5),
        ] {
            assert!((student_tails(t, freedom) - p).abs() < 1e-12, "{t} {freedom}");
        }
    }

    #[test]
    fn useless_columns_are_named() {
        let y: Vec<f64> = (0..20).map(|i| f64::from(i % 7)).collect();
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let double = x.iter().map(|v| 2.0 * v + 1.0).collect();
        let columns =
            [("x".to_owned(), x), ("constant".to_owned(), vec![3.0; 20]), ("double".to_owned(), double)];
        let found = regress("y", &y, &columns).expect("a regression");
        let names: Vec<&str> = found.dropped.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["constant", "double"]);
        assert_eq!(found.dropped[0].1, DropReason::Constant);
        assert!(regress("y", &[1.0], &columns).is_err());
    }
}
