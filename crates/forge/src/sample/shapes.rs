//! Sampling by shape (GrailQA++): chooses a shape, then an entity that instantiates it edge by edge, so the query has an answer at
//! every step.

use super::tree::Tree;
use super::{numbers, star};
use crate::context::{SamplingContext, SchemaEdge};
use crate::reject::RejectReason;
use serde::{Deserialize, Serialize};
use std::fmt;
use touchstone_benchmark::Random;
use touchstone_kb::{AttributeId, ClassId, Comparison, LiteralId, NodeId, Property, ValueKind};
use touchstone_logic::{Ask, Direction, Extreme, Query, Set, Step, Superlative};

/// The function on top of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeFunction {
    /// The members themselves.
    None,
    /// The number of members.
    Count,
    /// One constraint is a comparison of a quantity or a time.
    Comparative,
    /// The member with the greatest or smallest value.
    Superlative,
}

impl ShapeFunction {
    /// All of them.
    pub const ALL: [ShapeFunction; 4] =
        [ShapeFunction::None, ShapeFunction::Count, ShapeFunction::Comparative, ShapeFunction::Superlative];

    /// The word in recipes and tables.
    pub fn name(self) -> &'static str {
        match self {
            ShapeFunction::None => "none",
            ShapeFunction::Count => "count",
            ShapeFunction::Comparative => "comparative",
            ShapeFunction::Superlative => "superlative",
        }
    }
}

impl fmt::Display for ShapeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Maximum number of members of a class to check for one with enough relations.
const WITNESSES: usize = 20;

/// A query of a shape with a function on top, or the reason why this attempt failed.
pub(crate) fn sample(
    context: &SamplingContext<'_>,
    random: &mut Random,
    tree: &Tree,
    function: ShapeFunction,
    classes: &[ClassId],
) -> Result<Query, RejectReason> {
    let kb = context.kb();
    let class = (0..WITNESSES)
        .filter_map(|_| random.choose(classes).copied())
        .find(|&class| context.class_degree(class) + 1 >= tree.0.len())
        .ok_or(RejectReason::NoClass)?;
    let members = kb.direct_members(class);
    if members.is_empty() {
        return Err(RejectReason::EmptyClass);
    }
    // One constraint may be a value.
    let has_enough = |node: &NodeId| context.degree(*node) + 1 >= tree.0.len();
    let witness = (0..WITNESSES)
        .map(|_| NodeId(members[random.below(members.len())]))
        .find(has_enough)
        .ok_or(RejectReason::TooFewRelations)?;
    let (tree, tail) = match function {
        ShapeFunction::Superlative => {
            // The path to the value is a path of the shape.
            let (tree, tail) = without_leaf(tree, random);
            (tree, Some(tail))
        }
        _ => (tree.clone(), None),
    };
    let mut growth = Growth {
        context,
        random,
        used: vec![witness],
        comparison: if function == ShapeFunction::Comparative { Wanted::Yes } else { Wanted::No },
        leaves: leaves(&tree),
        path: Vec::new(),
        class,
    };
    let mut parts = vec![Set::Class(kb.node_id(kb.class_node(class)).into())];
    parts.extend(growth.constraints(
        witness,
        &tree,
        None,
        tail.as_ref().map(|tail| (&tail.kept[..], tail.new)),
    )?);
    let path = std::mem::take(&mut growth.path);
    if growth.comparison == Wanted::Yes {
        return Err(RejectReason::NothingToCompare);
    }
    let set = Set::and(parts);
    Ok(Query::new(match tail {
        Some(_) => {
            let extreme = if random.percent(50) { Extreme::Max } else { Extreme::Min };
            Ask::Members(Set::Superlative(Box::new(Superlative { of: set, path, extreme, start: None })))
        }
        None if function == ShapeFunction::Count => Ask::Count(set),
        None => Ask::Members(set),
    }))
}

fn leaves(tree: &Tree) -> usize {
    if tree.0.is_empty() { 1 } else { tree.0.iter().map(leaves).sum() }
}

/// The path to the value of a superlative.
struct Tail {
    /// The vertices on it that the rest of the shape shares, each by its index below the previous one.
    kept: Vec<usize>,
    /// Number of vertices after them, before the value.
    new: usize,
}

/// A shape without one of its leaves, and the path to that leaf.
fn without_leaf(tree: &Tree, random: &mut Random) -> (Tree, Tail) {
    let mut way = Vec::new();
    let mut at = tree;
    while !at.0.is_empty() {
        // Leaves near the answer give questions that are easier to understand, so they are chosen more often.
        let child = match at.0.iter().position(|child| child.0.is_empty()) {
            Some(leaf) if random.percent(70) => leaf,
            _ => random.below(at.0.len()),
        };
        way.push(child);
        at = &at.0[child];
    }
    // Remove what only leads to the leaf.
    let mut kept = way.len() - 1;
    let vertex_at = |depth: usize| way[..depth].iter().fold(tree, |at, &child| &at.0[child]);
    while kept > 0 && vertex_at(kept).0.len() == 1 {
        kept -= 1;
    }
    let new = way.len() - 1 - kept;
    let mut rest = tree.clone();
    let parent = way[..kept].iter().fold(&mut rest, |at, &child| &mut at.0[child]);
    parent.0.remove(way[kept]);
    way.truncate(kept);
    (rest, Tail { kept: way, new })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
    Done,
}

struct Growth<'g, 'k, 'r> {
    context: &'g SamplingContext<'k>,
    random: &'r mut Random,
    /// Entities that are already in the query.
    used: Vec<NodeId>,
    comparison: Wanted,
    /// Number of leaves still to place.
    leaves: usize,
    /// The path to the value of a superlative.
    path: Vec<Step>,
    /// The answer's class.
    class: ClassId,
}

impl Growth<'_, '_, '_> {
    /// A description of an entity for each edge below a vertex. `tail`: the remaining path to the value of a superlative.
    fn constraints(
        &mut self,
        at: NodeId,
        tree: &Tree,
        from: Option<SchemaEdge>,
        tail: Option<(&[usize], usize)>,
    ) -> Result<Vec<Set>, RejectReason> {
        let mut sets: Vec<Set> = self.leaves(at, tree, from)?;
        for (place, child) in tree.0.iter().enumerate().filter(|(_, child)| !child.0.is_empty()) {
            let tail = tail.and_then(|(kept, new)| match kept {
                [first, rest @ ..] if *first == place => Some((rest, new)),
                _ => None,
            });
            let set = self.inner(at, child, from, tail, tree.0.len() > 1)?;
            if sets.contains(&set) {
                return Err(RejectReason::RepeatedConstraint);
            }
            sets.push(set);
        }
        if let Some(([], new)) = tail {
            self.value(at, from, new)?;
        }
        Ok(sets)
    }

    /// The remaining path to the value of a superlative.
    fn value(&mut self, at: NodeId, from: Option<SchemaEdge>, new: usize) -> Result<(), RejectReason> {
        let kb = self.context.kb();
        let (mut at, mut from) = (at, from);
        for _ in 0..new {
            let edges = self.edges(at, from);
            let edge = *self.random.choose(&edges).ok_or(RejectReason::NoNeighbour)?;
            self.path
                .push(Step { property: kb.relation_id(edge.relation).into(), direction: edge.direction });
            self.used.push(edge.other);
            (at, from) = (edge.other, Some(edge));
        }
        let attribute = ordered_attribute(self.context, self.random, at)?;
        self.path.push(Step { property: kb.attribute_id(attribute).into(), direction: Direction::Forward });
        Ok(())
    }

    fn edges(&mut self, at: NodeId, from: Option<SchemaEdge>) -> Vec<SchemaEdge> {
        let random = &mut *self.random;
        let mut edges = self.context.edges(at, |n| random.below(n));
        // Do not follow the incoming relation back, even to another entity: that asks for siblings, which is rarely meant.
        let back = |edge: &SchemaEdge| {
            from.is_some_and(|from| from.relation == edge.relation && from.direction != edge.direction)
        };
        edges.retain(|edge| !back(edge) && !self.used.contains(&edge.other));
        edges
    }

    /// Constraints that name an entity or a value, for all leaves of a vertex.
    fn leaves(
        &mut self,
        at: NodeId,
        tree: &Tree,
        from: Option<SchemaEdge>,
    ) -> Result<Vec<Set>, RejectReason> {
        let n_leaves = tree.0.iter().filter(|child| child.0.is_empty()).count();
        let mut sets: Vec<Set> = Vec::with_capacity(tree.0.len());
        for _ in 0..n_leaves {
            let left = self.leaves;
            self.leaves -= 1;
            if self.comparison == Wanted::Yes && self.random.below(left) == 0 {
                sets.push(compared(self.context, self.random, at)?);
                self.comparison = Wanted::Done;
            } else if self.random.percent(15)
                && let Some(set) = self.equal(at)
                && !sets.contains(&set)
            {
                sets.push(set);
            }
        }
        let n_edges = n_leaves - sets.len();
        if n_edges == 0 {
            return Ok(sets);
        }
        let mut edges = self.edges(at, from);
        edges.retain(|edge| self.context.has_speakable_name(edge.other));
        if edges.len() < n_edges {
            return Err(RejectReason::NoSpeakableNeighbour);
        }
        let class = if from.is_none() { Some(self.class) } else { None };
        let chosen = star::choose(self.context, self.random, &edges, n_edges, tree.0.len() > 1, class)
            .ok_or(RejectReason::NoNarrowingConstraints)?;
        let kb = self.context.kb();
        for edge in chosen {
            self.used.push(edge.other);
            let other = Set::Entity(kb.node_id(edge.other).into());
            sets.push(Set::relate(other, kb.relation_id(edge.relation), edge.direction.flipped()));
        }
        Ok(sets)
    }

    /// An inner vertex, with its subtree.
    fn inner(
        &mut self,
        at: NodeId,
        tree: &Tree,
        from: Option<SchemaEdge>,
        tail: Option<(&[usize], usize)>,
        has_siblings: bool,
    ) -> Result<Set, RejectReason> {
        let mut edges = self.edges(at, from);
        // The relation that leads to it is one of its own.
        edges.retain(|edge| self.context.degree(edge.other) >= tree.0.len());
        let edge = match (edges.is_empty(), has_siblings) {
            (true, _) => return Err(RejectReason::NoNeighbour),
            (_, true) => edges[star::more_common_edge(self.context.kb(), self.random, &edges)],
            _ => edges[self.random.below(edges.len())],
        };
        self.used.push(edge.other);
        let relation = self.context.kb().relation_id(edge.relation);
        if tail.is_some() {
            self.path.push(Step { property: relation.into(), direction: edge.direction });
        }
        let below = self.constraints(edge.other, tree, Some(edge), tail)?;
        Ok(Set::relate(Set::and(below), relation, edge.direction.flipped()))
    }

    /// A value that the entity has: a text, or a year or date.
    fn equal(&mut self, at: NodeId) -> Option<Set> {
        let kb = self.context.kb();
        let mut values = self.context.attributes(at);
        values.retain(|(attribute, _)| kb.attribute_kind(*attribute) != ValueKind::Quantity);
        let (attribute, literals) = *self.random.choose(&values)?;
        let literal = kb.literal(LiteralId(*self.random.choose(literals)?));
        let value = match literal.as_time() {
            // Years are easier to remember than dates.
            Some(time) if time.year() > 0 && self.random.percent(80) => {
                touchstone_logic::Value::xsd(format!("{:04}", time.year()), "gYear")
            }
            _ => touchstone_logic::Value::of(&literal),
        };
        if !self.context.allows(Property::Attribute(attribute)) {
            return None;
        }
        let values = Set::Values(Comparison::Equal, Box::new(value));
        Some(Set::relate(values, kb.attribute_id(attribute), Direction::Backward))
    }
}

/// A comparison that an entity satisfies.
pub(super) fn compared(
    context: &SamplingContext<'_>,
    random: &mut Random,
    at: NodeId,
) -> Result<Set, RejectReason> {
    let kb = context.kb();
    let attribute = ordered_attribute(context, random, at)?;
    let literal = *random.choose(kb.literals(at, attribute)).ok_or(RejectReason::AttributeWithoutValues)?;
    let (comparison, value) =
        numbers::near(random, &kb.literal(LiteralId(literal))).ok_or(RejectReason::NoRoundNumber)?;
    Ok(Set::relate(Set::Values(comparison, Box::new(value)), kb.attribute_id(attribute), Direction::Backward))
}

/// An attribute of an entity with ordered values.
pub(super) fn ordered_attribute(
    context: &SamplingContext<'_>,
    random: &mut Random,
    at: NodeId,
) -> Result<AttributeId, RejectReason> {
    let mut ordered = context.attributes(at);
    ordered.retain(|(attribute, _)| context.is_ordered(*attribute));
    random.choose(&ordered).map(|(attribute, _)| *attribute).ok_or(RejectReason::NoOrderedAttribute)
}
