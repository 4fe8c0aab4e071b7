//! Layouts: nothing overlaps, lines are level where they can be, crossings go away.

use super::{Layout, Place, Plan, Size, inversions, lay_out};
use crate::graph::query_graph::samples::{chain, graph};
use crate::graph::{Edge, QueryGraph, Vertex};
use proptest::prelude::*;

const BOX: Size = Size { width: 80.0, height: 30.0 };
const LABEL: Size = Size { width: 60.0, height: 16.0 };

fn laid_out(graph: &QueryGraph) -> Layout {
    lay_out(graph, &vec![BOX; graph.vertices.len()], &vec![LABEL; graph.edges.len()])
}

fn overlap(a: &Place, b: &Place) -> bool {
    (a.x - b.x).abs() < (a.size.width + b.size.width) / 2.0 - 0.01
        && (a.y - b.y).abs() < (a.size.height + b.size.height) / 2.0 - 0.01
}

#[test]
fn counting_inversions() {
    assert_eq!(inversions(vec![]), 0);
    assert_eq!(inversions(vec![1, 1, 2, 3, 9]), 0);
    assert_eq!(inversions(vec![5, 4, 3, 2, 1]), 10);
    assert_eq!(inversions(vec![2, 1, 2, 0, 1]), 6);
}

#[test]
fn a_chain_is_level() {
    let layout = laid_out(&chain(5));
    let middle = layout.vertices[0].y;
    assert!(layout.vertices.iter().all(|place| (place.y - middle).abs() < 0.01));
    assert!(layout.routes.iter().flatten().all(|route| (route.label.y - middle).abs() < 0.01));
    assert!(layout.vertices.windows(2).all(|pair| pair[0].x < pair[1].x));
}

#[test]
fn a_crossing_is_removed() {
    // The second of three vertices leads to a place of its own, the first and the third lead to the same one.
    let edges = [(0, 1, ""), (0, 2, ""), (0, 3, ""), (1, 4, ""), (2, 5, ""), (3, 4, "")];
    let crossed = graph(&["", "", "", "", "", ""], &edges);
    let mut plan = Plan::new(&crossed, &[BOX; 6], &[LABEL; 6]);
    assert_eq!(plan.crossings(), 1);
    plan.reduce_crossings();
    assert_eq!(plan.crossings(), 0);
}

#[test]
fn large_graphs() {
    assert_eq!(laid_out(&chain(5_000)).vertices.len(), 5_000);
    let edges = (1..5_000).map(|i| Edge { from: 0, to: i, label: String::new().into() }).collect();
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
        let edges = edges.into_iter().map(|(from, to)| Edge { from, to, label: String::new().into() }).collect();
        let graph = QueryGraph { vertices: vec![Vertex::default(); count], edges, root };
        let layout = laid_out(&graph);
        let whole = graph.edges.iter().filter(|edge| graph.is_whole(edge)).count();
        prop_assert_eq!(layout.routes.iter().flatten().count(), whole);
        let labels = layout.routes.iter().flatten().map(|route| &route.label);
        let places: Vec<&Place> = layout.vertices.iter().chain(labels).collect();
        for (i, a) in places.iter().enumerate() {
            prop_assert!(a.x.is_finite() && a.y.is_finite());
            prop_assert!(a.x - a.size.width / 2.0 >= -0.01 && a.y - a.size.height / 2.0 >= -0.01);
            prop_assert!(a.x + a.size.width / 2.0 <= layout.size.width + 0.01);
            prop_assert!(a.y + a.size.height / 2.0 <= layout.size.height + 0.01);
            for b in &places[..i] {
                prop_assert!(!overlap(a, b), "{:?} {:?}", a, b);
            }
        }
    }
}
