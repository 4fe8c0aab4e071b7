//! Conversions between numbers, in one place, each with its justification.

/// A count or a position as the 32-bit number of stores.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "stores hold fewer than 2^32 items of each kind: imports refuse more with KbError::TooMany"
)]
pub(crate) const fn index32(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize);
    number as u32
}

/// The same for a 64-bit number.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "stores hold fewer than 2^32 items of each kind")]
pub(crate) const fn index32_of(number: u64) -> u32 {
    debug_assert!(number <= u32::MAX as u64);
    number as u32
}

/// A 64-bit number of a store as a position in memory. Stores are mapped as a whole, which takes 64-bit addresses.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "positions in memory have 64 bits, as the assertion below holds"
)]
pub(crate) const fn to_usize(number: u64) -> usize {
    number as usize
}

const _: () = assert!(usize::BITS >= 64, "stores are mapped into memory, which takes 64-bit addresses");

/// A count as a float.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}
