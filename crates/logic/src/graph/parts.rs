//! The connected parts of a graph, and the vertices that a part without the answer is written from.

use super::query_graph::Skeleton;
use crate::cast::index32;

/// The connected parts of a graph in which every edge has both ends: the part of the answer first, with its root. The roots of the
/// others are any of their vertices.
pub(super) fn parts(skeleton: &Skeleton) -> Vec<Skeleton> {
    let count = skeleton.grounded.len();
    let mut leader: Vec<u32> = (0..index32(count)).collect();
    for &(a, b) in &skeleton.edges {
        let (a, b) = (find(&mut leader, a), find(&mut leader, b));
        leader[a as usize] = b;
    }
    // For each leader, the number of its part; for each vertex, its number in its part.
    let mut number = vec![u32::MAX; count];
    let mut place = vec![0; count];
    let mut found: Vec<Skeleton> = Vec::new();
    for v in std::iter::once(skeleton.root).chain(0..index32(count)) {
        let top = find(&mut leader, v) as usize;
        if number[top] == u32::MAX {
            number[top] = index32(found.len());
            found.push(Skeleton::default());
        }
    }
    for v in 0..index32(count) {
        let part = &mut found[number[find(&mut leader, v) as usize] as usize];
        place[v as usize] = index32(part.grounded.len());
        if v == skeleton.root {
            part.root = place[v as usize];
        }
        part.grounded.push(skeleton.grounded[v as usize]);
    }
    for &(a, b) in &skeleton.edges {
        let part = &mut found[number[find(&mut leader, a) as usize] as usize];
        part.edges.push((place[a as usize], place[b as usize]));
    }
    found
}

/// The vertex that stands for the part of a vertex. Halves the way for the next search.
fn find(leader: &mut [u32], mut v: u32) -> u32 {
    while leader[v as usize] != v {
        let next = leader[leader[v as usize] as usize];
        leader[v as usize] = next;
        v = next;
    }
    v
}

/// The one or two vertices in the middle of a tree: what is left when its leaves are removed again and again.
pub(super) fn centres(tree: &Skeleton) -> Vec<u32> {
    let count = tree.grounded.len();
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &(a, b) in &tree.edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut degree: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let mut leaves: Vec<u32> = (0..index32(count)).filter(|&v| degree[v as usize] <= 1).collect();
    let mut left = count;
    while left > 2 && !leaves.is_empty() {
        left -= leaves.len();
        let mut next = Vec::new();
        for leaf in leaves {
            for &other in &neighbours[leaf as usize] {
                degree[other as usize] -= 1;
                if degree[other as usize] == 1 {
                    next.push(other);
                }
            }
        }
        leaves = next;
    }
    leaves
}

/// A graph with the same edges in which all trees look alike without the answer: their leaves are constraints and nothing else is. Parts
/// with cycles stay as they are.
pub(super) fn without_grounding(skeleton: &Skeleton) -> Skeleton {
    let mut leader: Vec<u32> = (0..index32(skeleton.grounded.len())).collect();
    let mut is_cyclic = vec![false; leader.len()];
    let mut degree = vec![0_u32; leader.len()];
    for &(a, b) in &skeleton.edges {
        degree[a as usize] += 1;
        degree[b as usize] += 1;
        let (top, other) = (find(&mut leader, a), find(&mut leader, b));
        is_cyclic[other as usize] |= top == other || is_cyclic[top as usize];
        leader[top as usize] = other;
    }
    let mut grounded: Vec<bool> = (0..index32(leader.len()))
        .map(|v| match is_cyclic[find(&mut leader, v) as usize] {
            true => skeleton.grounded[v as usize],
            false => degree[v as usize] == 1,
        })
        .collect();
    // One relation has two leaves; only the answer tells them apart.
    for &(a, b) in &skeleton.edges {
        if degree[a as usize] == 1 && degree[b as usize] == 1 && a != b {
            grounded[if b == skeleton.root { b } else { a } as usize] = false;
        }
    }
    Skeleton { root: skeleton.root, grounded, edges: skeleton.edges.clone() }
}
