//! One step along facts, for a whole set at once.

use super::evaluate::{Evaluator, Outcome};
use super::things::Things;
use crate::plan::{RelateTo, SetKind, Test};
use crate::sorted::{distinct, gallop, sorted};
use std::borrow::Cow;
use touchstone_kb::{AttributeId, LiteralId, NodeId, Property, RelationId, Value};
use touchstone_logic::Direction;

impl<'k> Evaluator<'k, '_> {
    /// What the members of a set lead to.
    pub(super) fn related(
        &self,
        from: &Things<'_>,
        properties: &[Property],
        direction: Direction,
        conditions: &[Test],
    ) -> Outcome<Things<'k>> {
        let along = |property: Property| {
            if conditions.is_empty() {
                self.step(from, property, direction)
            } else {
                self.qualified_step(from, property, direction, conditions)
            }
        };
        if let [only] = properties {
            return along(*only);
        }
        let mut union = Things::none();
        for &property in properties {
            union = union.union(along(property)?);
        }
        Ok(union)
    }

    fn step(&self, from: &Things<'_>, property: Property, direction: Direction) -> Outcome<Things<'k>> {
        let kb = self.kb;
        match (direction, property) {
            (Direction::Forward, Property::Relation(relation)) => {
                if let Things::All = from {
                    return self.collected(kb.objects_with(relation).map(|node| node.0)).map(as_nodes);
                }
                let objects = |node| kb.objects(node, relation);
                self.gather(from, property, objects, kb.n_nodes()).map(Things::nodes)
            }
            (Direction::Forward, Property::Attribute(attribute)) => {
                let literals = |node| kb.literals(node, attribute);
                self.gather(from, property, literals, kb.n_literals()).map(Things::literals)
            }
            (Direction::Backward, Property::Relation(relation)) => match from {
                Things::All => self.collected(kb.subjects_with(property).map(|node| node.0)).map(as_nodes),
                Things::Ranges(_) => Ok(Things::none()),
                Things::Listed { nodes, .. } => self.gather_back(nodes, relation).map(Things::nodes),
            },
            (Direction::Backward, Property::Attribute(attribute)) => match from {
                Things::All => self.collected(kb.subjects_with(property).map(|node| node.0)).map(as_nodes),
                from => self.gather_by_value(from, attribute).map(as_nodes),
            },
        }
    }

    /// What is counted and held.
    fn collected(&self, ids: impl ExactSizeIterator<Item = u32>) -> Outcome<Vec<u32>> {
        self.budget.spend(ids.len() as u64)?;
        self.keep(ids.len())?;
        Ok(ids.collect())
    }

    /// The values of all subjects in a set.
    fn gather(
        &self,
        from: &Things<'_>,
        property: Property,
        values: impl Fn(NodeId) -> &'k [u32],
        limit: usize,
    ) -> Outcome<Cow<'k, [u32]>> {
        let subjects: &[u32] = match from {
            Things::Listed { nodes, .. } => nodes,
            Things::Ranges(_) => return Ok(Cow::Borrowed(&[])),
            Things::All => &[],
        };
        if let [only] = subjects {
            let slice = values(NodeId(*only));
            self.budget.spend(slice.len() as u64 + 1)?;
            return Ok(distinct(slice));
        }
        let mut out = Vec::new();
        let mut add = |node: NodeId| {
            let slice = values(node);
            self.budget.spend(slice.len() as u64 + 1)?;
            self.keep(slice.len())?;
            out.extend_from_slice(slice);
            Ok(())
        };
        let with_property = self.kb.subjects_with(property);
        if matches!(from, Things::All) {
            with_property.into_iter().try_for_each(&mut add)?;
        } else if subjects.len() / 2 > with_property.len() {
            // Few things have the property at all: iterate over those.
            let mut at = 0;
            for node in with_property {
                at = gallop(subjects, at, node.0);
                if subjects.get(at) == Some(&node.0) {
                    add(node)?;
                }
            }
        } else {
            subjects.iter().map(|&node| NodeId(node)).try_for_each(add)?;
        }
        Ok(Cow::Owned(sorted(out, limit)))
    }

    /// The subjects whose relation leads into a set.
    fn gather_back(&self, values: &[u32], relation: RelationId) -> Outcome<Cow<'k, [u32]>> {
        let kb = self.kb;
        if let [only] = values {
            let slice = kb.subjects(relation, NodeId(*only));
            self.budget.spend(slice.len() as u64 + 1)?;
            return Ok(distinct(slice));
        }
        let mut out = Vec::new();
        let mut add = |node: NodeId| {
            let slice = kb.subjects(relation, node);
            self.budget.spend(slice.len() as u64 + 1)?;
            self.keep(slice.len())?;
            out.extend_from_slice(slice);
            Ok(())
        };
        let with_relation = kb.objects_with(relation);
        if values.len() / 2 > with_relation.len() {
            let mut at = 0;
            for node in with_relation {
                at = gallop(values, at, node.0);
                if values.get(at) == Some(&node.0) {
                    add(node)?;
                }
            }
        } else {
            values.iter().map(|&node| NodeId(node)).try_for_each(add)?;
        }
        Ok(Cow::Owned(sorted(out, kb.n_nodes())))
    }

    /// The subjects whose attribute has a value in a set.
    fn gather_by_value(&self, from: &Things<'_>, attribute: AttributeId) -> Outcome<Vec<u32>> {
        let column = self.kb.facts_by_value(attribute);
        let mut out = Vec::new();
        let mut add = |literals: std::ops::Range<u32>| {
            let positions = column.positions(literals.start as usize..literals.end as usize);
            self.budget.spend(positions.len() as u64 + 1)?;
            self.keep(positions.len())?;
            out.extend_from_slice(&column.subjects[positions]);
            Ok(())
        };
        match from {
            Things::Ranges(ranges) => ranges.ranges().iter().cloned().try_for_each(add)?,
            Things::Listed { literals, .. } => {
                literals.iter().try_for_each(|&literal| add(literal..literal + 1))?;
            }
            Things::All => add(0..u32::MAX)?,
        }
        Ok(sorted(out, self.kb.n_nodes()))
    }

    /// The same, fact by fact, because qualifiers belong to facts.
    fn qualified_step(
        &self,
        from: &Things<'_>,
        property: Property,
        direction: Direction,
        conditions: &[Test],
    ) -> Outcome<Things<'k>> {
        let (mut nodes, mut literals) = match (direction, property) {
            (Direction::Forward, Property::Attribute(_)) => (Vec::new(), Vec::with_capacity(4)),
            _ => (Vec::with_capacity(4), Vec::new()),
        };
        let mut add = |fact: u32, result: Value| -> Outcome<()> {
            self.budget.spend(1)?;
            if self.passes(fact, conditions)? {
                self.keep(1)?;
                match result {
                    Value::Node(node) => nodes.push(node.0),
                    Value::Literal(literal) => literals.push(literal.0),
                }
            }
            Ok(())
        };
        self.each_fact(from, property, direction, &mut |fact, subject, value| {
            add(fact, if direction == Direction::Forward { value } else { Value::Node(subject) })
        })?;
        Ok(Things::Listed {
            nodes: Cow::Owned(sorted(nodes, self.kb.n_nodes())),
            literals: Cow::Owned(sorted(literals, self.kb.n_literals())),
        })
    }

    /// Calls `visit` with the facts of a property whose subject (forward) or value (backward) is in a set.
    pub(super) fn each_fact(
        &self,
        from: &Things<'_>,
        property: Property,
        direction: Direction,
        visit: &mut dyn FnMut(u32, NodeId, Value) -> Outcome<()>,
    ) -> Outcome<()> {
        let kb = self.kb;
        let about =
            |subject: NodeId, visit: &mut dyn FnMut(u32, NodeId, Value) -> Outcome<()>| -> Outcome<()> {
                let facts = kb.facts_of(subject, property);
                let values = kb.values_of(facts.clone());
                for (fact, &value) in facts.zip(values) {
                    let value = match property {
                        Property::Relation(_) => Value::Node(NodeId(value)),
                        Property::Attribute(_) => Value::Literal(LiteralId(value)),
                    };
                    visit(fact, subject, value)?;
                }
                Ok(())
            };
        match (from, direction, property) {
            (Things::All, _, _) => kb.subjects_with(property).try_for_each(|subject| about(subject, visit)),
            (Things::Listed { nodes, .. }, Direction::Forward, _) => nodes.iter().try_for_each(|&node| {
                self.budget.spend(1)?;
                about(NodeId(node), visit)
            }),
            (Things::Ranges(_), Direction::Forward, _) | (Things::Ranges(_), _, Property::Relation(_)) => {
                Ok(())
            }
            (Things::Listed { nodes, .. }, Direction::Backward, Property::Relation(relation)) => {
                nodes.iter().try_for_each(|&node| {
                    self.budget.spend(1)?;
                    let node = NodeId(node);
                    let facts = kb.facts_into(relation, node).iter().zip(kb.subjects(relation, node));
                    let mut facts = facts;
                    facts.try_for_each(|(&fact, &subject)| visit(fact, NodeId(subject), Value::Node(node)))
                })
            }
            (from, Direction::Backward, Property::Attribute(attribute)) => {
                let column = kb.facts_by_value(attribute);
                let mut in_range = |literals: std::ops::Range<u32>| {
                    self.budget.spend(1)?;
                    let mut positions = column.positions(literals.start as usize..literals.end as usize);
                    positions.try_for_each(|at| {
                        let value = Value::Literal(column.value(at));
                        visit(column.facts[at], NodeId(column.subjects[at]), value)
                    })
                };
                match from {
                    Things::Ranges(ranges) => ranges.ranges().iter().cloned().try_for_each(in_range),
                    Things::Listed { literals, .. } => {
                        literals.iter().try_for_each(|&literal| in_range(literal..literal + 1))
                    }
                    Things::All => in_range(0..u32::MAX),
                }
            }
        }
    }

    /// An estimate of the number of things that a step leads to.
    pub(super) fn estimate_related(&self, relate: &RelateTo) -> usize {
        let kb = self.kb;
        let mut sum = 0usize;
        for &property in &relate.properties {
            let all = match (property, relate.direction) {
                (Property::Relation(relation), Direction::Forward) => kb.objects_with(relation).len(),
                (Property::Attribute(attribute), Direction::Forward) => kb.facts_by_value(attribute).len(),
                (property, Direction::Backward) => kb.subjects_with(property).len(),
            };
            let some = match (&relate.from.kind, property, relate.direction) {
                (SetKind::Nodes(nodes), Property::Relation(relation), direction) if nodes.len() <= 8 => nodes
                    .iter()
                    .map(|&node| match direction {
                        Direction::Forward => kb.objects(NodeId(node), relation).len(),
                        Direction::Backward => kb.subjects(relation, NodeId(node)).len(),
                    })
                    .sum(),
                (SetKind::Nodes(nodes), Property::Attribute(attribute), Direction::Forward)
                    if nodes.len() <= 8 =>
                {
                    nodes.iter().map(|&node| kb.literals(NodeId(node), attribute).len()).sum()
                }
                (SetKind::Values(test), Property::Attribute(attribute), Direction::Backward) => {
                    let column = kb.facts_by_value(attribute);
                    let in_range = |range: &std::ops::Range<u32>| {
                        column.positions(range.start as usize..range.end as usize).len()
                    };
                    test.literals(kb).ranges().iter().map(in_range).sum()
                }
                _ => self.estimate(&relate.from).saturating_mul(USUAL_FAN),
            };
            sum = sum.saturating_add(some.min(all));
        }
        sum
    }
}

/// Default estimate of the number of things that a step leads to from one thing; most lead to fewer.
const USUAL_FAN: usize = 16;

fn as_nodes<'k>(nodes: Vec<u32>) -> Things<'k> {
    Things::nodes(Cow::Owned(nodes))
}
