//! From a query to its plan: names become ids, and each meaning gets one representation.

use super::{
    Extremes, Period, Plan, PlanError, PlanSet, PlannedAsk, QualifiersOf, RelateTo, SetKind, Side, Target,
    Test,
};
use crate::values::{LiteralRanges, order_of, satisfying};
use crate::words::{SmallList, Unknown, Words};
use smallvec::SmallVec;
use std::sync::OnceLock;
use touchstone_kb::{Comparison, Kb, Property, QualifierId};
use touchstone_logic as logic;
use touchstone_logic::kopl::readings;
use touchstone_logic::{Direction, Extreme, Query, Value};

impl Plan {
    /// Looks up all names of a query.
    pub fn of(query: &Query, words: &Words<'_>) -> Result<Plan, PlanError> {
        let mut planner = Planner::new(words);
        planner.number_marks(|visit| query.sets(visit), &query.rules.different)?;
        let ask = planner.ask(query)?;
        let side = |operand: &logic::Operand| match operand {
            logic::Operand::Answer => Side::Answer,
            logic::Operand::Marked(mark) => planner.number_of(*mark).map_or(Side::Answer, Side::Marked),
            logic::Operand::Entity(id) => Side::Node(words.kb().node(id).map(|node| node.0)),
        };
        let different: Vec<(Side, Side)> =
            query.rules.different.iter().map(|(a, b)| (side(a), side(b))).collect();
        let on_facts = matches!(ask, PlannedAsk::Relations { .. } | PlannedAsk::Qualifiers(_));
        if on_facts && different.iter().any(|pair| !matches!(pair, (Side::Node(_), Side::Node(_)))) {
            return Err(PlanError::SharedBetween);
        }
        Ok(Plan { different, english: query.rules.english, ..planner.plan(ask) })
    }

    /// A plan that counts the members of a set.
    pub fn count(set: &logic::Set, words: &Words<'_>) -> Result<Plan, PlanError> {
        let mut planner = Planner::new(words);
        planner.number_marks(|visit| visit(set), &[])?;
        let counted = planner.set(set)?;
        Ok(planner.plan(PlannedAsk::Count(counted)))
    }
}

pub(super) struct Planner<'w, 'kb> {
    pub(super) words: &'w Words<'kb>,
    pub(super) unknown: Unknown,
    /// Marks with references; their index here is their number.
    marks: SmallVec<[logic::Mark; 4]>,
}

impl<'w, 'kb> Planner<'w, 'kb> {
    pub(super) fn new(words: &'w Words<'kb>) -> Self {
        Planner { words, unknown: Unknown::default(), marks: SmallVec::new() }
    }

    /// The plan of the question, without side conditions.
    pub(super) fn plan(self, mut ask: PlannedAsk) -> Plan {
        let mut n_steps = 0;
        for set in ask.sets_mut().into_iter().flatten() {
            set.number(&mut n_steps);
        }
        let unknown = self.unknown.into_words();
        Plan { ask, different: Vec::new(), english: false, n_marks: self.marks.len(), n_steps, unknown }
    }

    /// Finds the marks that are both set and referred to.
    fn number_marks<'q>(
        &mut self,
        sets: impl FnOnce(&mut dyn FnMut(&'q logic::Set)),
        different: &[(logic::Operand, logic::Operand)],
    ) -> Result<(), PlanError> {
        let (mut set, mut used) = (Vec::new(), Vec::new());
        fn visit(s: &logic::Set, set: &mut Vec<logic::Mark>, used: &mut Vec<logic::Mark>) {
            match s {
                logic::Set::Marked(mark, _) => set.push(*mark),
                logic::Set::Same(mark) => used.push(*mark),
                logic::Set::Superlative(superlative) => used.extend(superlative.start),
                _ => {}
            }
            s.children(&mut |child| visit(child, set, used));
        }
        sets(&mut |s| visit(s, &mut set, &mut used));
        for (a, b) in different {
            for operand in [a, b] {
                if let logic::Operand::Marked(mark) = operand {
                    used.push(*mark);
                }
            }
        }
        for mark in used {
            if !set.contains(&mark) {
                return Err(PlanError::NoSuchMark(mark));
            }
            if !self.marks.contains(&mark) {
                self.marks.push(mark);
            }
        }
        Ok(())
    }

    fn number_of(&self, mark: logic::Mark) -> Option<usize> {
        self.marks.iter().position(|&known| known == mark)
    }

    fn kb(&self) -> &Kb {
        self.words.kb()
    }

    fn ask(&self, query: &Query) -> Result<PlannedAsk, PlanError> {
        use logic::Ask;
        Ok(match &query.answer {
            Ask::Members(set) => PlannedAsk::Members(self.set(set)?),
            Ask::Count(set) => PlannedAsk::Count(self.set(set)?),
            Ask::Exists(set) => PlannedAsk::Exists(self.set(set)?),
            Ask::Attribute { of, attribute, conditions } => {
                let from = self.set(of)?;
                self.attribute_values(from, attribute, self.tests(conditions)?)
            }
            Ask::Verify { of, attribute, conditions, comparison, value } => {
                let of = self.set(of)?;
                let values = self.values(*comparison, (**value).clone())?;
                self.verify(of, attribute, self.tests(conditions)?, values)
            }
            Ask::Relation { from, to } => {
                let (from, to) = self.two(from, to)?;
                PlannedAsk::Relations { from, to }
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                let from = self.set(of)?;
                let to = self.values(Comparison::Equal, (**value).clone())?;
                self.qualifiers(from, attribute, to, qualifier, true)
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                let (from, to) = self.two(from, to)?;
                self.qualifiers(from, relation, to, qualifier, false)
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                let branches = vec![self.set(left)?, self.set(right)?];
                self.select(PlanSet::new(SetKind::Or(branches)), attribute, *extreme)
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                let of = self.set(among)?;
                self.select(of, attribute, *extreme)
            }
        })
    }

    /// The values of an attribute.
    pub(super) fn attribute_values(&self, of: PlanSet, attribute: &str, conditions: Vec<Test>) -> PlannedAsk {
        PlannedAsk::Members(self.relate(of, attribute, Direction::Forward, conditions, true))
    }

    /// Whether an attribute has one of the given values.
    pub(super) fn verify(
        &self,
        of: PlanSet,
        attribute: &str,
        conditions: Vec<Test>,
        values: PlanSet,
    ) -> PlannedAsk {
        let verified = self.relate(values, attribute, Direction::Backward, conditions, true);
        PlannedAsk::Exists(PlanSet::new(SetKind::And(vec![of, verified])))
    }

    /// Qualifiers of facts whose property is an attribute, or a relation.
    pub(super) fn qualifiers(
        &self,
        from: PlanSet,
        word: &str,
        to: PlanSet,
        key: &str,
        attribute: bool,
    ) -> PlannedAsk {
        let mut properties = self.words.properties(word, &self.unknown);
        properties.retain(|property| matches!(property, Property::Attribute(_)) == attribute);
        let keys = self.words.qualifiers(key, &self.unknown);
        PlannedAsk::Qualifiers(Box::new(QualifiersOf { from, properties, to, keys }))
    }

    /// Two descriptions that share nothing.
    fn two(&self, from: &logic::Set, to: &logic::Set) -> Result<(PlanSet, PlanSet), PlanError> {
        let (from, to) = (self.set(from)?, self.set(to)?);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        marks_in(&from, &mut a);
        marks_in(&to, &mut b);
        if a.iter().any(|mark| b.contains(mark)) {
            return Err(PlanError::SharedBetween);
        }
        Ok((from, to))
    }

    /// The members with the greatest or smallest value.
    pub(super) fn select(&self, of: PlanSet, attribute: &str, extreme: Extreme) -> PlannedAsk {
        let properties = attributes_only(self.words.properties(attribute, &self.unknown));
        let path = vec![(properties, Direction::Forward)];
        let extremes = Extremes { of, path, extreme, start: None };
        PlannedAsk::Members(PlanSet::new(SetKind::Superlative(Box::new(extremes))))
    }

    fn set(&self, set: &logic::Set) -> Result<PlanSet, PlanError> {
        use logic::Set;
        let kind = match set {
            Set::All => SetKind::All,
            Set::Entity(id) => SetKind::Nodes(self.words.entity(id, &self.unknown)),
            Set::Named(name) => SetKind::Nodes(self.words.named(name, &self.unknown)),
            Set::Class(word) => SetKind::Classes(self.words.classes(word, &self.unknown)),
            Set::Values(comparison, value) => return self.values(*comparison, (**value).clone()),
            Set::Relate(relate) => {
                let from = self.set(&relate.from)?;
                let conditions = self.tests(&relate.conditions)?;
                return Ok(self.relate(from, &relate.property, relate.direction, conditions, false));
            }
            Set::And(parts) => SetKind::And(self.all(parts)?),
            Set::Or(parts) => SetKind::Or(self.all(parts)?),
            Set::Superlative(superlative) => {
                let of = self.set(&superlative.of)?;
                let path = superlative
                    .path
                    .iter()
                    .map(|step| (self.words.properties(&step.property, &self.unknown), step.direction));
                let path = path.collect();
                let start = superlative.start.and_then(|mark| self.number_of(mark));
                SetKind::Superlative(Box::new(Extremes { of, path, extreme: superlative.extreme, start }))
            }
            Set::During(during) => {
                let start = self.words.properties(&during.start, &self.unknown);
                let end = self.words.properties(&during.end, &self.unknown);
                let latest =
                    self.test(SmallList::new(), Comparison::LessOrEqual, during.latest_start.clone())?;
                let earliest =
                    self.test(SmallList::new(), Comparison::GreaterOrEqual, during.earliest_end.clone())?;
                SetKind::During(Box::new(Period { start: (start, latest), end: (end, earliest) }))
            }
            Set::Marked(mark, inner) => {
                let inner = self.set(inner)?;
                match self.number_of(*mark) {
                    Some(number) => SetKind::Marked(number, Box::new(inner)),
                    None => return Ok(inner),
                }
            }
            Set::Same(mark) => match self.number_of(*mark) {
                Some(number) => SetKind::Same(number),
                None => return Err(PlanError::NoSuchMark(*mark)),
            },
        };
        Ok(PlanSet::new(kind))
    }

    fn all(&self, parts: &[logic::Set]) -> Result<Vec<PlanSet>, PlanError> {
        parts.iter().map(|part| self.set(part)).collect()
    }

    pub(super) fn values(&self, comparison: Comparison, value: Value) -> Result<PlanSet, PlanError> {
        let test = self.test(SmallList::new(), comparison, value)?;
        Ok(PlanSet::new(SetKind::Values(Box::new(test))))
    }

    pub(super) fn relate(
        &self,
        from: PlanSet,
        word: &str,
        direction: Direction,
        conditions: Vec<Test>,
        attributes: bool,
    ) -> PlanSet {
        let mut properties = self.words.properties(word, &self.unknown);
        if attributes {
            properties = attributes_only(properties);
        }
        PlanSet::new(SetKind::Relate(Box::new(RelateTo { from, properties, direction, conditions })))
    }

    fn tests(&self, conditions: &[logic::Condition]) -> Result<Vec<Test>, PlanError> {
        let mut tests = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let keys = self.words.qualifiers(&condition.qualifier, &self.unknown);
            tests.push(self.test(keys, condition.comparison, condition.value.clone())?);
        }
        Ok(tests)
    }

    /// A test, if it is valid.
    #[inline]
    pub(super) fn test(
        &self,
        keys: SmallList<QualifierId>,
        comparison: Comparison,
        value: Value,
    ) -> Result<Test, PlanError> {
        let (target, literals) = self.target(comparison, &value)?;
        Ok(Test { keys, comparison, value, target, literals })
    }

    /// The parsed value of a comparison, and the literals that pass if the values alone do not decide it. A value of unknown kind is
    /// interpreted in every possible way.
    fn target(
        &self,
        comparison: Comparison,
        value: &Value,
    ) -> Result<(Target, OnceLock<LiteralRanges>), PlanError> {
        if value.is_untyped() {
            let mut literals = LiteralRanges::default();
            for reading in readings(&value.text) {
                // A text has no order, but its interpretation as a number or a year has one.
                if let Ok(found) = satisfying(self.kb(), comparison, &reading.literal()) {
                    literals = literals.union(&found);
                }
            }
            return Ok((Target::Other, literals.into()));
        }
        let literal = value.literal();
        let target = Target::of(value, &literal);
        if let Target::Time(_) = target {
            return Ok((target, OnceLock::new()));
        }
        if let Some(time) = other_reading(value) {
            // There is an order, so it is a time.
            let literals = satisfying(self.kb(), comparison, &time.literal()).unwrap_or_default();
            return Ok((Target::Other, literals.into()));
        }
        match order_of(comparison, literal.kind().family()) {
            Ok(()) => Ok((target, OnceLock::new())),
            Err(source) => Err(PlanError::NoOrder { value: value.to_string(), source }),
        }
    }
}

/// Queries of published data sets write `"1994"^^xsd:dateTime`, which is interpreted as a year.
fn other_reading(value: &Value) -> Option<Value> {
    if !matches!(value.xsd_name(), Some("date" | "dateTime" | "gYearMonth" | "gYear")) {
        return None;
    }
    let kinds = ["dateTime", "date", "gYearMonth", "gYear"];
    let readings = kinds.map(|kind| Value::xsd(value.text.clone(), kind));
    readings.into_iter().find(|reading| reading.literal().as_time().is_some())
}

fn attributes_only(mut properties: SmallList<Property>) -> SmallList<Property> {
    properties.retain(|property| matches!(property, Property::Attribute(_)));
    properties
}

fn marks_in(set: &PlanSet, marks: &mut Vec<usize>) {
    match &set.kind {
        SetKind::Marked(mark, _) | SetKind::Same(mark) => marks.push(*mark),
        _ => {}
    }
    for child in set.children() {
        marks_in(child, marks);
    }
}
