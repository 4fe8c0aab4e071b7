//! Which of the values at a position pass.

use super::kb_values::KbValues;
use crate::plan::{Extremes, Test};
use std::ops::Range;
use touchstone_kb::{Comparison, LiteralFamily, LiteralKind, Property};
use touchstone_logic::kopl::readings;
use touchstone_logic::{Direction, Value};

/// A requirement on a value.
#[derive(Debug, Clone)]
pub(super) enum Wanted<'t> {
    /// It passes a test.
    Test(&'t Test),
    /// It is of a family, quantities in a unit.
    Measure(LiteralFamily, String),
    /// It is English, or has no language.
    English,
}

/// A partition of the values that occur.
#[derive(Debug, Clone, Default)]
pub(super) struct Divided {
    pub(super) pass: Vec<u32>,
    pub(super) fail: Vec<u32>,
}

impl Wanted<'_> {
    pub(super) fn accepts(&self, knowledge: &KbValues<'_>, id: u32) -> bool {
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
    pub(super) fn divide(&self, knowledge: &KbValues<'_>, own: &[u32]) -> Divided {
        // Ids are ordered by family and unit.
        match self {
            Wanted::Measure(family, unit) => {
                divided(own, std::slice::from_ref(&knowledge.kb.literals_of(*family, unit)))
            }
            Wanted::Test(test) => divided(own, test.literals(knowledge.kb).ranges()),
            Wanted::English => {
                let (pass, fail) = own.iter().copied().partition(|&id| self.accepts(knowledge, id));
                Divided { pass, fail }
            }
        }
    }
}

/// The literals inside sorted ranges, and the others.
fn divided(own: &[u32], ranges: &[Range<u32>]) -> Divided {
    let mut divided = Divided::default();
    let mut done = 0;
    for range in ranges {
        let inside = within(own, range);
        let start = own.partition_point(|&id| id < range.start);
        divided.fail.extend_from_slice(&own[done..start]);
        divided.pass.extend_from_slice(inside);
        done = start + inside.len();
    }
    divided.fail.extend_from_slice(&own[done..]);
    divided
}

/// The literals inside a range.
pub(super) fn within<'o>(own: &'o [u32], range: &Range<u32>) -> &'o [u32] {
    let start = own.partition_point(|&id| id < range.start);
    let end = own.partition_point(|&id| id < range.end.max(range.start));
    &own[start..end]
}

/// The possible interpretations of a test.
pub(super) fn targets(test: &Test) -> Vec<Value> {
    if test.value.is_untyped() { readings(&test.value.text) } else { vec![test.value.clone()] }
}

/// Whether a node passes a test as the value of a qualifier: it is compared by its name.
pub(super) fn node_passes(label: &str, test: &Test) -> bool {
    let is_text = targets(test).iter().any(|target| target.literal().kind().family() == LiteralFamily::Text);
    match test.comparison {
        Comparison::Equal => is_text && label == test.value.text,
        Comparison::NotEqual => is_text && label != test.value.text,
        _ => false,
    }
}

/// The candidates of a superlative: quantities in the usual unit of the first attribute that has some, or times.
pub(super) fn measure(knowledge: &KbValues<'_>, extremes: &Extremes) -> Option<(LiteralFamily, String)> {
    let (properties, direction) = extremes.path.last()?;
    if *direction == Direction::Backward {
        return None;
    }
    properties.iter().find_map(|property| {
        let Property::Attribute(attribute) = property else { return None };
        let usual = knowledge.kb.attribute_unit(*attribute);
        let own = knowledge.attribute(*attribute);
        let has = |family, unit: &str| !within(&own, &knowledge.kb.literals_of(family, unit)).is_empty();
        if has(LiteralFamily::Quantity, usual) {
            Some((LiteralFamily::Quantity, usual.to_owned()))
        } else {
            has(LiteralFamily::Time, "").then(|| (LiteralFamily::Time, String::new()))
        }
    })
}
