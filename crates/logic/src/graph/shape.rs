//! The shape of a query: its code, its name if it has one, and its counts.

use super::alias::Alias;
use super::code::{Coder, INVALID, Kind, Walk};
use super::query_graph::Skeleton;
use crate::cast::index32;

/// The structure of a query without its names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The canonical code: `T1:...` for trees, `G1:...` for graphs with cycles, or `INVALID`.
    pub code: String,
    /// The code when only the root and the edges count, as in the papers: inner entities and variable leaves
    /// are vertices like any other. Equal to `code` for almost all questions, and for graphs with cycles.
    pub plain: String,
    /// The name of the class in the literature, if it is known or can be inferred.
    pub alias: Option<Alias>,
    /// The number of relations.
    pub relations: u32,
    /// The number of outer constraints: grounded vertices, except the answer, from which nothing leads
    /// further away from the answer. In a tree these are the grounded leaves.
    pub constraints: u32,
    /// The distances of these constraints from the answer, sorted.
    pub depths: Vec<u32>,
    /// The greatest of these distances; 0 without constraints.
    pub hops: u32,
    /// Whether there is a cycle; a loop is one, and so are parallel relations.
    pub cycle: bool,
    /// Whether there are fewer than three relations.
    pub simple: bool,
    /// Whether the same code means the same shape. False for `INVALID`, and for `G1:large/...`, the code of graphs
    /// that are too large or too symmetric: the code still does not depend on how the graph is given.
    pub exact: bool,
}

impl Shape {
    /// The shape of a graph. If a graph is not connected, everything except the number of relations refers to the
    /// component of the answer.
    pub fn of(skeleton: &Skeleton) -> Shape {
        Coder::new().shape(skeleton)
    }

    /// Whether the graph is a valid query.
    pub fn is_valid(&self) -> bool {
        self.code != INVALID
    }
}

impl Coder {
    /// Like [`Shape::of`], with the buffers of this coder.
    pub fn shape(&mut self, skeleton: &Skeleton) -> Shape {
        let (code, kind) = self.encode(skeleton);
        let code = code.to_owned();
        let walk = &self.walk;
        let depth = |v: u32| walk.depth[v as usize];
        let is_constraint = |&v: &u32| {
            v != skeleton.root
                && skeleton.grounded[v as usize]
                && walk.neighbours(v).iter().all(|&other| depth(other) <= depth(v))
        };
        // The traversal goes from near to far, so the distances are sorted.
        let depths: Vec<u32> = walk.order.iter().copied().filter(is_constraint).map(depth).collect();
        let is_reached = |v: u32| walk.depth.get(v as usize).is_some_and(|&depth| depth != Walk::UNREACHED);
        let reached = skeleton.edges.iter().filter(|&&(from, _)| is_reached(from)).count();
        let cycle = reached > 0 && reached >= walk.order.len();
        let marked = kind == Kind::Tree && !skeleton.edges.is_empty() && code.contains(['[', '{']);
        let plain = if marked { self.plain(skeleton) } else { code.clone() };
        Shape {
            alias: if kind == Kind::Tree { Alias::of_code(&plain) } else { None },
            plain,
            code,
            relations: index32(skeleton.edges.len()),
            constraints: index32(depths.len()),
            hops: depths.last().copied().unwrap_or(0),
            depths,
            cycle,
            simple: skeleton.edges.len() < 3,
            exact: matches!(kind, Kind::Tree | Kind::Cyclic),
        }
    }

    /// The code of a tree without grounding: all leaves are written alike, and so are all inner vertices.
    fn plain(&mut self, skeleton: &Skeleton) -> String {
        let mut degree = vec![0u32; skeleton.grounded.len()];
        for &(from, to) in &skeleton.edges {
            degree[from as usize] += 1;
            degree[to as usize] += 1;
        }
        let grounded = degree.iter().map(|&degree| degree == 1).collect();
        let plain = Skeleton { root: skeleton.root, grounded, edges: skeleton.edges.clone() };
        self.code(&plain).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use crate::graph::Skeleton;
    use crate::graph::query_graph::samples::{chain, film, graph};

    #[test]
    fn trees() {
        let shape = film().shape();
        assert_eq!(shape.code, "T1:(()(()))");
        assert_eq!(shape.alias.map(|alias| alias.to_string()).as_deref(), Some("Iso-3"));
        assert_eq!((shape.relations, shape.constraints, shape.hops), (3, 2, 2));
        assert_eq!(shape.depths, [1, 2]);
        assert!(shape.exact && shape.is_valid() && !shape.cycle && !shape.simple);
        // The inner grounded vertex is not a leaf.
        let shape = graph(&["", "=a", "=b"], &[(0, 1, ""), (1, 2, "")]).shape();
        assert_eq!(
            (shape.code.as_str(), shape.plain.as_str(), shape.constraints),
            ("T1:([()])", "T1:((()))", 1)
        );
        assert_eq!(shape.alias.map(|alias| alias.name), Some("Iso-1"));
        let bare = graph(&["film.film"], &[]).shape();
        assert_eq!((bare.code.as_str(), bare.relations, bare.hops), ("T1:{}", 0, 0));
        assert!(bare.exact && bare.simple && !bare.cycle);
        assert_eq!(chain(10_000).shape().hops, 9_999);
    }

    #[test]
    fn cycles() {
        let shape = graph(&["", "", "=c"], &[(0, 1, ""), (1, 2, ""), (2, 0, "")]).shape();
        assert_eq!(shape.code, "G1:rcv/0-1,0-2,1-2");
        assert_eq!((shape.relations, shape.constraints, shape.hops), (3, 1, 1));
        assert!(shape.exact && shape.cycle && !shape.simple);
        let looped = graph(&[""], &[(0, 0, "")]).shape();
        assert_eq!(looped.code, "G1:r/0-0");
        assert!(looped.cycle && looped.simple);
    }

    #[test]
    fn invalid_ones() {
        let apart = graph(&["", "=c", "", "=d"], &[(0, 1, ""), (2, 3, ""), (2, 3, "")]).shape();
        assert_eq!((apart.code.as_str(), apart.relations, apart.constraints), ("INVALID", 3, 1));
        assert!(!apart.exact && !apart.is_valid() && !apart.cycle);
        for (root, count, edges) in
            [(0, 0, vec![]), (5, 2, vec![(0, 1)]), (0, 2, vec![(0, 7)]), (0, 2, vec![(9, 0)])]
        {
            let shape = Shape::of(&Skeleton { root, grounded: vec![true; count], edges });
            assert_eq!((shape.code.as_str(), shape.constraints, shape.cycle), ("INVALID", 0, false));
        }
    }
}
