//! Another question with the same template: the same schema items, other entities and values.

use super::numbers;
use crate::context::SamplingContext;
use touchstone_benchmark::Random;
use touchstone_engine::Found;
use touchstone_kb::{Comparison, LiteralId, NodeId};
use touchstone_logic::{Ask, Direction, Mark, Query, Relate, Set, Value};

/// The query about other things; `None` if this attempt finds none. Questions with conditions on qualifiers cannot be relocated.
pub(crate) fn relocate(context: &SamplingContext<'_>, random: &mut Random, query: &Query) -> Option<Query> {
    let mut relocator = Relocator { context, random, marks: Vec::new() };
    let answer = match &query.answer {
        Ask::Members(Set::Superlative(superlative)) => {
            let mut superlative = superlative.clone();
            superlative.of = relocator.relocated_root(&superlative.of)?;
            Ask::Members(Set::Superlative(superlative))
        }
        Ask::Members(set) => Ask::Members(relocator.relocated_root(set)?),
        Ask::Count(set) => Ask::Count(relocator.relocated_root(set)?),
        Ask::SelectAmong { among, attribute, extreme } => {
            let (attribute, extreme) = (attribute.clone(), *extreme);
            Ask::SelectAmong { among: relocator.relocated_root(among)?, attribute, extreme }
        }
        Ask::Attribute { of, attribute, conditions } if conditions.is_empty() => {
            let of = relocator.relocated_subject(of, attribute)?;
            Ask::Attribute { of, attribute: attribute.clone(), conditions: Vec::new() }
        }
        other => relocator.relocated_asking(other)?,
    };
    Some(Query::new(answer))
}

pub(super) struct Relocator<'g, 'k, 'r> {
    pub(super) context: &'g SamplingContext<'k>,
    pub(super) random: &'r mut Random,
    /// The current values of marked things.
    marks: Vec<(Mark, NodeId)>,
}

/// Number of members of the class to try before searching for suitable ones.
const WITNESSES: usize = 60;

/// Maximum number of neighbours to try.
const ATTEMPTS: usize = 4;

/// Maximum number of neighbours to try for a vertex that must also be reached by another path.
const MARKED_ATTEMPTS: usize = 20;

impl Relocator<'_, '_, '_> {
    fn relocated_root(&mut self, set: &Set) -> Option<Set> {
        let kb = self.context.kb();
        let class = set.conjuncts().iter().find_map(|part| match part {
            Set::Class(id) => kb.class(id),
            _ => None,
        });
        // Most templates fit many members of their class.
        for _ in 0..if class.is_some() { WITNESSES } else { 0 } {
            let members = class.map_or(&[][..], |class| kb.members(class));
            let witness = NodeId(*self.random.choose(members)?);
            self.marks.clear();
            if let Some(relocated) = self.relocated(set, witness) {
                return Some(relocated);
            }
        }
        let wide = Query::new(Ask::Members(widened(set)));
        let Some(Found::Things { nodes, .. }) = self.context.run(&wide) else { return None };
        let witness = NodeId(*self.random.choose(&nodes)?);
        self.marks.clear();
        self.relocated(set, witness)
    }

    /// Another thing that has an attribute: of the same class, if the query names it.
    fn relocated_subject(&mut self, of: &Set, attribute: &str) -> Option<Set> {
        let Set::Entity(id) = of else { return self.relocated_root(of) };
        let kb = self.context.kb();
        let class = self.context.class_of(kb.node(id)?)?;
        let column = kb.facts_by_value(kb.attribute(attribute)?);
        let other = NodeId(*self.random.choose(column.subjects)?);
        let is_alike = self.context.class_of(other) == Some(class);
        if is_alike { self.relocated(of, other) } else { None }
    }

    /// Starts a description that shares no marks with the one before.
    pub(super) fn forget_marks(&mut self) {
        self.marks.clear();
    }

    /// The description, for this node.
    pub(super) fn relocated(&mut self, set: &Set, node: NodeId) -> Option<Set> {
        Some(match set {
            Set::Entity(_) | Set::Named(_) => {
                if !self.context.has_speakable_name(node) {
                    return None;
                }
                Set::Entity(self.context.kb().node_id(node).into())
            }
            Set::And(parts) => {
                let mut relocated = Vec::with_capacity(parts.len());
                for part in parts {
                    relocated.push(self.relocated(part, node)?);
                }
                Set::and(relocated)
            }
            Set::Relate(relate) if relate.conditions.is_empty() => self.related(relate, node)?,
            Set::Class(_) | Set::All => set.clone(),
            Set::Marked(mark, inner) => {
                self.marks.retain(|(other, _)| other != mark);
                self.marks.push((*mark, node));
                Set::Marked(*mark, Box::new(self.relocated(inner, node)?))
            }
            Set::Same(mark) => self.marks.contains(&(*mark, node)).then(|| set.clone())?,
            _ => return None,
        })
    }

    fn related(&mut self, relate: &Relate, node: NodeId) -> Option<Set> {
        let kb = self.context.kb();
        if let Set::Values(comparison, value) = &relate.from {
            let attribute = kb.attribute(&relate.property)?;
            let literal = kb.literal(LiteralId(*self.random.choose(kb.literals(node, attribute))?));
            let value = match comparison {
                Comparison::Equal if value.xsd_name() == Some("gYear") => {
                    let year = literal.as_time()?.year();
                    if year <= 0 {
                        return None;
                    }
                    Value::xsd(format!("{year:04}"), "gYear")
                }
                Comparison::Equal => Value::of(&literal),
                // The same comparison, so that the template does not change.
                wanted => {
                    (0..8)
                        .find_map(|_| {
                            numbers::near(self.random, &literal).filter(|(found, _)| found == wanted)
                        })?
                        .1
                }
            };
            return Some(Set::relate(
                Set::Values(*comparison, Box::new(value)),
                relate.property.clone(),
                relate.direction,
            ));
        }
        let relation = kb.relation(&relate.property)?;
        let neighbours = match relate.direction {
            Direction::Backward => kb.objects(node, relation),
            Direction::Forward => kb.subjects(relation, node),
        };
        if let Set::Same(mark) = &relate.from {
            // Only one node is possible.
            let &(_, bound) = self.marks.iter().find(|(other, _)| other == mark)?;
            neighbours.binary_search(&bound.0).ok()?;
            return Some(Set::Relate(Box::new(relate.clone())));
        }
        let attempts = if matches!(relate.from, Set::Marked(..)) { MARKED_ATTEMPTS } else { ATTEMPTS };
        for _ in 0..attempts {
            let other = NodeId(*self.random.choose(neighbours)?);
            if let Some(from) = self.relocated(&relate.from, other) {
                return Some(Set::relate(from, relate.property.clone(), relate.direction));
            }
        }
        None
    }
}

/// The set with entities and values replaced by everything.
fn widened(set: &Set) -> Set {
    match set {
        Set::Entity(_) | Set::Named(_) | Set::Values(..) => Set::All,
        Set::And(parts) => Set::and(parts.iter().map(widened)),
        Set::Or(parts) => Set::or(parts.iter().map(widened)),
        Set::Relate(relate) => Set::relate(widened(&relate.from), relate.property.clone(), relate.direction),
        Set::Marked(mark, inner) => Set::Marked(*mark, Box::new(widened(inner))),
        other => other.clone(),
    }
}
