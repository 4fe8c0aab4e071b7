//! Comparison, order and arithmetic of values, as SPARQL and the evaluator `spareval` have them.

use super::tree::{Operator, Order};
use crate::sparql::measures::kind;
use oxrdf::Term;
use regex::{Regex, RegexBuilder};
use spareval::ExpressionTerm as Value;
use std::cmp::Ordering;

/// The largest compiled pattern, in bytes; the evaluator has the same limit.
const LARGEST_REGEX: usize = 1_000_000;

/// The effective boolean value.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::BooleanLiteral(value) => Some((*value).into()),
        Value::StringLiteral(value) => Some(!value.is_empty()),
        Value::IntegerLiteral(value) => Some(i64::from(*value) != 0),
        Value::DoubleLiteral(value) => {
            let value = f64::from(*value);
            Some(value != 0.0 && !value.is_nan())
        }
        Value::FloatLiteral(value) => {
            let value = f32::from(*value);
            Some(value != 0.0 && !value.is_nan())
        }
        Value::DecimalLiteral(value) => {
            let Value::DecimalLiteral(zero) = decimal_zero() else { return None };
            Some(*value != zero)
        }
        _ => None,
    }
}

fn decimal_zero() -> Value {
    Value::DecimalLiteral(0.into())
}

/// The rank of a type of numbers; a number is turned into one of a higher rank to work with it.
fn rank(value: &Value) -> Option<u8> {
    match value {
        Value::IntegerLiteral(_) => Some(0),
        Value::DecimalLiteral(_) => Some(1),
        Value::FloatLiteral(_) => Some(2),
        Value::DoubleLiteral(_) => Some(3),
        _ => None,
    }
}

fn promoted(value: &Value, to: u8) -> Value {
    match (value, to) {
        (Value::IntegerLiteral(number), 1) => Value::DecimalLiteral((*number).into()),
        (Value::IntegerLiteral(number), 2) => Value::FloatLiteral((*number).into()),
        (Value::IntegerLiteral(number), 3) => Value::DoubleLiteral((*number).into()),
        (Value::DecimalLiteral(number), 2) => Value::FloatLiteral((*number).into()),
        (Value::DecimalLiteral(number), 3) => Value::DoubleLiteral((*number).into()),
        (Value::FloatLiteral(number), 3) => Value::DoubleLiteral((*number).into()),
        (same, _) => same.clone(),
    }
}

/// Two numbers as numbers of one type.
fn same_type(a: &Value, b: &Value) -> Option<(Value, Value)> {
    let to = rank(a)?.max(rank(b)?);
    Some((promoted(a, to), promoted(b, to)))
}

fn is_duration(value: &Value) -> bool {
    matches!(
        value,
        Value::DurationLiteral(_) | Value::YearMonthDurationLiteral(_) | Value::DayTimeDurationLiteral(_)
    )
}

/// `a = b`; `None` is an error.
pub(super) fn equal(a: &Value, b: &Value) -> Option<bool> {
    if let Some((a, b)) = same_type(a, b) {
        return Some(match (a, b) {
            (Value::IntegerLiteral(a), Value::IntegerLiteral(b)) => a == b,
            (Value::DecimalLiteral(a), Value::DecimalLiteral(b)) => a == b,
            (Value::FloatLiteral(a), Value::FloatLiteral(b)) => a == b,
            (Value::DoubleLiteral(a), Value::DoubleLiteral(b)) => a == b,
            _ => false,
        });
    }
    let is_unknown = |value: &Value| matches!(value, Value::OtherTypedLiteral { .. });
    let has_no_datatype = |value: &Value| {
        matches!(
            value,
            Value::NamedNode(_)
                | Value::BlankNode(_)
                | Value::LangStringLiteral { .. }
                | Value::DirLangStringLiteral { .. }
                | Value::Triple(_)
        )
    };
    match (a, b) {
        (Value::Triple(a), Value::Triple(b)) => {
            Some(a.subject == b.subject && a.predicate == b.predicate && equal(&a.object, &b.object)?)
        }
        (a, _) if has_no_datatype(a) => Some(a == b),
        (_, b) if has_no_datatype(b) => Some(false),
        (a, b) if is_unknown(a) || is_unknown(b) => (a == b).then_some(true),
        (a, b) if is_duration(a) && is_duration(b) => Some(compare_durations(a, b) == Some(Ordering::Equal)),
        (a, b) => Some(same_kind_equal(a, b)),
    }
}

fn same_kind_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::StringLiteral(a), Value::StringLiteral(b)) => a == b,
        (Value::BooleanLiteral(a), Value::BooleanLiteral(b)) => a == b,
        (Value::DateTimeLiteral(a), Value::DateTimeLiteral(b)) => a == b,
        (Value::TimeLiteral(a), Value::TimeLiteral(b)) => a == b,
        (Value::DateLiteral(a), Value::DateLiteral(b)) => a == b,
        (Value::GYearMonthLiteral(a), Value::GYearMonthLiteral(b)) => a == b,
        (Value::GYearLiteral(a), Value::GYearLiteral(b)) => a == b,
        (Value::GMonthDayLiteral(a), Value::GMonthDayLiteral(b)) => a == b,
        (Value::GDayLiteral(a), Value::GDayLiteral(b)) => a == b,
        (Value::GMonthLiteral(a), Value::GMonthLiteral(b)) => a == b,
        _ => false,
    }
}

fn compare_durations(a: &Value, b: &Value) -> Option<Ordering> {
    let as_duration = |value: &Value| match value {
        Value::YearMonthDurationLiteral(value) => Value::DurationLiteral((*value).into()),
        Value::DayTimeDurationLiteral(value) => Value::DurationLiteral((*value).into()),
        other => other.clone(),
    };
    match (as_duration(a), as_duration(b)) {
        (Value::DurationLiteral(a), Value::DurationLiteral(b)) => a.partial_cmp(&b),
        _ => None,
    }
}

/// The order of two literals; `None` if they have none.
fn compare_literals(a: &Value, b: &Value) -> Option<Ordering> {
    if let Some((a, b)) = same_type(a, b) {
        return match (a, b) {
            (Value::IntegerLiteral(a), Value::IntegerLiteral(b)) => a.partial_cmp(&b),
            (Value::DecimalLiteral(a), Value::DecimalLiteral(b)) => a.partial_cmp(&b),
            (Value::FloatLiteral(a), Value::FloatLiteral(b)) => a.partial_cmp(&b),
            (Value::DoubleLiteral(a), Value::DoubleLiteral(b)) => a.partial_cmp(&b),
            _ => None,
        };
    }
    match (a, b) {
        (Value::StringLiteral(a), Value::StringLiteral(b)) => Some(a.cmp(b)),
        (
            Value::LangStringLiteral { value: a, language: in_a },
            Value::LangStringLiteral { value: b, language: in_b },
        ) => (in_a == in_b).then(|| a.cmp(b)),
        (
            Value::DirLangStringLiteral { value: a, language: in_a, direction: towards_a },
            Value::DirLangStringLiteral { value: b, language: in_b, direction: towards_b },
        ) => (in_a == in_b && towards_a == towards_b).then(|| a.cmp(b)),
        (Value::DateTimeLiteral(a), Value::DateTimeLiteral(b)) => a.partial_cmp(b),
        (Value::TimeLiteral(a), Value::TimeLiteral(b)) => a.partial_cmp(b),
        (Value::DateLiteral(a), Value::DateLiteral(b)) => a.partial_cmp(b),
        (Value::GYearMonthLiteral(a), Value::GYearMonthLiteral(b)) => a.partial_cmp(b),
        (Value::GYearLiteral(a), Value::GYearLiteral(b)) => a.partial_cmp(b),
        (Value::GMonthDayLiteral(a), Value::GMonthDayLiteral(b)) => a.partial_cmp(b),
        (Value::GDayLiteral(a), Value::GDayLiteral(b)) => a.partial_cmp(b),
        (Value::GMonthLiteral(a), Value::GMonthLiteral(b)) => a.partial_cmp(b),
        (a, b) if is_duration(a) && is_duration(b) => compare_durations(a, b),
        _ => None,
    }
}

/// `a < b` and the like; `None` is an error.
pub(super) fn compare(order: Order, a: &Value, b: &Value) -> Option<bool> {
    let found = if a == b {
        Ordering::Equal
    } else if let (Value::Triple(a), Value::Triple(b)) = (a, b) {
        if a.subject != b.subject || a.predicate != b.predicate {
            return None;
        }
        return compare(order, &a.object, &b.object);
    } else {
        compare_literals(a, b)?
    };
    Some(match order {
        Order::Less => found == Ordering::Less,
        Order::LessOrEqual => found != Ordering::Greater,
        Order::Greater => found == Ordering::Greater,
        Order::GreaterOrEqual => found != Ordering::Less,
    })
}

/// The order of `ORDER BY`: by kind, then by value.
pub(super) fn sort_order(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => kind(a).cmp(&kind(b)).then_with(|| same_kind_order(a, b)),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// The order of values of one kind.
fn same_kind_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::BlankNode(a), Value::BlankNode(b)) => a.as_str().cmp(b.as_str()),
        (Value::NamedNode(a), Value::NamedNode(b)) => a.as_str().cmp(b.as_str()),
        (Value::Triple(a), Value::Triple(b)) => {
            let subject = |subject: &oxrdf::NamedOrBlankNode| Value::from(Term::from(subject.clone()));
            sort_order(Some(&subject(&a.subject)), Some(&subject(&b.subject)))
                .then_with(|| a.predicate.as_str().cmp(b.predicate.as_str()))
                .then_with(|| sort_order(Some(&a.object), Some(&b.object)))
        }
        (a, b) => {
            compare_literals(a, b).unwrap_or_else(|| match (Term::from(a.clone()), Term::from(b.clone())) {
                (Term::Literal(a), Term::Literal(b)) => {
                    (a.value(), a.datatype(), a.language()).cmp(&(b.value(), b.datatype(), b.language()))
                }
                _ => Ordering::Equal,
            })
        }
    }
}

/// Which of two values of `MIN` and `MAX` is less; `None` if that depends on the order in which they are looked at.
pub(super) fn extreme_order(a: &Value, b: &Value) -> Option<Ordering> {
    let (kind_a, kind_b) = (kind(a), kind(b));
    // Blank nodes and IRIs come before all literals; those of different kinds have no order that can be relied on.
    if kind_a == kind_b || kind_a <= 1 || kind_b <= 1 { Some(sort_order(Some(a), Some(b))) } else { None }
}

/// The result of an operator on two numbers; `Err` if they are not numbers, and so of no concern here.
pub(super) fn arithmetic(operator: Operator, a: &Value, b: &Value) -> Result<Option<Value>, ()> {
    let (a, b) = same_type(a, b).ok_or(())?;
    Ok(match (a, b) {
        (Value::IntegerLiteral(a), Value::IntegerLiteral(b)) => match operator {
            Operator::Add => a.checked_add(b).map(Value::IntegerLiteral),
            Operator::Subtract => a.checked_sub(b).map(Value::IntegerLiteral),
            Operator::Multiply => a.checked_mul(b).map(Value::IntegerLiteral),
            Operator::Divide => {
                let (Value::DecimalLiteral(a), Value::DecimalLiteral(b)) =
                    (Value::DecimalLiteral(a.into()), Value::DecimalLiteral(b.into()))
                else {
                    return Err(());
                };
                a.checked_div(b).map(Value::DecimalLiteral)
            }
        },
        (Value::DecimalLiteral(a), Value::DecimalLiteral(b)) => match operator {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::Divide => a.checked_div(b),
        }
        .map(Value::DecimalLiteral),
        (Value::FloatLiteral(a), Value::FloatLiteral(b)) => Some(Value::FloatLiteral(match operator {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
        })),
        (Value::DoubleLiteral(a), Value::DoubleLiteral(b)) => Some(Value::DoubleLiteral(match operator {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
        })),
        _ => return Err(()),
    })
}

/// A pattern of `REGEX` with its flags; `None` if it cannot be compiled.
pub(super) fn compiled_regex(pattern: &str, flags: &str) -> Option<Regex> {
    let escaped = flags.contains('q').then(|| regex::escape(pattern));
    let mut builder = RegexBuilder::new(escaped.as_deref().unwrap_or(pattern));
    builder.size_limit(LARGEST_REGEX);
    for flag in flags.chars() {
        match flag {
            's' => builder.dot_matches_new_line(true),
            'm' => builder.multi_line(true),
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            'q' => &mut builder,
            _ => return None,
        };
    }
    builder.build().ok()
}
