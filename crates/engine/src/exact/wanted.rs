//! Which of the values that occur in a place are wanted.

use super::knowledge::Knowledge;
use crate::plan::{Extremes, Test};
use touchstone_kb::{Comparison, Literal, LiteralFamily, LiteralKind, Property};
use touchstone_logic::kopl::readings;
use touchstone_logic::{Direction, Value};

/// What is wanted of a value.
#[derive(Debug, Clone)]
pub(super) enum Wanted<'t> {
    /// It passes a test.
    Test(&'t Test),
    /// It is of a family, quantities in a unit.
    Measure(LiteralFamily, String),
    /// It is English, or has no language.
    English,
}

/// How the values that occur are divided.
#[derive(Debug, Clone, Default)]
pub(super) struct Divided {
    pub(super) pass: Vec<u32>,
    pub(super) fail: Vec<u32>,
}

impl Wanted<'_> {
    pub(super) fn accepts(&self, knowledge: &Knowledge<'_>, id: u32) -> bool {
        match self {
            Wanted::Test(test) => test.literals(knowledge.kb).contains(id),
            Wanted::Measure(family, unit) => {
                let literal = knowledge.literal(id);
                literal.kind().family() == *family && literal.unit() == unit
            }
            Wanted::English => {
                let literal = knowledge.literal(id);
                let language = literal.language().to_ascii_lowercase();
                literal.kind() != LiteralKind::LanguageText || language == "en" || language.starts_with("en-")
            }
        }
    }

    /// The literals that pass and those that do not.
    pub(super) fn divide(&self, knowledge: &Knowledge<'_>, own: &[u32]) -> Divided {
        // Ids are in the order of families and units.
        let (pass, fail) = match self {
            Wanted::Measure(family, unit) => {
                let range = knowledge.kb.literals_of(*family, unit);
                own.iter().copied().partition(|id| range.contains(id))
            }
            Wanted::Test(test) => {
                let passing = test.literals(knowledge.kb);
                own.iter().copied().partition(|&id| passing.contains(id))
            }
            Wanted::English => own.iter().copied().partition(|&id| self.accepts(knowledge, id)),
        };
        Divided { pass, fail }
    }
}

/// What a test may be read as.
pub(super) fn targets(test: &Test) -> Vec<Value> {
    if test.value.is_untyped() { readings(&test.value.text) } else { vec![test.value.clone()] }
}

/// Whether a node passes a test, as the value of a qualifier: it is compared by its name.
pub(super) fn node_passes(label: &str, test: &Test) -> bool {
    let is_text = targets(test).iter().any(|target| target.literal().kind().family() == LiteralFamily::Text);
    match test.comparison {
        Comparison::Equal => is_text && label == test.value.text,
        Comparison::NotEqual => is_text && label != test.value.text,
        _ => false,
    }
}

/// What competes for a superlative: quantities in the usual unit of the first attribute that has some, or times.
pub(super) fn measure(knowledge: &Knowledge<'_>, extremes: &Extremes) -> Option<(LiteralFamily, String)> {
    let (properties, direction) = extremes.path.last()?;
    if *direction == Direction::Backward {
        return None;
    }
    properties.iter().find_map(|property| {
        let Property::Attribute(attribute) = property else { return None };
        let usual = knowledge.kb.attribute_unit(*attribute);
        let own = knowledge.attribute(*attribute);
        let has = |fits: &dyn Fn(&Literal<'_>) -> bool| own.iter().any(|&id| fits(&knowledge.literal(id)));
        if has(&|literal| literal.number().is_some() && literal.unit() == usual) {
            Some((LiteralFamily::Quantity, usual.to_owned()))
        } else {
            has(&|literal| literal.as_time().is_some()).then(|| (LiteralFamily::Time, String::new()))
        }
    })
}
