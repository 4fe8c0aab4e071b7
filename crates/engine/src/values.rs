//! Which literals satisfy a comparison, as ranges of ids.
//!
//! Literal ids are in the order of values, so a comparison is a binary search, not a scan. `touchstone_kb::compare` defines
//! comparisons; this module computes the same with ranges, and its tests compare the two.

use std::cmp::Ordering;
use std::ops::Range;
use touchstone_kb::compare::NoOrder;
use touchstone_kb::{Comparison, Kb, Literal, LiteralFamily, LiteralId, Precision, Time};

/// Literal ids: sorted ranges that neither overlap nor touch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiteralRanges(Vec<Range<u32>>);

impl LiteralRanges {
    /// One range.
    pub fn one(range: Range<u32>) -> LiteralRanges {
        if range.is_empty() { LiteralRanges::default() } else { LiteralRanges(vec![range]) }
    }

    /// From ranges in any order.
    pub fn new(ranges: impl IntoIterator<Item = Range<u32>>) -> LiteralRanges {
        let mut ranges: Vec<Range<u32>> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        ranges.sort_by_key(|range| range.start);
        let mut out: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match out.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => out.push(range),
            }
        }
        LiteralRanges(out)
    }

    /// The ranges.
    pub fn ranges(&self) -> &[Range<u32>] {
        &self.0
    }

    /// Whether a literal is in one of them.
    #[inline]
    pub fn contains(&self, literal: u32) -> bool {
        self.0.iter().any(|range| range.contains(&literal))
    }

    /// The number of literals.
    pub fn len(&self) -> usize {
        self.0.iter().map(ExactSizeIterator::len).sum()
    }

    /// Whether there are no literals.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The literals, in order.
    pub fn literals(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().cloned().flatten()
    }

    /// Intersection.
    pub fn intersection(&self, other: &LiteralRanges) -> LiteralRanges {
        let pairs = self.0.iter().flat_map(|a| {
            other.0.iter().map(move |b| a.start.max(b.start)..a.end.min(b.end).max(a.start.max(b.start)))
        });
        LiteralRanges::new(pairs)
    }

    /// Union.
    pub fn union(self, other: &LiteralRanges) -> LiteralRanges {
        if other.is_empty() {
            return self;
        }
        LiteralRanges::new(self.0.iter().chain(&other.0).cloned())
    }

    /// Difference.
    pub fn without(self, other: &LiteralRanges) -> LiteralRanges {
        if other.is_empty() {
            return self;
        }
        let mut out = Vec::new();
        for range in &self.0 {
            let mut from = range.start;
            for hole in other.0.iter().filter(|hole| hole.end > range.start && hole.start < range.end) {
                out.push(from..hole.start.max(from));
                from = from.max(hole.end);
            }
            out.push(from..range.end.max(from));
        }
        LiteralRanges::new(out)
    }
}

/// Whether values of a family can be compared by this operator.
pub(crate) fn order_of(comparison: Comparison, family: LiteralFamily) -> Result<(), NoOrder> {
    let ordering = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    if ordering && matches!(family, LiteralFamily::Text | LiteralFamily::Boolean) {
        return Err(NoOrder::new(comparison, family));
    }
    Ok(())
}

/// The literals of a KB for which a comparison with a value holds.
pub(crate) fn satisfying(
    kb: &Kb,
    comparison: Comparison,
    target: &Literal<'_>,
) -> Result<LiteralRanges, NoOrder> {
    order_of(comparison, target.kind().family())?;
    let block = comparable(kb, target);
    // Where values stop being less, and where they start being greater, at the precision of the target.
    let place = Place::new(kb, target);
    let from = partition(block.clone(), |id| place.of(id).is_lt());
    let to = match comparison {
        // Most values occur once.
        Comparison::Equal | Comparison::NotEqual if from == block.end || place.of(from).is_gt() => from,
        _ => partition(from..block.end, |id| place.of(id).is_le()),
    };
    let range = LiteralRanges::one;
    let vague = coarser(kb, &block, target);
    let equal = || range(from..to).without(&vague);
    Ok(match comparison {
        Comparison::Equal => equal(),
        Comparison::NotEqual => range(block).without(&equal()),
        Comparison::Less => range(block.start..from).without(&vague),
        Comparison::LessOrEqual => range(block.start..to).union(&vague),
        Comparison::Greater => range(to..block.end).without(&vague),
        Comparison::GreaterOrEqual => range(from..block.end).union(&vague),
    })
}

/// The literals that are comparable with a value.
pub(crate) fn comparable(kb: &Kb, target: &Literal<'_>) -> Range<u32> {
    kb.literals_of(target.kind().family(), target.unit())
}

/// The position of comparable values relative to a target, at its precision: times are truncated to it.
struct Place<'k, 't> {
    kb: &'k Kb,
    target: Target<'t>,
}

enum Target<'t> {
    Time(Time),
    Number(f64),
    Boolean(bool),
    Text(&'t [u8]),
}

impl<'k, 't> Place<'k, 't> {
    fn new(kb: &'k Kb, target: &Literal<'t>) -> Place<'k, 't> {
        let time = target.as_time().map(Target::Time);
        let number = || target.number().map(Target::Number);
        let boolean = || target.as_bool().map(Target::Boolean);
        let text = || Target::Text(target.text().as_bytes());
        Place { kb, target: time.or_else(number).or_else(boolean).unwrap_or_else(text) }
    }

    fn of(&self, id: u32) -> Ordering {
        let id = LiteralId(id);
        match self.target {
            Target::Time(target) => {
                let key = self.kb.literal_time(id).map(|time| time.key_at(target.precision()));
                key.cmp(&Some(target.key()))
            }
            Target::Number(target) => self.kb.literal_number(id).unwrap_or(f64::NAN).total_cmp(&target),
            Target::Boolean(target) => self.kb.literal(id).as_bool().cmp(&Some(target)),
            Target::Text(target) => self.kb.literal_bytes(id).cmp(target),
        }
    }
}

/// Times that are less precise than the target and may be the same: they are neither less nor greater, but not equal either.
fn coarser(kb: &Kb, block: &Range<u32>, target: &Literal<'_>) -> LiteralRanges {
    let Some(time) = target.as_time() else { return LiteralRanges::default() };
    let precisions = [Precision::Year, Precision::Month, Precision::Day];
    LiteralRanges::new(precisions.into_iter().filter(|&precision| precision < time.precision()).flat_map(
        |precision| {
            let key = time.key_at(precision);
            let place = |id: u32| kb.literal_time(LiteralId(id)).map_or(0, |time| time.key());
            let from = partition(block.clone(), |id| place(id) < key);
            let to = (from..block.end).take_while(|&id| place(id) == key).last().map_or(from, |id| id + 1);
            let as_exact = move |id: &u32| {
                kb.literal_time(LiteralId(*id)).is_some_and(|time| time.precision() == precision)
            };
            (from..to).filter(as_exact).map(|id| id..id + 1)
        },
    ))
}

/// The first id in a range for which a property, which holds for a prefix, does not hold.
pub(crate) fn partition(range: Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    let Range { start: mut low, end: mut high } = range;
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::compare::satisfies;

    #[test]
    fn ranges_say_what_comparisons_say() {
        let kb = crate::testing::values_kb();
        let targets: Vec<u32> = (0..kb.n_literals() as u32).collect();
        let mut n = 0;
        for &target in &targets {
            let target = kb.literal(LiteralId(target));
            for symbol in ["=", "!=", "<", ">", "<=", ">="] {
                let comparison = Comparison::from_symbol(symbol).expect("a symbol");
                let Ok(ranges) = satisfying(&kb, comparison, &target) else {
                    assert!(satisfies(&target, comparison, &target).is_err());
                    continue;
                };
                for id in 0..kb.n_literals() as u32 {
                    let literal = kb.literal(LiteralId(id));
                    let expected = satisfies(&literal, comparison, &target).expect("an order");
                    assert_eq!(ranges.contains(id), expected, "{literal:?} {symbol} {target:?}");
                    n += 1;
                }
            }
        }
        assert!(n > 3000, "{n}");
    }

    #[test]
    fn ranges_are_sets() {
        let ranges = |list: &[Range<u32>]| LiteralRanges::new(list.iter().cloned());
        let a = ranges(&[5..8, 0..2, 7..10]);
        assert_eq!(a.ranges(), [0..2, 5..10]);
        assert_eq!(a.clone().without(&ranges(&[1..6, 8..9])).ranges(), [0..1, 6..8, 9..10]);
        assert_eq!(a.intersection(&ranges(&[1..6, 9..20])).ranges(), [1..2, 5..6, 9..10]);
        assert_eq!(a.clone().union(&ranges(&[2..4, 4..5])).ranges().len(), 1);
        assert_eq!(a.len(), 7);
    }
}
