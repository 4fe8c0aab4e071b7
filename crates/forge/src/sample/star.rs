//! Chooses several constraints on one vertex together, such that each narrows the result of the others. Chosen one by one, most would not.

use crate::context::{SamplingContext, SchemaEdge};
use touchstone_benchmark::Random;
use touchstone_engine::{SmallList, gallop};
use touchstone_kb::{ClassId, Kb};
use touchstone_logic::Direction;

/// Maximum number of combinations to try for one vertex.
const ATTEMPTS: usize = 6;

/// Maximum number of members to check for one that a constraint excludes.
const MEMBERS: usize = 1000;

/// Edges to named entities for `n` constraints of a vertex, which may have a class and other constraints; `None` if no combination that
/// was tried is good.
pub(crate) fn choose(
    context: &SamplingContext<'_>,
    random: &mut Random,
    edges: &[SchemaEdge],
    n: usize,
    has_siblings: bool,
    class: Option<ClassId>,
) -> Option<Vec<SchemaEdge>> {
    let kb = context.kb();
    if n == 1 {
        let at = if has_siblings { more_common_edge(kb, random, edges) } else { random.below(edges.len()) };
        return Some(vec![edges[at]]);
    }
    // A constraint that only one thing satisfies leaves nothing to narrow.
    let with_extent = |&edge: &SchemaEdge| (edge, extent(kb, &edge));
    let common: Vec<Constraint<'_>> =
        edges.iter().map(with_extent).filter(|(_, extent)| extent.len() > 1).collect();
    if common.len() < n {
        return None;
    }
    let members = class.map(|class| kb.members(class));
    let (mut left, mut chosen) = (Vec::with_capacity(common.len()), Vec::with_capacity(n));
    for _ in 0..ATTEMPTS {
        left.clone_from(&common);
        chosen.clear();
        while chosen.len() < n {
            let at = more_common(random, left.len(), |at| left[at].1);
            chosen.push(left.swap_remove(at));
        }
        if (0..n).all(|at| narrows(&chosen, at, members)) {
            return Some(chosen.into_iter().map(|(edge, _)| edge).collect());
        }
    }
    None
}

/// An edge, with the things that have the same edge.
type Constraint<'k> = (SchemaEdge, &'k [u32]);

/// The one of two edges that more things have: it leaves more to narrow.
pub(crate) fn more_common_edge(kb: &Kb, random: &mut Random, edges: &[SchemaEdge]) -> usize {
    more_common(random, edges.len(), |at| extent(kb, &edges[at]))
}

fn more_common<'k>(random: &mut Random, n: usize, extent: impl Fn(usize) -> &'k [u32]) -> usize {
    let (a, b) = (random.below(n), random.below(n));
    if extent(a).len() >= extent(b).len() { a } else { b }
}

/// The things that have the same edge.
fn extent<'k>(kb: &'k Kb, edge: &SchemaEdge) -> &'k [u32] {
    match edge.direction {
        Direction::Forward => kb.subjects(edge.relation, edge.other),
        Direction::Backward => kb.objects(edge.other, edge.relation),
    }
}

/// Whether something satisfies all constraints except this one.
fn narrows(constraints: &[Constraint<'_>], at: usize, members: Option<&[u32]>) -> bool {
    let own = constraints[at].1;
    let others = || constraints.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, (_, extent))| *extent);
    let Some(smallest) = others().min_by_key(|extent| extent.len()) else { return true };
    // Things come in order, so each list is traversed once.
    let mut own = Ahead(own);
    let mut others: SmallList<Ahead<'_>> =
        others().filter(|extent| !std::ptr::eq(*extent, smallest)).chain(members).map(Ahead).collect();
    smallest
        .iter()
        .take(MEMBERS)
        .any(|&thing| !own.has(thing) && others.iter_mut().all(|extent| extent.has(thing)))
}

/// The part of a sorted list that is not before the last look-up.
struct Ahead<'l>(&'l [u32]);

impl Ahead<'_> {
    /// Whether a thing, not smaller than the previous one, is in the list.
    fn has(&mut self, thing: u32) -> bool {
        self.0 = &self.0[gallop(self.0, 0, thing)..];
        self.0.first() == Some(&thing)
    }
}
