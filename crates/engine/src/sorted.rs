//! Sorted lists of ids without duplicates: the only representation of a set of things.

use crate::cast::index32;
use std::borrow::Cow;

/// The first position at or after `from` whose element is not below `wanted`, found by galloping search: a short list is merged with a
/// long one in time logarithmic in the distances.
#[inline]
pub fn gallop(list: &[u32], from: usize, wanted: u32) -> usize {
    let mut step = 1;
    let mut low = from;
    let mut high = from;
    while high < list.len() && list[high] < wanted {
        low = high + 1;
        high += step;
        step *= 2;
    }
    low + list[low..high.min(list.len())].partition_point(|&found| found < wanted)
}

/// Intersection.
pub(crate) fn intersection(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut out = Vec::new();
    let mut at = 0;
    for &wanted in short {
        at = gallop(long, at, wanted);
        match long.get(at) {
            Some(&found) if found == wanted => out.push(wanted),
            Some(_) => {}
            None => break,
        }
    }
    out
}

/// Whether the lists intersect.
pub(crate) fn intersects(a: &[u32], b: &[u32]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut at = 0;
    for &wanted in short {
        at = gallop(long, at, wanted);
        match long.get(at) {
            Some(&found) if found == wanted => return true,
            Some(_) => {}
            None => return false,
        }
    }
    false
}

/// Union.
pub(crate) fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// A sorted list without its duplicates, borrowed if there are none.
pub(crate) fn distinct(list: &[u32]) -> Cow<'_, [u32]> {
    if list.windows(2).all(|pair| pair[0] < pair[1]) {
        return Cow::Borrowed(list);
    }
    let mut owned = list.to_vec();
    owned.dedup();
    Cow::Owned(owned)
}

/// Sorts ids below `limit` and removes duplicates. Many ids are sorted by marking them in a bitmap, which costs one visit
/// of each word of the bitmap instead of a logarithmic factor for each id.
pub(crate) fn sorted(mut ids: Vec<u32>, limit: usize) -> Vec<u32> {
    if ids.windows(2).all(|pair| pair[0] < pair[1]) {
        return ids;
    }
    if ids.len() < 256 || ids.len() < limit / 512 {
        ids.sort_unstable();
        ids.dedup();
        return ids;
    }
    let mut words = vec![0u64; limit / 64 + 1];
    for &id in &ids {
        words[id as usize / 64] |= 1 << (id % 64);
    }
    ids.clear();
    for (number, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            ids.push(index32(number) * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn random_lists(seed: &mut u64, longest: usize, limit: u32) -> (Vec<u32>, Vec<u32>) {
        let mut next = || {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*seed >> 33) as u32
        };
        let mut list = || {
            let n = next() as usize % (longest + 1);
            (0..n).map(|_| next() % limit).collect::<Vec<u32>>()
        };
        (list(), list())
    }

    #[test]
    fn lists_are_sets() {
        let mut seed = 1;
        for round in 0..2000 {
            let (longest, limit) = [(5, 10), (40, 60), (900, 5000), (3, 100_000)][round % 4];
            let (a, b) = random_lists(&mut seed, longest, limit);
            let (set_a, set_b): (BTreeSet<u32>, BTreeSet<u32>) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            let (a, b) = (sorted(a, limit as usize), sorted(b, limit as usize));
            assert!(a.iter().eq(&set_a) && b.iter().eq(&set_b));
            let both: Vec<u32> = set_a.intersection(&set_b).copied().collect();
            assert_eq!(intersection(&a, &b), both);
            assert_eq!(intersects(&a, &b), !both.is_empty());
            assert!(union(&a, &b).iter().eq(set_a.union(&set_b)));
        }
        assert_eq!(distinct(&[1, 1, 2, 3, 3]).as_ref(), [1, 2, 3]);
        assert!(matches!(distinct(&[1, 2]), Cow::Borrowed(_)));
    }
}
