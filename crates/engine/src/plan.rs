//! A query with its names replaced by ids: what engines run, and what is printed for SPARQL servers.
//!
//! Planning normalises queries, so that each meaning has one representation: the values of an attribute are what the attribute leads to, a
//! verification asks whether something exists, a selection is a superlative. Marks without references are dropped; the others are
//! numbered from 0. Every set has a number, which is its step in a trace.

use crate::values::{LiteralRanges, satisfying};
use crate::words::{SmallList, UnknownWord};
use std::sync::OnceLock;
use touchstone_kb::compare::{NoOrder, satisfies, time_satisfies};
use touchstone_kb::{
    ClassId, Comparison, Kb, Literal, LiteralFamily, LiteralId, Property, QualifierId, Time,
};
use touchstone_logic::kopl::ProgramError;
use touchstone_logic::{Direction, Extreme, Mark, Value};

mod planner;
mod program;

/// A query, ready to run.
///
/// ```
/// use touchstone_engine::budget::{Budget, Limits};
/// use touchstone_engine::plan::Plan;
/// use touchstone_engine::{Found, Words, embedded};
/// use touchstone_logic::{Knowledge, Language, read_text};
///
/// # use touchstone_kb::{Kb, NoProgress, import::{ImportRequest, Profile, Source, import}};
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("films.ttl");
/// # std::fs::write(&file, r#"@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
/// #     :director rdfs:label "director"@en . :m :director :lang . :metropolis :director :lang . :lang rdfs:label "Fritz Lang"@en ."#)?;
/// # let store = folder.path().join("kb");
/// # import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &store, &NoProgress)?;
/// # let kb = Kb::open(&store)?;
/// let program = "Find(Fritz Lang) > Relate(director, backward) > Count()";
/// let query = read_text(Language::Kopl, program, &Knowledge::of_spelling())?.query;
/// let plan = Plan::of(&query, &Words::new(&kb))?;
/// assert!(plan.unknown.is_empty());
/// let found = embedded::run(&kb, &plan, &Budget::new(Limits::default()))?;
/// assert!(matches!(found, Found::Count(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is asked.
    pub ask: PlannedAsk,
    /// Pairs that must not be the same thing.
    pub different: Vec<(Side, Side)>,
    /// Answers that are texts must be English or without a language.
    pub english: bool,
    /// Number of marks.
    pub n_marks: usize,
    /// Number of steps.
    pub n_steps: usize,
    /// Names that the KB does not know.
    pub unknown: Vec<UnknownWord>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub enum PlannedAsk {
    /// The members of a set.
    Members(PlanSet),
    /// The number of members of a set.
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
    Qualifiers(Box<QualifiersOf>),
}

/// See [`PlannedAsk::Qualifiers`].
#[derive(Debug, Clone)]
pub struct QualifiersOf {
    /// The subjects of the facts.
    pub from: PlanSet,
    /// Their properties.
    pub properties: SmallList<Property>,
    /// Their values.
    pub to: PlanSet,
    /// The requested keys.
    pub keys: SmallList<QualifierId>,
}

/// A side of an inequality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// The answer.
    Answer,
    /// A marked thing.
    Marked(usize),
    /// An entity; `None` if the KB does not have it.
    Node(Option<u32>),
}

/// A description of things.
#[derive(Debug, Clone)]
pub struct PlanSet {
    /// Its step number.
    pub step: usize,
    /// The description.
    pub kind: SetKind,
    /// Whether it contains marks or references to them.
    pub has_marks: bool,
    /// Number of steps along facts to probe it for one thing; superlatives must be computed.
    pub(crate) reach: u8,
}

/// See [`PlanSet`].
#[derive(Debug, Clone)]
pub enum SetKind {
    /// Everything. As an answer: all entities.
    All,
    /// These nodes, sorted.
    Nodes(SmallList<u32>),
    /// The members of these classes and their subclasses.
    Classes(Vec<ClassId>),
    /// Literals that pass a test.
    Values(Box<Test>),
    /// What the members of a set lead to.
    Relate(Box<RelateTo>),
    /// Intersection.
    And(Vec<PlanSet>),
    /// Union.
    Or(Vec<PlanSet>),
    /// The members with the greatest or smallest value.
    Superlative(Box<Extremes>),
    /// What held during a period.
    During(Box<Period>),
    /// A set whose member is marked.
    Marked(usize, Box<PlanSet>),
    /// The marked thing.
    Same(usize),
}

/// One step along facts.
#[derive(Debug, Clone)]
pub struct RelateTo {
    /// Where it starts.
    pub from: PlanSet,
    /// The properties; several if a name is ambiguous.
    pub properties: SmallList<Property>,
    /// The direction.
    pub direction: Direction,
    /// Conditions on the qualifiers of the fact.
    pub conditions: Vec<Test>,
}

/// A comparison with a value, of a literal or of a fact's qualifiers.
#[derive(Debug, Clone)]
pub struct Test {
    /// The keys, for a test of qualifiers.
    pub keys: SmallList<QualifierId>,
    /// The comparison operator.
    pub comparison: Comparison,
    /// The value compared with.
    pub value: Value,
    /// The parsed value.
    target: Target,
    /// The literals that pass, computed on first use.
    literals: OnceLock<LiteralRanges>,
}

/// The parsed value of a test.
#[derive(Debug, Clone, Copy)]
enum Target {
    Time(Time),
    /// A number, in the unit of the value.
    Number(f64),
    /// A text in any language.
    Text,
    /// Another value, or several interpretations.
    Other,
}

impl Target {
    fn of(value: &Value, literal: &Literal<'_>) -> Target {
        let target = match literal.kind().family() {
            LiteralFamily::Time => literal.as_time().map(Target::Time),
            // A datatype may also be a unit.
            LiteralFamily::Quantity if literal.unit() != value.unit => None,
            LiteralFamily::Quantity => literal.number().map(Target::Number),
            LiteralFamily::Text => Some(Target::Text),
            LiteralFamily::Boolean => None,
        };
        target.unwrap_or(Target::Other)
    }
}

impl Test {
    /// The literals that pass.
    pub fn literals(&self, kb: &Kb) -> &LiteralRanges {
        // The order was checked when the test was created.
        self.literals
            .get_or_init(|| satisfying(kb, self.comparison, &self.value.literal()).unwrap_or_default())
    }

    /// Whether the literals that pass are already computed.
    pub(crate) fn is_worked_out(&self) -> bool {
        self.literals.get().is_some()
    }

    /// Whether a literal passes. For many literals, [`Test::literals`] is faster.
    pub(crate) fn accepts(&self, kb: &Kb, literal: LiteralId) -> bool {
        let is_equal = match (self.target, self.comparison) {
            (Target::Time(target), comparison) => {
                let time = kb.literal_time(literal);
                return time.is_some_and(|time| time_satisfies(time, comparison, target));
            }
            (Target::Number(target), Comparison::Equal | Comparison::NotEqual) => {
                if kb.literal_unit(literal) != Some(&self.value.unit) {
                    return false;
                }
                kb.literal_number(literal).map(f64::to_bits) == Some(target.to_bits())
            }
            (Target::Text, Comparison::Equal | Comparison::NotEqual) => {
                if kb.literal_family(literal) != LiteralFamily::Text {
                    return false;
                }
                kb.literal_bytes(literal) == self.value.text.as_bytes()
            }
            _ => {
                return satisfies(&kb.literal(literal), self.comparison, &self.value.literal())
                    .unwrap_or(false);
            }
        };
        is_equal == (self.comparison == Comparison::Equal)
    }
}

/// See [`SetKind::Superlative`].
#[derive(Debug, Clone)]
pub struct Extremes {
    /// The candidates.
    pub of: PlanSet,
    /// The path from the start to the value.
    pub path: Vec<(SmallList<Property>, Direction)>,
    /// Greatest or smallest.
    pub extreme: Extreme,
    /// Where the path starts, if not at the candidate.
    pub start: Option<usize>,
}

/// See [`SetKind::During`].
#[derive(Debug, Clone)]
pub struct Period {
    /// Properties of the start, and their allowed values.
    pub start: (SmallList<Property>, Test),
    /// Properties of the end, and their allowed values.
    pub end: (SmallList<Property>, Test),
}

/// A query that is invalid for every KB.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// An order comparison of texts.
    #[error("`{value}`: {source}")]
    NoOrder {
        /// The value compared with.
        value: String,
        /// The reason.
        source: NoOrder,
    },
    /// Marked things that are shared by two separate descriptions.
    #[error("cannot ask about an entity shared by two descriptions")]
    SharedBetween,
    /// A reference to a mark that is not set.
    #[error("the query refers to a marked thing (number {0}) that it never defines")]
    NoSuchMark(Mark),
    /// An invalid program.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl Plan {
    /// The outermost sets.
    pub fn sets(&self) -> Vec<&PlanSet> {
        match &self.ask {
            PlannedAsk::Members(set) | PlannedAsk::Count(set) | PlannedAsk::Exists(set) => vec![set],
            PlannedAsk::Relations { from, to } => vec![from, to],
            PlannedAsk::Qualifiers(of) => vec![&of.from, &of.to],
        }
    }
}

impl PlannedAsk {
    fn sets_mut(&mut self) -> [Option<&mut PlanSet>; 2] {
        match self {
            PlannedAsk::Members(set) | PlannedAsk::Count(set) | PlannedAsk::Exists(set) => [Some(set), None],
            PlannedAsk::Relations { from, to } => [Some(from), Some(to)],
            PlannedAsk::Qualifiers(of) => [Some(&mut of.from), Some(&mut of.to)],
        }
    }
}

impl PlanSet {
    /// A set without its number, which is assigned when the plan is complete.
    #[inline]
    fn new(kind: SetKind) -> PlanSet {
        PlanSet { step: 0, kind, has_marks: false, reach: 0 }
    }

    /// Numbers a set after its parts.
    fn number(&mut self, n_steps: &mut usize) {
        let (mut has_marks, mut reach) = (matches!(self.kind, SetKind::Marked(..) | SetKind::Same(_)), 0);
        let is_step = matches!(self.kind, SetKind::Relate(_));
        let is_superlative = matches!(self.kind, SetKind::Superlative(_));
        for child in self.children_mut() {
            child.number(n_steps);
            has_marks |= child.has_marks;
            reach = reach.max(child.reach);
        }
        *n_steps += 1;
        self.step = *n_steps;
        self.has_marks = has_marks;
        self.reach = if is_superlative { u8::MAX } else { reach.saturating_add(u8::from(is_step)) };
    }

    fn children_mut(&mut self) -> &mut [PlanSet] {
        match &mut self.kind {
            SetKind::And(parts) | SetKind::Or(parts) => parts,
            SetKind::Relate(relate) => std::slice::from_mut(&mut relate.from),
            SetKind::Superlative(extremes) => std::slice::from_mut(&mut extremes.of),
            SetKind::Marked(_, inner) => std::slice::from_mut(inner),
            _ => &mut [],
        }
    }

    /// The parts of this set.
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

#[cfg(test)]
mod tests {
    use super::planner::Planner;
    use super::*;
    use crate::words::Words;

    /// The check of one literal must agree with `touchstone_kb::compare` and with the ranges of all literals.
    #[test]
    fn a_test_accepts_what_satisfies() {
        use Comparison::*;
        let kb = touchstone_world::open(&touchstone_kb::NoProgress).expect("World");
        let words = Words::new(&kb);
        let planner = Planner::new(&words);
        let sample = |n: usize| {
            let step = kb.n_literals() / n;
            (0..n).map(move |at| LiteralId((at * step) as u32))
        };
        let (mut n_equal, mut n_accepted) = (0, 0);
        for id in sample(97) {
            let value = Value::of(&kb.literal(id));
            for comparison in [Equal, NotEqual, Less, Greater, LessOrEqual, GreaterOrEqual] {
                let Ok(test) = planner.test(SmallList::new(), comparison, value.clone()) else { continue };
                for other in sample(499).chain([id]) {
                    let expected = satisfies(&kb.literal(other), comparison, &value.literal()) == Ok(true);
                    let accepted = test.accepts(&kb, other);
                    assert_eq!(accepted, expected, "{} {comparison} {value}", kb.literal(other));
                    assert_eq!(test.literals(&kb).contains(other.0), expected);
                    n_accepted += usize::from(accepted);
                    n_equal += usize::from(accepted && comparison == Equal);
                }
            }
        }
        assert!(n_equal >= 90 && n_accepted > 10_000, "{n_equal} {n_accepted}");
    }
}
