//! Values of records and of programs, and the rules by which both executors compare and print them.
//!
//! `touchstone_kb::compare` has the same rules for values in a KB; a test compares the two. Programs can hold more: infinities, an
//! empty unit that is not `1`, operators that do not exist.

use super::Compat;
use super::error::{Exception, Fault, raise};
use super::file_view::KeyType;
use super::python;
use std::borrow::Cow;
use std::fmt;
use touchstone_kb::{Literal, LiteralFamily, LiteralKind, Time};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    Quantity { number: f64, unit: Cow<'a, str> },
    Year(i64),
    Date(Time),
}

/// The executors' notation for "no unit".
const NO_UNIT: &str = "1";

impl<'a> Value<'a> {
    /// A literal of a KB. KQA Pro has texts, quantities, years and dates; of the other literals in other KBs, a time of day counts as its
    /// day, and the rest as text.
    pub(super) fn of_literal(literal: Literal<'a>) -> Value<'a> {
        let text = || Value::Text(Cow::Borrowed(literal.text()));
        match (literal.kind().family(), literal.number(), literal.as_time()) {
            (LiteralFamily::Quantity, Some(number), _) => {
                let unit = if literal.unit().is_empty() { NO_UNIT } else { literal.unit() };
                Value::Quantity { number, unit: Cow::Borrowed(unit) }
            }
            (LiteralFamily::Time, _, Some(time)) => match literal.kind() {
                LiteralKind::Year => Value::Year(time.year()),
                LiteralKind::Month => text(),
                _ => Time::parse_date(&time.date_text()).map_or_else(text, Value::Date),
            },
            _ => text(),
        }
    }

    /// A value as a program writes it.
    pub(super) fn parse(key_type: KeyType, text: &'a str) -> Result<Value<'a>, Fault> {
        match key_type {
            KeyType::Text => Ok(Value::Text(Cow::Borrowed(text))),
            KeyType::Quantity => {
                let (number, unit) = if text.contains(' ') {
                    let mut words = text.split_whitespace();
                    let Some(number) = words.next() else {
                        return raise(Exception::IndexError, "the number is blank");
                    };
                    (number, Cow::Owned(words.collect::<Vec<_>>().join(" ")))
                } else {
                    (text, Cow::Borrowed(NO_UNIT))
                };
                Ok(Value::Quantity { number: python::float(number)?, unit })
            }
            KeyType::Time => parse_time(text),
        }
    }

    fn is_time(&self) -> bool {
        matches!(self, Value::Year(_) | Value::Date(_))
    }

    fn year(&self) -> Option<i64> {
        match self {
            Value::Year(year) => Some(*year),
            Value::Date(date) => Some(date.year()),
            Value::Text(_) | Value::Quantity { .. } => None,
        }
    }

    /// Whether the two can be compared at all.
    pub(super) fn comparable(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Text(_), Value::Text(_)) => true,
            (Value::Quantity { unit: a, .. }, Value::Quantity { unit: b, .. }) => a == b,
            _ => self.is_time() && other.is_time(),
        }
    }

    /// Whether the value satisfies a condition; values that are not comparable satisfy none, not even `!=`.
    pub(super) fn satisfies(&self, op: &str, target: &Value<'_>, compat: Compat) -> Result<bool, Fault> {
        if !self.comparable(target) {
            return Ok(false);
        }
        match op {
            "=" => Ok(self.is(target)),
            "!=" => Ok(!self.is(target)),
            "<" => self.less(target),
            ">" => target.less(self),
            _ if compat == Compat::Rule => Ok(false),
            _ => raise(Exception::TypeError, format!("there is no operator `{op}`")),
        }
    }

    /// `=`: a year contains the dates in it, a date only itself; other values are equal or not.
    fn is(&self, target: &Value<'_>) -> bool {
        match (self, target) {
            (_, Value::Year(year)) => self.year() == Some(*year),
            (Value::Date(a), Value::Date(b)) => a.key() == b.key(),
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Quantity { number: a, .. }, Value::Quantity { number: b, .. }) => a == b,
            _ => false,
        }
    }

    /// `<`: if one side is a year, both are compared as years.
    pub(super) fn less(&self, other: &Value<'_>) -> Result<bool, Fault> {
        if !self.comparable(other) {
            return raise(Exception::AssertionError, format!("`{self}` and `{other}` are not comparable"));
        }
        match (self, other) {
            (Value::Quantity { number: a, .. }, Value::Quantity { number: b, .. }) => Ok(a < b),
            (Value::Date(a), Value::Date(b)) => Ok(a.key() < b.key()),
            (Value::Text(_), _) => raise(Exception::Exception, "texts have no order"),
            _ => Ok(self.year() < other.year()),
        }
    }
}

/// Years and dates are distinguished by the text alone.
fn parse_time(text: &str) -> Result<Value<'_>, Fault> {
    let separator = if text.contains('/') { '/' } else { '-' };
    if separator == '-' && (text.starts_with('-') || !text.contains('-')) {
        return python::int(text).map(Value::Year);
    }
    let (Some(first), Some(last)) = (text.find(separator), text.rfind(separator)) else {
        return python::int(text).map(Value::Year);
    };
    let middle = if first < last { &text[first + 1..last] } else { "" };
    let (year, month, day) =
        (python::int(&text[..first])?, python::int(middle)?, python::int(&text[last + 1..])?);
    if [year, month, day].iter().any(|&part| i32::try_from(part).is_err()) {
        return raise(Exception::OverflowError, format!("`{text}` has numbers too large for a date"));
    }
    let date =
        (1..=9999).contains(&year).then(|| Time::parse_date(&format!("{year}-{month}-{day}"))).flatten();
    match date {
        Some(date) => Ok(Value::Date(date)),
        None => raise(Exception::ValueError, format!("`{text}` is not a day of the calendar")),
    }
}

impl fmt::Display for Value<'_> {
    /// The text that both executors print. A number that exceeds an integer by less than 1e-5 is truncated, and so is every negative fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Year(year) => write!(f, "{year}"),
            Value::Date(date) => f.write_str(&date.date_text()),
            Value::Quantity { number, unit } => {
                let is_whole = number - number.trunc() < 1e-5;
                let number = if is_whole { python::whole_repr(*number) } else { python::float_repr(*number) };
                f.write_str(&number)?;
                if unit == NO_UNIT { Ok(()) } else { write!(f, " {unit}") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::Comparison;
    use touchstone_kb::compare::satisfies;

    fn quantity(text: &str) -> String {
        match Value::parse(KeyType::Quantity, text) {
            Ok(value) => value.to_string(),
            Err(_) => "error".to_owned(),
        }
    }

    #[test]
    fn quantities_are_written_with_one_sided_truncation() {
        for (text, expected) in [
            ("-2.5", "-2"),
            ("2.000001", "2"),
            ("2.999999", "2.999999"),
            ("141 minute", "141 minute"),
            ("1e5 square  mile", "100000 square mile"),
            ("-0.3", "0"),
            ("0.5 metre", "0.5 metre"),
            (" 5", "5 "),
            ("1,000", "error"),
            (" ", "error"),
        ] {
            assert_eq!(quantity(text), expected, "{text:?}");
        }
    }

    #[test]
    fn times_are_recognised_by_their_text() {
        for (text, expected) in [
            ("1990", "1990"),
            ("-500", "-500"),
            ("1990-5-6", "1990-05-06"),
            ("1990/05/06", "1990-05-06"),
            ("44/3/15", "0044-03-15"),
            ("1990-02-30", "error"),
            ("1990-05", "error"),
            ("1-2-3-4", "error"),
            ("-0044-03-15", "error"),
            ("10000-01-01", "error"),
            ("", "error"),
        ] {
            let value = Value::parse(KeyType::Time, text).map(|value| value.to_string());
            assert_eq!(value.unwrap_or_else(|_| "error".to_owned()), expected, "{text:?}");
        }
    }

    /// What a KB can hold compares as everywhere else in Touchstone.
    #[test]
    fn the_rules_are_those_of_the_kb() {
        let literals = [
            Literal::text_value("5"),
            Literal::text_value("five"),
            Literal::quantity("5", "").expect("a number"),
            Literal::quantity("5.0", "1").expect("a number"),
            Literal::quantity("5", "metre").expect("a number"),
            Literal::quantity("-7.5", "metre").expect("a number"),
            Literal::year("1990").expect("a year"),
            Literal::year("-500").expect("a year"),
            Literal::date("1990-05-06").expect("a date"),
            Literal::date("1990/05/07").expect("a date"),
        ];
        for value in literals {
            for target in literals {
                for op in ["=", "!=", "<", ">"] {
                    let theirs =
                        Value::of_literal(value).satisfies(op, &Value::of_literal(target), Compat::Kopl);
                    let ours = satisfies(&value, Comparison::from_symbol(op).expect("an operator"), &target);
                    assert_eq!(theirs.ok(), ours.ok(), "{value} {op} {target}");
                }
            }
        }
    }

    #[test]
    fn operators_that_do_not_exist() {
        let value = Value::Year(1990);
        assert!(value.satisfies("<=", &value, Compat::Kopl).is_err());
        assert!(value.satisfies("<=", &value, Compat::Rule).is_ok_and(|holds| !holds));
        assert!(value.satisfies("<=", &Value::Text("x".into()), Compat::Kopl).is_ok_and(|holds| !holds));
    }
}
