//! Values for random queries: literals of the KB, and others near them.

use super::rng::Rng;
use touchstone_kb::{Comparison, Kb, Literal, LiteralFamily, LiteralId, LiteralKind};
use touchstone_logic::Value;

/// A comparison that a literal satisfies most of the time.
pub fn near(kb: &Kb, rng: &mut Rng, id: LiteralId) -> (Comparison, Value) {
    let literal = kb.literal(id);
    let ordered = matches!(literal.kind().family(), LiteralFamily::Quantity | LiteralFamily::Time);
    let comparison = match rng.below(10) {
        0..=2 => Comparison::Equal,
        3 => Comparison::NotEqual,
        4 | 5 if ordered => Comparison::Less,
        6 if ordered => Comparison::LessOrEqual,
        7 if ordered => Comparison::GreaterOrEqual,
        8 | 9 if ordered => Comparison::Greater,
        _ => Comparison::Equal,
    };
    // A value other than the literal itself, on the side on which the comparison still holds if there is one.
    let upwards = match comparison {
        Comparison::Less | Comparison::LessOrEqual => true,
        Comparison::Greater | Comparison::GreaterOrEqual => false,
        _ => rng.percent(50),
    };
    let value = match literal.kind().family() {
        LiteralFamily::Quantity => number(rng, &literal, comparison, upwards),
        LiteralFamily::Time => time(rng, &literal, comparison, upwards),
        LiteralFamily::Text if comparison == Comparison::NotEqual => Value::text("something else"),
        LiteralFamily::Text if rng.percent(10) => {
            Value { language: "en".into(), ..Value::text(literal.text()) }
        }
        LiteralFamily::Text if rng.percent(20) => Value::untyped(literal.text()),
        LiteralFamily::Text | LiteralFamily::Boolean => Value::of(&literal),
    };
    (comparison, value)
}

fn number(rng: &mut Rng, literal: &Literal<'_>, comparison: Comparison, upwards: bool) -> Value {
    let number = literal.number().unwrap_or(0.0);
    let same = comparison == Comparison::Equal || rng.percent(20);
    let text = match rng.below(4) {
        _ if !same => {
            let by = (number.abs() * 0.1).max(0.5);
            (if upwards { number + by } else { number - by }).to_string()
        }
        0 if !literal.text().contains(['.', 'e', 'E']) => format!("{}.0", literal.text()),
        _ => literal.text().to_owned(),
    };
    match rng.below(30) {
        0 => Value::quantity(text, "furlong"),
        1 if !literal.unit().is_empty() => Value::quantity(text, "1"),
        2..=4 if literal.unit().is_empty() => Value::untyped(text),
        _ => Value::quantity(text, literal.unit()),
    }
}

fn time(rng: &mut Rng, literal: &Literal<'_>, comparison: Comparison, upwards: bool) -> Value {
    let year = literal.as_time().map_or(2000, |time| time.year());
    let other = if upwards { year + 1 + rng.below(3) as i64 } else { year - 1 - rng.below(3) as i64 };
    let year = if comparison == Comparison::Equal || rng.percent(30) { year } else { other };
    let padded = if year < 0 { format!("-{:04}", -year) } else { format!("{year:04}") };
    match rng.below(12) {
        0..=4 => Value::xsd(year.to_string(), "gYear"),
        5 => Value::untyped(year.to_string()),
        6 => Value::xsd(format!("{padded}-{:02}", 1 + rng.below(12)), "gYearMonth"),
        7 => Value::xsd(format!("{padded}-{:02}-{:02}", 1 + rng.below(12), 1 + rng.below(28)), "date"),
        8 => Value::xsd(
            format!("{padded}-{:02}-{:02}T12:00:00Z", 1 + rng.below(12), 1 + rng.below(28)),
            "dateTime",
        ),
        9 if literal.kind() == LiteralKind::Date => Value::untyped(literal.text()),
        _ => Value::of(literal),
    }
}
