//! Samples shapes with cycles: places vertices one by one, each next to all placed vertices that it is related to.

use super::shapes::{ShapeFunction, compared, ordered_attribute};
use crate::cast;
use crate::context::{SamplingContext, SchemaEdge};
use crate::reject::RejectReason;
use touchstone_benchmark::Random;
use touchstone_kb::{ClassId, NodeId, Property};
use touchstone_logic::graph::{Shape, Skeleton};
use touchstone_logic::{Ask, Direction, Extreme, Query, Set, Step, Superlative};

/// A shape with cycles. Vertex 0 is the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cyclic {
    /// The canonical code.
    pub(crate) code: String,
    /// Which vertices are named in the question.
    grounded: Vec<bool>,
    /// The edges, in an order in which every vertex except the first is adjacent to an earlier one.
    edges: Vec<(usize, usize)>,
}

impl Cyclic {
    /// Parses a code like `G1:rcv/0-2,0-2,1-2`: the answer, one constraint and one variable with their relations.
    pub(crate) fn parse(code: &str) -> Option<Cyclic> {
        let (colours, edges) = code.strip_prefix("G1:")?.split_once('/')?;
        let mut colours = colours.bytes();
        if colours.next() != Some(b'r') {
            return None;
        }
        let mut grounded = vec![false];
        for colour in colours {
            grounded.push(match colour {
                b'c' => true,
                b'v' => false,
                _ => return None,
            });
        }
        let edge = |text: &str| {
            let (a, b) = text.split_once('-')?;
            let (a, b): (usize, usize) = (a.parse().ok()?, b.parse().ok()?);
            (a != b && a < grounded.len() && b < grounded.len()).then_some((a, b))
        };
        let all: Vec<(usize, usize)> = edges.split(',').map(edge).collect::<Option<_>>()?;
        let degree = |v: usize| all.iter().filter(|(a, b)| *a == v || *b == v).count();
        if all.len() > 8 || (0..grounded.len()).any(|v| grounded[v] && degree(v) != 1) {
            return None;
        }
        let skeleton = Skeleton {
            grounded: grounded.clone(),
            edges: all.iter().map(|&(a, b)| (cast::index32(a), cast::index32(b))).collect(),
            root: 0,
        };
        let shape = Shape::of(&skeleton);
        (shape.is_valid() && shape.code.starts_with("G1:r")).then_some(Cyclic {
            code: shape.code,
            grounded,
            edges: all,
        })
    }

    /// The constraints, each with the vertex that it is attached to.
    fn constraints(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.edges.iter().filter_map(|&(a, b)| match (self.grounded[a], self.grounded[b]) {
            (true, _) => Some((a, b)),
            (_, true) => Some((b, a)),
            _ => None,
        })
    }
}

/// A relation between two placed vertices, seen from the first.
#[derive(Debug, Clone, Copy)]
struct Link {
    from: usize,
    to: usize,
    edge: SchemaEdge,
}

/// Maximum number of neighbours to check for one vertex.
const NEIGHBOURS: usize = 400;

/// A query of a shape, or why this attempt failed.
pub(crate) fn sample(
    context: &SamplingContext<'_>,
    random: &mut Random,
    cyclic: &Cyclic,
    function: ShapeFunction,
    classes: &[ClassId],
) -> Result<Query, RejectReason> {
    // A comparison replaces a constraint; the value of a superlative replaces a constraint of the answer.
    let value = match function {
        ShapeFunction::None | ShapeFunction::Count => None,
        ShapeFunction::Comparative => cyclic.constraints().nth(random.below(cyclic.constraints().count())),
        ShapeFunction::Superlative => cyclic.constraints().find(|&(_, anchor)| anchor == 0),
    };
    if value.is_none() && !matches!(function, ShapeFunction::None | ShapeFunction::Count) {
        return Err(RejectReason::NoPlaceForValue);
    }
    let kb = context.kb();
    let &class = random.choose(classes).ok_or(RejectReason::NoClass)?;
    let &witness = random.choose(kb.direct_members(class)).ok_or(RejectReason::EmptyClass)?;
    let mut placed: Vec<Option<NodeId>> = vec![None; cyclic.grounded.len()];
    placed[0] = Some(NodeId(witness));
    let mut links: Vec<Link> = Vec::new();
    while let Some(vertex) = next_vertex(cyclic, &placed, value.map(|(vertex, _)| vertex)) {
        place(context, random, cyclic, vertex, &mut placed, &mut links)?;
    }
    let compared = match (function, value) {
        (ShapeFunction::Comparative, Some((_, anchor))) => {
            let node = placed[anchor].ok_or(RejectReason::IsolatedVertex)?;
            Some((anchor, compared(context, random, node)?))
        }
        _ => None,
    };
    let class = Set::Class(kb.node_id(kb.class_node(class)).into());
    let described = |met_again: Vec<bool>| {
        let (used, met) = (vec![false; links.len()], vec![false; placed.len()]);
        let mut describer = Describer {
            context,
            cyclic,
            placed: &placed,
            links: &links,
            used,
            met,
            met_again,
            compared: compared.clone(),
        };
        (describer.described(0, Some(class.clone())), describer.met_again)
    };
    // The first traversal determines which vertices are visited again.
    let (_, met_again) = described(vec![false; placed.len()]);
    let (set, _) = described(met_again);
    Ok(Query::new(match function {
        ShapeFunction::Count => Ask::Count(set),
        ShapeFunction::None | ShapeFunction::Comparative => Ask::Members(set),
        ShapeFunction::Superlative => {
            let attribute = ordered_attribute(context, random, NodeId(witness))?;
            let step = Step { property: kb.attribute_id(attribute).into(), direction: Direction::Forward };
            let extreme = if random.percent(50) { Extreme::Max } else { Extreme::Min };
            let superlative = Superlative { of: set, path: vec![step], extreme, start: None };
            Ask::Members(Set::Superlative(Box::new(superlative)))
        }
    }))
}

/// A vertex that is not placed, with a neighbour that is; variables first, because constraints are attached to them.
fn next_vertex(cyclic: &Cyclic, placed: &[Option<NodeId>], value: Option<usize>) -> Option<usize> {
    let near = |v: usize| {
        cyclic.edges.iter().any(|&(a, b)| a == v && placed[b].is_some() || b == v && placed[a].is_some())
    };
    (0..placed.len())
        .filter(|&v| placed[v].is_none() && Some(v) != value && near(v))
        .min_by_key(|&v| (cyclic.grounded[v], v))
}

/// Finds an entity that has the relations to the placed vertices that the shape requires.
fn place(
    context: &SamplingContext<'_>,
    random: &mut Random,
    cyclic: &Cyclic,
    vertex: usize,
    placed: &mut [Option<NodeId>],
    links: &mut Vec<Link>,
) -> Result<(), RejectReason> {
    let anchors: Vec<(usize, NodeId)> = cyclic
        .edges
        .iter()
        .filter_map(|&(a, b)| match (a == vertex, b == vertex) {
            (true, _) => Some((b, placed[b]?)),
            (_, true) => Some((a, placed[a]?)),
            _ => None,
        })
        .collect();
    let &(_, first) = anchors.first().ok_or(RejectReason::IsolatedVertex)?;
    let mut candidates = neighbours(context, random, first);
    candidates.retain(|edge| {
        !placed.contains(&Some(edge.other))
            && (!cyclic.grounded[vertex] || context.has_speakable_name(edge.other))
    });
    if anchors.len() > 1 {
        keep_common(context, &anchors, &mut candidates);
    }
    while !candidates.is_empty() {
        let at = random.below(candidates.len());
        let found = candidates.swap_remove(at).other;
        // A distinct relation to each anchor.
        let mut chosen: Vec<Link> = Vec::new();
        for &(from, anchor) in &anchors {
            let mut edges = between(context, anchor, found);
            edges.retain(|edge| {
                let taken = |link: &Link| {
                    link.from == from
                        && (link.edge.relation, link.edge.direction) == (edge.relation, edge.direction)
                };
                !chosen.iter().any(taken)
            });
            match random.choose(&edges) {
                Some(&edge) => chosen.push(Link { from, to: vertex, edge }),
                None => break,
            }
        }
        if chosen.len() == anchors.len() {
            placed[vertex] = Some(found);
            links.extend(chosen);
            return Ok(());
        }
        if anchors.len() == 1 {
            break;
        }
    }
    Err(RejectReason::NoCycle)
}

/// Removes candidates that cannot have a relation to each anchor, if that is quick to decide: most have none.
fn keep_common(context: &SamplingContext<'_>, anchors: &[(usize, NodeId)], candidates: &mut Vec<SchemaEdge>) {
    let first = anchors[0].1;
    let wanted = anchors.iter().filter(|(_, anchor)| *anchor == first).count();
    if wanted > 1 {
        let mut others: Vec<NodeId> = candidates.iter().map(|edge| edge.other).collect();
        others.sort_unstable();
        let count = |node: NodeId| {
            let from = others.partition_point(|&other| other < node);
            others[from..].iter().take_while(|&&other| other == node).count()
        };
        candidates.retain(|edge| count(edge.other) >= wanted);
    }
    for &(_, anchor) in anchors.iter().filter(|(_, anchor)| *anchor != first) {
        if candidates.is_empty() {
            return;
        }
        if let Some(near) = all_neighbours(context, anchor) {
            candidates.retain(|edge| near.binary_search(&edge.other.0).is_ok());
        }
    }
}

/// All neighbours of an entity, sorted; `None` if there are too many.
fn all_neighbours(context: &SamplingContext<'_>, node: NodeId) -> Option<Vec<u32>> {
    let kb = context.kb();
    let mut near: Vec<u32> = Vec::new();
    let objects = kb.properties_of(node).filter(|(property, _)| matches!(property, Property::Relation(_)));
    let subjects = kb.relations_to(node).map(|(_, subjects)| subjects);
    for others in objects.map(|(_, objects)| objects).chain(subjects) {
        if near.len() + others.len() > 8 * NEIGHBOURS {
            return None;
        }
        near.extend_from_slice(others);
    }
    near.sort_unstable();
    Some(near)
}

/// The edges that leave an entity, up to a limit, starting at a random position if there are many.
fn neighbours(context: &SamplingContext<'_>, random: &mut Random, node: NodeId) -> Vec<SchemaEdge> {
    let kb = context.kb();
    let mut edges = Vec::new();
    let mut add = |relation, direction, others: &[u32]| {
        let start = if others.len() > NEIGHBOURS { random.below(others.len() - NEIGHBOURS) } else { 0 };
        let some = others[start..].iter().take(NEIGHBOURS);
        edges.extend(some.map(|&other| SchemaEdge { relation, direction, other: NodeId(other) }));
    };
    for (property, objects) in kb.properties_of(node) {
        if let Property::Relation(relation) = property
            && context.allows(property)
        {
            add(relation, Direction::Forward, objects);
        }
    }
    for (relation, subjects) in kb.relations_to(node) {
        if context.allows(Property::Relation(relation)) && !kb.is_symmetric(relation) {
            add(relation, Direction::Backward, subjects);
        }
    }
    edges
}

/// The edges from one entity to another.
fn between(context: &SamplingContext<'_>, from: NodeId, to: NodeId) -> Vec<SchemaEdge> {
    let kb = context.kb();
    let mut edges = Vec::new();
    for (property, objects) in kb.properties_of(from) {
        if let Property::Relation(relation) = property
            && context.allows(property)
            && objects.binary_search(&to.0).is_ok()
        {
            edges.push(SchemaEdge { relation, direction: Direction::Forward, other: to });
        }
    }
    for (property, objects) in kb.properties_of(to) {
        if let Property::Relation(relation) = property
            && context.allows(property)
            && !kb.is_symmetric(relation)
            && objects.binary_search(&from.0).is_ok()
        {
            edges.push(SchemaEdge { relation, direction: Direction::Backward, other: to });
        }
    }
    edges
}

/// Writes placed vertices as one description.
struct Describer<'a, 'k> {
    context: &'a SamplingContext<'k>,
    cyclic: &'a Cyclic,
    placed: &'a [Option<NodeId>],
    links: &'a [Link],
    used: Vec<bool>,
    met: Vec<bool>,
    /// Vertices that are visited again on another path, and must be marked for it.
    met_again: Vec<bool>,
    /// A comparison, and the vertex whose value is compared.
    compared: Option<(usize, Set)>,
}

impl Describer<'_, '_> {
    fn described(&mut self, vertex: usize, class: Option<Set>) -> Set {
        self.met[vertex] = true;
        let mut parts: Vec<Set> = class.into_iter().collect();
        for at in 0..self.links.len() {
            let Link { from, to, edge } = self.links[at];
            if self.used[at] || (from != vertex && to != vertex) {
                continue;
            }
            self.used[at] = true;
            let (other, direction) =
                if from == vertex { (to, edge.direction) } else { (from, edge.direction.flipped()) };
            let set = self.vertex(other);
            let relation = self.context.kb().relation_id(edge.relation);
            parts.push(Set::relate(set, relation, direction.flipped()));
        }
        parts
            .extend(self.compared.iter().filter(|(anchor, _)| *anchor == vertex).map(|(_, set)| set.clone()));
        let set = if parts.is_empty() { Set::All } else { Set::and(parts) };
        if self.met_again[vertex] { Set::Marked(cast::index32(vertex), Box::new(set)) } else { set }
    }

    fn vertex(&mut self, vertex: usize) -> Set {
        if self.cyclic.grounded[vertex] {
            let node = self.placed[vertex].map_or("", |node| self.context.kb().node_id(node));
            Set::Entity(node.into())
        } else if self.met[vertex] {
            self.met_again[vertex] = true;
            Set::Same(cast::index32(vertex))
        } else {
            self.described(vertex, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read() {
        let cyclic = Cyclic::parse("G1:rcv/0-2,0-2,1-2").expect("a shape");
        assert_eq!(
            (cyclic.code.as_str(), cyclic.grounded.len(), cyclic.edges.len()),
            ("G1:rcv/0-2,0-2,1-2", 3, 3)
        );
        // Another numbering of the same shape.
        assert_eq!(
            Cyclic::parse("G1:rvc/0-1,0-1,1-2").map(|cyclic| cyclic.code),
            Some("G1:rcv/0-2,0-2,1-2".to_owned())
        );
        for wrong in [
            "",
            "T1:(())",
            "G1:rc/0-1",
            "G1:rc/0-1,0-1",
            "G1:r/0-0",
            "G1:rv/0-1,0-7",
            "G1:rv/0-1,0-x",
            "G1:large/c0v1e2/00",
        ] {
            assert_eq!(Cyclic::parse(wrong), None, "{wrong}");
        }
    }
}
