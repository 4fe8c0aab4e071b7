//! Literals of a KB as literals of RDF, and back.

use crate::iri::{decode, encode};
use crate::literal::{Literal, LiteralKind, UNIT_NAMESPACE, XSD};
use crate::time::padded_year;
use oxrdf::{BaseDirection, NamedNode};
use std::borrow::Cow;

/// The unit that a datatype stands for, if writing the unit gives the same datatype again.
pub(crate) fn unit_of<'d>(datatype: &'d str, units: &str) -> Option<Cow<'d, str>> {
    let unit = decode(datatype.strip_prefix(units)?);
    (unit != "1" && !unit.is_empty() && encode(units, &unit) == datatype).then_some(unit)
}

/// The language of a text, with its direction if it has one.
pub(crate) fn language_of(literal: &oxrdf::Literal) -> Cow<'_, str> {
    let language = literal.language().unwrap_or("");
    match literal.direction() {
        Some(direction) => Cow::Owned(format!("{language}--{direction}")),
        None => Cow::Borrowed(language),
    }
}

/// An RDF literal as a literal of a KB that [`write`] writes identically. `language` and `unit` are what
/// [`language_of`] and [`unit_of`] return.
pub(crate) fn read<'l>(literal: &'l oxrdf::Literal, language: &'l str, unit: Option<&'l str>) -> Literal<'l> {
    let (text, datatype) = (literal.value(), literal.datatype().as_str());
    let typed = Literal::typed_text(text, datatype);
    if let Some(unit) = unit {
        return Literal::quantity(text, unit).unwrap_or(typed);
    }
    if language.is_empty() && datatype.starts_with(UNIT_NAMESPACE) {
        return typed;
    }
    let read = Literal::from_rdf(text, datatype, language);
    match read.as_time().filter(|_| read.kind() == LiteralKind::Year) {
        // `44` would be written as `0044`; it is not a year of XML Schema.
        Some(time) if time.year().to_string() == text && padded_year(time.year()) != text => typed,
        _ => read,
    }
}

/// A literal of the KB as one of RDF; `units` is the namespace of datatypes that are units.
pub(crate) fn write(literal: &Literal<'_>, units: &str) -> oxrdf::Literal {
    let typed = |datatype: String| {
        oxrdf::Literal::new_typed_literal(literal.text(), NamedNode::new_unchecked(datatype))
    };
    match literal.kind() {
        LiteralKind::Text => oxrdf::Literal::new_simple_literal(literal.text()),
        LiteralKind::LanguageText => match literal.language().split_once("--") {
            Some((language, direction)) => oxrdf::Literal::new_directional_language_tagged_literal_unchecked(
                literal.text(),
                language,
                if direction == "rtl" { BaseDirection::Rtl } else { BaseDirection::Ltr },
            ),
            None => oxrdf::Literal::new_language_tagged_literal_unchecked(literal.text(), literal.language()),
        },
        LiteralKind::TypedText => typed(literal.datatype().to_owned()),
        LiteralKind::Boolean => typed(format!("{XSD}boolean")),
        LiteralKind::Year => {
            let year = literal.as_time().map_or(0, |t| t.year());
            // Years have no padding in KBs, and at least four digits in XML Schema.
            let padded = crate::time::padded_year(year);
            let text = if literal.text() == year.to_string() { padded.as_str() } else { literal.text() };
            oxrdf::Literal::new_typed_literal(text, NamedNode::new_unchecked(format!("{XSD}gYear")))
        }
        LiteralKind::Month => typed(format!("{XSD}gYearMonth")),
        LiteralKind::Date => typed(format!("{XSD}date")),
        LiteralKind::DateTime => typed(format!("{XSD}dateTime")),
        LiteralKind::Quantity if literal.unit().is_empty() => {
            typed(format!("{XSD}{}", literal.number_type().name()))
        }
        LiteralKind::Quantity => typed(encode(units, literal.unit())),
    }
}
