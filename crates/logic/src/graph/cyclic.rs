//! The canonical numbering of graphs with cycles.
//!
//! Vertices are coloured (answer, constraint, variable), and colours are split by the colours of the neighbours until
//! nothing changes. Of all numberings that follow the order of the colours, the canonical one has the sorted list of edges that
//! comes first, with edges compared as pairs of numbers. (Up to ten vertices that is the alphabetical order of the code.)
//!
//! It is found number by number. An edge list comes first exactly if the adjacency matrix is
//! greatest, read row by row above the diagonal; and when the first rows are fixed, all that matters about a partial
//! numbering is which vertices remain and how the fixed rows distinguish them. So all best prefixes of one length
//! are kept, equivalent ones once, and each is extended in every way that gives the greatest
//! next row. Of vertices that can be swapped without any change (twins) only one is tried.
//!
//! The amount of work depends only on the shape, not on the given numbers of the vertices. So a limit on the
//! work can decide whether a shape gets an exact code, and all graphs of one shape get the same result.

use super::code::Walk;
use super::query_graph::Skeleton;
use crate::cast::index32;
use std::cmp::Ordering;
use std::io::Write;

/// Maximum number of vertices of a graph with an exact code: a set of positions fits into 64 bits.
const MAX_VERTICES: usize = 64;

/// Maximum number of row entries to visit for one graph: some tens of milliseconds. Without any pruning, ten vertices
/// take at most 9! (1²/1! + 2²/2! + ... + 9²/9!) + 10, so up to ten vertices every code is exact.
const MAX_WORK: usize = 2_000_000;

/// Numbers the vertices of graphs with cycles. Reuse it, because it reuses its buffers.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The number of vertices.
    count: usize,
    /// The number of edges between two vertices, row by row.
    links: Vec<u32>,
    /// The colour of each vertex, numbered from 0 without gaps.
    colours: Vec<u32>,
    refiner: Refiner,
    /// For each vertex, the first one that it can be swapped with.
    twins: Vec<u8>,
    /// The best prefixes so far: for each, the remaining vertices, cell by cell, sorted within cells.
    states: Vec<u8>,
    /// The prefixes that are one number longer.
    next_states: Vec<u8>,
    best_row: Vec<u32>,
    rest: Vec<(u32, u8)>,
    order: Vec<u32>,
    hashes: Vec<u64>,
    next_hashes: Vec<u64>,
}

impl Numbering {
    /// Writes the code of a connected graph with at least one cycle; false if it is not exact. `rooted`: whether it has the answer.
    pub(super) fn write(
        &mut self,
        skeleton: &Skeleton,
        rooted: bool,
        walk: &Walk,
        text: &mut Vec<u8>,
    ) -> bool {
        if skeleton.grounded.len() <= MAX_VERTICES {
            self.load(skeleton, rooted);
            self.refiner.refine(&self.links, &mut self.colours);
            self.find_twins();
            text.clear();
            text.extend_from_slice(if rooted { b"G1:r" } else { b"G1:" });
            let (constraints, variables) = count_colours(skeleton, rooted);
            text.extend(std::iter::repeat_n(b'c', constraints));
            text.extend(std::iter::repeat_n(b'v', variables));
            if self.search(text) {
                return true;
            }
        }
        self.write_large(skeleton, rooted, walk, text);
        false
    }

    fn load(&mut self, skeleton: &Skeleton, rooted: bool) {
        self.count = skeleton.grounded.len();
        self.links.clear();
        self.links.resize(self.count * self.count, 0);
        for &(a, b) in &skeleton.edges {
            self.links[a as usize * self.count + b as usize] += 1;
            if a != b {
                self.links[b as usize * self.count + a as usize] += 1;
            }
        }
        // Not every colour need occur; the refinement closes the gap.
        self.colours.clear();
        self.colours.extend(skeleton.grounded.iter().map(|&grounded| if grounded { 1 } else { 2 }));
        if rooted {
            self.colours[skeleton.root as usize] = 0;
        }
    }

    fn find_twins(&mut self) {
        let row = |v: usize| &self.links[v * self.count..(v + 1) * self.count];
        self.twins.clear();
        for v in 0..self.count {
            let can_swap = |&u: &usize| {
                self.colours[u] == self.colours[v]
                    && row(u)[u] == row(v)[v]
                    && (0..self.count).all(|w| w == u || w == v || row(u)[w] == row(v)[w])
            };
            // The twin relation is transitive, so finding the first twin gives the whole class.
            self.twins.push(small((0..v).find(can_swap).unwrap_or(v)));
        }
    }

    /// Writes the edges in the best numbering; false if the work limit was reached.
    fn search(&mut self, text: &mut Vec<u8>) -> bool {
        self.states.clear();
        self.states.extend(0..small(self.count));
        let colours = &self.colours;
        self.states.sort_unstable_by_key(|&v| (colours[usize::from(v)], v));
        // All states of a length have their cells at the same positions: a bit is set where a cell starts.
        let mut cells = starts_of(self.states.iter().map(|&v| colours[usize::from(v)]));
        let mut work = 0;
        let mut separator = b'/';
        for number in 0..self.count {
            let left = self.count - number;
            self.best_row.clear();
            self.next_states.clear();
            for state in self.states.chunks_exact(left) {
                let mut tried = 0_u64;
                for chosen in 0..cell_end(cells, 0, left) {
                    let twin = 1 << self.twins[usize::from(state[chosen])];
                    if tried & twin != 0 {
                        continue;
                    }
                    tried |= twin;
                    work += left;
                    if work > MAX_WORK {
                        return false;
                    }
                    let links = &self.links[usize::from(state[chosen]) * self.count..][..self.count];
                    self.rest.clear();
                    self.rest.push((links[usize::from(state[chosen])], state[chosen]));
                    let mut start = 0;
                    while start < left {
                        let end = cell_end(cells, start, left);
                        let first = self.rest.len();
                        let others = (start..end).filter(|&i| i != chosen);
                        self.rest.extend(others.map(|i| (links[usize::from(state[i])], state[i])));
                        self.rest[first..].sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
                        start = end;
                    }
                    let row = self.rest.iter().map(|&(links, _)| links);
                    match row.clone().cmp(self.best_row.iter().copied()) {
                        Ordering::Less => continue,
                        Ordering::Equal => {}
                        Ordering::Greater => {
                            self.best_row.clear();
                            self.best_row.extend(row);
                            self.next_states.clear();
                        }
                    }
                    self.next_states.extend(self.rest[1..].iter().map(|&(_, v)| v));
                }
            }
            for (i, &links) in self.best_row.iter().enumerate() {
                for _ in 0..links {
                    text.push(separator);
                    separator = b',';
                    push_number(text, number);
                    text.push(b'-');
                    push_number(text, number + i);
                }
            }
            // Position 0 of the next states is position 1 of these.
            cells = (cells >> 1) | starts_of(self.best_row[1..].iter().copied());
            self.keep_different(left - 1);
        }
        true
    }

    /// Moves the next states to the states, without duplicates.
    fn keep_different(&mut self, length: usize) {
        if self.next_states.len() <= length {
            std::mem::swap(&mut self.states, &mut self.next_states);
            return;
        }
        let state = |&i: &u32| &self.next_states[i as usize * length..(i as usize + 1) * length];
        self.order.clear();
        self.order.extend(0..index32(self.next_states.len() / length));
        self.order.sort_unstable_by_key(state);
        self.order.dedup_by_key(|i| state(i));
        self.states.clear();
        self.order.iter().for_each(|i| self.states.extend_from_slice(state(i)));
    }

    /// Writes the numbers of constraints, variables and relations, and a hash of all neighbourhoods.
    fn write_large(&mut self, skeleton: &Skeleton, rooted: bool, walk: &Walk, text: &mut Vec<u8>) {
        let count = skeleton.grounded.len();
        self.hashes.clear();
        self.hashes.extend((0..count).map(|v| {
            let is_root = rooted && v == skeleton.root as usize;
            let colour = if is_root { 0 } else { 1 + u64::from(!skeleton.grounded[v]) };
            let depth = if rooted { walk.depth[v] } else { 0 };
            mix(colour + (u64::from(depth) << 2))
        }));
        // Larger graphs get fewer rounds; the number depends only on the shape.
        for _ in 0..(2_000_000 / (count + skeleton.edges.len())).clamp(3, 32) {
            self.next_hashes.clear();
            let hashes = &self.hashes;
            self.next_hashes.extend((0..count).map(|v| {
                // A sum does not depend on the order of the neighbours.
                let around = walk.neighbours(index32(v)).iter().map(|&u| mix(hashes[u as usize]));
                mix(hashes[v].rotate_left(17) ^ around.fold(0, u64::wrapping_add))
            }));
            std::mem::swap(&mut self.hashes, &mut self.next_hashes);
        }
        let hash = self.hashes.iter().fold(0, |sum: u64, &hash| sum.wrapping_add(mix(hash)));
        let (constraints, variables) = count_colours(skeleton, rooted);
        text.clear();
        // Writing to memory cannot fail.
        let _ = write!(text, "G1:large/c{constraints}v{variables}e{}/{hash:016x}", skeleton.edges.len());
    }
}

/// Splits colours by the colours of neighbours until nothing changes.
#[derive(Debug, Default)]
struct Refiner {
    /// For each vertex, the number of edges to each colour.
    counts: Vec<u32>,
    order: Vec<u32>,
    colours: Vec<u32>,
}

impl Refiner {
    /// The result keeps the order of the old colours, and is numbered without gaps.
    fn refine(&mut self, links: &[u32], colours: &mut [u32]) {
        let count = colours.len();
        // The first round has colours that do not occur; there is always room for three.
        let mut known = 3;
        loop {
            self.counts.clear();
            self.counts.resize(count * known, 0);
            for v in 0..count {
                for u in 0..count {
                    self.counts[v * known + colours[u] as usize] += links[v * count + u];
                }
            }
            let key =
                |v: u32| (colours[v as usize], &self.counts[v as usize * known..(v as usize + 1) * known]);
            self.order.clear();
            self.order.extend(0..index32(count));
            self.order.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
            self.colours.clear();
            self.colours.resize(count, 0);
            let mut colour = 0;
            for pair in self.order.windows(2) {
                colour += u32::from(key(pair[0]) != key(pair[1]));
                self.colours[pair[1] as usize] = colour;
            }
            let found = colour as usize + 1;
            let settled = colours == self.colours.as_slice();
            colours.copy_from_slice(&self.colours);
            if settled || found == count {
                return;
            }
            known = found.max(3);
        }
    }
}

/// A bit set of the positions at which a sequence changes its value; position 0 is included.
fn starts_of(values: impl Iterator<Item = u32>) -> u64 {
    let mut starts = 0;
    let mut last = None;
    for (i, value) in values.enumerate() {
        starts |= u64::from(last != Some(value)) << i;
        last = Some(value);
    }
    starts
}

/// The position after the cell that starts at `start`.
fn cell_end(cells: u64, start: usize, length: usize) -> usize {
    let later = if start < 63 { cells >> (start + 1) } else { 0 };
    if later == 0 { length } else { start + 1 + later.trailing_zeros() as usize }
}

/// The number of constraints and the number of variables besides the answer.
fn count_colours(skeleton: &Skeleton, rooted: bool) -> (usize, usize) {
    let is_root = |v: usize| rooted && v == skeleton.root as usize;
    let constraints =
        skeleton.grounded.iter().enumerate().filter(|&(v, &grounded)| grounded && !is_root(v)).count();
    (constraints, skeleton.grounded.len() - usize::from(rooted) - constraints)
}

/// The number of a vertex, of which there are at most 64, in 8 bits.
fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn push_number(text: &mut Vec<u8>, number: usize) {
    if number >= 10 {
        text.push(b'0' + small(number / 10));
    }
    text.push(b'0' + small(number % 10));
}

/// Mixes the bits of a number (the finaliser of SplitMix64).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Numbering, cell_end, starts_of};
    use crate::graph::Skeleton;
    use crate::graph::code::Coder;
    use proptest::prelude::*;

    #[test]
    fn cells() {
        let cells = starts_of([5, 5, 2, 7, 7, 7].into_iter());
        assert_eq!(cells, 0b1101);
        assert_eq!((cell_end(cells, 0, 6), cell_end(cells, 2, 6), cell_end(cells, 3, 6)), (2, 3, 6));
        assert_eq!(cell_end(u64::MAX, 62, 64), 63);
        assert_eq!(cell_end(u64::MAX, 63, 64), 64);
    }

    /// The code by definition: every order that follows the colours, and the alphabetically first text.
    fn by_definition(skeleton: &Skeleton) -> String {
        let mut numbering = Numbering::default();
        numbering.load(skeleton, true);
        numbering.refiner.refine(&numbering.links, &mut numbering.colours);
        let count = skeleton.grounded.len();
        let mut best: Option<String> = None;
        let mut orders = vec![vec![]];
        for _ in 0..count {
            let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
                let left: Vec<usize> = (0..count).filter(|v| !order.contains(v)).collect();
                let lowest = left.iter().map(|&v| numbering.colours[v]).min();
                let fitting = left.into_iter().filter(|&v| Some(numbering.colours[v]) == lowest);
                fitting.map(|v| [order.as_slice(), &[v]].concat()).collect()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        for order in orders {
            let number = |v: u32| order.iter().position(|&u| u == v as usize).unwrap_or(usize::MAX);
            let colour = |&v: &usize| match (v == skeleton.root as usize, skeleton.grounded[v]) {
                (true, _) => 'r',
                (_, true) => 'c',
                _ => 'v',
            };
            let mut edges: Vec<(usize, usize)> =
                skeleton.edges.iter().map(|&(a, b)| (number(a), number(b))).collect();
            edges.iter_mut().for_each(|e| *e = (e.0.min(e.1), e.0.max(e.1)));
            edges.sort();
            let edges: Vec<String> = edges.iter().map(|(a, b)| format!("{a}-{b}")).collect();
            let text = format!("G1:{}/{}", order.iter().map(colour).collect::<String>(), edges.join(","));
            best = Some(best.map_or(text.clone(), |best| best.min(text)));
        }
        best.unwrap_or_default()
    }

    proptest! {
        #[test]
        fn the_search_follows_the_definition(
            count in 1..7_usize,
            grounded in prop::collection::vec(any::<bool>(), 6),
            edges in prop::collection::vec((0..6_u32, 0..6_u32), 1..12),
        ) {
            let count32 = count as u32;
            let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % count32, b % count32)).collect();
            let skeleton = Skeleton { root: 0, grounded: grounded[..count].to_vec(), edges };
            let mut coder = Coder::new();
            let code = coder.code(&skeleton);
            if code.starts_with("G1:") {
                prop_assert_eq!(code, by_definition(&skeleton));
            }
        }
    }
}
