//! Parsing and printing of numbers and texts as in Python, as far as the executors need it.

use super::error::{Exception, Fault, raise};

/// `float(text)`.
pub(super) fn float(text: &str) -> Result<f64, Fault> {
    let trimmed = text.trim();
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let special = ["inf", "infinity", "nan"].iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    let number =
        if special { Some(trimmed.to_owned()) } else { digits(trimmed).filter(|d| d.bytes().all(plain)) };
    match number.and_then(|number| number.parse().ok()) {
        Some(number) => Ok(number),
        _ => raise(Exception::ValueError, format!("`{text}` is not a number")),
    }
}

/// `int(text)`; a number that does not fit becomes the largest one, which compares the same.
pub(super) fn int(text: &str) -> Result<i64, Fault> {
    let wrong = || raise(Exception::ValueError, format!("`{text}` is not a whole number"));
    let Some(number) = digits(text.trim()) else { return wrong() };
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(&number);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return wrong();
    }
    let limit = if number.starts_with('-') { i64::MIN } else { i64::MAX };
    Ok(number.parse().unwrap_or(limit))
}

/// Underscores between two digits are ignored.
fn digits(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let wrong = |(at, &byte): (usize, &u8)| byte == b'_' && !(at > 0 && digit(at - 1) && digit(at + 1));
    if bytes.iter().enumerate().any(wrong) { None } else { Some(text.replace('_', "")) }
}

/// `repr(number)` of a finite number: the shortest digits that round-trip, with an exponent below 1e-4 and from 1e16 on.
pub(super) fn float_repr(number: f64) -> String {
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// `str(int(number))` of a finite number.
pub(super) fn whole_repr(number: f64) -> String {
    // Integers have no negative zero.
    format!("{:.0}", number.trunc() + 0.0)
}

/// `repr(text)`.
pub(super) fn text_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_ascii_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_as_python_does() {
        for (text, expected) in [
            ("1e5", Some(1e5)),
            ("-3", Some(-3.0)),
            ("1_000", Some(1000.0)),
            (" 7.5 ", Some(7.5)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("+2", Some(2.0)),
            ("-inf", Some(f64::NEG_INFINITY)),
            ("Infinity", Some(f64::INFINITY)),
            ("1,000", None),
            ("1__0", None),
            ("_1", None),
            ("", None),
            ("0x10", None),
            ("five", None),
            ("infinit", None),
        ] {
            assert_eq!(float(text).ok(), expected, "{text:?}");
        }
        assert!(float("nan").is_ok_and(f64::is_nan));
    }

    #[test]
    fn whole_numbers_are_read_as_python_does() {
        for (text, expected) in [
            ("1990", Some(1990)),
            (" -500 ", Some(-500)),
            ("+7", Some(7)),
            ("1_9", Some(19)),
            ("0044", Some(44)),
            ("99999999999999999999", Some(i64::MAX)),
            ("", None),
            ("-", None),
            ("19.5", None),
            ("1e3", None),
        ] {
            assert_eq!(int(text).ok(), expected, "{text:?}");
        }
    }

    /// Output of CPython 3.11.
    #[test]
    fn numbers_are_written_as_python_does() {
        for (number, expected) in [
            (0.1, "0.1"),
            (2.999999, "2.999999"),
            (1e16, "1e+16"),
            (123456789012345.6, "123456789012345.6"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001234, "1.234e-05"),
            (1e-7, "1e-07"),
            (100.0, "100.0"),
            (1e15, "1000000000000000.0"),
        ] {
            assert_eq!(float_repr(number), expected);
        }
        assert_eq!(whole_repr(-0.5), "0");
        assert_eq!(whole_repr(-2.5), "-2");
        assert_eq!(whole_repr(1e22), "10000000000000000000000");
    }

    #[test]
    fn texts_are_quoted_as_python_does() {
        for (text, expected) in
            [("Q1", "'Q1'"), ("it's", "\"it's\""), ("a\"b'c", "'a\"b\\'c'"), ("a\n\\", "'a\\n\\\\'")]
        {
            assert_eq!(text_repr(text), expected);
        }
    }
}
