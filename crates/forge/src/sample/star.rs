//! Several constraints on one vertex, chosen together: each must narrow what the others leave. Chosen one by one, most would not.

use crate::ground::{Edge, Ground};
use crate::random::Random;
use touchstone_kb::{ClassId, Kb};
use touchstone_logic::Direction;

/// So many choices are tried for one vertex.
const ATTEMPTS: usize = 6;

/// So many members are looked at to find one that a constraint rules out.
const MEMBERS: usize = 3000;

/// Edges to named entities for `n` constraints of a vertex that may be in a class, and may have other constraints; `None` if none of the
/// choices tried is good.
pub(crate) fn choose(
    ground: &Ground<'_>,
    random: &mut Random,
    edges: &[Edge],
    n: usize,
    has_siblings: bool,
    class: Option<ClassId>,
) -> Option<Vec<Edge>> {
    let kb = ground.kb();
    if n == 1 {
        let at = if has_siblings { more_common(kb, random, edges) } else { random.below(edges.len()) };
        return Some(vec![edges[at]]);
    }
    // What only one thing satisfies leaves nothing to narrow.
    let common: Vec<Edge> = edges.iter().copied().filter(|edge| extent(kb, edge).len() > 1).collect();
    if common.len() < n {
        return None;
    }
    for _ in 0..ATTEMPTS {
        let mut left = common.clone();
        let mut chosen: Vec<Edge> = Vec::with_capacity(n);
        while chosen.len() < n {
            let at = more_common(kb, random, &left);
            chosen.push(left.swap_remove(at));
        }
        if (0..n).all(|at| narrows(kb, &chosen, at, class)) {
            return Some(chosen);
        }
    }
    None
}

/// Of two edges, the one that more things have: it leaves more to narrow.
pub(crate) fn more_common(kb: &Kb, random: &mut Random, edges: &[Edge]) -> usize {
    let (a, b) = (random.below(edges.len()), random.below(edges.len()));
    if extent(kb, &edges[a]).len() >= extent(kb, &edges[b]).len() { a } else { b }
}

/// The things that have an edge like this.
fn extent<'k>(kb: &'k Kb, edge: &Edge) -> &'k [u32] {
    match edge.direction {
        Direction::Forward => kb.subjects(edge.relation, edge.other),
        Direction::Backward => kb.objects(edge.other, edge.relation),
    }
}

/// Whether something satisfies all constraints but this one.
fn narrows(kb: &Kb, edges: &[Edge], at: usize, class: Option<ClassId>) -> bool {
    let own = extent(kb, &edges[at]);
    let others: Vec<&[u32]> =
        edges.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, edge)| extent(kb, edge)).collect();
    let members = class.map(|class| kb.members(class));
    let Some(smallest) = others.iter().min_by_key(|extent| extent.len()) else { return true };
    smallest.iter().take(MEMBERS).any(|thing| {
        own.binary_search(thing).is_err()
            && others.iter().all(|extent| extent.binary_search(thing).is_ok())
            && members.is_none_or(|members| members.binary_search(thing).is_ok())
    })
}
