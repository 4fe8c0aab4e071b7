//! Sampling by shape (GrailQA++): the shape first, then an entity that instantiates it edge by edge, so that the query has an answer at
//! every step.

use super::numbers;
use super::tree::Tree;
use crate::ground::{Edge, Ground};
use crate::random::Random;
use serde::{Deserialize, Serialize};
use std::fmt;
use touchstone_kb::{ClassId, Comparison, LiteralId, NodeId, Property, ValueKind};
use touchstone_logic::{Answer, Direction, Extreme, Query, Set, Step, Superlative};

/// The function on top of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Function {
    /// The members themselves.
    None,
    /// How many there are.
    Count,
    /// One constraint is a comparison of a quantity or a time.
    Comparative,
    /// The member with the greatest or smallest value.
    Superlative,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 4] =
        [Function::None, Function::Count, Function::Comparative, Function::Superlative];

    /// The word in recipes and tables.
    pub fn name(self) -> &'static str {
        match self {
            Function::None => "none",
            Function::Count => "count",
            Function::Comparative => "comparative",
            Function::Superlative => "superlative",
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A query of a shape with a function on top, or why this attempt led nowhere.
pub fn sample(
    ground: &Ground<'_>,
    random: &mut Random,
    tree: &Tree,
    function: Function,
    classes: &[ClassId],
) -> Result<Query, &'static str> {
    let kb = ground.kb();
    let &class = random.choose(classes).ok_or("there is no class to ask about")?;
    let members = kb.direct_members(class);
    let &witness = random.choose(members).ok_or("a class without members")?;
    let witness = NodeId(witness);
    let mut tree = tree.clone();
    let superlative = if function == Function::Superlative {
        // The edge to the value is one of the shape's.
        let leaf = tree.0.iter().position(|child| child.0.is_empty()).ok_or(NO_LEAF)?;
        tree.0.remove(leaf);
        let ordered: Vec<_> = ground
            .attributes(witness)
            .into_iter()
            .filter(|(attribute, _)| ground.is_ordered(*attribute))
            .collect();
        Some(random.choose(&ordered).ok_or("the entity has no quantity and no time")?.0)
    } else {
        None
    };
    let mut growth = Growth {
        ground,
        random,
        used: vec![witness],
        comparison: if function == Function::Comparative { Wanted::Yes } else { Wanted::No },
        leaves: leaves(&tree),
    };
    let mut parts = vec![Set::Class(kb.node_id(kb.class_node(class)).to_owned())];
    parts.extend(growth.constraints(witness, &tree, None)?);
    if growth.comparison == Wanted::Yes {
        return Err("the entities have nothing to compare");
    }
    let set = Set::and(parts);
    Ok(Query::new(match superlative {
        Some(attribute) => {
            let extreme = if random.percent(50) { Extreme::Max } else { Extreme::Min };
            let step =
                Step { property: kb.attribute_id(attribute).to_owned(), direction: Direction::Forward };
            Answer::Members(Set::Superlative(Box::new(Superlative {
                of: set,
                path: vec![step],
                extreme,
                start: None,
            })))
        }
        None if function == Function::Count => Answer::Count(set),
        None => Answer::Members(set),
    }))
}

const NO_LEAF: &str = "the shape has no constraint next to the answer";

fn leaves(tree: &Tree) -> usize {
    if tree.0.is_empty() { 1 } else { tree.0.iter().map(leaves).sum() }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
    Done,
}

struct Growth<'g, 'k, 'r> {
    ground: &'g Ground<'k>,
    random: &'r mut Random,
    /// Entities that are in the query already.
    used: Vec<NodeId>,
    comparison: Wanted,
    /// How many leaves are still to come.
    leaves: usize,
}

impl Growth<'_, '_, '_> {
    /// A description of an entity for each edge below a vertex.
    fn constraints(&mut self, at: NodeId, tree: &Tree, from: Option<Edge>) -> Result<Vec<Set>, &'static str> {
        let mut sets: Vec<Set> = Vec::new();
        for child in &tree.0 {
            let set = if child.0.is_empty() { self.leaf(at, from)? } else { self.inner(at, child, from)? };
            if sets.contains(&set) {
                return Err("the same constraint twice");
            }
            sets.push(set);
        }
        Ok(sets)
    }

    fn edges(&mut self, at: NodeId, from: Option<Edge>) -> Vec<Edge> {
        let random = &mut *self.random;
        let mut edges = self.ground.edges(at, |n| random.below(n));
        // Not back the way we came, even to another entity: that asks for siblings, which is rarely meant.
        let back = |edge: &Edge| {
            from.is_some_and(|from| from.relation == edge.relation && from.direction != edge.direction)
        };
        edges.retain(|edge| !back(edge) && !self.used.contains(&edge.other));
        edges
    }

    /// A constraint that names an entity or a value.
    fn leaf(&mut self, at: NodeId, from: Option<Edge>) -> Result<Set, &'static str> {
        let left = self.leaves;
        self.leaves -= 1;
        if self.comparison == Wanted::Yes && self.random.below(left) == 0 {
            let found = self.compared(at)?;
            self.comparison = Wanted::Done;
            return Ok(found);
        }
        if self.random.percent(15)
            && let Some(set) = self.equal(at)
        {
            return Ok(set);
        }
        let edges = self.edges(at, from);
        let named: Vec<&Edge> =
            edges.iter().filter(|edge| self.ground.has_speakable_name(edge.other)).collect();
        let edge = **self.random.choose(&named).ok_or("no neighbour with a name in English")?;
        self.used.push(edge.other);
        let kb = self.ground.kb();
        let other = Set::Entity(kb.node_id(edge.other).to_owned());
        Ok(Set::relate(other, kb.relation_id(edge.relation), edge.direction.flipped()))
    }

    /// A vertex in between, with what hangs on it.
    fn inner(&mut self, at: NodeId, tree: &Tree, from: Option<Edge>) -> Result<Set, &'static str> {
        let edges = self.edges(at, from);
        let edge = *self.random.choose(&edges).ok_or("the entity leads nowhere")?;
        self.used.push(edge.other);
        let below = self.constraints(edge.other, tree, Some(edge))?;
        let relation = self.ground.kb().relation_id(edge.relation);
        Ok(Set::relate(Set::and(below), relation, edge.direction.flipped()))
    }

    /// A comparison that the entity satisfies.
    fn compared(&mut self, at: NodeId) -> Result<Set, &'static str> {
        let mut values = self.ground.attributes(at);
        values.retain(|(attribute, _)| self.ground.is_ordered(*attribute));
        let (attribute, literals) =
            *self.random.choose(&values).ok_or("the entity has nothing to compare")?;
        let literal = *self.random.choose(literals).ok_or("an attribute without values")?;
        let literal = self.ground.kb().literal(LiteralId(literal));
        let (comparison, value) =
            numbers::near(self.random, &literal).ok_or("no round number near the value")?;
        let attribute = self.ground.kb().attribute_id(attribute);
        Ok(Set::relate(Set::Values(comparison, value), attribute, Direction::Backward))
    }

    /// A value that the entity has: a text, or a year or date.
    fn equal(&mut self, at: NodeId) -> Option<Set> {
        let kb = self.ground.kb();
        let mut values = self.ground.attributes(at);
        values.retain(|(attribute, _)| kb.attribute_kind(*attribute) != ValueKind::Quantity);
        let (attribute, literals) = *self.random.choose(&values)?;
        let literal = kb.literal(LiteralId(*self.random.choose(literals)?));
        let value = match literal.as_time() {
            // People remember years.
            Some(time) if time.year() > 0 && self.random.percent(80) => {
                touchstone_logic::Value::xsd(format!("{:04}", time.year()), "gYear")
            }
            _ => touchstone_logic::Value::of(&literal),
        };
        if !self.ground.allows(Property::Attribute(attribute)) {
            return None;
        }
        let values = Set::Values(Comparison::Equal, value);
        Some(Set::relate(values, kb.attribute_id(attribute), Direction::Backward))
    }
}
