//! Whether two graphs are isomorphic.
//!
//! The graphs are trees, so no search is needed: if the nodes alone determine the mapping, as they
//! nearly always do, the edges are compared directly; otherwise both trees are rooted at their centres and
//! subtrees are numbered from the leaves up, equal subtrees with equal numbers. That takes time n log n.

use super::graph::{Graph, Link, Node};
use crate::cast::index32;
use crate::ontology::{NO_NAME, NameId};
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Compares graphs. Reused for several comparisons to save allocations.
#[derive(Debug, Default)]
pub(super) struct Isomorphism {
    one: Tree,
    two: Tree,
    shapes: Shapes,
}

/// Maximum size for searching equal nodes one by one; above it, numbering subtrees is faster.
const SMALL: usize = 16;

impl Isomorphism {
    /// Whether the graphs are the same; without `functions`, functions and time constraints are ignored.
    pub(super) fn test(&mut self, one: &Graph, two: &Graph, functions: bool) -> bool {
        let view = if functions { |node: Node| node } else { Node::bare };
        if one.nodes.len() != two.nodes.len() {
            return false;
        }
        if one.nodes.len() <= SMALL
            && let Some(verdict) = by_nodes(one, two, view)
        {
            return verdict;
        }
        self.by_subtrees(one, two, view)
    }

    fn by_subtrees(&mut self, one: &Graph, two: &Graph, view: fn(Node) -> Node) -> bool {
        self.one.fill(one);
        self.two.fill(two);
        self.shapes.clear();
        let (center, _) = self.one.centers();
        let (left, right) = self.two.centers();
        let wanted = self.one.shape(center, &one.nodes, view, &mut self.shapes);
        // With two centres, the centre of the first tree may correspond to either.
        wanted == self.two.shape(left, &two.nodes, view, &mut self.shapes)
            || left != right && wanted == self.two.shape(right, &two.nodes, view, &mut self.shapes)
    }
}

/// Compares the graphs by their nodes, if no two nodes are alike.
fn by_nodes(one: &Graph, two: &Graph, view: fn(Node) -> Node) -> Option<bool> {
    let mut images = [0_u32; SMALL];
    let mut taken = 0_u32;
    let mut unique = true;
    for (&node, image) in one.nodes.iter().zip(&mut images) {
        let node = view(node);
        let mut alike = two.nodes.iter().zip(0_u32..).filter(|&(&other, _)| view(other) == node);
        let Some((_, place)) = alike.next() else { return Some(false) };
        unique &= alike.next().is_none() && taken & 1 << place == 0;
        taken |= 1 << place;
        *image = place;
    }
    let image = |node: u32| images[node as usize];
    unique.then(|| one.links.iter().all(|link| two.links.iter().any(|other| same_edges(link, other, image))))
}

/// Whether the edges between the images of one link's nodes are those of the other link.
fn same_edges(link: &Link, other: &Link, image: impl Fn(u32) -> u32) -> bool {
    let (from, to) = (image(link.from), image(link.to));
    (from, to, link.forward, link.back) == (other.from, other.to, other.forward, other.back)
        || (to, from, link.back, link.forward) == (other.from, other.to, other.forward, other.back)
}

/// A graph by the neighbours of its nodes.
#[derive(Debug, Default)]
struct Tree {
    /// Where the neighbours of a node begin; one extra entry at the end.
    starts: Vec<u32>,
    neighbours: Vec<Neighbour>,
    /// How many neighbours of a node are left while leaves are taken off.
    degrees: Vec<u32>,
    /// The nodes, each after its parent, with parent and the relations from and to it.
    order: Vec<(u32, Neighbour)>,
    /// The number of the subtree below a node.
    shapes: Vec<u32>,
    children: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Neighbour {
    node: u32,
    /// The relation of the edge to the neighbour.
    to: NameId,
    /// The relation of the edge from the neighbour.
    from: NameId,
}

impl Tree {
    fn fill(&mut self, graph: &Graph) {
        let n = graph.nodes.len();
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        for link in &graph.links {
            self.starts[link.from as usize] += 1;
            self.starts[link.to as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.neighbours.clear();
        self.neighbours.resize(2 * graph.links.len(), Neighbour::default());
        for link in &graph.links {
            let (from, to) = (link.from, link.to);
            self.put(from, Neighbour { node: to, to: link.forward, from: link.back });
            self.put(to, Neighbour { node: from, to: link.back, from: link.forward });
        }
    }

    /// Puts a neighbour into the last free slot of a node.
    fn put(&mut self, node: u32, neighbour: Neighbour) {
        let start = &mut self.starts[node as usize];
        *start -= 1;
        self.neighbours[*start as usize] = neighbour;
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    /// The one or two nodes that remain when leaves are removed layer by layer.
    fn centers(&mut self) -> (u32, u32) {
        let n = self.starts.len() - 1;
        self.degrees.clear();
        self.degrees
            .extend((0..index32(n)).map(|node| self.starts[node as usize + 1] - self.starts[node as usize]));
        let mut layer = std::mem::take(&mut self.children);
        layer.clear();
        layer.extend((0..index32(n)).filter(|&node| self.degrees[node as usize] <= 1));
        let (mut from, mut left) = (0, n);
        while left > 2 {
            let to = layer.len();
            left -= to - from;
            for i in from..to {
                for at in self.range(layer[i]) {
                    let node = self.neighbours[at].node;
                    let degree = &mut self.degrees[node as usize];
                    *degree = degree.saturating_sub(1);
                    if *degree == 1 {
                        layer.push(node);
                    }
                }
            }
            from = to;
        }
        let centers = (layer[from], layer[layer.len() - 1]);
        self.children = layer;
        centers
    }

    /// The number of the whole tree when it is rooted at `root`.
    fn shape(&mut self, root: u32, nodes: &[Node], view: fn(Node) -> Node, shapes: &mut Shapes) -> u32 {
        self.order.clear();
        self.order.push((root, Neighbour { node: u32::MAX, to: NO_NAME, from: NO_NAME }));
        let mut at = 0;
        while let Some(&(node, parent)) = self.order.get(at) {
            at += 1;
            for i in self.range(node) {
                let Neighbour { node: child, to, from } = self.neighbours[i];
                if child != parent.node {
                    self.order.push((child, Neighbour { node, to: from, from: to }));
                }
            }
        }
        self.shapes.clear();
        self.shapes.resize(nodes.len(), 0);
        for at in (0..self.order.len()).rev() {
            let (node, parent) = self.order[at];
            self.children.clear();
            for i in self.range(node) {
                let child = self.neighbours[i].node;
                if child != parent.node {
                    self.children.push(self.shapes[child as usize]);
                }
            }
            self.children.sort_unstable();
            let Node { id, kind, function, time } = view(nodes[node as usize]);
            let own = [id, kind as u32, function, time[0], time[1], parent.to, parent.from];
            self.shapes[node as usize] = shapes.number(&own, &self.children);
        }
        self.shapes[root as usize]
    }
}

/// Subtrees with dense numbers; equal subtrees have equal numbers.
#[derive(Debug, Default)]
struct Shapes {
    /// The contents of the subtrees, one after another: the node, the edges above it, the numbers below it.
    words: Vec<u32>,
    /// Where a subtree ends in `words`, and its hash.
    ends: Vec<(usize, u64)>,
    table: HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
}

impl Shapes {
    fn number(&mut self, own: &[u32], children: &[u32]) -> u32 {
        let start = self.words.len();
        self.words.extend_from_slice(own);
        self.words.extend_from_slice(children);
        let hash = self.hasher.hash_one(&self.words[start..]);
        let (words, ends) = (&self.words, &self.ends);
        let same = |&shape: &u32| {
            let start_of_shape = shape.checked_sub(1).map_or(0, |before| ends[before as usize].0);
            words[start_of_shape..ends[shape as usize].0] == words[start..]
        };
        if let Some(&shape) = self.table.find(hash, same) {
            self.words.truncate(start);
            return shape;
        }
        let shape = index32(self.ends.len());
        self.ends.push((self.words.len(), hash));
        self.table.insert_unique(hash, shape, |&shape| self.ends[shape as usize].1);
        shape
    }

    fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        // A single large graph must not make all later ones slow to clear.
        if self.table.capacity() > 1000 {
            self.table = HashTable::new();
        }
        self.table.clear();
    }
}
