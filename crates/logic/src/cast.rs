//! Numeric conversions, each justified once.

/// A count or a position in 32 bits, as queries store it.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "texts, graphs and ontologies of 4 GB and more are refused when they are read"
)]
pub(crate) const fn index32(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize);
    number as u32
}

/// A count as a float.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}
