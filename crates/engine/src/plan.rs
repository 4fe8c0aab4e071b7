//! A query whose words have become ids: what engines run, and what is printed for SPARQL servers.
//!
//! Planning simplifies, so that there is one way to run each thing: the values of an attribute are what the attribute leads to, a
//! verification asks whether something exists, a selection is a superlative. Marks that nothing refers to are dropped; the others are
//! numbered from 0. Every set has a number, which is its step in a trace.

use crate::values::{LiteralRanges, order_of, satisfying};
use crate::words::{Few, Unknown, UnknownWord, Words};
use smallvec::SmallVec;
use std::sync::OnceLock;
use touchstone_kb::compare::{NoOrder, satisfies, time_satisfies};
use touchstone_kb::{ClassId, Comparison, Kb, LiteralId, Property, QualifierId, Time};
use touchstone_logic as logic;
use touchstone_logic::kopl::readings;
use touchstone_logic::{Direction, Extreme, Query, Value};

/// A query, ready to run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is asked.
    pub ask: Ask,
    /// Pairs that must not be the same thing.
    pub different: Vec<(Side, Side)>,
    /// Answers that are texts must be English or without a language.
    pub english: bool,
    /// How many marks there are.
    pub n_marks: usize,
    /// How many steps there are.
    pub n_steps: usize,
    /// Words that the KB does not know.
    pub unknown: Vec<UnknownWord>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub enum Ask {
    /// The members of a set.
    Members(PlanSet),
    /// How many members a set has.
    Count(PlanSet),
    /// Whether a set has members.
    Exists(PlanSet),
    /// Which relations lead from one set to another.
    Relations {
        /// The subjects.
        from: PlanSet,
        /// The objects.
        to: PlanSet,
    },
    /// Qualifiers of facts.
    Qualifiers {
        /// The subjects of the facts.
        from: PlanSet,
        /// Their properties.
        properties: Few<Property>,
        /// Their values.
        to: PlanSet,
        /// The keys asked for.
        keys: Few<QualifierId>,
    },
}

/// A side of an inequality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// The answer.
    Answer,
    /// A marked thing.
    Marked(usize),
    /// An entity; `None` if the KB does not know it.
    Node(Option<u32>),
}

/// A description of things.
#[derive(Debug, Clone)]
pub struct PlanSet {
    /// Its number.
    pub step: usize,
    /// The description.
    pub kind: SetKind,
    /// Whether it refers to marked things or marks some.
    pub has_marks: bool,
    /// How many steps along facts it takes to ask it about one thing; superlatives must be worked out.
    pub(crate) reach: u8,
}

/// See [`PlanSet`].
#[derive(Debug, Clone)]
pub enum SetKind {
    /// Everything. As an answer: all entities.
    All,
    /// These nodes, sorted.
    Nodes(Few<u32>),
    /// The members of these classes and their subclasses.
    Classes(Vec<ClassId>),
    /// Literals that pass a test.
    Values(Box<Test>),
    /// What the members of a set lead to.
    Relate(Box<RelateTo>),
    /// What is in all sets.
    And(Vec<PlanSet>),
    /// What is in some set.
    Or(Vec<PlanSet>),
    /// The members with the greatest or smallest value.
    Superlative(Box<Extremes>),
    /// What was so during a period.
    During(Box<Period>),
    /// A set whose member is remembered.
    Marked(usize, Box<PlanSet>),
    /// The remembered thing.
    Same(usize),
}

/// One step along facts.
#[derive(Debug, Clone)]
pub struct RelateTo {
    /// Where it starts.
    pub from: PlanSet,
    /// The properties; several if a name is ambiguous.
    pub properties: Few<Property>,
    /// Which way.
    pub direction: Direction,
    /// Conditions on the qualifiers of the fact.
    pub conditions: Vec<Test>,
}

/// A comparison with a value, of a literal or of a fact's qualifiers.
#[derive(Debug, Clone)]
pub struct Test {
    /// The keys, for a test of qualifiers.
    pub keys: Few<QualifierId>,
    /// How to compare.
    pub comparison: Comparison,
    /// With what.
    pub value: Value,
    /// The value, if it is a time: a year among qualifiers is what most tests look for.
    time: Option<Time>,
    /// The literals that pass, once somebody has asked for them.
    literals: OnceLock<LiteralRanges>,
}

impl Test {
    /// The literals that pass.
    pub fn literals(&self, kb: &Kb) -> &LiteralRanges {
        // That there is an order was checked when the test was made.
        self.literals
            .get_or_init(|| satisfying(kb, self.comparison, &self.value.literal()).unwrap_or_default())
    }

    /// Whether the literals that pass are known already.
    pub(crate) fn is_worked_out(&self) -> bool {
        self.literals.get().is_some()
    }

    /// Whether a literal passes, by a look at it. For many literals, [`Test::literals`] is quicker.
    pub(crate) fn accepts(&self, kb: &Kb, literal: LiteralId) -> bool {
        match self.time {
            Some(target) => {
                kb.literal_time(literal).is_some_and(|value| time_satisfies(value, self.comparison, target))
            }
            None => satisfies(&kb.literal(literal), self.comparison, &self.value.literal()).unwrap_or(false),
        }
    }
}

/// See [`SetKind::Superlative`].
#[derive(Debug, Clone)]
pub struct Extremes {
    /// The candidates.
    pub of: PlanSet,
    /// The path from the start to the value.
    pub path: Vec<(Few<Property>, Direction)>,
    /// Greatest or smallest.
    pub extreme: Extreme,
    /// Where the path starts, if not at the candidate.
    pub start: Option<usize>,
}

/// See [`SetKind::During`].
#[derive(Debug, Clone)]
pub struct Period {
    /// Properties for the start, and what they may be.
    pub start: (Few<Property>, Test),
    /// Properties for the end, and what they may be.
    pub end: (Few<Property>, Test),
}

/// A query that makes no sense for any KB.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Greater and less for texts.
    #[error("`{value}`: {source}")]
    NoOrder {
        /// The value compared with.
        value: String,
        /// Why.
        source: NoOrder,
    },
    /// Marked things that two separate descriptions share.
    #[error("a thing that two descriptions share cannot be asked about here")]
    SharedBetween,
    /// A mark that is referred to, but set nowhere.
    #[error("the query refers to a marked thing (number {0}) that it describes nowhere")]
    NoSuchMark(logic::Mark),
}

impl Plan {
    /// Looks up all words of a query.
    pub fn of(query: &Query, words: &Words<'_>) -> Result<Plan, PlanError> {
        let mut planner = Planner { words, unknown: Unknown::default(), marks: SmallVec::new(), n_steps: 0 };
        planner.number_marks(|visit| query.sets(visit), &query.rules.different)?;
        let ask = planner.ask(query)?;
        let side = |operand: &logic::Operand| match operand {
            logic::Operand::Answer => Side::Answer,
            logic::Operand::Marked(mark) => planner.number_of(*mark).map_or(Side::Answer, Side::Marked),
            logic::Operand::Entity(id) => Side::Node(words.kb().node(id).map(|node| node.0)),
        };
        let different: Vec<(Side, Side)> =
            query.rules.different.iter().map(|(a, b)| (side(a), side(b))).collect();
        let on_facts = matches!(ask, Ask::Relations { .. } | Ask::Qualifiers { .. });
        if on_facts && different.iter().any(|pair| !matches!(pair, (Side::Node(_), Side::Node(_)))) {
            return Err(PlanError::SharedBetween);
        }
        Ok(Plan {
            ask,
            different,
            english: query.rules.english,
            n_marks: planner.marks.len(),
            n_steps: planner.n_steps,
            unknown: planner.unknown.into_words(),
        })
    }

    /// A plan that counts the members of a set.
    pub fn count(set: &logic::Set, words: &Words<'_>) -> Result<Plan, PlanError> {
        let mut planner = Planner { words, unknown: Unknown::default(), marks: SmallVec::new(), n_steps: 0 };
        planner.number_marks(|visit| visit(set), &[])?;
        let ask = Ask::Count(planner.set(set)?);
        let (n_marks, n_steps) = (planner.marks.len(), planner.n_steps);
        let unknown = planner.unknown.into_words();
        Ok(Plan { ask, different: Vec::new(), english: false, n_marks, n_steps, unknown })
    }

    /// The outermost sets.
    pub fn sets(&self) -> Vec<&PlanSet> {
        match &self.ask {
            Ask::Members(set) | Ask::Count(set) | Ask::Exists(set) => vec![set],
            Ask::Relations { from, to } | Ask::Qualifiers { from, to, .. } => vec![from, to],
        }
    }
}

impl PlanSet {
    /// The sets that this one is made of.
    pub fn children(&self) -> &[PlanSet] {
        match &self.kind {
            SetKind::And(parts) | SetKind::Or(parts) => parts,
            SetKind::Relate(relate) => std::slice::from_ref(&relate.from),
            SetKind::Superlative(extremes) => std::slice::from_ref(&extremes.of),
            SetKind::Marked(_, inner) => std::slice::from_ref(inner),
            _ => &[],
        }
    }
}

struct Planner<'w, 'kb> {
    words: &'w Words<'kb>,
    unknown: Unknown,
    /// Marks that something refers to; their place here is their number.
    marks: SmallVec<[logic::Mark; 4]>,
    n_steps: usize,
}

impl Planner<'_, '_> {
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

    fn ask(&mut self, query: &Query) -> Result<Ask, PlanError> {
        use logic::Answer;
        Ok(match &query.answer {
            Answer::Members(set) => Ask::Members(self.set(set)?),
            Answer::Count(set) => Ask::Count(self.set(set)?),
            Answer::Exists(set) => Ask::Exists(self.set(set)?),
            Answer::Attribute { of, attribute, conditions } => {
                let from = self.set(of)?;
                Ask::Members(self.relate(from, attribute, Direction::Forward, conditions, true)?)
            }
            Answer::Verify { of, attribute, conditions, comparison, value } => {
                let of = self.set(of)?;
                let values = self.values(*comparison, value)?;
                let verified = self.relate(values, attribute, Direction::Backward, conditions, true)?;
                Ask::Exists(self.numbered(SetKind::And(vec![of, verified])))
            }
            Answer::Relation { from, to } => {
                let (from, to) = self.two(from, to)?;
                Ask::Relations { from, to }
            }
            Answer::AttributeQualifier { of, attribute, value, qualifier } => {
                let from = self.set(of)?;
                let properties = attributes_only(self.words.properties(attribute, &self.unknown));
                let to = self.values(Comparison::Equal, value)?;
                let keys = self.words.qualifiers(qualifier, &self.unknown);
                Ask::Qualifiers { from, properties, to, keys }
            }
            Answer::RelationQualifier { from, relation, to, qualifier } => {
                let (from, to) = self.two(from, to)?;
                let mut properties = self.words.properties(relation, &self.unknown);
                properties.retain(|property| matches!(property, Property::Relation(_)));
                let keys = self.words.qualifiers(qualifier, &self.unknown);
                Ask::Qualifiers { from, properties, to, keys }
            }
            Answer::SelectBetween { left, right, attribute, extreme } => {
                let branches = vec![self.set(left)?, self.set(right)?];
                let of = self.numbered(SetKind::Or(branches));
                Ask::Members(self.select(of, attribute, *extreme))
            }
            Answer::SelectAmong { among, attribute, extreme } => {
                let of = self.set(among)?;
                Ask::Members(self.select(of, attribute, *extreme))
            }
        })
    }

    /// Two descriptions that share nothing.
    fn two(&mut self, from: &logic::Set, to: &logic::Set) -> Result<(PlanSet, PlanSet), PlanError> {
        let (from, to) = (self.set(from)?, self.set(to)?);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        marks_in(&from, &mut a);
        marks_in(&to, &mut b);
        if a.iter().any(|mark| b.contains(mark)) {
            return Err(PlanError::SharedBetween);
        }
        Ok((from, to))
    }

    fn select(&mut self, of: PlanSet, attribute: &str, extreme: Extreme) -> PlanSet {
        let properties = attributes_only(self.words.properties(attribute, &self.unknown));
        let path = vec![(properties, Direction::Forward)];
        self.numbered(SetKind::Superlative(Box::new(Extremes { of, path, extreme, start: None })))
    }

    /// Gives a set its number: after those of the sets that it is made of.
    fn numbered(&mut self, kind: SetKind) -> PlanSet {
        self.n_steps += 1;
        let mut set = PlanSet { step: self.n_steps, kind, has_marks: false, reach: 0 };
        set.has_marks = matches!(set.kind, SetKind::Marked(..) | SetKind::Same(_))
            || set.children().iter().any(|child| child.has_marks);
        let below = set.children().iter().map(|child| child.reach).max().unwrap_or(0);
        set.reach = match &set.kind {
            SetKind::Relate(_) => below.saturating_add(1),
            SetKind::Superlative(_) => u8::MAX,
            _ => below,
        };
        set
    }

    fn set(&mut self, set: &logic::Set) -> Result<PlanSet, PlanError> {
        use logic::Set;
        let kind = match set {
            Set::All => SetKind::All,
            Set::Entity(id) => SetKind::Nodes(self.words.entity(id, &self.unknown)),
            Set::Named(name) => SetKind::Nodes(self.words.named(name, &self.unknown)),
            Set::Class(word) => SetKind::Classes(self.words.classes(word, &self.unknown)),
            Set::Values(comparison, value) => return self.values(*comparison, value),
            Set::Relate(relate) => {
                let from = self.set(&relate.from)?;
                return self.relate(from, &relate.property, relate.direction, &relate.conditions, false);
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
                let latest = self.test(Few::new(), Comparison::LessOrEqual, &during.latest_start)?;
                let earliest = self.test(Few::new(), Comparison::GreaterOrEqual, &during.earliest_end)?;
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
        Ok(self.numbered(kind))
    }

    fn all(&mut self, parts: &[logic::Set]) -> Result<Vec<PlanSet>, PlanError> {
        parts.iter().map(|part| self.set(part)).collect()
    }

    fn values(&mut self, comparison: Comparison, value: &Value) -> Result<PlanSet, PlanError> {
        let test = self.test(Few::new(), comparison, value)?;
        Ok(self.numbered(SetKind::Values(Box::new(test))))
    }

    fn relate(
        &mut self,
        from: PlanSet,
        word: &str,
        direction: Direction,
        conditions: &[logic::Condition],
        attributes: bool,
    ) -> Result<PlanSet, PlanError> {
        let mut properties = self.words.properties(word, &self.unknown);
        if attributes {
            properties = attributes_only(properties);
        }
        let mut tests = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let keys = self.words.qualifiers(&condition.qualifier, &self.unknown);
            tests.push(self.test(keys, condition.comparison, &condition.value)?);
        }
        let relate = RelateTo { from, properties, direction, conditions: tests };
        Ok(self.numbered(SetKind::Relate(Box::new(relate))))
    }

    /// The literals that pass a test. A value whose kind is open may be read in every way that it can be.
    fn test(&self, keys: Few<QualifierId>, comparison: Comparison, value: &Value) -> Result<Test, PlanError> {
        let test = |time: Option<Time>, literals: OnceLock<LiteralRanges>| Test {
            keys,
            comparison,
            value: value.clone(),
            time,
            literals,
        };
        if !value.is_untyped() {
            let literal = value.literal();
            if let Some(time) = literal.as_time() {
                return Ok(test(Some(time), OnceLock::new()));
            }
            return match other_reading(value) {
                None => match order_of(comparison, literal.kind().family()) {
                    Ok(()) => Ok(test(None, OnceLock::new())),
                    Err(source) => Err(PlanError::NoOrder { value: value.to_string(), source }),
                },
                // There is an order: it is a time.
                Some(time) => {
                    let literals = satisfying(self.kb(), comparison, &time.literal()).unwrap_or_default();
                    Ok(test(None, literals.into()))
                }
            };
        }
        let mut literals = LiteralRanges::default();
        for reading in readings(&value.text) {
            // A text has no order, but the same as a number or a year has one.
            if let Ok(found) = satisfying(self.kb(), comparison, &reading.literal()) {
                literals = literals.union(&found);
            }
        }
        Ok(test(None, literals.into()))
    }
}

/// Queries of published datasets write `"1994"^^xsd:dateTime`: a year, whatever it says.
fn other_reading(value: &Value) -> Option<Value> {
    if !matches!(value.xsd_name(), Some("date" | "dateTime" | "gYearMonth" | "gYear")) {
        return None;
    }
    let kinds = ["dateTime", "date", "gYearMonth", "gYear"];
    let readings = kinds.map(|kind| Value::xsd(value.text.clone(), kind));
    readings.into_iter().find(|reading| reading.literal().as_time().is_some())
}

fn attributes_only(mut properties: Few<Property>) -> Few<Property> {
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
