//! Numeric conversions, each justified once.

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

/// A weight between 0 and 1 in thousandths; NaN has weight 0.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to 0..=1000, and NaN becomes 0"
)]
pub(crate) fn thousandths(weight: f32) -> u16 {
    (weight.clamp(0.0, 1.0) * 1000.0).round() as u16
}
