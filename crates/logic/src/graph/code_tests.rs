//! Tests codes against their definition, under relabelling, and against brute-force isomorphism.

use super::Coder;
use crate::graph::Skeleton;
use proptest::prelude::*;

fn skeleton(grounded: &[bool], edges: &[(u32, u32)]) -> Skeleton {
    Skeleton { root: 0, grounded: grounded.to_vec(), edges: edges.to_vec() }
}

fn code(skeleton: &Skeleton) -> String {
    Coder::new().code(skeleton).to_owned()
}

/// The same graph with renumbered vertices, its edges reversed and shuffled.
fn relabeled(skeleton: &Skeleton, seed: u64) -> Skeleton {
    let mut state = seed | 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let count = skeleton.grounded.len();
    let mut numbers: Vec<u32> = (0..count as u32).collect();
    (1..count).rev().for_each(|i| numbers.swap(i, random(i + 1)));
    let mut grounded = vec![false; count];
    (0..count).for_each(|v| grounded[numbers[v] as usize] = skeleton.grounded[v]);
    let mut edges = Vec::new();
    for &(a, b) in &skeleton.edges {
        let (a, b) = (numbers[a as usize], numbers[b as usize]);
        edges.push(if random(2) == 0 { (a, b) } else { (b, a) });
    }
    (1..edges.len()).rev().for_each(|i| edges.swap(i, random(i + 1)));
    Skeleton { root: numbers[skeleton.root as usize], grounded, edges }
}

fn assert_independent_of_labels(skeleton: &Skeleton) -> String {
    let mut coder = Coder::new();
    let code = coder.code(skeleton).to_owned();
    for seed in 0..20 {
        assert_eq!(coder.code(&relabeled(skeleton, seed * 77 + 5)), code);
    }
    code
}

/// A tree in which the parent of each vertex has a lower number.
fn tree(parents: &[u32], grounded: &[bool]) -> Skeleton {
    let edges: Vec<_> =
        parents.iter().enumerate().map(|(i, &p)| (p % (i as u32 + 1), i as u32 + 1)).collect();
    skeleton(&grounded[..edges.len() + 1], &edges)
}

fn any_tree(largest: usize) -> impl Strategy<Value = Skeleton> {
    (prop::collection::vec(any::<u32>(), 0..largest), prop::collection::vec(any::<bool>(), largest))
        .prop_map(|(parents, grounded)| tree(&parents, &grounded))
}

/// A connected graph: a tree with additional edges, possibly loops and parallel ones.
fn any_graph(largest: usize, more: usize) -> impl Strategy<Value = Skeleton> {
    (any_tree(largest), prop::collection::vec((any::<u32>(), any::<u32>()), 0..=more)).prop_map(
        |(mut graph, more)| {
            let count = graph.grounded.len() as u32;
            graph.edges.extend(more.into_iter().map(|(a, b)| (a % count, b % count)));
            graph
        },
    )
}

/// Any graph, connected or not.
fn any_parts(largest: usize) -> impl Strategy<Value = Skeleton> {
    let ends = (0..largest as u32, 0..largest as u32);
    (prop::collection::vec(any::<bool>(), 1..=largest), prop::collection::vec(ends, 0..=largest)).prop_map(
        |(grounded, edges)| {
            let count = grounded.len() as u32;
            let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % count, b % count)).collect();
            skeleton(&grounded, &edges)
        },
    )
}

/// The code of a tree by the definition.
fn by_definition(tree: &Skeleton, v: u32, parent: Option<u32>) -> String {
    let mut children = Vec::new();
    for &(a, b) in &tree.edges {
        let other = if a == v { b } else { a };
        if (a == v || b == v) && Some(other) != parent {
            children.push(by_definition(tree, other, Some(v)));
        }
    }
    children.sort_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b)));
    let brackets = match (v == tree.root, tree.grounded[v as usize], children.is_empty()) {
        (true, _, true) | (false, false, true) => "{}",
        (false, true, false) => "[]",
        _ => "()",
    };
    format!("{}{}{}", &brackets[..1], children.concat(), &brackets[1..])
}

/// Whether some bijection of vertices preserves root, constraints and edges, by brute force.
fn are_isomorphic(a: &Skeleton, b: &Skeleton) -> bool {
    let count = a.grounded.len();
    if count != b.grounded.len() || a.edges.len() != b.edges.len() {
        return false;
    }
    let matrix = |s: &Skeleton| {
        let mut links = vec![0; count * count];
        for &(x, y) in &s.edges {
            links[x as usize * count + y as usize] += 1;
            links[y as usize * count + x as usize] += 1;
        }
        links
    };
    let (links_a, links_b) = (matrix(a), matrix(b));
    let colour = |s: &Skeleton, v: usize| (v == s.root as usize, v != s.root as usize && s.grounded[v]);
    let mut images: Vec<Vec<usize>> = vec![vec![]];
    for v in 0..count {
        let mut longer = Vec::new();
        for image in &images {
            for w in (0..count).filter(|w| !image.contains(w) && colour(a, v) == colour(b, *w)) {
                let with = [image.as_slice(), &[w]].concat();
                if (0..=v).all(|u| links_a[u * count + v] == links_b[with[u] * count + w]) {
                    longer.push(with);
                }
            }
        }
        images = longer;
    }
    !images.is_empty()
}

#[test]
fn trees() {
    for (grounded, edges, expected) in [
        (vec![false], vec![], "T1:{}"),
        (vec![true], vec![], "T1:{}"),
        (vec![false, true], vec![(0, 1)], "T1:(())"),
        (vec![true, true], vec![(1, 0)], "T1:(())"),
        (vec![false, false], vec![(0, 1)], "T1:({})"),
        (vec![false, true, true], vec![(0, 1), (1, 2)], "T1:([()])"),
        (vec![false, true, true, true], vec![(0, 1), (1, 2), (3, 1)], "T1:([()()])"),
        (vec![false, false, true, true], vec![(0, 1), (2, 1), (0, 3)], "T1:(()(()))"),
        (vec![false, false, true, false], vec![(0, 1), (0, 2), (0, 3)], "T1:((){}{})"),
    ] {
        assert_eq!(code(&skeleton(&grounded, &edges)), expected);
    }
}

#[test]
fn graphs_with_cycles() {
    for (grounded, edges, expected) in [
        (vec![false, false, true], vec![(0, 1), (1, 2), (2, 0)], "G1:rcv/0-1,0-2,1-2"),
        (vec![false, true], vec![(0, 1), (1, 0)], "G1:rc/0-1,0-1"),
        (vec![true, false], vec![(0, 1), (1, 0)], "G1:rv/0-1,0-1"),
        (vec![false, true], vec![(0, 1), (1, 1)], "G1:rc/0-1,1-1"),
        (vec![false], vec![(0, 0), (0, 0)], "G1:r/0-0,0-0"),
        (vec![false; 4], vec![(0, 1), (1, 2), (2, 3), (3, 0)], "G1:rvvv/0-2,0-3,1-2,1-3"),
    ] {
        assert_eq!(code(&skeleton(&grounded, &edges)), expected);
    }
}

#[test]
fn no_graphs() {
    for (root, count, edges) in
        [(0, 0, vec![]), (1, 1, vec![]), (0, 2, vec![(0, 2)]), (0, 3, vec![(0, 1), (5, 2)])]
    {
        assert_eq!(code(&Skeleton { root, grounded: vec![false; count], edges }), "INVALID");
    }
}

#[test]
fn graphs_that_are_not_connected() {
    let [no, yes] = [false, true];
    for (grounded, edges, expected) in [
        (vec![no, no], vec![], "D1:{}+{}"),
        (vec![no, yes], vec![(0, 0)], "D1:r/0-0+()"),
        (vec![no, yes, yes, no], vec![(0, 1), (2, 3)], "D1:(())+(())"),
        (vec![no, yes, yes, yes], vec![(0, 1), (2, 3)], "D1:(())+[()]"),
        (vec![no, yes, no, no], vec![(0, 1), (2, 3)], "D1:(())+({})"),
        (vec![no, yes, no, no], vec![(0, 1), (2, 3), (3, 2)], "D1:(())+vv/0-1,0-1"),
        (
            vec![no, no, yes, yes],
            vec![(0, 1), (1, 0), (2, 3), (3, 2), (2, 2)],
            "D1:rv/0-1,0-1+cc/0-1,0-1,1-1",
        ),
        // A chain is written from its middle, the smaller half first; parts are sorted by length.
        (vec![no, yes, no, no, no, yes, no], vec![(1, 2), (2, 3), (3, 4), (4, 5)], "D1:{}+{}+((())(()))"),
        (vec![no, no, yes, no, no], vec![(1, 2), (3, 4)], "D1:{}+(())+({})"),
    ] {
        assert_eq!(code(&skeleton(&grounded, &edges)), expected);
    }
}

#[test]
fn there_are_as_many_codes_as_shapes() {
    // The numbers of graphs with a root, of connected ones and of trees among them, are known (OEIS A000666, A126100 and A000081).
    let mut coder = Coder::new();
    for (count, all, connected, trees) in
        [(1, 1, 1, 1), (2, 2, 1, 1), (3, 6, 3, 2), (4, 20, 11, 4), (5, 90, 58, 9), (6, 544, 407, 20)]
    {
        let pairs = complete(count);
        let mut codes = std::collections::BTreeSet::new();
        for chosen in 0..1_u32 << pairs.len() {
            let edges = pairs.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, &pair)| pair);
            let graph = Skeleton { root: 0, grounded: vec![false; count as usize], edges: edges.collect() };
            codes.insert(coder.code(&graph).to_owned());
        }
        assert_eq!(codes.len(), all);
        assert_eq!(codes.iter().filter(|code| !code.starts_with("D1:")).count(), connected);
        assert_eq!(codes.iter().filter(|code| code.starts_with("T1:")).count(), trees);
    }
}

fn ring(length: u32) -> Vec<(u32, u32)> {
    (0..length).map(|i| (i, (i + 1) % length)).collect()
}

fn complete(count: u32) -> Vec<(u32, u32)> {
    (0..count).flat_map(|a| (0..a).map(move |b| (a, b))).collect()
}

fn cube(dimensions: u32) -> Vec<(u32, u32)> {
    let corners = 0..1_u32 << dimensions;
    corners.flat_map(|v| (0..dimensions).map(move |d| (v, v ^ (1 << d)))).filter(|(a, b)| a < b).collect()
}

/// Vertex 0 and a number of rings of a length, every vertex of which is adjacent to it.
fn rings_around_a_hub(rings: u32, length: u32) -> Vec<(u32, u32)> {
    let vertex = |r: u32, i: u32| 1 + r * length + i % length;
    let around =
        move |r| (0..length).flat_map(move |i| [(vertex(r, i), vertex(r, i + 1)), (0, vertex(r, i))]);
    (0..rings).flat_map(around).collect()
}

#[test]
fn symmetric_graphs_do_not_depend_on_labels() {
    let mut graphs: Vec<(u32, Vec<(u32, u32)>)> = Vec::new();
    graphs.extend((4..=10).map(|n| (n, ring(n))));
    graphs.extend((4..=7).chain([10, 30, 60]).map(|n| (n, complete(n))));
    for (a, b) in [(2, 3), (3, 3), (4, 5), (20, 20)] {
        graphs.push((a + b, (0..a).flat_map(|x| (0..b).map(move |y| (x, a + y))).collect()));
    }
    graphs.extend((2..=4).map(|d| (1 << d, cube(d))));
    graphs.extend(
        [(1, 3), (2, 3), (3, 3), (2, 4), (4, 3), (1, 9)].map(|(r, l)| (r * l + 1, rings_around_a_hub(r, l))),
    );
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]).collect();
    graphs.push((10, petersen));
    for (count, edges) in graphs {
        for every in [count, 2, 3] {
            let grounded: Vec<bool> = (0..count).map(|v| every < count && v % every == 0).collect();
            let code = assert_independent_of_labels(&skeleton(&grounded, &edges));
            assert!(code.starts_with("G1:r") && !code.contains("large"), "{code}");
        }
    }
}

#[test]
fn graphs_that_colours_do_not_tell_apart() {
    // All vertices except the hub look alike in both.
    let one_ring = skeleton(&[false; 7], &rings_around_a_hub(1, 6));
    let two_rings = skeleton(&[false; 7], &rings_around_a_hub(2, 3));
    assert_ne!(code(&one_ring), code(&two_rings));
    let prism = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)];
    let bipartite = [(0, 1), (0, 3), (0, 5), (2, 1), (2, 3), (2, 5), (4, 1), (4, 3), (4, 5)];
    assert_ne!(code(&skeleton(&[false; 6], &prism)), code(&skeleton(&[false; 6], &bipartite)));
}

#[test]
fn large_graphs_do_not_depend_on_labels() {
    // A chain, a star, and a chain with two branches at each vertex.
    let length = 10_000;
    let mut grounded = vec![false; length as usize];
    grounded[length as usize - 1] = true;
    let chain: Vec<_> = (1..length).map(|i| (i - 1, i)).collect();
    let code = assert_independent_of_labels(&skeleton(&grounded, &chain));
    assert_eq!(code, format!("T1:{}{}", "(".repeat(10_000), ")".repeat(10_000)));
    let star: Vec<_> = (1..length).map(|i| (0, i)).collect();
    assert!(assert_independent_of_labels(&skeleton(&grounded, &star)).ends_with("{}{})"));
    let comb: Vec<_> = (1..length).map(|i| (if i % 3 == 0 { i.max(3) - 3 } else { i - i % 3 }, i)).collect();
    assert_independent_of_labels(&skeleton(&grounded, &comb));
    // Too many vertices, and too much symmetry.
    let shifted = |by: u32| ring(length - 1).into_iter().map(move |(a, b)| (a + by, b + by));
    let lasso: Vec<_> = std::iter::once((0, 1)).chain(shifted(1)).collect();
    let many_rings = rings_around_a_hub(12, 5);
    for (count, edges) in [(length, ring(length)), (length, lasso), (61, many_rings), (65, ring(65))] {
        let graph = skeleton(&vec![false; count as usize], &edges);
        let code = assert_independent_of_labels(&graph);
        assert!(code.starts_with("G1:large/c0v"), "{code}");
        assert!(!crate::graph::Shape::of(&graph).exact);
    }
    assert_ne!(
        self::code(&skeleton(&[false; 100], &ring(100))),
        self::code(&skeleton(&[false; 100], &[ring(99).as_slice(), &[(0, 99)]].concat()))
    );
}

proptest! {
    #[test]
    fn trees_follow_the_definition(tree in any_tree(12)) {
        prop_assert_eq!(code(&tree), format!("T1:{}", by_definition(&tree, tree.root, None)));
    }

    #[test]
    fn trees_do_not_depend_on_labels(tree in any_tree(60), seed: u64) {
        prop_assert_eq!(code(&relabeled(&tree, seed)), code(&tree));
    }

    #[test]
    fn graphs_do_not_depend_on_labels(graph in any_graph(20, 12), seed: u64) {
        prop_assert_eq!(code(&relabeled(&graph, seed)), code(&graph));
    }

    #[test]
    fn shapes_do_not_depend_on_labels(graph in any_graph(8, 3), parts in any_parts(10), seed: u64) {
        for graph in [graph, parts] {
            let shape = crate::graph::Shape::of(&graph);
            prop_assert!(shape.is_valid() && shape.exact);
            prop_assert_eq!(crate::graph::Shape::of(&relabeled(&graph, seed)), shape);
        }
    }

    #[test]
    fn the_same_code_of_parts_means_isomorphic(
        a in any_parts(6), b in any_parts(6), grounded: prop::sample::Index, seed: u64,
    ) {
        prop_assert_eq!(code(&a) == code(&b), are_isomorphic(&a, &b));
        let mut near = relabeled(&a, seed);
        prop_assert_eq!(code(&near), code(&a));
        let at = grounded.index(near.grounded.len());
        near.grounded[at] ^= true;
        prop_assert_eq!(code(&a) == code(&near), are_isomorphic(&a, &near));
    }

    #[test]
    fn plain_codes_do_not_depend_on_grounding(parts in any_parts(10), bits: u64) {
        use crate::graph::Shape;
        let mut other = parts.clone();
        other.grounded.iter_mut().enumerate().for_each(|(v, grounded)| *grounded = bits >> v & 1 == 1);
        let (one, other) = (Shape::of(&parts), Shape::of(&other));
        // Cycles keep their marks in both.
        prop_assert!(one.cycle || one.plain == other.plain);
    }

    #[test]
    fn the_same_code_means_isomorphic(
        a in any_graph(6, 3), b in any_graph(6, 3), moved: prop::sample::Index, to: u32, seed: u64,
    ) {
        prop_assert_eq!(code(&a) == code(&b), are_isomorphic(&a, &b));
        // Random graphs are rarely isomorphic; a graph and its copy with one moved edge are more often.
        let mut near = relabeled(&a, seed);
        prop_assert!(are_isomorphic(&a, &near));
        if !near.edges.is_empty() {
            let at = moved.index(near.edges.len());
            near.edges[at].1 = to % near.grounded.len() as u32;
            prop_assert_eq!(code(&a) == code(&near), are_isomorphic(&a, &near));
        }
    }

    #[test]
    fn buffers_can_be_reused(graphs in prop::collection::vec(prop_oneof![any_graph(9, 3), any_parts(9)], 1..6)) {
        let mut coder = Coder::new();
        for graph in &graphs {
            prop_assert_eq!(coder.code(graph), code(graph));
        }
    }
}
