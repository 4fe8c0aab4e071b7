//! Decides whether a value satisfies a condition; nothing else does.
//!
//! The rules are KQA Pro's, extended by `<=`, `>=`, months, date-times and booleans:
//! - text compares with text, quantities only in the same unit, times with times, booleans with booleans;
//!   values that are not comparable satisfy no condition, not even `!=`;
//! - a time equals a *year* if it lies in it; a date equals a date; a year never equals a date;
//! - `<` and `>` on times reduce both sides to the coarser precision: 1990-05-06 is neither before nor after 1990;
//! - text has no order: asking for one is an error, not `false`.

use crate::literal::{Literal, LiteralFamily};
use crate::time::Time;
use std::cmp::Ordering;
use std::fmt;

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Reads `=`, `!=`, `<`, `>`, `<=` or `>=`.
    pub fn from_symbol(symbol: &str) -> Option<Comparison> {
        Some(match symbol {
            "=" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            ">" => Comparison::Greater,
            "<=" => Comparison::LessOrEqual,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::LessOrEqual => "<=",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// The comparison is not defined for this kind of value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{family:?} values have no order, so they cannot be compared with `{op}`; use `=` or `!=`")]
#[non_exhaustive]
pub struct NoOrder {
    /// The operator.
    pub op: Comparison,
    /// The family of both values.
    pub family: LiteralFamily,
}

impl NoOrder {
    /// The error for an operator and the family of both values.
    pub fn new(op: Comparison, family: LiteralFamily) -> NoOrder {
        NoOrder { op, family }
    }
}

/// Whether the two values can be compared at all.
pub(crate) fn comparable(a: &Literal<'_>, b: &Literal<'_>) -> bool {
    let family = a.kind.family();
    family == b.kind.family() && (family != LiteralFamily::Quantity || a.tag == b.tag)
}

/// Whether `value op target` holds. Values that are not comparable satisfy nothing.
pub fn satisfies(value: &Literal<'_>, op: Comparison, target: &Literal<'_>) -> Result<bool, NoOrder> {
    if !comparable(value, target) {
        return Ok(false);
    }
    match op {
        Comparison::Equal => Ok(equals(value, target)),
        Comparison::NotEqual => Ok(!equals(value, target)),
        Comparison::Less | Comparison::Greater | Comparison::LessOrEqual | Comparison::GreaterOrEqual => {
            let order = order(value, target).ok_or(NoOrder { op, family: value.kind.family() })?;
            Ok(match op {
                Comparison::Less => order == Ordering::Less,
                Comparison::Greater => order == Ordering::Greater,
                Comparison::LessOrEqual => order != Ordering::Greater,
                _ => order != Ordering::Less,
            })
        }
    }
}

/// Whether `value op target` holds for times.
pub fn time_satisfies(value: Time, op: Comparison, target: Time) -> bool {
    let order = || time_order(value, target);
    match op {
        Comparison::Equal => time_equals(value, target),
        Comparison::NotEqual => !time_equals(value, target),
        Comparison::Less => order().is_lt(),
        Comparison::Greater => order().is_gt(),
        Comparison::LessOrEqual => order().is_le(),
        Comparison::GreaterOrEqual => order().is_ge(),
    }
}

/// A time equals another that it lies in.
fn time_equals(value: Time, target: Time) -> bool {
    value.precision() >= target.precision() && value.key_at(target.precision()) == target.key()
}

/// The order at the coarser precision.
fn time_order(a: Time, b: Time) -> Ordering {
    let coarser = a.precision().min(b.precision());
    a.key_at(coarser).cmp(&b.key_at(coarser))
}

/// `=`, for comparable values: containment for times, exact equality for the rest.
fn equals(value: &Literal<'_>, target: &Literal<'_>) -> bool {
    match (value.as_time(), target.as_time()) {
        (Some(value), Some(target)) => time_equals(value, target),
        _ if value.kind.family() == LiteralFamily::Text => value.text == target.text,
        _ => value.key == target.key,
    }
}

/// The order of two values, `None` if there is none (text, booleans, different units).
pub fn order(a: &Literal<'_>, b: &Literal<'_>) -> Option<Ordering> {
    if !comparable(a, b) {
        return None;
    }
    match (a.as_time(), b.as_time()) {
        (Some(a), Some(b)) => Some(time_order(a, b)),
        _ => Some(a.number()?.total_cmp(&b.number()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the literals of `compare_cases.txt`.
    fn literal(text: &str) -> Literal<'_> {
        let (kind, rest) = text.split_once(':').expect("kind:value");
        match kind {
            "text" => Literal::text_value(rest),
            "en" | "fr" => Literal::language_text(rest, kind),
            "num" => {
                let (number, unit) = rest.split_once(' ').unwrap_or((rest, ""));
                Literal::quantity(number, unit).expect("number")
            }
            "year" => Literal::year(rest).expect("year"),
            "month" => Literal::month(rest).expect("month"),
            "date" => Literal::date(rest).expect("date"),
            "time" => Literal::datetime(rest).expect("date-time"),
            "bool" => Literal::boolean(rest == "true"),
            other => panic!("unknown kind {other}"),
        }
    }

    #[test]
    fn the_table_of_rules() {
        let mut n_cases = 0;
        for (number, line) in include_str!("compare_cases.txt").lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut fields = line.split('|').map(str::trim);
            let mut next = || fields.next().expect("four fields");
            let (value, op, target, expected) = (next(), next(), next(), next());
            let op = Comparison::from_symbol(op).expect("operator");
            let got = match satisfies(&literal(value), op, &literal(target)) {
                Ok(true) => "yes",
                Ok(false) => "no",
                Err(_) => "error",
            };
            assert_eq!(got, expected, "line {}: {line}", number + 1);
            n_cases += 1;
        }
        assert!(n_cases > 40);
    }

    #[test]
    fn symbols_round_trip() {
        for symbol in ["=", "!=", "<", ">", "<=", ">="] {
            assert_eq!(Comparison::from_symbol(symbol).map(Comparison::symbol), Some(symbol));
        }
        assert_eq!(Comparison::from_symbol("=="), None);
    }
}
