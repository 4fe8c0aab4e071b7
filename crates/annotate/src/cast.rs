//! Conversions between numbers, in one place.

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
pub(crate) const fn float(number: usize) -> f64 {
    number as f64
}

/// The whole part of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "only for numbers between 0 and the length of a list"
)]
pub(crate) const fn whole(number: f64) -> usize {
    number as usize
}
