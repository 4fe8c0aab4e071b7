//! Conversions between numbers, in one place, so that each is justified once.

/// A count as a float.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}
