//! Conversions between numbers, in one place, so that each is justified once.

/// A count or a position as the 32 bits of ids.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "stores hold fewer than 2^32 items of each kind: imports refuse more"
)]
pub(crate) const fn index32(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize);
    number as u32
}

/// A time in microseconds.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "queries take less than 2^53 nanoseconds, which are 104 days")]
pub(crate) const fn micros(time: std::time::Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}
