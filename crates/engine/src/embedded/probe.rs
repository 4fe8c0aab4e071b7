//! Tests whether one thing is in a set, without computing the set. As in `evaluate.rs`, marks are ignored.

use super::evaluate::{Evaluator, Outcome};
use super::things::Thing;
use crate::plan::{PlanSet, RelateTo, SetKind};
use crate::sorted::intersects;
use touchstone_kb::{NodeId, Property, Value};
use touchstone_logic::Direction;

impl<'k> Evaluator<'k, '_> {
    /// Whether a thing is in a set, or may be if that depends on marks.
    pub(super) fn has(&self, set: &PlanSet, thing: Thing) -> Outcome<bool> {
        self.budget.spend(1)?;
        if set.reach > QUICK {
            return Ok(self.cached(set)?.contains(thing));
        }
        match (&set.kind, thing) {
            (SetKind::All | SetKind::Same(_), _) => Ok(true),
            (SetKind::Nodes(nodes), Thing::Node(node)) => Ok(nodes.binary_search(&node).is_ok()),
            (SetKind::Classes(classes), Thing::Node(node)) => {
                Ok(classes.iter().any(|&class| self.kb.is_member(NodeId(node), class)))
            }
            (SetKind::Values(test), Thing::Literal(literal)) => Ok(self.accepts(test, literal)),
            (SetKind::Nodes(_) | SetKind::Classes(_), Thing::Literal(_))
            | (SetKind::Values(_), Thing::Node(_)) => Ok(false),
            (SetKind::Relate(relate), thing) => self.is_related(relate, thing),
            (SetKind::And(parts), thing) => {
                for part in parts {
                    if !self.has(part, thing)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (SetKind::Or(parts), thing) => {
                for part in parts {
                    if self.has(part, thing)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (SetKind::During(period), Thing::Node(node)) => self.is_during(period, NodeId(node)),
            (SetKind::During(_), Thing::Literal(_)) => Ok(true),
            (SetKind::Marked(_, inner), thing) => self.has(inner, thing),
            (SetKind::Superlative(_), thing) => Ok(self.cached(set)?.contains(thing)),
        }
    }

    fn is_related(&self, relate: &RelateTo, thing: Thing) -> Outcome<bool> {
        let mut found = false;
        // Compare whole slices with whole lists if both are sorted.
        if let (SetKind::Nodes(wanted), true) = (&relate.from.kind, relate.conditions.is_empty())
            && let Thing::Node(node) = thing
        {
            for &property in &relate.properties {
                if let Property::Relation(relation) = property {
                    let slice = match relate.direction {
                        Direction::Forward => self.kb.subjects(relation, NodeId(node)),
                        Direction::Backward => self.kb.objects(NodeId(node), relation),
                    };
                    self.budget.spend(slice.len().min(wanted.len()) as u64)?;
                    found |= intersects(slice, wanted);
                }
            }
            return Ok(found);
        }
        self.neighbours(relate, thing, &mut |other| {
            found = self.has(&relate.from, other)?;
            Ok(found)
        })?;
        Ok(found)
    }

    /// Calls `visit` with the things from which a step leads to a thing, until it returns that this is enough. A thing may occur twice.
    pub(super) fn neighbours(
        &self,
        relate: &RelateTo,
        thing: Thing,
        visit: &mut dyn FnMut(Thing) -> Outcome<bool>,
    ) -> Outcome<bool> {
        let kb = self.kb;
        let mut each = |fact: u32, other: Value| -> Outcome<bool> {
            self.budget.spend(1)?;
            if !relate.conditions.is_empty() && !self.passes(fact, &relate.conditions)? {
                return Ok(false);
            }
            visit(match other {
                Value::Node(node) => Thing::Node(node.0),
                Value::Literal(literal) => Thing::Literal(literal.0),
            })
        };
        for &property in &relate.properties {
            match (relate.direction, thing, property) {
                (Direction::Backward, Thing::Node(subject), property) => {
                    let subject = NodeId(subject);
                    let facts = kb.facts_of(subject, property);
                    match property {
                        Property::Relation(relation) => {
                            for (fact, &object) in facts.zip(kb.objects(subject, relation)) {
                                if each(fact, Value::Node(NodeId(object)))? {
                                    return Ok(true);
                                }
                            }
                        }
                        Property::Attribute(attribute) => {
                            for (fact, &literal) in facts.zip(kb.literals(subject, attribute)) {
                                if each(fact, Value::Literal(touchstone_kb::LiteralId(literal)))? {
                                    return Ok(true);
                                }
                            }
                        }
                    }
                }
                (Direction::Forward, Thing::Node(object), Property::Relation(relation)) => {
                    let object = NodeId(object);
                    for (&fact, &subject) in
                        kb.facts_into(relation, object).iter().zip(kb.subjects(relation, object))
                    {
                        if each(fact, Value::Node(NodeId(subject)))? {
                            return Ok(true);
                        }
                    }
                }
                (Direction::Forward, Thing::Literal(literal), Property::Attribute(attribute)) => {
                    let column = kb.facts_by_value(attribute);
                    for at in column.positions(literal as usize..literal as usize + 1) {
                        if each(column.facts[at], Value::Node(NodeId(column.subjects[at])))? {
                            return Ok(true);
                        }
                    }
                }
                (Direction::Backward, Thing::Literal(_), _)
                | (Direction::Forward, Thing::Literal(_), Property::Relation(_))
                | (Direction::Forward, Thing::Node(_), Property::Attribute(_)) => {}
            }
        }
        Ok(false)
    }
}

/// Maximum number of steps along facts in a probe; deeper sets are computed once.
const QUICK: u8 = 2;
