//! Random choices that are the same on every machine (SplitMix64).

use crate::cast;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed and of a name: streams of other names are independent of it.
    pub fn new(seed: u64, name: &str) -> Random {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes()).update(name.as_bytes());
        let mut state = [0; 8];
        state.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Random(u64::from_le_bytes(state))
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `n` - 1; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        cast::index(self.number() % n.max(1) as u64)
    }

    /// True with this chance in a hundred.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.number() % 100 < chance
    }

    /// One of a list.
    pub fn choose<'s, T>(&mut self, from: &'s [T]) -> Option<&'s T> {
        if from.is_empty() { None } else { Some(&from[self.below(from.len())]) }
    }

    /// Puts a list into a random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end + 1));
        }
    }

    /// From 0 to 1, without 1.
    pub fn share(&mut self) -> f64 {
        cast::float(self.number() >> 11) / cast::float(1 << 53)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_and_differ() {
        let mut a = Random::new(1, "a");
        assert_eq!(a.clone().number(), Random::new(1, "a").number());
        assert_ne!(a.number(), Random::new(1, "b").number());
        assert_ne!(a.number(), Random::new(2, "a").number());
        let mut list: Vec<u32> = (0..50).collect();
        a.shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
