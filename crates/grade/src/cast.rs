//! Numeric conversions, each justified once.

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts of questions, tokens and facts stay far below 2^53")]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}

/// A 64-bit count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts of n-grams stay far below 2^53")]
pub(crate) const fn float_of(count: u64) -> f64 {
    count as f64
}

/// A position in a sequence of tokens or questions, in 32 bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "texts and benchmarks have fewer than 2^32 tokens and questions"
)]
pub(crate) const fn index32(position: usize) -> u32 {
    debug_assert!(position <= u32::MAX as usize);
    position as u32
}

/// The low bits of a hash as a position.
#[expect(clippy::cast_possible_truncation, reason = "any bits of a hash will do")]
pub(crate) const fn to_position(hash: u64) -> usize {
    hash as usize
}

/// The integral part of a non-negative number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` cuts the fraction off, and saturates at the ends of the range"
)]
pub(crate) const fn whole(number: f64) -> usize {
    number as usize
}
