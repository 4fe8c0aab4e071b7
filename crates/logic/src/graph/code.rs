//! The canonical code of a shape: two graphs have the same code exactly if they have the same shape.
//!
//! A **tree** is written `T1:` and its vertices as nested brackets, the answer outermost. Children are sorted by the
//! length of their codes, then by the codes themselves.
//!
//! | vertex | written |
//! |---|---|
//! | the answer | `(...)`; `{}` when it is all there is |
//! | a constraint that is a leaf | `()` |
//! | a constraint with children | `[...]` |
//! | a variable | `(...)` |
//! | a variable that is a leaf (it only has to exist) | `{}` |
//!
//! The answer is always the answer, even if a query also grounds it: it is written the same (in graphs with cycles it
//! has the colour `r`), so that asking for a thing and checking a thing by the same path have the same shape.
//!
//! A **graph with cycles** (loops and parallel relations are cycles) is written `G1:`, the colours of its vertices
//! (`r` the answer, `c` constraints, `v` variables), `/`, and its edges: `G1:rcv/0-1,0-2,1-2`. See `cyclic.rs` for
//! the numbering of the vertices, and for `G1:large/...`, the code of graphs that are too large or too symmetric to be
//! numbered in a reasonable time: it does not depend on how a graph is given either, but different shapes may share it.
//!
//! A graph that is **not connected** is written `D1:` and its parts with `+` between them: that of the answer first, the others sorted like
//! children. The parts are written as above, but without `T1:` and `G1:`. A tree without the answer is written from the vertex in its middle
//! (from the smaller code, if there are two), with the brackets of an inner vertex, and a graph with cycles without `r`:
//! `D1:(())+(())+[{}]`.
//!
//! What is not a graph is `INVALID`.

use super::cyclic::Numbering;
use super::parts::{centres, parts};
use super::query_graph::Skeleton;
use crate::cast::index32;

/// The code of what is not a query: edges with a missing end, a missing root.
pub const INVALID: &str = "INVALID";

/// Computes codes. Reuse it, because it reuses its buffers.
///
/// A tree takes time proportional to its size (times a logarithm), without recursion, and no allocation once the
/// buffers are large enough.
#[derive(Debug, Default)]
pub struct Coder {
    pub(super) walk: Walk,
    numbering: Numbering,
    tree: TreeBuffers,
    text: Vec<u8>,
    /// For the parts of graphs that are not connected.
    inner: Option<Box<Coder>>,
}

/// The kind of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `T1:`
    Tree,
    /// `G1:`
    Cyclic,
    /// `G1:large/`
    Large,
    /// `D1:`
    Apart {
        /// The number of parts.
        parts: usize,
        /// Whether no part is `large/`.
        exact: bool,
    },
    /// `INVALID`
    Invalid,
}

impl Coder {
    /// A coder with empty buffers.
    pub fn new() -> Coder {
        Coder::default()
    }

    /// The code of a shape.
    pub fn code(&mut self, skeleton: &Skeleton) -> &str {
        self.encode(skeleton).0
    }

    /// The code and its kind; keeps the traversal of the graph.
    pub(super) fn encode(&mut self, skeleton: &Skeleton) -> (&str, Kind) {
        let kind = if !self.walk.over(skeleton) {
            self.text.clear();
            self.text.extend_from_slice(INVALID.as_bytes());
            Kind::Invalid
        } else if self.walk.order.len() < skeleton.grounded.len() {
            self.write_parts(skeleton)
        } else if skeleton.edges.len() < skeleton.grounded.len() {
            // Connected, and no more edges than a tree needs.
            self.tree.write(skeleton, &self.walk, &mut self.text);
            Kind::Tree
        } else if self.numbering.write(skeleton, true, &self.walk, &mut self.text) {
            Kind::Cyclic
        } else {
            Kind::Large
        };
        (std::str::from_utf8(&self.text).unwrap_or(INVALID), kind)
    }

    /// Writes the codes of the parts of a graph; keeps the traversal from the answer.
    fn write_parts(&mut self, skeleton: &Skeleton) -> Kind {
        let inner = self.inner.get_or_insert_default();
        let parts = parts(skeleton);
        let mut exact = true;
        let mut others: Vec<Vec<u8>> = Vec::with_capacity(parts.len());
        self.text.clear();
        self.text.extend_from_slice(b"D1:");
        for (number, part) in parts.iter().enumerate() {
            if number == 0 {
                let (code, kind) = inner.encode(part);
                exact &= kind != Kind::Large;
                self.text.extend_from_slice(&code.as_bytes()[PREFIX..]);
            } else {
                exact &= inner.encode_rootless(part) != Kind::Large;
                others.push(inner.text.clone());
            }
        }
        others.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        for other in others {
            self.text.push(b'+');
            self.text.extend_from_slice(&other);
        }
        Kind::Apart { parts: parts.len(), exact }
    }

    /// Writes the code of a connected part without the answer, without a prefix.
    fn encode_rootless(&mut self, part: &Skeleton) -> Kind {
        if part.edges.len() >= part.grounded.len() {
            let exact = self.walk.over(part) && self.numbering.write(part, false, &self.walk, &mut self.text);
            self.text.drain(..PREFIX);
            return if exact { Kind::Cyclic } else { Kind::Large };
        }
        let mut best: Option<Vec<u8>> = None;
        let mut rooted = part.clone();
        for root in centres(part) {
            rooted.root = root;
            self.walk.over(&rooted);
            self.tree.write(&rooted, &self.walk, &mut self.text);
            self.text.drain(..PREFIX);
            let brackets = match (rooted.grounded[root as usize], part.edges.is_empty()) {
                (true, true) => b"()",
                (true, false) => b"[]",
                (false, true) => b"{}",
                (false, false) => b"()",
            };
            if let [first, .., last] = &mut self.text[..] {
                [*first, *last] = *brackets;
            }
            if best.as_ref().is_none_or(|best| self.text < *best) {
                best = Some(std::mem::take(&mut self.text));
            }
        }
        self.text = best.unwrap_or_default();
        Kind::Tree
    }
}

/// The length of `T1:` and `G1:`.
const PREFIX: usize = 3;

/// A breadth-first traversal of a graph from its root.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Where each vertex's neighbours start; one extra entry at the end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// The vertices that were reached. Children of one vertex are contiguous, and in the order of their parents.
    pub(super) order: Vec<u32>,
    /// The children of `order[i]` are `order[kids[i]..kids[i + 1]]`.
    kids: Vec<u32>,
    /// For each vertex, its distance from the root; [`Walk::UNREACHED`] if there is no path.
    pub(super) depth: Vec<u32>,
}

impl Walk {
    pub(super) const UNREACHED: u32 = u32::MAX;

    /// The vertices at the other ends of a vertex's edges; itself twice for a loop.
    pub(super) fn neighbours(&self, v: u32) -> &[u32] {
        &self.neighbours[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    /// Traverses the graph; false, with nothing reached, if the root or an end of an edge does not exist.
    fn over(&mut self, skeleton: &Skeleton) -> bool {
        let count = skeleton.grounded.len();
        self.order.clear();
        self.kids.clear();
        self.depth.clear();
        self.depth.resize(count, Walk::UNREACHED);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        if skeleton.root as usize >= count {
            return false;
        }
        for &(a, b) in &skeleton.edges {
            if a as usize >= count || b as usize >= count {
                return false;
            }
            self.starts[a as usize] += 1;
            self.starts[b as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.neighbours.clear();
        self.neighbours.resize(skeleton.edges.len() * 2, 0);
        for &(a, b) in &skeleton.edges {
            for (v, other) in [(a, b), (b, a)] {
                self.starts[v as usize] -= 1;
                self.neighbours[self.starts[v as usize] as usize] = other;
            }
        }
        self.depth[skeleton.root as usize] = 0;
        self.order.push(skeleton.root);
        self.kids.push(1);
        let mut next = 0;
        while let Some(&v) = self.order.get(next) {
            let below = self.depth[v as usize] + 1;
            for i in self.starts[v as usize]..self.starts[v as usize + 1] {
                let other = self.neighbours[i as usize];
                if self.depth[other as usize] == Walk::UNREACHED {
                    self.depth[other as usize] = below;
                    self.order.push(other);
                }
            }
            self.kids.push(index32(self.order.len()));
            next += 1;
        }
        true
    }

    fn kids(&self, position: u32) -> std::ops::Range<usize> {
        self.kids[position as usize] as usize..self.kids[position as usize + 1] as usize
    }
}

/// The buffers for writing trees. Vertices are given by their position in [`Walk::order`].
#[derive(Debug, Default)]
struct TreeBuffers {
    /// The number of vertices in the subtree of each vertex. Its code has twice as many characters.
    sizes: Vec<u32>,
    /// Positions; those of one vertex's children are sorted by size.
    by_size: Vec<u32>,
    /// The open vertices: position, the next child in `by_size`, where the children's codes start.
    open: Vec<(u32, u32, u32)>,
    sorter: RunSorter,
}

impl TreeBuffers {
    fn write(&mut self, skeleton: &Skeleton, walk: &Walk, text: &mut Vec<u8>) {
        let count = index32(walk.order.len());
        self.sizes.clear();
        self.sizes.resize(count as usize, 1);
        self.by_size.clear();
        self.by_size.extend(0..count);
        for position in (0..count).rev() {
            let kids = walk.kids(position);
            if kids.len() > 1 {
                let sizes = &self.sizes;
                self.by_size[kids.clone()].sort_unstable_by_key(|&kid| sizes[kid as usize]);
            }
            self.sizes[position as usize] += self.sizes[kids].iter().sum::<u32>();
        }
        text.clear();
        text.extend_from_slice(b"T1:");
        if count == 1 {
            text.extend_from_slice(b"{}");
            return;
        }
        let is_grounded = |position: u32| skeleton.grounded[walk.order[position as usize] as usize];
        self.open.clear();
        self.open.push((0, 1, index32(text.len()) + 1));
        text.push(b'(');
        while let Some((position, next, children)) = self.open.last_mut() {
            let kids = walk.kids(*position);
            if (*next as usize) < kids.end {
                let kid = self.by_size[*next as usize];
                *next += 1;
                let below = walk.kids(kid);
                match (below.is_empty(), is_grounded(kid)) {
                    (true, true) => text.extend_from_slice(b"()"),
                    (true, false) => text.extend_from_slice(b"{}"),
                    (false, grounded) => {
                        text.push(if grounded { b'[' } else { b'(' });
                        self.open.push((kid, index32(below.start), index32(text.len())));
                    }
                }
                continue;
            }
            // The children are already sorted by length in the text; sort those of the same length.
            if kids.len() > 1 {
                let mut start = *children as usize;
                for run in
                    self.by_size[kids].chunk_by(|&a, &b| self.sizes[a as usize] == self.sizes[b as usize])
                {
                    let length = 2 * self.sizes[run[0] as usize] as usize;
                    let end = start + run.len() * length;
                    self.sorter.sort(&mut text[start..end], length);
                    start = end;
                }
            }
            let close = if *position != 0 && is_grounded(*position) { b']' } else { b')' };
            text.push(close);
            self.open.pop();
        }
    }
}

/// Sorts contiguous pieces of text of the same length.
#[derive(Debug, Default)]
struct RunSorter {
    order: Vec<u32>,
    sorted: Vec<u8>,
}

impl RunSorter {
    fn sort(&mut self, run: &mut [u8], length: usize) {
        let piece = |i: usize| &run[i * length..(i + 1) * length];
        let count = run.len() / length;
        if (1..count).all(|i| piece(i - 1) <= piece(i)) {
            return;
        }
        self.order.clear();
        self.order.extend(0..index32(count));
        self.order.sort_unstable_by_key(|&i| piece(i as usize));
        self.sorted.clear();
        self.order.iter().for_each(|&i| self.sorted.extend_from_slice(piece(i as usize)));
        run.copy_from_slice(&self.sorted);
    }
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
