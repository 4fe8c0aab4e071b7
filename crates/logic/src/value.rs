//! Literals in queries, and when two of them are equal.

use std::borrow::Cow;
use std::fmt;

/// A string of a query: an id, a name, a text. Strings of up to 23 bytes, which are most, are copied without allocation.
pub use smol_str::SmolStr as Symbol;
use touchstone_kb::{Literal, LiteralKind, NumberType, Precision, XSD};

/// A literal in a query: the text as written, with its datatype, language or unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// The lexical form.
    pub text: Symbol,
    /// The datatype's IRI; empty for plain text and for text with a language.
    pub datatype: Cow<'static, str>,
    /// The language; empty if there is none.
    pub language: Symbol,
    /// The unit of a quantity; empty if there is none.
    pub unit: Symbol,
}

/// The datatype of a value whose kind the KB decides, by its key: some KoPL functions do not give it.
pub(crate) const UNTYPED: &str = "urn:touchstone:untyped";

impl Value {
    /// A value whose kind the KB decides.
    pub fn untyped(text: impl Into<Symbol>) -> Value {
        Value::typed(text, UNTYPED)
    }

    /// Whether the KB decides its kind.
    #[inline]
    pub fn is_untyped(&self) -> bool {
        self.datatype == UNTYPED
    }

    /// Plain text.
    #[inline]
    pub fn text(text: impl Into<Symbol>) -> Value {
        Value {
            text: text.into(),
            datatype: Cow::Borrowed(""),
            language: Symbol::default(),
            unit: Symbol::default(),
        }
    }

    /// A text of a datatype, given by its full IRI.
    pub fn typed(text: impl Into<Symbol>, datatype: impl Into<Cow<'static, str>>) -> Value {
        let datatype: Cow<'static, str> = datatype.into();
        let plain = datatype.strip_prefix(XSD) == Some("string");
        Value { datatype: if plain { Cow::Borrowed("") } else { datatype }, ..Value::text(text) }
    }

    /// A text of a datatype of XML Schema, given by its short name.
    #[inline]
    pub fn xsd(text: impl Into<Symbol>, name: &str) -> Value {
        if name == "string" {
            return Value::text(text);
        }
        // The most frequent ones are borrowed: in a query of a microsecond, copies are noticeable.
        let datatype = match name {
            "gYear" => Cow::Borrowed("http://www.w3.org/2001/XMLSchema#gYear"),
            "date" => Cow::Borrowed("http://www.w3.org/2001/XMLSchema#date"),
            "double" => Cow::Borrowed("http://www.w3.org/2001/XMLSchema#double"),
            _ => Cow::Owned([XSD, name].concat()),
        };
        Value { datatype, ..Value::text(text) }
    }

    /// A number with a unit; `1` means no unit.
    pub fn quantity(number: impl Into<Symbol>, unit: &str) -> Value {
        let unit = if unit == "1" { "" } else { unit };
        Value { unit: unit.into(), ..Value::xsd(number, "double") }
    }

    /// A literal of a KB in the notation of queries.
    pub fn of(literal: &Literal<'_>) -> Value {
        match literal.kind() {
            LiteralKind::Boolean => Value::xsd(literal.text(), "boolean"),
            LiteralKind::Quantity => Value::quantity(literal.text(), literal.unit()),
            LiteralKind::Year => Value::xsd(literal.text(), "gYear"),
            LiteralKind::Month => Value::xsd(literal.text(), "gYearMonth"),
            LiteralKind::Date => Value::xsd(literal.text(), "date"),
            LiteralKind::DateTime => Value::xsd(literal.text(), "dateTime"),
            LiteralKind::Text => Value::text(literal.text()),
            LiteralKind::LanguageText => {
                Value { language: literal.language().into(), ..Value::text(literal.text()) }
            }
            LiteralKind::TypedText => Value::typed(literal.text(), literal.datatype().to_owned()),
        }
    }

    /// Like [`Value::key`], but equal for all kinds with the same spelling, for values under a key that decides their kind.
    pub(crate) fn written_key(&self) -> String {
        let literal = self.literal();
        let Some(number) = literal.number() else { return self.text.to_string() };
        let number = match self.text.trim_start_matches('+').parse::<i128>() {
            Ok(whole) => whole.to_string(),
            Err(_) => (number + 0.0).to_string(),
        };
        if literal.unit().is_empty() { number } else { format!("{number} {}", literal.unit()) }
    }

    /// Removes the time zone after years, months and dates, which Freebase's dump and others write: it carries no information.
    #[must_use]
    pub(crate) fn without_zone(mut self) -> Value {
        if matches!(self.xsd_name(), Some("gYear" | "gYearMonth" | "date")) {
            let zone = |text: &str| {
                let bytes = text.as_bytes();
                let offset = |b: &[u8]| matches!(b, [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(|x| x.is_ascii_digit()));
                match bytes {
                    [.., b'Z'] => 1,
                    _ if bytes.len() > 6 && offset(&bytes[bytes.len() - 6..]) => 6,
                    _ => 0,
                }
            };
            let kept = self.text.len() - zone(&self.text);
            self.text = Symbol::new(&self.text[..kept]);
        }
        self
    }

    /// The literal it denotes.
    pub fn literal(&self) -> Literal<'_> {
        if !self.unit.is_empty() {
            let number_type = self.xsd_name().and_then(NumberType::from_name).unwrap_or_default();
            if let Some(quantity) = Literal::quantity_of(&self.text, &self.unit, number_type) {
                return quantity;
            }
        }
        if self.datatype.is_empty() {
            return Literal::language_text(&self.text, &self.language);
        }
        Literal::from_rdf(&self.text, &self.datatype, &self.language)
    }

    /// The short name of a datatype of XML Schema.
    pub fn xsd_name(&self) -> Option<&str> {
        self.datatype.strip_prefix(XSD)
    }

    /// A text that is equal for two values exactly if they denote the same literal: `141` and `141.0` minute, whatever the number's type.
    pub fn key(&self) -> String {
        let literal = self.literal();
        match literal.kind() {
            LiteralKind::Quantity => {
                // Integers are compared digit by digit: a double holds only the first sixteen.
                match self.text.trim_start_matches('+').parse::<i128>() {
                    Ok(whole) => format!("number {whole} {}", literal.unit()),
                    Err(_) => {
                        format!("number {} {}", literal.number().unwrap_or(f64::NAN) + 0.0, literal.unit())
                    }
                }
            }
            LiteralKind::Boolean => format!("boolean {}", literal.as_bool().unwrap_or(false)),
            kind => match literal.as_time() {
                // The precision is part of the value: a year does not equal its first of January.
                Some(time) if time.precision() == Precision::Second => format!("time {}", time.key()),
                Some(time) => format!("{:?} {}", time.precision(), time.date_text()),
                None if kind == LiteralKind::TypedText => format!("typed {} {}", self.datatype, self.text),
                None => format!("text {} {}", self.language.to_ascii_lowercase(), self.text),
            },
        }
    }
}

/// Whether a text can be a language tag.
pub(crate) fn is_language(text: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.len() <= 8 && part.bytes().all(|b| b.is_ascii_alphanumeric());
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.split('-').all(part)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.unit.as_str(), self.language.as_str()) {
            ("", "") => f.write_str(&self.text),
            ("", language) => write!(f, "{}@{language}", self.text),
            (unit, _) => write!(f, "{} {unit}", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_literal_has_the_same_key() {
        assert_eq!(Value::quantity("141", "minute").key(), Value::quantity("141.0", "minute").key());
        assert_ne!(Value::quantity("141", "minute").key(), Value::quantity("141", "1").key());
        assert_eq!(Value::xsd("7", "integer").key(), Value::xsd("7.0", "float").key());
        assert_ne!(Value::xsd("1990", "gYear").key(), Value::xsd("1990", "integer").key());
        assert_ne!(Value::xsd("1990", "gYear").key(), Value::xsd("1990-01-01", "date").key());
        assert_ne!(Value::text("7").key(), Value::xsd("7", "integer").key());
        assert_eq!(Value::xsd("x", "string").key(), Value::text("x").key());
        assert_ne!(
            Value::xsd("9007199254740993", "integer").key(),
            Value::xsd("9007199254740992", "integer").key()
        );
        assert_eq!(Value::xsd("1990-08:00", "gYear").without_zone(), Value::xsd("1990", "gYear"));
        assert_eq!(Value::xsd("-0044", "gYear").without_zone(), Value::xsd("-0044", "gYear"));
        assert_eq!(Value::xsd("1990-01-02Z", "date").without_zone(), Value::xsd("1990-01-02", "date"));
        assert_eq!(Value::xsd("-0", "integer").key(), Value::xsd("0", "integer").key());
    }
}
