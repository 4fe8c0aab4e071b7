//! Plans programs directly: the conversion to the algebra took a third of the time of a short program.

use super::planner::Planner;
use super::{Plan, PlanError, PlanSet, PlannedAsk, SetKind, Target, Test};
use crate::words::{SmallList, Words};
use std::sync::OnceLock;
use touchstone_kb::{Comparison, QualifierId, Time};
use touchstone_logic::kopl::{
    AttributeValues, ProgramAsk, ProgramBuilder, TimeText, keyed_value, time_value,
};
use touchstone_logic::{Direction, KeyKind, Program, Value, Vocabulary as _};

impl Plan {
    /// The plan of the query that a program asks.
    pub fn of_program(program: &Program, words: &Words<'_>) -> Result<Plan, PlanError> {
        let mut planning = Planning { planner: Planner::new(words), failed: None };
        let ask = program.build(&mut planning)?;
        match planning.failed {
            None => Ok(planning.planner.plan(ask)),
            Some(error) => Err(error),
        }
    }
}

struct Planning<'w, 'kb> {
    planner: Planner<'w, 'kb>,
    /// The first invalid value.
    failed: Option<PlanError>,
}

impl Planning<'_, '_> {
    #[inline]
    fn or_fail<T>(&mut self, made: Result<T, PlanError>) -> Option<T> {
        made.map_err(|error| self.failed.get_or_insert(error)).ok()
    }

    fn values(&mut self, comparison: Comparison, value: Value) -> PlanSet {
        let values = self.planner.values(comparison, value);
        self.or_fail(values).unwrap_or_else(|| PlanSet::new(SetKind::All))
    }

    #[inline]
    fn test(&mut self, keys: SmallList<QualifierId>, comparison: Comparison, value: Value) -> Option<Test> {
        let test = self.planner.test(keys, comparison, value);
        self.or_fail(test)
    }

    fn conditions(&mut self, condition: Option<(&str, &str)>) -> Vec<Test> {
        let Some((qualifier, text)) = condition else { return Vec::new() };
        let (kind, keys) = self.planner.words.keyed_qualifiers(qualifier, &self.planner.unknown);
        match self.keyed_test(keys, kind, text) {
            Some(test) => vec![test],
            None => Vec::new(),
        }
    }

    /// A test for a value whose kind follows from the key. Times and texts, which are most common, need not be parsed a second time.
    #[inline]
    fn keyed_test(
        &mut self,
        keys: SmallList<QualifierId>,
        kind: Option<KeyKind>,
        text: &str,
    ) -> Option<Test> {
        let (value, target) = match kind {
            Some(KeyKind::Text) => (Value::text(text), Some(Target::Text)),
            Some(KeyKind::Time) => match time_value(text) {
                Some((value, TimeText::Year(year))) => (value, Time::year_only(year).map(Target::Time)),
                Some((value, TimeText::Date { year, month, day })) => {
                    (value, Time::date_only(year, month, day).map(Target::Time))
                }
                None => (Value::untyped(text), None),
            },
            _ => (keyed_value(kind, text), None),
        };
        match target {
            Some(target) => {
                Some(Test { keys, comparison: Comparison::Equal, value, target, literals: OnceLock::new() })
            }
            None => self.test(keys, Comparison::Equal, value),
        }
    }
}

impl ProgramBuilder for Planning<'_, '_> {
    type Set = PlanSet;
    type Asked = PlannedAsk;

    fn all(&mut self) -> PlanSet {
        PlanSet::new(SetKind::All)
    }

    fn named(&mut self, name: &str) -> PlanSet {
        PlanSet::new(SetKind::Nodes(self.planner.words.named(name, &self.planner.unknown)))
    }

    fn class(&mut self, word: &str) -> PlanSet {
        PlanSet::new(SetKind::Classes(self.planner.words.classes(word, &self.planner.unknown)))
    }

    fn having(&mut self, attribute: &str, comparison: Comparison, value: Value) -> PlanSet {
        let values = self.values(comparison, value);
        self.planner.relate(values, attribute, Direction::Backward, Vec::new(), false)
    }

    fn related(&mut self, from: PlanSet, relation: &str, direction: Direction) -> PlanSet {
        self.planner.relate(from, relation, direction, Vec::new(), false)
    }

    fn qualified(
        &mut self,
        mut of: PlanSet,
        qualifier: &str,
        comparison: Comparison,
        value: Value,
    ) -> PlanSet {
        let keys = self.planner.words.qualifiers(qualifier, &self.planner.unknown);
        let test = self.test(keys, comparison, value);
        let last = match &mut of.kind {
            SetKind::And(parts) => parts.last_mut(),
            _ => Some(&mut of),
        };
        if let Some(PlanSet { kind: SetKind::Relate(relate), .. }) = last {
            relate.conditions.extend(test);
        }
        of
    }

    /// An intersection in the normal form of the algebra: flat, without unrestricted parts, each class once (also if it has two names).
    fn both(&mut self, a: PlanSet, b: PlanSet) -> PlanSet {
        let mut parts = match (a.kind, &b.kind) {
            (SetKind::All, _) => return b,
            (kind, SetKind::All) => return PlanSet::new(kind),
            (SetKind::And(parts), _) => parts,
            (kind, _) => {
                let mut parts = Vec::with_capacity(2);
                parts.push(PlanSet::new(kind));
                parts
            }
        };
        let mut add = |part: PlanSet| {
            let is_there = match &part.kind {
                SetKind::Classes(classes) => {
                    let same =
                        |other: &PlanSet| matches!(&other.kind, SetKind::Classes(known) if known == classes);
                    parts.len() < 64 && parts.iter().any(same)
                }
                _ => false,
            };
            if !is_there {
                parts.push(part);
            }
        };
        match b.kind {
            SetKind::And(others) => others.into_iter().for_each(add),
            kind => add(PlanSet::new(kind)),
        }
        if parts.len() == 1 { parts.remove(0) } else { PlanSet::new(SetKind::And(parts)) }
    }

    fn either(&mut self, a: PlanSet, b: PlanSet) -> PlanSet {
        let mut parts = Vec::with_capacity(2);
        for set in [a, b] {
            match set.kind {
                SetKind::Or(others) => parts.extend(others),
                kind => parts.push(PlanSet::new(kind)),
            }
        }
        PlanSet::new(SetKind::Or(parts))
    }

    fn ask(&mut self, question: ProgramAsk<'_, PlanSet>) -> PlannedAsk {
        match question {
            ProgramAsk::Members(set) => PlannedAsk::Members(set),
            ProgramAsk::Count(set) => PlannedAsk::Count(set),
            ProgramAsk::Attribute(AttributeValues { of, attribute, condition }) => {
                let conditions = self.conditions(condition);
                self.planner.attribute_values(of, attribute, conditions)
            }
            ProgramAsk::Verify(AttributeValues { of, attribute, condition }, comparison, value) => {
                let conditions = self.conditions(condition);
                let values = self.values(comparison, *value);
                self.planner.verify(of, attribute, conditions, values)
            }
            ProgramAsk::Relation(from, to) => PlannedAsk::Relations { from, to },
            ProgramAsk::AttributeQualifier { of, attribute, value, qualifier } => {
                let kind = self.planner.words.key_kind(attribute);
                let to = self.values(Comparison::Equal, keyed_value(kind, value));
                self.planner.qualifiers(of, attribute, to, qualifier, true)
            }
            ProgramAsk::RelationQualifier { from, relation, to, qualifier } => {
                self.planner.qualifiers(from, relation, to, qualifier, false)
            }
            ProgramAsk::SelectBetween(left, right, attribute, extreme) => {
                let of = PlanSet::new(SetKind::Or(vec![left, right]));
                self.planner.select(of, attribute, extreme)
            }
            ProgramAsk::SelectAmong(among, attribute, extreme) => {
                self.planner.select(among, attribute, extreme)
            }
        }
    }
}
