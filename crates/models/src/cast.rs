//! Numeric conversions, each justified once.

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts of words and questions stay far below 2^53")]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}

/// A 64-bit count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts of steps and parameters stay far below 2^53")]
pub(crate) const fn float_of(count: u64) -> f64 {
    count as f64
}

/// The integral part of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` drops the fraction, and saturates at the ends of the range"
)]
pub(crate) const fn whole(number: f64) -> u64 {
    number as u64
}
