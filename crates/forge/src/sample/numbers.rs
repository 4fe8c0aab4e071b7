//! Values to compare with: round numbers and years near a value, chosen such that the value satisfies the comparison.

use touchstone_benchmark::Random;
use touchstone_kb::{Comparison, Literal};
use touchstone_logic::Value;

/// A comparison that a value satisfies, with a round number or a year near it.
pub(crate) fn near(random: &mut Random, literal: &Literal<'_>) -> Option<(Comparison, Value)> {
    use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
    let comparison = *random.choose(&[Less, Greater, LessOrEqual, GreaterOrEqual])?;
    let up = matches!(comparison, Less | LessOrEqual);
    let value = match (literal.number(), literal.as_time()) {
        (Some(number), _) => {
            let is_whole = literal.text().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            let (number, digits) = rounded(number, up, *random.choose(&[0, 1])?, is_whole)?;
            Value::quantity(format!("{number:.digits$}"), literal.unit())
        }
        (_, Some(time)) => {
            let distance = *random.choose(&[1, 2, 3, 4, 5])?;
            let year = time.year() + if up { distance } else { -distance };
            // There is no year 0 in everyday language, and years BCE count backwards.
            if year <= 0 {
                return None;
            }
            Value::xsd(format!("{year:04}"), "gYear")
        }
        _ => return None,
    };
    Some((comparison, value))
}

/// The next number above or below with one or two significant digits, and the number of decimals to show: none for integers.
fn rounded(number: f64, up: bool, more_digits: i32, is_whole: bool) -> Option<(f64, usize)> {
    if number == 0.0 || !number.is_finite() || number.abs() >= 1e15 || number.abs() < 1e-6 {
        return None;
    }
    let exponent = magnitude(number) - more_digits;
    let exponent = if is_whole { exponent.max(0) } else { exponent };
    let digits = usize::try_from(-exponent).unwrap_or(0);
    let step = 10f64.powi(exponent);
    let steps = if up { (number / step).floor() + 1.0 } else { (number / step).ceil() - 1.0 };
    let found = if exponent < 0 { steps / 10f64.powi(-exponent) } else { steps * step };
    // Rounding away from the number may give zero, which is a trivial bound for positive values.
    (found != 0.0 && if up { found > number } else { found < number }).then_some((found, digits))
}

/// The position of the first non-zero digit.
#[expect(clippy::cast_possible_truncation, reason = "logarithms of floats are below 400")]
fn magnitude(number: f64) -> i32 {
    number.abs().log10().floor() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::compare::satisfies;

    #[test]
    fn values_satisfy_their_comparison() {
        let mut random = Random::new(1, "numbers");
        let texts = ["142", "0.37", "-12.5", "28817291", "9", "1", "1000", "0.0001", "3.5e7"];
        let mut n = 0;
        for text in texts {
            let literal = Literal::quantity(text, "minute").expect("a number");
            for _ in 0..100 {
                let Some((comparison, value)) = near(&mut random, &literal) else { continue };
                assert_eq!(
                    satisfies(&literal, comparison, &value.literal()),
                    Ok(true),
                    "{text} {comparison} {value}"
                );
                n += 1;
            }
        }
        for text in ["1994-05-06", "2001-01-01"] {
            let literal = Literal::date(text).expect("a date");
            for _ in 0..100 {
                let (comparison, value) = near(&mut random, &literal).expect("a year");
                assert_eq!(
                    satisfies(&literal, comparison, &value.literal()),
                    Ok(true),
                    "{text} {comparison} {value}"
                );
                n += 1;
            }
        }
        assert!(n > 800, "{n}");
    }
}
