//! Literals: text, quantities, times and booleans, with their exact written form.
//!
//! Useful for: reading and printing values of facts and qualifiers.
//! Not useful for: deciding whether one value is above another; that is [`crate::compare`].

use crate::time::{Precision, Time};
use std::fmt;

/// The namespace of XML Schema datatypes.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// The namespace of datatypes that carry a unit: `"142"^^<urn:touchstone:unit:minute>`.
pub const UNIT_NAMESPACE: &str = "urn:touchstone:unit:";

/// What a literal is, without its value. The order is the order of literal ids in a store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LiteralKind {
    /// true or false.
    Boolean = 0,
    /// A number, with a unit or without.
    Quantity = 1,
    /// A year.
    Year = 2,
    /// A month of a year.
    Month = 3,
    /// A calendar day.
    Date = 4,
    /// A time of day.
    DateTime = 5,
    /// Text without a language.
    Text = 6,
    /// Text in a language.
    LanguageText = 7,
    /// Text of a datatype that is none of the above.
    TypedText = 8,
}

impl LiteralKind {
    pub(crate) fn from_u8(code: u8) -> Option<LiteralKind> {
        use LiteralKind::*;
        [Boolean, Quantity, Year, Month, Date, DateTime, Text, LanguageText, TypedText]
            .get(usize::from(code))
            .copied()
    }

    /// The family of comparable values.
    pub fn family(self) -> LiteralFamily {
        match self {
            LiteralKind::Boolean => LiteralFamily::Boolean,
            LiteralKind::Quantity => LiteralFamily::Quantity,
            LiteralKind::Year | LiteralKind::Month | LiteralKind::Date | LiteralKind::DateTime => {
                LiteralFamily::Time
            }
            LiteralKind::Text | LiteralKind::LanguageText | LiteralKind::TypedText => LiteralFamily::Text,
        }
    }

    pub(crate) fn precision(self) -> Precision {
        match self {
            LiteralKind::Year => Precision::Year,
            LiteralKind::Month => Precision::Month,
            LiteralKind::DateTime => Precision::Second,
            _ => Precision::Day,
        }
    }
}

/// The four families of literals; values of different families are never comparable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LiteralFamily {
    /// true or false.
    Boolean,
    /// Numbers.
    Quantity,
    /// Years, months, dates, date-times.
    Time,
    /// Texts.
    Text,
}

macro_rules! number_types {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The XML Schema type a number was written in; it matters only for writing it back.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum NumberType { #[default] $($variant),* }

        impl NumberType {
            const ALL: &'static [NumberType] = &[$(NumberType::$variant),*];

            /// The local name in XML Schema.
            pub fn name(self) -> &'static str {
                match self { $(NumberType::$variant => $name),* }
            }
        }
    };
}

number_types! {
    Decimal = "decimal", Integer = "integer", Double = "double", Float = "float",
    Long = "long", Int = "int", Short = "short", Byte = "byte",
    NonNegativeInteger = "nonNegativeInteger", PositiveInteger = "positiveInteger",
    NonPositiveInteger = "nonPositiveInteger", NegativeInteger = "negativeInteger",
    UnsignedLong = "unsignedLong", UnsignedInt = "unsignedInt",
    UnsignedShort = "unsignedShort", UnsignedByte = "unsignedByte",
}

impl NumberType {
    /// The type with this local name in XML Schema.
    pub fn from_name(name: &str) -> Option<NumberType> {
        Self::ALL.iter().copied().find(|t| t.name() == name)
    }

    /// The type of a number if the file does not state one: decimal, unless it has more digits after the point than XML Schema
    /// requires implementations to keep; servers drop further digits without reporting it.
    pub fn of(number: &str) -> NumberType {
        let digits = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        if digits > 18 { NumberType::Double } else { NumberType::Decimal }
    }

    pub(crate) fn from_u8(code: u8) -> Option<NumberType> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// A literal that borrows its text.
///
/// ```
/// use touchstone_kb::Literal;
/// let height = Literal::quantity("206", "centimetre").unwrap();
/// assert_eq!(height.to_string(), "206 centimetre");
/// assert_eq!(height.number(), Some(206.0));
/// assert!(Literal::date("2023-02-29").is_none(), "there was no such day");
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Literal<'a> {
    pub(crate) kind: LiteralKind,
    pub(crate) number_type: NumberType,
    /// The f64 bits of a quantity, the packed key of a time, 0 or 1 for a boolean.
    pub(crate) key: u64,
    /// The exact written form.
    pub(crate) text: &'a str,
    /// Unit, language or datatype, by kind; empty if there is none.
    pub(crate) tag: &'a str,
}

impl<'a> Literal<'a> {
    fn new(kind: LiteralKind, key: u64, text: &'a str, tag: &'a str) -> Self {
        Literal { kind, number_type: NumberType::Decimal, key, text, tag }
    }

    /// Plain text.
    pub fn text_value(text: &'a str) -> Self {
        Self::new(LiteralKind::Text, 0, text, "")
    }

    /// Text in a language; an empty language is plain text.
    ///
    /// Languages compare without regard to case; importers write them in lower case.
    pub fn language_text(text: &'a str, language: &'a str) -> Self {
        let kind = if language.is_empty() { LiteralKind::Text } else { LiteralKind::LanguageText };
        Self::new(kind, 0, text, language)
    }

    /// Text of a datatype without its own kind.
    pub fn typed_text(text: &'a str, datatype: &'a str) -> Self {
        Self::new(LiteralKind::TypedText, 0, text, datatype)
    }

    /// A number with a unit; the unit `1` (or an empty one) means none. Its type is [`NumberType::of`] the number.
    pub fn quantity(number: &'a str, unit: &'a str) -> Option<Self> {
        Self::quantity_of(number, unit, NumberType::of(number))
    }

    /// A number with a unit, written in a given XML Schema type.
    pub fn quantity_of(number: &'a str, unit: &'a str, number_type: NumberType) -> Option<Self> {
        let value = parse_number(number)?;
        let unit = if unit == "1" { "" } else { unit };
        let mut literal = Self::new(LiteralKind::Quantity, value.to_bits(), number, unit);
        literal.number_type = number_type;
        Some(literal)
    }

    /// A year, such as `1994` or `-44`.
    pub fn year(text: &'a str) -> Option<Self> {
        Time::parse_year(text).map(|t| Self::time(LiteralKind::Year, t, text))
    }

    /// A month, `yyyy-mm`.
    pub fn month(text: &'a str) -> Option<Self> {
        Time::parse_month(text).map(|t| Self::time(LiteralKind::Month, t, text))
    }

    /// A date, `yyyy-mm-dd` or `yyyy/mm/dd`.
    pub fn date(text: &'a str) -> Option<Self> {
        Time::parse_date(text).map(|t| Self::time(LiteralKind::Date, t, text))
    }

    /// A date and time of day.
    pub fn datetime(text: &'a str) -> Option<Self> {
        Time::parse_datetime(text).map(|t| Self::time(LiteralKind::DateTime, t, text))
    }

    fn time(kind: LiteralKind, time: Time, text: &'a str) -> Self {
        Self::new(kind, time.key().cast_unsigned(), text, "")
    }

    /// true or false.
    pub fn boolean(value: bool) -> Literal<'static> {
        let text = if value { "true" } else { "false" };
        Literal::new(LiteralKind::Boolean, u64::from(value), text, "")
    }

    /// Reads the lexical form of an RDF literal. A value that does not fit its datatype
    /// (`"soon"^^xsd:date`) becomes text of that datatype, so that nothing is lost.
    /// The unit `1` also becomes text: importers replace it once they know the unit of the attribute.
    pub fn from_rdf(text: &'a str, datatype: &'a str, language: &'a str) -> Self {
        if !language.is_empty() {
            return Self::language_text(text, language);
        }
        let parsed = if let Some(name) = datatype.strip_prefix(XSD) {
            match name {
                "string" => return Self::text_value(text),
                "gYear" => Self::year(text),
                "gYearMonth" => Self::month(text),
                "date" => Self::date(text),
                "dateTime" => Self::datetime(text),
                "boolean" => match text {
                    "true" | "1" => Some(Literal { text, ..Self::boolean(true) }),
                    "false" | "0" => Some(Literal { text, ..Self::boolean(false) }),
                    _ => None,
                },
                _ => NumberType::from_name(name).and_then(|t| Self::quantity_of(text, "", t)),
            }
        } else if let Some(unit) = datatype.strip_prefix(UNIT_NAMESPACE).filter(|&unit| unit != "1") {
            Self::quantity(text, unit)
        } else {
            None
        };
        parsed.unwrap_or_else(|| Self::typed_text(text, datatype))
    }

    /// Its kind.
    pub fn kind(&self) -> LiteralKind {
        self.kind
    }

    /// The exact written form, without unit, language or datatype.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The number of a quantity.
    pub fn number(&self) -> Option<f64> {
        (self.kind == LiteralKind::Quantity).then(|| f64::from_bits(self.key))
    }

    /// The XML Schema type a number was written in.
    pub fn number_type(&self) -> NumberType {
        self.number_type
    }

    /// The unit of a quantity; empty if it has none.
    pub fn unit(&self) -> &'a str {
        if self.kind == LiteralKind::Quantity { self.tag } else { "" }
    }

    /// The language of a text; empty if it has none.
    pub fn language(&self) -> &'a str {
        if self.kind == LiteralKind::LanguageText { self.tag } else { "" }
    }

    /// The datatype of a text of another datatype; empty otherwise.
    pub fn datatype(&self) -> &'a str {
        if self.kind == LiteralKind::TypedText { self.tag } else { "" }
    }

    /// The point in time of a year, month, date or date-time.
    pub fn as_time(&self) -> Option<Time> {
        (self.kind.family() == LiteralFamily::Time)
            .then(|| Time::from_key(self.key.cast_signed(), self.kind.precision()))
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        (self.kind == LiteralKind::Boolean).then_some(self.key == 1)
    }

    /// The order of literal ids: by family; quantities by unit and number; times by time; texts by
    /// text, so that the same text in several languages is adjacent.
    pub(crate) fn storage_order(&self, other: &Literal<'_>) -> std::cmp::Ordering {
        let family = self.kind.family();
        family.cmp(&other.kind.family()).then_with(|| match family {
            LiteralFamily::Boolean => self.key.cmp(&other.key).then_with(|| self.text.cmp(other.text)),
            LiteralFamily::Quantity => self
                .tag
                .cmp(other.tag)
                .then_with(|| f64::from_bits(self.key).total_cmp(&f64::from_bits(other.key)))
                .then_with(|| self.text.cmp(other.text))
                .then_with(|| self.number_type.cmp(&other.number_type)),
            LiteralFamily::Time => self
                .key
                .cast_signed()
                .cmp(&other.key.cast_signed())
                .then_with(|| self.kind.cmp(&other.kind))
                .then_with(|| self.text.cmp(other.text)),
            LiteralFamily::Text => self
                .text
                .cmp(other.text)
                .then_with(|| self.kind.cmp(&other.kind))
                .then_with(|| self.tag.cmp(other.tag)),
        })
    }
}

/// A decimal number; infinities, NaN and hexadecimal are not numbers of a KB.
fn parse_number(text: &str) -> Option<f64> {
    let plausible = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    let value: f64 = if plausible { text.parse().ok()? } else { return None };
    // -0 and 0 are the same number and must have the same key.
    value.is_finite().then_some(if value == 0.0 { 0.0 } else { value })
}

impl fmt::Display for Literal<'_> {
    /// For display: a number with its unit, a text alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.tag) {
            (LiteralKind::Quantity, unit) if !unit.is_empty() => write!(f, "{} {unit}", self.text),
            _ => f.write_str(self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rdf_literals_keep_what_they_are() {
        let xsd = |name: &str| format!("{XSD}{name}");
        for (text, datatype, kind) in [
            ("12", xsd("integer"), LiteralKind::Quantity),
            ("12.50", xsd("float"), LiteralKind::Quantity),
            ("1e3", xsd("double"), LiteralKind::Quantity),
            ("INF", xsd("double"), LiteralKind::TypedText),
            ("twelve", xsd("integer"), LiteralKind::TypedText),
            ("1994", xsd("gYear"), LiteralKind::Year),
            ("1994-09", xsd("gYearMonth"), LiteralKind::Month),
            ("1994-09-23", xsd("date"), LiteralKind::Date),
            ("soon", xsd("date"), LiteralKind::TypedText),
            ("1994-09-23T00:00:00Z", xsd("dateTime"), LiteralKind::DateTime),
            ("true", xsd("boolean"), LiteralKind::Boolean),
            ("maybe", xsd("boolean"), LiteralKind::TypedText),
            ("hello", xsd("string"), LiteralKind::Text),
            ("P1Y", xsd("duration"), LiteralKind::TypedText),
            ("142", "urn:touchstone:unit:minute".into(), LiteralKind::Quantity),
        ] {
            let literal = Literal::from_rdf(text, &datatype, "");
            assert_eq!(literal.kind(), kind, "{text} {datatype}");
            assert_eq!(literal.text(), text, "the written form is kept");
        }
        assert_eq!(Literal::from_rdf("Paris", "", "fr").language(), "fr");
    }

    #[test]
    fn unit_one_is_no_unit() {
        let a = Literal::quantity("3", "1").expect("a number");
        let b = Literal::quantity("3", "").expect("a number");
        assert_eq!(a, b);
        assert_eq!(a.to_string(), "3");
        assert_eq!(Literal::quantity("-0", "").expect("a number").number(), Some(0.0));
        assert!(Literal::quantity("NaN", "").is_none());
        assert!(Literal::quantity("1,000", "").is_none());
        assert!(Literal::quantity("", "").is_none());
    }

    #[test]
    fn number_types_have_unique_names() {
        for t in NumberType::ALL {
            assert_eq!(NumberType::from_name(t.name()), Some(*t));
            assert_eq!(NumberType::from_u8(*t as u8), Some(*t));
        }
    }
}
