//! Where the vertices and the relation labels of a drawing go.
//!
//! Vertices stand in columns by their distance from the answer, left to right, and between two of these columns there
//! is a column of labels. Every vertex has a horizontal band that contains the bands of the vertices below it in the
//! breadth-first tree. A label stands in the band of the vertex that its edge leads to; an edge that closes a cycle has
//! a band for its label alone. Bands of one column do not overlap, so neither do vertices or labels.

use touchstone_logic::QueryGraph;

/// A width and a height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Size {
    pub(super) width: i64,
    pub(super) height: i64,
}

/// A rectangle, by its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rectangle {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) size: Size,
}

/// The distances of a drawing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spacing {
    /// Around the drawing.
    pub(super) margin: i64,
    /// Between two vertices or labels of a column.
    pub(super) row_gap: i64,
    /// Minimum and maximum between a column of vertices and a column of labels: lines that climb get more.
    pub(super) column_gap: (i64, i64),
    /// Between two edges at the side of a vertex.
    pub(super) port_gap: i64,
}

/// A point.
pub(super) type Point = (i64, i64);

/// The way of an edge: from its start, level through the column of labels, to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    /// The end that is nearer to the answer, at the right side of its vertex.
    pub(super) near: Point,
    /// The other end: at the left side of a vertex of the next column, or at the right side of one of the same column.
    pub(super) far: Point,
    /// Where the column of labels starts and ends.
    pub(super) label_column: (i64, i64),
    /// The height of the label's middle.
    pub(super) y: i64,
    /// Whether the fact points from `near` to `far`.
    pub(super) forward: bool,
}

impl Route {
    /// The line as the data of an SVG path.
    pub(super) fn path(&self) -> String {
        let y = self.y;
        let (left, right) = self.label_column;
        let curve = |(x, from): Point, to: i64| {
            let middle = i64::midpoint(x, to);
            format!("M{x} {from}C{middle} {from} {middle} {y} {to} {y}")
        };
        format!("{}H{right}{}", curve(self.near, left), curve(self.far, self.far_side()))
    }

    /// The arrowhead as the data of an SVG path.
    pub(super) fn arrow(&self) -> String {
        let ((x, y), points_right) =
            if self.forward { (self.far, self.far.0 > self.label_column.1) } else { (self.near, false) };
        format!("M{x} {y}l{} -4v8z", if points_right { -9 } else { 9 })
    }

    /// The side of the column of labels that the far end is connected to.
    fn far_side(&self) -> i64 {
        let (left, right) = self.label_column;
        if self.far.0 > right { right } else { left }
    }
}

/// A finished layout.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) vertices: Vec<Rectangle>,
    /// None for edges with an end that does not exist.
    pub(super) routes: Vec<Option<Route>>,
    pub(super) size: Size,
}

/// Lays a graph out. All vertices of a column become equally wide, and high enough for their edges.
pub(super) fn lay_out(graph: &QueryGraph, boxes: &[Size], labels: &[Size], spacing: &Spacing) -> Layout {
    let tree = Tree::of(graph);
    let mut heights: Vec<i64> = boxes.iter().map(|size| size.height).collect();
    for ports in tree.ports(graph) {
        let needed = i64::try_from(ports.ends.len()).unwrap_or(0) * spacing.port_gap;
        heights[ports.vertex] = heights[ports.vertex].max(needed);
    }
    heights.extend(labels.iter().map(|size| size.height));
    let (middles, height) = tree.middles(&heights, spacing);
    let label_y = |e: usize| middles[tree.label_node[e].unwrap_or(0)];
    let mut port_ys = vec![[0; 2]; graph.edges.len()];
    for mut ports in tree.ports(graph) {
        ports.ends.sort_by_key(|&(e, _)| (label_y(e), e));
        let count = i64::try_from(ports.ends.len()).unwrap_or(0);
        for ((e, end), i) in ports.ends.into_iter().zip(0..) {
            port_ys[e][end] = middles[ports.vertex] + (2 * i - count + 1) * spacing.port_gap / 2;
        }
    }
    let columns = tree.columns(graph, boxes, labels, spacing, |e| (port_ys[e], label_y(e)));
    let width = columns.last().map_or(0, |column| column.vertices.1.max(column.labels.1));
    let place = |v: usize| {
        let (left, right) = columns[tree.depth[v]].vertices;
        let size = Size { width: right - left, height: heights[v] };
        Rectangle { x: left, y: middles[v] - heights[v] / 2, size }
    };
    let route = |(e, edge): (usize, &touchstone_logic::graph::Edge)| {
        tree.label_node[e]?;
        let (near, far) = tree.ends[e];
        let column = &columns[tree.depth[near]];
        let far_x = if tree.depth[far] > tree.depth[near] {
            columns[tree.depth[far]].vertices.0
        } else {
            column.vertices.1
        };
        Some(Route {
            near: (column.vertices.1, port_ys[e][0]),
            far: (far_x, port_ys[e][1]),
            label_column: column.labels,
            y: label_y(e),
            forward: edge.from == near,
        })
    };
    Layout {
        vertices: (0..boxes.len()).map(place).collect(),
        routes: graph.edges.iter().enumerate().map(route).collect(),
        size: Size { width: width + spacing.margin, height: height + spacing.margin },
    }
}

/// The breadth-first tree of a graph. A node is a vertex or, with a number from the number of vertices on, the label
/// of an edge that closes a cycle.
struct Tree {
    order: Vec<usize>,
    depth: Vec<usize>,
    starts: Vec<usize>,
    /// For each vertex, the nodes below it.
    children: Vec<Vec<usize>>,
    /// For each edge, its end that is nearer to the answer, and the other one.
    ends: Vec<(usize, usize)>,
    /// For each edge, the node that its label is level with; none for edges with an end that does not exist.
    label_node: Vec<Option<usize>>,
}

/// The edges at one side of a vertex: each with 0 for its near end or 1 for its far end.
struct Ports {
    vertex: usize,
    ends: Vec<(usize, usize)>,
}

/// Where a column of vertices, and the column of labels right of it, start and end.
struct Column {
    vertices: (i64, i64),
    labels: (i64, i64),
}

impl Tree {
    fn of(graph: &QueryGraph) -> Tree {
        let traversal = graph.traversal();
        let count = graph.vertices.len();
        let mut rank = vec![0; count];
        traversal.order.iter().enumerate().for_each(|(i, &v)| rank[v] = i);
        let mut children = vec![Vec::new(); count];
        let mut ends = Vec::with_capacity(graph.edges.len());
        let mut label_node = Vec::with_capacity(graph.edges.len());
        for (e, edge) in graph.edges.iter().enumerate() {
            if !graph.is_whole(edge) {
                ends.push((0, 0));
                label_node.push(None);
                continue;
            }
            // Breadth first, what is nearer to the answer comes earlier.
            let is_forward = rank[edge.from] <= rank[edge.to];
            let (near, far) = if is_forward { (edge.from, edge.to) } else { (edge.to, edge.from) };
            let child = if traversal.via[far] == Some(e) { far } else { count + e };
            children[near].push(child);
            ends.push((near, far));
            label_node.push(Some(child));
        }
        let (order, depth, starts) = (traversal.order, traversal.depth, traversal.starts);
        Tree { order, depth, starts, children, ends, label_node }
    }

    /// The edges at both sides of all vertices.
    fn ports(&self, graph: &QueryGraph) -> Vec<Ports> {
        let mut sides: Vec<Vec<(usize, usize)>> = vec![Vec::new(); graph.vertices.len() * 2];
        for (e, &(near, far)) in self.ends.iter().enumerate().filter(|&(e, _)| self.label_node[e].is_some()) {
            sides[near * 2].push((e, 0));
            let is_right = self.depth[far] == self.depth[near];
            sides[far * 2 + usize::from(!is_right)].push((e, 1));
        }
        let ports = sides.into_iter().enumerate();
        ports.map(|(side, ends)| Ports { vertex: side / 2, ends }).filter(|p| !p.ends.is_empty()).collect()
    }

    /// The height of the middle of each node, and of the whole drawing.
    fn middles(&self, heights: &[i64], spacing: &Spacing) -> (Vec<i64>, i64) {
        let mut bands: Vec<i64> = heights.iter().map(|height| height + spacing.row_gap).collect();
        let below = |bands: &[i64], v: usize| self.children[v].iter().map(|&node| bands[node]).sum::<i64>();
        for &v in self.order.iter().rev() {
            bands[v] = bands[v].max(below(&bands, v));
        }
        let mut tops = vec![0; bands.len()];
        let mut next = spacing.margin;
        for &start in &self.starts {
            tops[start] = next;
            next += bands[start];
        }
        for &v in &self.order {
            let mut top = tops[v] + (bands[v] - below(&bands, v)) / 2;
            for &node in &self.children[v] {
                tops[node] = top;
                top += bands[node];
            }
        }
        // Without the gap below the last one.
        let middle = |(top, band): (&i64, &i64)| top + (band - spacing.row_gap) / 2;
        (tops.iter().zip(&bands).map(middle).collect(), (next - spacing.row_gap).max(0))
    }

    /// The columns; `ys` gives the heights of an edge's ends and of its label.
    fn columns(
        &self,
        graph: &QueryGraph,
        boxes: &[Size],
        labels: &[Size],
        spacing: &Spacing,
        ys: impl Fn(usize) -> ([i64; 2], i64),
    ) -> Vec<Column> {
        let count = self.depth.iter().max().map_or(0, |deepest| deepest + 1);
        let mut vertex_widths = vec![0; count];
        for (size, &depth) in boxes.iter().zip(&self.depth) {
            vertex_widths[depth] = size.width.max(vertex_widths[depth]);
        }
        // For each column of labels: its width, if it has any, and how far lines climb on both sides of it.
        let mut label_columns: Vec<Option<(i64, [i64; 2])>> = vec![None; count];
        for e in (0..graph.edges.len()).filter(|&e| self.label_node[e].is_some()) {
            let (near, far) = self.ends[e];
            let (width, climbs) = label_columns[self.depth[near]].get_or_insert((0, [0; 2]));
            *width = labels[e].width.max(*width);
            let (ends, y) = ys(e);
            let far_side = usize::from(self.depth[far] > self.depth[near]);
            climbs[0] = climbs[0].max((ends[0] - y).abs());
            climbs[far_side] = climbs[far_side].max((ends[1] - y).abs());
        }
        let gap = |climb: i64| (spacing.column_gap.0 + climb * 3 / 10).min(spacing.column_gap.1);
        let mut x = spacing.margin;
        let mut columns = Vec::with_capacity(count);
        for (width, label_column) in vertex_widths.into_iter().zip(label_columns) {
            let vertices = (x, x + width);
            let (label_width, climbs) = label_column.unwrap_or_default();
            let start = vertices.1 + if label_column.is_some() { gap(climbs[0]) } else { 0 };
            let labels = (start, start + label_width);
            x = labels.1 + gap(climbs[1]);
            columns.push(Column { vertices, labels });
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Rectangle, Size, Spacing, lay_out};
    use crate::drawing::samples::{chain, graph};
    use proptest::prelude::*;
    use touchstone_logic::QueryGraph;
    use touchstone_logic::graph::{Edge, Vertex};

    const BOX: Size = Size { width: 80, height: 30 };
    const LABEL: Size = Size { width: 60, height: 16 };
    const SPACING: Spacing = Spacing { margin: 12, row_gap: 10, column_gap: (26, 80), port_gap: 11 };

    fn laid_out(graph: &QueryGraph) -> Layout {
        lay_out(graph, &vec![BOX; graph.vertices.len()], &vec![LABEL; graph.edges.len()], &SPACING)
    }

    /// Where the label of an edge is drawn.
    fn label_places(layout: &Layout) -> Vec<Rectangle> {
        let place = |route: &super::Route| {
            let x = i64::midpoint(route.label_column.0, route.label_column.1) - LABEL.width / 2;
            Rectangle { x, y: route.y - LABEL.height / 2, size: LABEL }
        };
        layout.routes.iter().flatten().map(place).collect()
    }

    fn overlap(a: &Rectangle, b: &Rectangle) -> bool {
        let apart = |from: i64, size: i64, other: i64, other_size: i64| {
            from + size <= other || other + other_size <= from
        };
        !apart(a.x, a.size.width, b.x, b.size.width) && !apart(a.y, a.size.height, b.y, b.size.height)
    }

    #[test]
    fn a_chain_is_level() {
        let layout = laid_out(&chain(5));
        let y = layout.vertices[0].y;
        assert!(layout.vertices.iter().all(|place| place.y == y));
        assert!(layout.routes.iter().flatten().all(|route| route.y == y + BOX.height / 2));
        assert!(layout.vertices.windows(2).all(|pair| pair[0].x < pair[1].x));
    }

    #[test]
    fn a_square_closes() {
        let edges = [(0, 1, "a"), (0, 2, "b"), (1, 3, "c"), (2, 3, "d")];
        let layout = laid_out(&graph(&["", "", "", "=x"], &edges));
        let x: Vec<i64> = layout.vertices.iter().map(|place| place.x).collect();
        assert!(x[0] < x[1] && x[1] == x[2] && x[2] < x[3]);
        let ends: Vec<i64> = layout.routes[2..].iter().flatten().map(|route| route.far.0).collect();
        assert_eq!(ends, [x[3], x[3]], "both lines end at the left side of the last vertex");
    }

    #[test]
    fn large_graphs() {
        assert_eq!(laid_out(&chain(5_000)).vertices.len(), 5_000);
        let edges = (1..5_000).map(|i| Edge { from: 0, to: i, label: "".into() }).collect();
        let star = QueryGraph { vertices: vec![Vertex::default(); 5_000], edges, root: 0 };
        assert_eq!(laid_out(&star).routes.iter().flatten().count(), 4_999);
    }

    proptest! {
        #[test]
        fn nothing_overlaps(
            count in 0..12_usize,
            edges in prop::collection::vec((0..12_usize, 0..13_usize), 0..18),
            root in 0..12_usize,
        ) {
            let edges = edges.into_iter().map(|(from, to)| Edge { from, to, label: "".into() }).collect();
            let graph = QueryGraph { vertices: vec![Vertex::default(); count], edges, root };
            let layout = laid_out(&graph);
            let whole = graph.edges.iter().filter(|edge| graph.is_whole(edge)).count();
            let labels = label_places(&layout);
            prop_assert_eq!(labels.len(), whole);
            let places: Vec<&Rectangle> = layout.vertices.iter().chain(&labels).collect();
            for (i, a) in places.iter().enumerate() {
                prop_assert!(a.x >= SPACING.margin && a.y >= SPACING.margin, "{:?}", a);
                prop_assert!(a.x + a.size.width <= layout.size.width - SPACING.margin, "{:?}", a);
                prop_assert!(a.y + a.size.height <= layout.size.height - SPACING.margin, "{:?}", a);
                for b in &places[..i] {
                    prop_assert!(!overlap(a, b), "{:?} {:?}", a, b);
                }
            }
        }
    }
}
