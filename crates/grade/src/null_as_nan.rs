//! Numbers in JSON files: JSON has no NaN and no infinities, so that they are written as `null`, and `null` is read as NaN.

use serde::{Deserialize, Deserializer};

/// Reads a number.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Reads numbers with their names.
pub(crate) fn named_numbers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, f64)>, D::Error> {
    let numbers: Vec<(String, Option<f64>)> = Vec::deserialize(deserializer)?;
    Ok(numbers.into_iter().map(|(name, number)| (name, number.unwrap_or(f64::NAN))).collect())
}
