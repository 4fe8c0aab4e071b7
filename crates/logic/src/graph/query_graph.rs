//! The graph of a query, and the part of it that determines its shape.

use super::shape::Shape;
use crate::value::Symbol;
use std::collections::VecDeque;

/// A query as a graph: the answer, the constraints and the variables between them, connected by relations.
///
/// ```
/// use touchstone_logic::{Program, QueryGraph, graph::draw};
/// let program = Program::parse("Find(Ada) > Relate(works with, forward) > Relate(born in, forward) > What()")?;
/// let graph = QueryGraph::of(&program.to_query(&())?);
/// assert_eq!(graph.shape().code, "T1:((()))");
/// assert!(draw(&graph).contains("Ada"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct QueryGraph {
    /// The answer, the constraints and the variables.
    pub vertices: Vec<Vertex>,
    /// The relations between them.
    pub edges: Vec<Edge>,
    /// The answer's index in `vertices`.
    pub root: usize,
}

/// The answer, a constraint or a variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Vertex {
    /// Whether the query names it: an entity or a literal.
    pub grounded: bool,
    /// The entity's id or name, the literal, or the class of a variable; empty if unknown.
    pub label: Symbol,
    /// The functions on it ("count", ">=", "max", "during 2009"), or empty.
    pub note: Symbol,
}

/// A relation between two vertices, in the direction of the fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Edge {
    /// The subject's index in [`QueryGraph::vertices`].
    pub from: usize,
    /// The value's index in [`QueryGraph::vertices`].
    pub to: usize,
    /// The relation.
    pub label: Symbol,
}

/// What determines the shape of a graph, without names and directions. The buffers can be reused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Skeleton {
    /// The answer's number.
    pub root: u32,
    /// For each vertex, whether it is a constraint. The value for the root is ignored: the root is the answer.
    pub grounded: Vec<bool>,
    /// The relations, in any order and direction; parallel ones are repeated.
    pub edges: Vec<(u32, u32)>,
}

impl QueryGraph {
    /// The graph without names and directions.
    pub fn skeleton(&self) -> Skeleton {
        let mut skeleton = Skeleton::default();
        self.skeleton_into(&mut skeleton);
        skeleton
    }

    /// Like [`QueryGraph::skeleton`], into existing buffers.
    pub(crate) fn skeleton_into(&self, skeleton: &mut Skeleton) {
        // A number that does not fit cannot be the index of a vertex: it stays out of range, and the shape is invalid.
        let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        skeleton.root = number(self.root);
        skeleton.grounded.clear();
        skeleton.grounded.extend(self.vertices.iter().map(|v| v.grounded));
        skeleton.edges.clear();
        skeleton.edges.extend(self.edges.iter().map(|e| (number(e.from), number(e.to))));
    }

    /// The shape of the graph.
    pub fn shape(&self) -> Shape {
        Shape::of(&self.skeleton())
    }

    /// Traverses the graph breadth first, from the answer; drawings are laid out in this order.
    pub fn traversal(&self) -> Traversal {
        let count = self.vertices.len();
        let mut incident: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut broken = 0;
        for (e, edge) in self.edges.iter().enumerate() {
            if edge.from >= count || edge.to >= count {
                broken += 1;
                continue;
            }
            incident[edge.from].push(e);
            if edge.to != edge.from {
                incident[edge.to].push(e);
            }
        }
        let mut traversal = Traversal {
            order: Vec::with_capacity(count),
            depth: vec![usize::MAX; count],
            via: vec![None; count],
            starts: Vec::new(),
            broken,
        };
        let mut queue = VecDeque::new();
        // The root's component comes first; the others follow, so that a drawing hides nothing.
        for start in (self.root < count).then_some(self.root).into_iter().chain(0..count) {
            if traversal.depth[start] != usize::MAX {
                continue;
            }
            traversal.starts.push(start);
            traversal.depth[start] = 0;
            queue.push_back(start);
            while let Some(v) = queue.pop_front() {
                traversal.order.push(v);
                for &e in &incident[v] {
                    let other = self.edges[e].other(v);
                    if traversal.depth[other] == usize::MAX {
                        traversal.depth[other] = traversal.depth[v] + 1;
                        traversal.via[other] = Some(e);
                        queue.push_back(other);
                    }
                }
            }
        }
        traversal
    }

    /// Whether both ends of an edge exist.
    pub fn is_whole(&self, edge: &Edge) -> bool {
        edge.from < self.vertices.len() && edge.to < self.vertices.len()
    }
}

impl Edge {
    /// The end that is not `v`; of a loop, `v`.
    pub fn other(&self, v: usize) -> usize {
        if self.from == v { self.to } else { self.from }
    }
}

/// The vertices of a graph in breadth-first order, from the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traversal {
    /// All vertices; those of one connected component are contiguous, near ones first.
    pub order: Vec<usize>,
    /// For each vertex, its distance from the start of its component.
    pub depth: Vec<usize>,
    /// For each vertex, the edge that it was first reached by; none for starts.
    pub via: Vec<Option<usize>>,
    /// One vertex of each connected component, the answer first.
    pub starts: Vec<usize>,
    /// The number of edges with an end that does not exist.
    pub broken: usize,
}

/// Whether a character must be escaped: control characters, and those that change the writing direction.
/// Labels come from untrusted files.
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Graphs for the tests of this module's neighbours.
#[cfg(test)]
pub(super) mod samples {
    use super::{Edge, QueryGraph, Vertex};

    /// A graph from short words: vertices are `label`, `=label` (grounded), each with an optional `|note`;
    /// edges are `from`, `to`, relation. The first vertex is the answer.
    pub(in crate::graph) fn graph(vertices: &[&str], edges: &[(usize, usize, &str)]) -> QueryGraph {
        let vertex = |text: &&str| {
            let (label, note) = text.split_once('|').unwrap_or((text, ""));
            let grounded = label.starts_with('=');
            let label = label.strip_prefix('=').unwrap_or(label);
            Vertex { grounded, label: label.into(), note: note.into() }
        };
        let edge = |&(from, to, label): &(usize, usize, &str)| Edge { from, to, label: label.into() };
        QueryGraph {
            vertices: vertices.iter().map(vertex).collect(),
            edges: edges.iter().map(edge).collect(),
            root: 0,
        }
    }

    /// The example of the documentation: who directed it, and who stars in it.
    pub(in crate::graph) fn film() -> QueryGraph {
        graph(
            &["film.film|count", "=m.0abc", "", "=m.0def"],
            &[
                (0, 1, "film.film.directed_by"),
                (0, 2, "film.film.starring"),
                (2, 3, "film.performance.actor"),
            ],
        )
    }

    /// A chain with a number of vertices.
    pub(in crate::graph) fn chain(length: usize) -> QueryGraph {
        let vertices =
            (0..length).map(|i| Vertex { grounded: i + 1 == length, ..Vertex::default() }).collect();
        let edges = (1..length).map(|i| Edge { from: i - 1, to: i, label: "next".into() }).collect();
        QueryGraph { vertices, edges, root: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{film, graph};

    #[test]
    fn skeletons() {
        let skeleton = film().skeleton();
        assert_eq!(skeleton.root, 0);
        assert_eq!(skeleton.grounded, [false, true, false, true]);
        assert_eq!(skeleton.edges, [(0, 1), (0, 2), (2, 3)]);
        let mut reused = skeleton;
        graph(&["a", "=b"], &[(1, 0, "r")]).skeleton_into(&mut reused);
        assert_eq!(reused, graph(&["a", "=b"], &[(1, 0, "r")]).skeleton());
    }

    #[test]
    fn traversals_reach_everything_once() {
        let graph =
            graph(&["", "", "", "", ""], &[(1, 0, "a"), (1, 2, "b"), (2, 0, "c"), (3, 3, "d"), (0, 9, "e")]);
        let traversal = graph.traversal();
        assert_eq!(traversal.order, [0, 1, 2, 3, 4]);
        assert_eq!(traversal.depth, [0, 1, 1, 0, 0]);
        assert_eq!(traversal.via, [None, Some(0), Some(2), None, None]);
        assert_eq!(traversal.starts, [0, 3, 4]);
        assert_eq!(traversal.broken, 1);
    }
}
