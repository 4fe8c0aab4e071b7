//! Numeric conversions, each justified once. Words are numbered by `u32`, and networks hold them as `i32`: `cast_signed` and
//! `cast_unsigned` convert them, because vocabularies have fewer than 2^31 words.

/// A count as a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words, examples and parameters stay far below 2^53"
)]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}

/// A 64-bit count, or 53 random bits, as a float.
#[expect(clippy::cast_precision_loss, reason = "counts of steps stay far below 2^53")]
pub(crate) const fn float_of(count: u64) -> f64 {
    count as f64
}

/// A setting without a fraction as a float.
#[expect(clippy::cast_precision_loss, reason = "no setting needs more than 53 bits")]
pub(crate) const fn float_of_integer(integer: i64) -> f64 {
    integer as f64
}

/// A number in the precision of networks.
#[expect(clippy::cast_possible_truncation, reason = "networks compute with 24 bits")]
pub(crate) const fn single(number: f64) -> f32 {
    number as f32
}

/// The number of a word, or of a row in a batch.
#[expect(clippy::cast_possible_truncation, reason = "vocabularies and batches have fewer than 2^32 items")]
pub(crate) const fn index32(position: usize) -> u32 {
    debug_assert!(position <= u32::MAX as usize);
    position as u32
}

/// The position of a word in a row of logits.
#[inline]
pub(crate) const fn position(word: i32) -> usize {
    debug_assert!(word >= 0);
    word.cast_unsigned() as usize
}

/// A random number below a length in memory.
#[expect(clippy::cast_possible_truncation, reason = "the remainder is less than a `usize`")]
pub(crate) const fn below(random: u64, length: usize) -> usize {
    (random % length as u64) as usize
}

/// The integral part of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` drops the fraction, and saturates at the ends of the range"
)]
pub(crate) const fn whole(number: f64) -> usize {
    number as usize
}
