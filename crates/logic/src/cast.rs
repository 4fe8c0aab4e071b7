//! Conversions between numbers, in one place, so that each is justified once.

/// A count or a position as the 32 bits that queries are kept in.
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
