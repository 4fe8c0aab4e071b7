//! Where the vertices and relation labels of a drawing go.
//!
//! Vertices stand in columns by their distance from the answer, left to right. An edge joins neighbouring columns or
//! two vertices of one column, never more distant ones. Between two columns of vertices there is a column for the
//! labels of the edges, in which every label has a row of its own: labels do not overlap.

use super::query_graph::QueryGraph;
use crate::cast::float;
use std::cmp::Reverse;

/// The gap between two boxes of a column.
const BOX_GAP: f64 = 18.0;
/// The gap between two labels of a column.
const LABEL_GAP: f64 = 8.0;
/// The distance of two edges at the side of a box.
const PORT_GAP: f64 = 11.0;
/// Minimum and maximum room for curves between a column of vertices and a column of labels.
const CURVE_ROOM: (f64, f64) = (26.0, 80.0);
/// The distance of two lines that turn back.
const TURN_GAP: f64 = 9.0;

/// A width and a height.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A box, by its centre.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: Size,
}

/// One end of an edge: where it touches the box, and where it leaves the column.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct End {
    pub(super) touch: f64,
    pub(super) leave: f64,
    pub(super) y: f64,
}

/// The way of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Route {
    /// The label.
    pub(super) label: Place,
    /// The end that is left of the label; for an edge within a column the upper one.
    pub(super) near: End,
    /// The other end.
    pub(super) far: End,
    /// Whether `near` is the end where the fact starts.
    pub(super) forward: bool,
    /// For an edge within a column, which has both ends left of the label: where it turns back.
    pub(super) turn: Option<f64>,
    /// Where the label's column starts and ends.
    pub(super) label_column: (f64, f64),
}

/// A finished layout; everything is right of and below the origin.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) vertices: Vec<Place>,
    /// None for edges with an end that does not exist.
    pub(super) routes: Vec<Option<Route>>,
    pub(super) size: Size,
}

/// Lays a graph out. Boxes may grow in height, to have room for their edges.
pub(super) fn lay_out(graph: &QueryGraph, boxes: &[Size], labels: &[Size]) -> Layout {
    let mut plan = Plan::new(graph, boxes, labels);
    plan.reduce_crossings();
    plan.assign_ports();
    plan.assign_heights();
    plan.finish()
}

/// The columns while they are being arranged. A node is a vertex or, with a number from `vertices` on, an edge's label.
struct Plan<'g> {
    graph: &'g QueryGraph,
    vertices: usize,
    /// Columns of vertices and columns of labels, by turns.
    columns: Vec<Vec<usize>>,
    sizes: Vec<Size>,
    /// For each node, its neighbours in the column before and in the column after; a label's neighbours are vertices.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    /// For each node, its place in its column.
    ranks: Vec<usize>,
    /// For each edge, how far from the middles of their boxes its left (upper) and its other end are.
    ports: Vec<(f64, f64)>,
    ys: Vec<f64>,
}

impl<'g> Plan<'g> {
    fn new(graph: &'g QueryGraph, boxes: &[Size], labels: &[Size]) -> Plan<'g> {
        let spread = graph.spread();
        let vertices = graph.vertices.len();
        let nodes = vertices + graph.edges.len();
        let mut plan = Plan {
            graph,
            vertices,
            columns: Vec::new(),
            sizes: boxes.iter().chain(labels).copied().collect(),
            before: vec![Vec::new(); nodes],
            after: vec![Vec::new(); nodes],
            ranks: vec![0; nodes],
            ports: vec![(0.0, 0.0); graph.edges.len()],
            ys: vec![0.0; nodes],
        };
        let deepest = spread.depth.iter().max().map_or(0, |depth| depth + 1);
        plan.columns = vec![Vec::new(); deepest * 2];
        // From near to far, children in the order of their parents: a tree has no crossings from the beginning.
        spread.order.iter().for_each(|&v| plan.columns[spread.depth[v] * 2].push(v));
        for (e, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| graph.is_whole(edge)) {
            let (from, to) = (spread.depth[edge.from], spread.depth[edge.to]);
            let node = vertices + e;
            plan.columns[from.min(to) * 2 + 1].push(node);
            for (end, depth) in [(edge.from, from), (edge.to, to)] {
                if depth == from.min(to) {
                    plan.before[node].push(end);
                    plan.after[end].push(node);
                } else {
                    plan.after[node].push(end);
                    plan.before[end].push(node);
                }
            }
        }
        plan.rank();
        for column in (1..plan.columns.len()).step_by(2) {
            let key = |plan: &Plan<'_>, node: usize| {
                let middle = |nodes: &[usize]| nodes.iter().map(|&n| plan.ranks[n]).sum::<usize>();
                let near = &plan.before[node];
                (2 * middle(near) / near.len().max(1), middle(&plan.after[node]), node)
            };
            let mut nodes = std::mem::take(&mut plan.columns[column]);
            nodes.sort_by_cached_key(|&node| key(&plan, node));
            plan.columns[column] = nodes;
        }
        plan.rank();
        plan
    }

    fn rank(&mut self) {
        for column in &self.columns {
            column.iter().enumerate().for_each(|(i, &node)| self.ranks[node] = i);
        }
    }

    /// Sorts each column by the middle of its neighbours, forth and back, and keeps the best of what comes by.
    fn reduce_crossings(&mut self) {
        let mut fewest = self.crossings();
        let mut best = self.columns.clone();
        for round in 0..12 {
            if fewest == 0 {
                break;
            }
            let forth = round % 2 == 0;
            for i in 0..self.columns.len() {
                let at = if forth { i } else { self.columns.len() - 1 - i };
                let mut column = std::mem::take(&mut self.columns[at]);
                let neighbours = if forth { &self.before } else { &self.after };
                column.sort_by_cached_key(|&node| {
                    let near = &neighbours[node];
                    let sum: usize = near.iter().map(|&n| self.ranks[n]).sum();
                    // Without neighbours a node stays where it is. Whole numbers sort, fractions would not.
                    sum.saturating_mul(1024).checked_div(near.len()).unwrap_or(self.ranks[node] * 1024)
                });
                column.iter().enumerate().for_each(|(i, &node)| self.ranks[node] = i);
                self.columns[at] = column;
            }
            let crossings = self.crossings();
            if crossings < fewest {
                fewest = crossings;
                best = self.columns.clone();
            }
        }
        self.columns = best;
        self.rank();
    }

    /// How often lines between neighbouring columns cross.
    fn crossings(&self) -> usize {
        let mut crossings = 0;
        for column in &self.columns {
            let mut lines: Vec<(usize, usize)> = Vec::new();
            for &node in column {
                lines.extend(self.after[node].iter().map(|&other| (self.ranks[node], self.ranks[other])));
            }
            lines.sort_unstable();
            let ends: Vec<usize> = lines.into_iter().map(|(_, end)| end).collect();
            crossings += inversions(ends);
        }
        crossings
    }

    /// Gives each edge a place of its own at the sides of its boxes, and makes the boxes high enough.
    fn assign_ports(&mut self) {
        for v in 0..self.vertices {
            for (labels, is_near) in [(&self.after[v], true), (&self.before[v], false)] {
                let mut labels = labels.clone();
                labels.sort_by_key(|&label| self.port_order(v, label));
                let middle = float(labels.len().max(1) - 1) / 2.0;
                let mut last = None;
                for (i, &label) in labels.iter().enumerate() {
                    let offset = (float(i) - middle) * PORT_GAP;
                    let near = self.near_end(label);
                    let ports = &mut self.ports[label - self.vertices];
                    // A loop is listed twice, one after the other: its second end is the lower one.
                    if is_near && near == v && last != Some(label) {
                        ports.0 = offset;
                    } else {
                        ports.1 = offset;
                    }
                    last = Some(label);
                }
                let needed = float(labels.len()) * PORT_GAP + 10.0;
                self.sizes[v].height = self.sizes[v].height.max(needed);
            }
        }
    }

    /// The order of edges at the side of a box, from above. Those that turn back to a box above leave first and those
    /// that turn back to a box below leave last, so that inner ones do not cross outer ones.
    fn port_order(&self, v: usize, label: usize) -> (u8, Reverse<usize>, usize) {
        let rank = self.ranks[label];
        let (near, far) = (self.near_end(label), self.far_end(label));
        if !self.after[label].is_empty() {
            (1, Reverse(0), rank)
        } else if v == near {
            (2, Reverse(self.ranks[far]), rank)
        } else {
            (0, Reverse(self.ranks[near]), usize::MAX - rank)
        }
    }

    /// The vertex at a label's left end; of two in one column the upper one.
    fn near_end(&self, label: usize) -> usize {
        self.before[label].iter().copied().min_by_key(|&v| self.ranks[v]).unwrap_or(0)
    }

    /// The vertex at a label's other end.
    fn far_end(&self, label: usize) -> usize {
        let lower = || self.before[label].iter().copied().max_by_key(|&v| self.ranks[v]).unwrap_or(0);
        self.after[label].first().copied().unwrap_or_else(lower)
    }

    /// Moves all nodes up and down towards their neighbours, as far as the order in their column allows.
    fn assign_heights(&mut self) {
        for at in 0..self.columns.len() {
            self.settle(at, |_, _| Some(0.0));
        }
        for _ in 0..8 {
            for at in 0..self.columns.len() {
                self.settle(at, |plan, node| plan.wish(node, true, false));
            }
            for at in (0..self.columns.len()).rev() {
                self.settle(at, |plan, node| plan.wish(node, false, true));
            }
        }
        // A label is best level with the box that it leads to; bends belong to the fork.
        for at in (1..self.columns.len()).step_by(2) {
            self.settle(at, |plan, node| plan.wish(node, false, true).or(plan.wish(node, true, false)));
        }
    }

    /// The height at which the lines from a node to its neighbours would be level, on average.
    fn wish(&self, node: usize, look_before: bool, look_after: bool) -> Option<f64> {
        let mut sum = 0.0;
        let mut count = 0;
        let before = self.before[node].iter().filter(|_| look_before).map(|&other| (other, true));
        let after = self.after[node].iter().filter(|_| look_after).map(|&other| (other, false));
        for (other, other_is_left) in before.chain(after) {
            let label = node.max(other);
            let (near, far) = self.ports[label - self.vertices];
            let vertex_is_left = other_is_left == (label == node);
            let is_near_end = vertex_is_left && self.near_end(label) == node.min(other);
            let port = if is_near_end { near } else { far };
            sum += if label == node { self.ys[other] + port } else { self.ys[other] - port };
            count += 1;
        }
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Places a column as near as possible to what its nodes wish (in the sense of least squares), in its order and
    /// without overlaps. Nodes without a wish stay where they are.
    fn settle(&mut self, at: usize, wish: impl Fn(&Plan<'_>, usize) -> Option<f64>) {
        let gap = if at.is_multiple_of(2) { BOX_GAP } else { LABEL_GAP };
        // Less what is needed above them, heights need only not decrease. Blocks that would are joined at their mean.
        let mut blocks: Vec<(f64, usize)> = Vec::new();
        let mut needed = Vec::with_capacity(self.columns[at].len());
        let mut edge = 0.0;
        for &node in &self.columns[at] {
            let height = self.sizes[node].height;
            needed.push(edge + height / 2.0);
            let wished = wish(self, node).unwrap_or(self.ys[node]);
            let mut block = (wished - edge - height / 2.0, 1);
            edge += height + gap;
            while let Some(&(mean, count)) = blocks.last() {
                if mean <= block.0 {
                    break;
                }
                blocks.pop();
                let together = count + block.1;
                block = ((mean * float(count) + block.0 * float(block.1)) / float(together), together);
            }
            blocks.push(block);
        }
        let means = blocks.iter().flat_map(|&(mean, count)| std::iter::repeat_n(mean, count));
        for ((&node, needed), mean) in self.columns[at].iter().zip(needed).zip(means) {
            self.ys[node] = mean + needed;
        }
    }

    fn finish(mut self) -> Layout {
        let tops = self.columns.iter().flatten().map(|&node| self.ys[node] - self.sizes[node].height / 2.0);
        let top = tops.fold(f64::INFINITY, f64::min);
        self.ys.iter_mut().for_each(|y| *y -= top);
        let mut layout = Layout {
            vertices: vec![Place::default(); self.vertices],
            routes: vec![None; self.graph.edges.len()],
            size: Size::default(),
        };
        // Where each column starts and ends.
        let mut spans: Vec<(f64, f64)> = Vec::new();
        let mut x = 0.0;
        for (at, column) in self.columns.iter().enumerate() {
            let width = column.iter().map(|&node| self.sizes[node].width).fold(0.0, f64::max);
            let is_labels = at % 2 == 1;
            let mut turning: Vec<usize> = Vec::new();
            if is_labels && !column.is_empty() {
                turning.extend(column.iter().copied().filter(|&node| self.after[node].is_empty()));
                turning.sort_by(|&a, &b| self.reach(a).total_cmp(&self.reach(b)));
                x += self.room(column, true);
            }
            let first_turn = x;
            x += float(turning.len()) * TURN_GAP;
            let (start, end) = (x, x + width);
            spans.push((start, end));
            x = end;
            if is_labels && !column.is_empty() {
                x += self.room(column, false);
            }
            for &node in column {
                let size = self.sizes[node];
                let turns = is_labels && self.after[node].is_empty();
                let centre = if turns { start + size.width / 2.0 } else { (start + end) / 2.0 };
                let place = Place { x: centre, y: self.ys[node], size };
                layout.size.height = layout.size.height.max(place.y + size.height / 2.0);
                layout.size.width = layout.size.width.max(centre + size.width / 2.0);
                if is_labels {
                    let route = Route { label: place, label_column: (start, end), ..Route::default() };
                    layout.routes[node - self.vertices] = Some(route);
                } else {
                    layout.vertices[node] = place;
                }
            }
            // Lines that reach less far turn first, inside those that reach further.
            for (i, &node) in turning.iter().enumerate() {
                if let Some(route) = &mut layout.routes[node - self.vertices] {
                    route.turn = Some(first_turn + float(i) * TURN_GAP);
                }
            }
        }
        for (at, column) in self.columns.iter().enumerate().skip(1).step_by(2) {
            for &node in column {
                let e = node - self.vertices;
                let (near, far) = (self.near_end(node), self.far_end(node));
                let (near_port, far_port) = self.ports[e];
                let right_of = |place: Place, port: f64| End {
                    touch: place.x + place.size.width / 2.0,
                    leave: spans[at - 1].1,
                    y: place.y + port,
                };
                let left_of = |place: Place, port: f64| End {
                    touch: place.x - place.size.width / 2.0,
                    leave: spans.get(at + 1).map_or(0.0, |span| span.0),
                    y: place.y + port,
                };
                let (near_box, far_box) = (layout.vertices[near], layout.vertices[far]);
                if let Some(route) = &mut layout.routes[e] {
                    route.near = right_of(near_box, near_port);
                    let turns = route.turn.is_some();
                    route.far = if turns { right_of(far_box, far_port) } else { left_of(far_box, far_port) };
                    route.forward = self.graph.edges[e].from == near;
                }
            }
        }
        layout
    }

    /// How far apart the ends of an edge are, up and down.
    fn reach(&self, label: usize) -> f64 {
        let (near, far) = self.ports[label - self.vertices];
        (self.ys[self.near_end(label)] + near - self.ys[self.far_end(label)] - far).abs()
    }

    /// The room for curves at one side of a column of labels: more where lines have far to climb.
    fn room(&self, column: &[usize], is_near: bool) -> f64 {
        let climb = |&node: &usize| {
            let (near, far) = self.ports[node - self.vertices];
            let (vertex, port) =
                if is_near { (self.near_end(node), near) } else { (self.far_end(node), far) };
            let within = self.after[node].is_empty();
            if within && !is_near { 0.0 } else { (self.ys[vertex] + port - self.ys[node]).abs() }
        };
        let climb = column.iter().map(climb).fold(0.0, f64::max);
        (CURVE_ROOM.0 + climb * 0.3).min(CURVE_ROOM.1)
    }
}

/// How many pairs of a sequence are in the wrong order, by merging sorted pieces.
fn inversions(mut values: Vec<usize>) -> usize {
    let mut merged = Vec::with_capacity(values.len());
    let mut count = 0;
    let mut width = 1;
    while width < values.len() {
        merged.clear();
        for piece in values.chunks(2 * width) {
            let (mut left, mut right) = piece.split_at(width.min(piece.len()));
            while let (Some((&a, left_rest)), Some((&b, right_rest))) =
                (left.split_first(), right.split_first())
            {
                if a <= b {
                    merged.push(a);
                    left = left_rest;
                } else {
                    count += left.len();
                    merged.push(b);
                    right = right_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut values, &mut merged);
        width *= 2;
    }
    count
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
