//! An answer to a question: what engines find, benchmarks keep and systems predict.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use touchstone_kb::{Kb, Literal, LiteralKind, NodeId, Precision};

/// One answer.
///
/// It is written as an object with a `type`. It is also read from bare texts, numbers and booleans, and from objects without a `type`, as
/// predictions and published data sets write them.
///
/// ```
/// use touchstone_logic::Answer;
/// let height: Answer = serde_json::from_str(r#"{"type":"quantity","value":"206","unit":"centimetre"}"#)?;
/// assert_eq!(height.text(), "206 centimetre");
/// assert_eq!(serde_json::from_str::<Answer>("true")?.text(), "yes");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// An entity.
    Entity {
        /// Its id; empty if it is not known.
        #[serde(skip_serializing_if = "String::is_empty")]
        id: String,
        /// Its name; empty if it has none.
        label: String,
    },
    /// A class.
    Class {
        /// Its id; empty if it is not known.
        #[serde(skip_serializing_if = "String::is_empty")]
        id: String,
        /// Its name; empty if it has none.
        label: String,
    },
    /// A relation.
    Relation {
        /// Its id; empty if it is not known.
        #[serde(skip_serializing_if = "String::is_empty")]
        id: String,
        /// Its name; empty if it has none.
        label: String,
    },
    /// A text.
    Text {
        /// The text.
        value: String,
        /// Its language, if it has one.
        #[serde(skip_serializing_if = "String::is_empty")]
        language: String,
        /// Its datatype, if it has one of its own.
        #[serde(skip_serializing_if = "String::is_empty")]
        datatype: String,
    },
    /// A quantity.
    Quantity {
        /// The number as the KB writes it.
        value: String,
        /// The unit, if there is one.
        #[serde(skip_serializing_if = "String::is_empty")]
        unit: String,
    },
    /// A year, month, date or date-time.
    Time {
        /// As the KB writes it.
        value: String,
        /// How exact it is; absent if the file does not contain it.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_precision")]
        #[cfg_attr(feature = "schema", schemars(schema_with = "precision_schema"))]
        precision: Option<Precision>,
    },
    /// A boolean, as a value of a fact or as the answer to a question.
    Boolean {
        /// Yes or no.
        value: bool,
    },
    /// A number that is not a value of the KB, such as a count.
    Number {
        /// The number.
        #[cfg_attr(feature = "schema", schemars(with = "serde_json::Number"))]
        value: Number,
    },
    /// Something else that SPARQL can answer: an IRI or blank node that is nothing in the KB, a triple; as N-Triples.
    Term {
        /// The term.
        value: String,
    },
    /// An answer of several columns.
    Tuple {
        /// A cell for each column; absent where the column is unbound.
        cells: Vec<Option<Answer>>,
    },
}

/// A JSON number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(String);

impl Number {
    /// The number as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number, if it is a count.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        Number(value.to_string())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<u64>() {
            Ok(value) => serializer.serialize_u64(value),
            Err(_) => match self.0.parse::<serde_json::Number>() {
                Ok(value) => value.serialize(serializer),
                Err(_) => serializer.serialize_str(&self.0),
            },
        }
    }
}

impl Answer {
    /// A text without language or datatype.
    pub fn plain(text: impl Into<String>) -> Answer {
        Answer::Text { value: text.into(), language: String::new(), datatype: String::new() }
    }

    /// A count.
    pub fn count(count: u64) -> Answer {
        Answer::Number { value: count.into() }
    }

    /// An entity or a class of the KB.
    pub fn node(kb: &Kb, node: NodeId) -> Answer {
        let (id, label) = (kb.node_id(node).to_owned(), kb.label(node).to_owned());
        if kb.as_class(node).is_some() { Answer::Class { id, label } } else { Answer::Entity { id, label } }
    }

    /// A literal.
    #[inline]
    pub fn literal(literal: &Literal<'_>) -> Answer {
        let value = literal.text().to_owned();
        let time = |value, precision| Answer::Time { value, precision: Some(precision) };
        match literal.kind() {
            LiteralKind::Boolean => Answer::Boolean { value: literal.as_bool().unwrap_or(false) },
            LiteralKind::Quantity => Answer::Quantity { value, unit: literal.unit().to_owned() },
            LiteralKind::Year => time(value, Precision::Year),
            LiteralKind::Month => time(value, Precision::Month),
            LiteralKind::Date => time(value, Precision::Day),
            LiteralKind::DateTime => time(value, Precision::Second),
            LiteralKind::Text => Answer::plain(value),
            LiteralKind::LanguageText => {
                Answer::Text { value, language: literal.language().to_owned(), datatype: String::new() }
            }
            LiteralKind::TypedText => {
                Answer::Text { value, language: String::new(), datatype: literal.datatype().to_owned() }
            }
        }
    }

    /// The name of its type in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Answer::Entity { .. } => "entity",
            Answer::Class { .. } => "class",
            Answer::Relation { .. } => "relation",
            Answer::Text { .. } => "text",
            Answer::Quantity { .. } => "quantity",
            Answer::Time { .. } => "time",
            Answer::Boolean { .. } => "boolean",
            Answer::Number { .. } => "number",
            Answer::Term { .. } => "term",
            Answer::Tuple { .. } => "tuple",
        }
    }

    /// The id, if it has one.
    pub fn id(&self) -> Option<&str> {
        match self {
            Answer::Entity { id, .. } | Answer::Class { id, .. } | Answer::Relation { id, .. } => {
                Some(id.as_str()).filter(|id| !id.is_empty())
            }
            _ => None,
        }
    }

    /// The text in KQA Pro's notation: names, `206 centimetre`, `yes` and `no`; the id of a thing without a name.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Answer::Entity { id, label } | Answer::Class { id, label } | Answer::Relation { id, label } => {
                Cow::Borrowed(if label.is_empty() { id } else { label })
            }
            Answer::Quantity { value, unit } if !unit.is_empty() => Cow::Owned(format!("{value} {unit}")),
            Answer::Text { value, .. }
            | Answer::Quantity { value, .. }
            | Answer::Time { value, .. }
            | Answer::Term { value } => Cow::Borrowed(value),
            Answer::Boolean { value } => Cow::Borrowed(if *value { "yes" } else { "no" }),
            Answer::Number { value } => Cow::Borrowed(value.as_str()),
            Answer::Tuple { cells } => {
                let text = |cell: &Option<Answer>| cell.as_ref().map_or(String::new(), ToString::to_string);
                Cow::Owned(cells.iter().map(text).collect::<Vec<_>>().join(" | "))
            }
        }
    }

    /// The value of a quantity without its unit.
    pub fn value_without_unit(&self) -> Option<&str> {
        match self {
            Answer::Quantity { value, unit } if !unit.is_empty() => Some(value),
            _ => None,
        }
    }

    /// Whether two lists hold the same answers: by id if all of them have one, otherwise by text.
    pub fn are_same(left: &[Answer], right: &[Answer]) -> bool {
        let by_id = left.iter().chain(right).all(|answer| answer.id().is_some());
        let key = |answer: &'_ Answer| match answer.id() {
            Some(id) if by_id => id.to_owned(),
            _ => answer.text().into_owned(),
        };
        let sorted = |answers: &[Answer]| {
            let mut keys: Vec<String> = answers.iter().map(key).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        sorted(left) == sorted(right)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The name of a precision in files.
fn precision_word(precision: Precision) -> &'static str {
    match precision {
        Precision::Year => "year",
        Precision::Month => "month",
        Precision::Day => "date",
        Precision::Second => "datetime",
    }
}

fn write_precision<S: Serializer>(precision: &Option<Precision>, serializer: S) -> Result<S::Ok, S::Error> {
    precision.map(precision_word).serialize(serializer)
}

#[cfg(feature = "schema")]
fn precision_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    use Precision::{Day, Month, Second, Year};
    let words = [Year, Month, Day, Second].map(precision_word);
    schemars::json_schema!({ "enum": words })
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Answer, D::Error> {
        deserializer.deserialize_any(AnswerVisitor)
    }
}

struct AnswerVisitor;

impl<'de> Visitor<'de> for AnswerVisitor {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an answer: a text, a number, true, false, or an object with `type`, `id`, `label`, `value`",
        )
    }

    fn visit_str<E>(self, text: &str) -> Result<Answer, E> {
        Ok(Answer::plain(text))
    }

    fn visit_string<E>(self, text: String) -> Result<Answer, E> {
        Ok(Answer::plain(text))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Answer, E> {
        Ok(Answer::Boolean { value })
    }

    fn visit_u64<E>(self, value: u64) -> Result<Answer, E> {
        Ok(Answer::count(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Answer, E> {
        Ok(Answer::Number { value: Number(value.to_string()) })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Answer, E> {
        let text = serde_json::Number::from_f64(value).map_or_else(|| value.to_string(), |n| n.to_string());
        Ok(Answer::Number { value: Number(text) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<Answer, A::Error> {
        let mut found = Vec::new();
        while let Some(cell) = cells.next_element()? {
            found.push(cell);
        }
        Ok(Answer::Tuple { cells: found })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Answer, A::Error> {
        let mut fields = Fields::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "type" => fields.kind = map.next_value()?,
                "id" => fields.id = map.next_value()?,
                "label" => fields.label = map.next_value()?,
                "unit" => fields.unit = map.next_value()?,
                "language" => fields.language = map.next_value()?,
                "datatype" => fields.datatype = map.next_value()?,
                "precision" => fields.precision = map.next_value()?,
                "value" => fields.value = map.next_value()?,
                "cells" => fields.cells = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(fields.into_answer())
    }
}

/// The fields of an answer as written; fields of other kinds of answers are ignored.
#[derive(Default)]
struct Fields {
    kind: Option<String>,
    id: Option<String>,
    label: Option<String>,
    unit: Option<String>,
    language: Option<String>,
    datatype: Option<String>,
    precision: Option<String>,
    value: Option<Box<Answer>>,
    cells: Option<Vec<Option<Answer>>>,
}

impl Fields {
    fn into_answer(self) -> Answer {
        let (id, label) = (self.id.unwrap_or_default(), self.label.unwrap_or_default());
        let value = self.value.map(|value| *value);
        let text = |value: &Option<Answer>| match value {
            Some(value) => value.to_string(),
            None if label.is_empty() => id.clone(),
            None => label.clone(),
        };
        let has_unit = self.unit.as_ref().is_some_and(|unit| !unit.is_empty());
        match self.kind.as_deref() {
            Some("entity") => Answer::Entity { id, label },
            Some("class") => Answer::Class { id, label },
            Some("relation") => Answer::Relation { id, label },
            Some("tuple") => Answer::Tuple { cells: self.cells.unwrap_or_default() },
            Some("quantity") => Answer::Quantity { value: text(&value), unit: self.unit.unwrap_or_default() },
            Some("time") => {
                let of_word = |word: &str| {
                    [Precision::Year, Precision::Month, Precision::Day, Precision::Second]
                        .into_iter()
                        .find(|&precision| precision_word(precision) == word)
                };
                Answer::Time { value: text(&value), precision: self.precision.as_deref().and_then(of_word) }
            }
            Some("text") => Answer::Text {
                value: text(&value),
                language: self.language.unwrap_or_default(),
                datatype: self.datatype.unwrap_or_default(),
            },
            Some("term") => Answer::Term { value: text(&value) },
            // `boolean` and `number` are distinguished by their value, as are answers without a type.
            _ => match value {
                _ if !label.is_empty() => Answer::Entity { id, label },
                Some(value) if !id.is_empty() => Answer::Entity { id, label: value.to_string() },
                Some(value) if has_unit => {
                    Answer::Quantity { value: value.to_string(), unit: self.unit.unwrap_or_default() }
                }
                Some(value) => value,
                None => Answer::Entity { id, label },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Answer {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        for text in [
            r#"{"type":"entity","id":"Q1","label":"A"}"#,
            r#"{"type":"entity","label":"A"}"#,
            r#"{"type":"class","id":"Q1","label":""}"#,
            r#"{"type":"relation","label":"spouse"}"#,
            r#"{"type":"text","value":"A","language":"en"}"#,
            r#"{"type":"text","value":"A","datatype":"urn:d"}"#,
            r#"{"type":"quantity","value":"206","unit":"centimetre"}"#,
            r#"{"type":"time","value":"1969-07-20","precision":"date"}"#,
            r#"{"type":"time","value":"1969"}"#,
            r#"{"type":"boolean","value":false}"#,
            r#"{"type":"number","value":3}"#,
            r#"{"type":"number","value":-3}"#,
            r#"{"type":"number","value":3.5}"#,
            r#"{"type":"term","value":"<urn:x>"}"#,
            r#"{"type":"tuple","cells":[{"type":"number","value":3},null]}"#,
        ] {
            assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
            assert!(text.starts_with(&format!(r#"{{"type":"{}""#, read(text).kind())));
        }
    }

    #[test]
    fn bare_values_and_objects_without_type_are_read() {
        for (text, written) in [
            (r#""A""#, r#"{"type":"text","value":"A"}"#),
            ("true", r#"{"type":"boolean","value":true}"#),
            ("7", r#"{"type":"number","value":7}"#),
            (r#"{"id":"Q1"}"#, r#"{"type":"entity","id":"Q1","label":""}"#),
            (r#"{"label":"A","score":0.5}"#, r#"{"type":"entity","label":"A"}"#),
            (r#"{"id":"Q1","value":"A"}"#, r#"{"type":"entity","id":"Q1","label":"A"}"#),
            (r#"{"type":"text","label":"A"}"#, r#"{"type":"text","value":"A"}"#),
            (r#"{"value":5,"unit":"metre"}"#, r#"{"type":"quantity","value":"5","unit":"metre"}"#),
            (r#"{"type":"gYear","value":"1969"}"#, r#"{"type":"text","value":"1969"}"#),
            (
                r#"["A",1]"#,
                r#"{"type":"tuple","cells":[{"type":"text","value":"A"},{"type":"number","value":1}]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&read(text)).unwrap(), written);
        }
        assert!(serde_json::from_str::<Answer>("null").is_err());
    }

    #[test]
    fn answers_are_compared_by_what_they_have() {
        let entity = |id: &str, label: &str| Answer::Entity { id: id.to_owned(), label: label.to_owned() };
        let named = |label: &str| entity("", label);
        let quantity = Answer::Quantity { value: "3".to_owned(), unit: "metre".to_owned() };
        let same = |left: &[Answer], right: &[Answer]| Answer::are_same(left, right);
        assert!(same(&[entity("Q1", "A"), entity("Q2", "B")], &[entity("Q2", "b"), entity("Q1", "A")]));
        assert!(!same(&[entity("Q1", "A")], &[entity("Q2", "A")]));
        assert!(same(&[named("A")], &[entity("Q1", "A")]));
        assert!(!same(&[named("A")], &[entity("Q1", "B")]));
        assert!(same(&[Answer::plain("3 metre")], &[quantity]));
        assert!(same(&[Answer::plain("A")], &[entity("Q1", "A")]));
        assert!(!same(&[Answer::plain("3")], &[]));
    }
}
