//! The shape of a query: its code, its name if it has one, and its counts.

use super::alias::Alias;
use super::code::{Coder, INVALID, Kind};
use super::parts::without_grounding;
use super::query_graph::Skeleton;
use crate::cast::index32;

/// The structure of a query without its names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The canonical code: `T1:...` for trees, `G1:...` for graphs with cycles, `D1:...` for graphs that are not connected, or
    /// `INVALID`.
    pub code: String,
    /// The code when only the root and the edges count, as in the papers: inner entities and variable leaves
    /// are vertices like any other. Equal to `code` for almost all questions, and for parts with cycles.
    pub plain: String,
    /// The name of the class in the literature, if it is known or can be inferred.
    pub alias: Option<Alias>,
    /// The number of relations.
    pub relations: u32,
    /// The number of outer constraints: grounded vertices, except the answer, from which nothing leads
    /// further away from the answer. In a tree these are the grounded leaves; what is not connected with the answer has none.
    pub constraints: u32,
    /// The distances of these constraints from the answer, sorted.
    pub depths: Vec<u32>,
    /// The greatest of these distances; 0 without constraints.
    pub hops: u32,
    /// Whether there is a cycle; a loop is one, and so are parallel relations.
    pub cycle: bool,
    /// Whether there are fewer than three relations.
    pub simple: bool,
    /// Whether the same code means the same shape. False for `INVALID`, and for `large/...`, the code of graphs
    /// that are too large or too symmetric: the code still does not depend on how the graph is given.
    pub exact: bool,
}

impl Shape {
    /// The shape of a graph. If it is not connected, the constraints and their distances are those of the part of the answer.
    pub fn of(skeleton: &Skeleton) -> Shape {
        Coder::new().shape(skeleton)
    }

    /// Whether it is the shape of a graph: every edge has both ends, and there is an answer.
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
        let (parts, exact, has_trees) = match kind {
            Kind::Tree => (1, true, true),
            Kind::Cyclic => (1, true, false),
            Kind::Large => (1, false, false),
            Kind::Apart { parts, exact } => (parts, exact, true),
            Kind::Invalid => (0, false, false),
        };
        let cycle = parts > 0 && skeleton.edges.len() + parts > skeleton.grounded.len();
        // Lone constraints have no mark of their own.
        let marked = parts > 1 || has_trees && code.contains(['[', '{']);
        let plain = if marked { self.code(&without_grounding(skeleton)).to_owned() } else { code.clone() };
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
            exact,
        }
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
    fn parts() {
        let apart = graph(&["", "=c", "", "=d"], &[(0, 1, ""), (2, 3, ""), (2, 3, "")]).shape();
        assert_eq!((apart.code.as_str(), apart.relations, apart.constraints), ("D1:(())+cv/0-1,0-1", 3, 1));
        assert!(apart.exact && apart.is_valid() && apart.cycle && apart.alias.is_none());
        assert_eq!(apart.plain, apart.code);
        // SELECT ?b ?d { wd:Q1 :p ?b ; :q ?d }, and ASK { :a :p :b . :c :p :d }
        let two = graph(&["", "=c", "", "=c"], &[(1, 0, ""), (3, 2, "")]).shape();
        assert_eq!(
            (two.code.as_str(), two.plain.as_str(), two.cycle),
            ("D1:(())+(())", "D1:(())+(())", false)
        );
        let ground = graph(&["=a", "=b", "=c", "=d"], &[(0, 1, ""), (2, 3, "")]).shape();
        assert_eq!((ground.code.as_str(), ground.plain.as_str()), ("D1:(())+[()]", "D1:(())+(())"));
        let lone = graph(&["", "=c", "=d", ""], &[(0, 3, "")]).shape();
        assert_eq!((lone.code.as_str(), lone.plain.as_str()), ("D1:({})+()+()", "D1:(())+{}+{}"));
    }

    #[test]
    fn invalid_ones() {
        for (root, count, edges) in
            [(0, 0, vec![]), (5, 2, vec![(0, 1)]), (0, 2, vec![(0, 7)]), (0, 2, vec![(9, 0)])]
        {
            let shape = Shape::of(&Skeleton { root, grounded: vec![true; count], edges });
            assert_eq!((shape.code.as_str(), shape.constraints, shape.cycle), ("INVALID", 0, false));
        }
    }
}
