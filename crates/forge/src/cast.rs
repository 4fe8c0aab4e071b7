//! Numeric conversions, each justified once.

/// A count as a float.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}

/// The index of a vertex or of an entity in a query.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "queries have a handful of them")]
pub(crate) const fn index32(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize);
    number as u32
}

/// A position in a list.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it is below the length of a list in memory")]
pub(crate) const fn index(number: u64) -> usize {
    number as usize
}

/// The integral part of a non-negative number.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the fraction is meant to go; numbers below 0 and beyond the range become the nearest number"
)]
pub(crate) const fn truncated(number: f64) -> usize {
    number as usize
}
