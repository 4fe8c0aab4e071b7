//! The names in a query that a KB gives a meaning to, in query order.

use crate::query::{Ask, Condition, Operand, Query, Set};
use crate::value::{Symbol, Value};

/// A name in a query, to be read or replaced.
#[derive(Debug, PartialEq, Eq)]
pub enum Word<'q> {
    /// An entity, by id.
    Entity(&'q mut Symbol),
    /// Entities, by name.
    Name(&'q mut Symbol),
    /// A class, by id or name.
    Class(&'q mut Symbol),
    /// A relation or attribute, by id or name.
    Property(&'q mut Symbol),
    /// A qualifier key, by id or name.
    Qualifier(&'q mut Symbol),
    /// A literal.
    Value(&'q mut Value),
}

type Visit<'v> = &'v mut dyn FnMut(Word<'_>);

impl Query {
    /// Calls `visit` for each name.
    pub fn words_mut(&mut self, visit: Visit<'_>) {
        match &mut self.answer {
            Ask::Members(set) | Ask::Count(set) | Ask::Exists(set) => set.words_mut(visit),
            Ask::Attribute { of, attribute, conditions } => {
                of.words_mut(visit);
                visit(Word::Property(attribute));
                in_conditions(conditions, visit);
            }
            Ask::Verify { of, attribute, conditions, value, .. } => {
                of.words_mut(visit);
                visit(Word::Property(attribute));
                in_conditions(conditions, visit);
                visit(Word::Value(value));
            }
            Ask::Relation { from, to } => {
                from.words_mut(visit);
                to.words_mut(visit);
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                of.words_mut(visit);
                visit(Word::Property(attribute));
                visit(Word::Value(value));
                visit(Word::Qualifier(qualifier));
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                from.words_mut(visit);
                visit(Word::Property(relation));
                to.words_mut(visit);
                visit(Word::Qualifier(qualifier));
            }
            Ask::SelectBetween { left, right, attribute, .. } => {
                left.words_mut(visit);
                right.words_mut(visit);
                visit(Word::Property(attribute));
            }
            Ask::SelectAmong { among, attribute, .. } => {
                among.words_mut(visit);
                visit(Word::Property(attribute));
            }
        }
        for (left, right) in &mut self.rules.different {
            for side in [left, right] {
                if let Operand::Entity(id) = side {
                    visit(Word::Entity(id));
                }
            }
        }
    }
}

impl Set {
    /// Calls `visit` for each name.
    pub(crate) fn words_mut(&mut self, visit: Visit<'_>) {
        match self {
            Set::All | Set::Same(_) => {}
            Set::Entity(id) => visit(Word::Entity(id)),
            Set::Named(name) => visit(Word::Name(name)),
            Set::Class(class) => visit(Word::Class(class)),
            Set::Values(_, value) => visit(Word::Value(value)),
            Set::And(parts) | Set::Or(parts) => parts.iter_mut().for_each(|part| part.words_mut(visit)),
            Set::Relate(relate) => {
                relate.from.words_mut(visit);
                visit(Word::Property(&mut relate.property));
                in_conditions(&mut relate.conditions, visit);
            }
            Set::Superlative(superlative) => {
                superlative.of.words_mut(visit);
                superlative.path.iter_mut().for_each(|step| visit(Word::Property(&mut step.property)));
            }
            Set::During(during) => {
                visit(Word::Property(&mut during.start));
                visit(Word::Property(&mut during.end));
                visit(Word::Value(&mut during.latest_start));
                visit(Word::Value(&mut during.earliest_end));
            }
            Set::Marked(_, inner) => inner.words_mut(visit),
        }
    }
}

fn in_conditions(conditions: &mut [Condition], visit: Visit<'_>) {
    for condition in conditions {
        visit(Word::Qualifier(&mut condition.qualifier));
        visit(Word::Value(&mut condition.value));
    }
}
