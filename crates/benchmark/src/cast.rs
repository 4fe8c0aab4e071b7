//! Conversions between numbers, in one place, so that each is justified once.

/// A number below 2^53, or a power of two, as a float.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "counts, and the 53 bits of random numbers, are exact")]
pub(crate) const fn float(number: u64) -> f64 {
    number as f64
}

/// A position in a list.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it is below the length of a list in memory")]
pub(crate) const fn index(number: u64) -> usize {
    number as usize
}
