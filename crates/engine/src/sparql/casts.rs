//! Casts: the functions named by data types. The types derived from `xsd:integer` are casts to `xsd:integer` within their range.

use oxrdf::{NamedNode, Term};
use spareval::{ExpressionTerm as Value, QueryEvaluator};

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// The derived types of `xsd:integer` with their least and greatest number.
const DERIVED: [(&str, i64, i64); 12] = [
    ("byte", -128, 127),
    ("short", -32_768, 32_767),
    ("int", i32::MIN as i64, i32::MAX as i64),
    ("long", i64::MIN, i64::MAX),
    ("unsignedByte", 0, 255),
    ("unsignedShort", 0, 65_535),
    ("unsignedInt", 0, u32::MAX as i64),
    ("unsignedLong", 0, i64::MAX),
    ("positiveInteger", 1, i64::MAX),
    ("nonNegativeInteger", 0, i64::MAX),
    ("negativeInteger", i64::MIN, -1),
    ("nonPositiveInteger", i64::MIN, 0),
];

/// The name of the type that a cast leads to, without its namespace; empty for other functions.
pub(crate) fn cast_name(iri: &str) -> &str {
    iri.strip_prefix(XSD).unwrap_or("")
}

/// Whether a function is a cast that [`cast`] knows.
pub(crate) fn is_cast(iri: &str) -> bool {
    let name = cast_name(iri);
    matches!(
        name,
        "string" | "boolean" | "double" | "float" | "decimal" | "integer" | "date" | "dateTime" | "gYear"
    ) || DERIVED.iter().any(|(derived, ..)| *derived == name)
}

/// The value as one of another type; `None` is an error.
pub(crate) fn cast(name: &str, value: Option<Value>) -> Option<Value> {
    let value = value?;
    Some(match name {
        "string" => Value::StringLiteral(match Term::from(value) {
            Term::NamedNode(iri) => iri.into_string(),
            Term::Literal(literal) => literal.destruct().0,
            Term::BlankNode(_) | Term::Triple(_) => return None,
        }),
        "boolean" => Value::BooleanLiteral(match value {
            Value::BooleanLiteral(value) => value,
            Value::FloatLiteral(value) => value.into(),
            Value::DoubleLiteral(value) => value.into(),
            Value::IntegerLiteral(value) => value.into(),
            Value::DecimalLiteral(value) => value.into(),
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        "double" => Value::DoubleLiteral(match value {
            Value::FloatLiteral(value) => value.into(),
            Value::DoubleLiteral(value) => value,
            Value::IntegerLiteral(value) => value.into(),
            Value::DecimalLiteral(value) => value.into(),
            Value::BooleanLiteral(value) => value.into(),
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        "float" => Value::FloatLiteral(match value {
            Value::FloatLiteral(value) => value,
            Value::DoubleLiteral(value) => value.into(),
            Value::IntegerLiteral(value) => value.into(),
            Value::DecimalLiteral(value) => value.into(),
            Value::BooleanLiteral(value) => value.into(),
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        "decimal" => Value::DecimalLiteral(match value {
            Value::FloatLiteral(value) => value.try_into().ok()?,
            Value::DoubleLiteral(value) => value.try_into().ok()?,
            Value::IntegerLiteral(value) => value.into(),
            Value::DecimalLiteral(value) => value,
            Value::BooleanLiteral(value) => value.into(),
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        "integer" => return integer(value),
        "date" => Value::DateLiteral(match value {
            Value::DateLiteral(value) => value,
            Value::DateTimeLiteral(value) => value.try_into().ok()?,
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        "dateTime" => Value::DateTimeLiteral(match value {
            Value::DateTimeLiteral(value) => value,
            Value::DateLiteral(value) => value.try_into().ok()?,
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        "gYear" => Value::GYearLiteral(match value {
            Value::GYearLiteral(value) => value,
            Value::GYearMonthLiteral(value) => value.try_into().ok()?,
            Value::DateLiteral(value) => value.try_into().ok()?,
            Value::DateTimeLiteral(value) => value.try_into().ok()?,
            Value::StringLiteral(value) => value.parse().ok()?,
            _ => return None,
        }),
        derived => {
            let (_, least, greatest) = DERIVED.iter().find(|(name, ..)| *name == derived)?;
            return integer(value).filter(|value| match value {
                Value::IntegerLiteral(number) => (*least..=*greatest).contains(&i64::from(*number)),
                _ => false,
            });
        }
    })
}

fn integer(value: Value) -> Option<Value> {
    Some(Value::IntegerLiteral(match value {
        Value::FloatLiteral(value) => value.try_into().ok()?,
        Value::DoubleLiteral(value) => value.try_into().ok()?,
        Value::IntegerLiteral(value) => value,
        Value::DecimalLiteral(value) => value.try_into().ok()?,
        Value::BooleanLiteral(value) => value.into(),
        Value::StringLiteral(value) => value.parse().ok()?,
        _ => return None,
    }))
}

/// An evaluator that knows the casts to derived types as well.
pub(super) fn with_derived_casts(mut evaluator: QueryEvaluator) -> QueryEvaluator {
    for (name, ..) in DERIVED {
        let iri = NamedNode::new_unchecked(format!("{XSD}{name}"));
        evaluator = evaluator.with_custom_function(iri, move |arguments: &[Term]| {
            let [value] = arguments else { return None };
            cast(name, Some(Value::from(value.clone()))).map(Term::from)
        });
    }
    evaluator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_types_have_ranges() {
        let number = |text: &str| Some(Value::StringLiteral(text.to_owned()));
        let shown = |value: Option<Value>| value.map(|value| Term::from(value).to_string());
        let seven = Some(format!("\"7\"^^<{XSD}integer>"));
        assert_eq!(shown(cast("int", number("7"))), seven);
        assert_eq!(shown(cast("nonNegativeInteger", number("7"))), seven);
        assert_eq!(shown(cast("byte", number("128"))), None);
        assert_eq!(shown(cast("negativeInteger", number("7"))), None);
        assert_eq!(shown(cast("int", number("x"))), None);
    }
}
