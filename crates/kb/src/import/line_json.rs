//! The JSON of KB lines, and the checks of each line.

use crate::build::{KbBuilder, RawValue};
use crate::coverage::{Completeness, Coverage};
use crate::error::Result;
use crate::ids::Value;
use crate::literal::{Literal, NumberType};
use crate::names::nearest_name;
use crate::store::{Kb, ValueKind};
use crate::vocabulary::RdfVocabulary;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `touchstone_kb`")]
pub(super) struct Header {
    pub(super) touchstone_kb: u64,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) source: String,
    #[serde(default)]
    pub(super) license: String,
    #[serde(default)]
    pub(super) base: String,
    /// Absent means English, empty means none.
    pub(super) lang: Option<String>,
    #[serde(default)]
    pub(super) vocabulary: RdfVocabulary,
    #[serde(default)]
    pub(super) sources: Vec<String>,
}

/// Any line but the header; which of the first five keys is present decides its kind.
#[derive(serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object about an entity, class, relation, attribute or qualifier"
)]
pub(super) struct Line {
    pub(super) entity: Option<String>,
    pub(super) class: Option<String>,
    pub(super) relation: Option<String>,
    pub(super) attribute: Option<String>,
    pub(super) qualifier: Option<String>,
    pub(super) label: Option<NameJson>,
    #[serde(default)]
    pub(super) aliases: Vec<NameJson>,
    pub(super) description: Option<NameJson>,
    #[serde(default)]
    pub(super) parents: Vec<String>,
    pub(super) domain: Option<String>,
    pub(super) range: Option<String>,
    pub(super) inverse: Option<String>,
    pub(super) inverse_label: Option<NameJson>,
    #[serde(default)]
    pub(super) symmetric: bool,
    pub(super) kind: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) group: Option<String>,
    pub(super) coverage: Option<Completeness>,
    pub(super) limit: Option<String>,
    pub(super) as_of: Option<String>,
    #[serde(default)]
    pub(super) survey: bool,
    #[serde(default)]
    pub(super) classes: Vec<String>,
    #[serde(default)]
    pub(super) relations: Vec<FactJson<String>>,
    #[serde(default)]
    pub(super) attributes: Vec<FactJson<LiteralJson>>,
}

impl Line {
    /// What the line states about completeness.
    pub(super) fn completeness(&self) -> Option<Coverage> {
        Some(Coverage {
            completeness: self.coverage?,
            limit: self.limit.clone(),
            as_of: self.as_of.clone(),
            survey: self.survey,
        })
    }
}

/// A name: text in the language of the header, or an object with its own language.
pub(super) struct NameJson(LiteralJson);

impl<'de> Deserialize<'de> for NameJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match LiteralJson::deserialize(deserializer)? {
            name @ (LiteralJson::Text(_) | LiteralJson::Language { .. } | LiteralJson::Typed { .. }) => {
                Ok(NameJson(name))
            }
            _ => Err(de::Error::custom("a name must be text")),
        }
    }
}

impl NameJson {
    pub(super) fn literal<'a>(&'a self, lang: &'a str) -> Literal<'a> {
        match &self.0 {
            LiteralJson::Text(text) => Literal::language_text(text, lang),
            other => other.literal().unwrap_or(Literal::text_value("")),
        }
    }
}

/// `[property, value, qualifiers, source]`.
pub(super) struct FactJson<V> {
    pub(super) property: String,
    pub(super) value: V,
    pub(super) qualifiers: BTreeMap<String, Vec<LiteralJson>>,
    pub(super) source: Option<u16>,
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for FactJson<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FactVisitor<V>(std::marker::PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for FactVisitor<V> {
            type Value = FactJson<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a fact: [property, value, qualifiers, source]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<FactJson<V>, A::Error> {
                let property = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                let value = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
                let qualifiers = seq.next_element()?.unwrap_or_default();
                let source = seq.next_element()?;
                if seq.next_element::<IgnoredAny>()?.is_some() {
                    return Err(de::Error::invalid_length(5, &self));
                }
                Ok(FactJson { property, value, qualifiers, source })
            }
        }
        deserializer.deserialize_seq(FactVisitor(std::marker::PhantomData))
    }
}

/// A literal, or the id of a node, in the format of KB lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LiteralJson {
    Text(String),
    Language { text: String, lang: String },
    Typed { text: String, datatype: String },
    Quantity { number: String, unit: String, number_type: NumberType },
    Year(String),
    Month(String),
    Date(String),
    DateTime(String),
    Boolean(bool),
    Node(String),
}

impl LiteralJson {
    /// The literal; `None` for a node. Validity was checked when it was read.
    pub(super) fn literal(&self) -> Option<Literal<'_>> {
        match self {
            LiteralJson::Text(text) => Some(Literal::text_value(text)),
            LiteralJson::Language { text, lang } => Some(Literal::language_text(text, lang)),
            LiteralJson::Typed { text, datatype } => Some(Literal::typed_text(text, datatype)),
            LiteralJson::Quantity { number, unit, number_type } => {
                Literal::quantity_of(number, unit, *number_type)
            }
            LiteralJson::Month(text) => Literal::month(text),
            LiteralJson::Date(text) => Literal::date(text),
            LiteralJson::DateTime(text) => Literal::datetime(text),
            LiteralJson::Boolean(value) => Some(Literal::boolean(*value)),
            LiteralJson::Year(text) => Literal::year(text),
            LiteralJson::Node(_) => None,
        }
    }

    pub(super) fn value(&self, builder: &mut KbBuilder) -> Result<RawValue> {
        match self {
            LiteralJson::Node(id) => builder.node(id).map(RawValue::from),
            other => builder.literal(&other.literal().unwrap_or(Literal::text_value(""))),
        }
    }
}

impl<'de> Deserialize<'de> for LiteralJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LiteralVisitor)
    }
}

/// Reads what [`crate::export::value_json`] wrote; `None` if it is not a value of the KB.
pub(crate) fn find_value(kb: &Kb, json: &serde_json::Value) -> Option<Value> {
    match LiteralJson::deserialize(json).ok()? {
        LiteralJson::Node(id) => kb.node(&id).map(Value::Node),
        literal => kb.find_literal(&literal.literal()?).map(Value::Literal),
    }
}

/// A year: a number, or text if it has an unusual spelling (`1994Z`).
struct YearJson(String);

impl<'de> Deserialize<'de> for YearJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct YearVisitor;

        impl Visitor<'_> for YearVisitor {
            type Value = YearJson;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a year")
            }

            fn visit_i64<E: de::Error>(self, year: i64) -> Result<YearJson, E> {
                Ok(YearJson(year.to_string()))
            }

            fn visit_u64<E: de::Error>(self, year: u64) -> Result<YearJson, E> {
                Ok(YearJson(year.to_string()))
            }

            fn visit_str<E: de::Error>(self, year: &str) -> Result<YearJson, E> {
                Ok(YearJson(year.to_owned()))
            }
        }
        deserializer.deserialize_any(YearVisitor)
    }
}

struct LiteralVisitor;

impl<'de> Visitor<'de> for LiteralVisitor {
    type Value = LiteralJson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a literal: text, [number, unit], or an object such as {\"year\": 1994}")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<LiteralJson, E> {
        Ok(LiteralJson::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LiteralJson, A::Error> {
        let number: String = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let unit: String = seq.next_element()?.unwrap_or_default();
        let type_name: Option<String> = seq.next_element()?;
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(de::Error::invalid_length(4, &self));
        }
        let number_type = match &type_name {
            None => NumberType::of(&number),
            Some(name) => NumberType::from_name(name)
                .ok_or_else(|| de::Error::custom(format!("`{name}` is not a numeric type of XML Schema")))?,
        };
        let literal = LiteralJson::Quantity { number, unit, number_type };
        checked(literal, "a decimal number")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LiteralJson, A::Error> {
        let mut literal: Option<LiteralJson> = None;
        let (mut lang, mut datatype): (Option<String>, Option<String>) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            let found = match key.as_str() {
                "year" => {
                    checked(LiteralJson::Year(map.next_value::<YearJson>()?.0), "a year such as 1994 or -44")?
                }
                "month" => checked(LiteralJson::Month(map.next_value()?), "a month such as 1994-09")?,
                "date" => checked(LiteralJson::Date(map.next_value()?), "a date such as 1994-09-23")?,
                "datetime" => checked(LiteralJson::DateTime(map.next_value()?), "a date and time")?,
                "bool" => LiteralJson::Boolean(map.next_value()?),
                "id" => LiteralJson::Node(map.next_value()?),
                "text" => LiteralJson::Text(map.next_value()?),
                "lang" => {
                    lang = Some(map.next_value()?);
                    continue;
                }
                "datatype" => {
                    datatype = Some(map.next_value()?);
                    continue;
                }
                other => {
                    let known =
                        &["text", "lang", "datatype", "year", "month", "date", "datetime", "bool", "id"];
                    return Err(de::Error::unknown_field(other, known));
                }
            };
            if literal.replace(found).is_some() {
                return Err(de::Error::custom("a literal has one value, this object has several"));
            }
        }
        match (literal, lang, datatype) {
            (Some(LiteralJson::Text(text)), Some(lang), None) => {
                let valid = lang.split('-').all(|part| {
                    (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
                });
                if !valid && !lang.is_empty() {
                    return Err(de::Error::custom(format!("`{lang}` is not a language such as en or pt-br")));
                }
                Ok(LiteralJson::Language { text, lang })
            }
            (Some(LiteralJson::Text(text)), None, Some(datatype)) => {
                if oxrdf::NamedNode::new(&datatype).is_err() {
                    return Err(de::Error::custom(format!(
                        "`{datatype}` is not an IRI, which a datatype must be"
                    )));
                }
                Ok(LiteralJson::Typed { text, datatype })
            }
            (Some(literal), None, None) => Ok(literal),
            (Some(_), ..) => {
                Err(de::Error::custom("only text has a `lang` or a `datatype`, and only one of them"))
            }
            (None, ..) => Err(de::Error::custom("this object has no value")),
        }
    }
}

/// Returns an error if the text of a literal does not match its kind.
fn checked<E: de::Error>(literal: LiteralJson, expected: &str) -> Result<LiteralJson, E> {
    if literal.literal().is_some() {
        return Ok(literal);
    }
    let text = match &literal {
        LiteralJson::Quantity { number: text, .. }
        | LiteralJson::Year(text)
        | LiteralJson::Month(text)
        | LiteralJson::Date(text)
        | LiteralJson::DateTime(text) => text.as_str(),
        _ => "",
    };
    Err(de::Error::custom(format!("`{text}` is not {expected}")))
}

/// The checks that types alone cannot make.
pub(super) fn check_line(line: &Line, n_sources: u16) -> Result<(), String> {
    let ids = [&line.entity, &line.class, &line.relation, &line.attribute, &line.qualifier];
    match ids.iter().filter(|id| id.is_some()).count() {
        1 => {}
        0 => {
            return Err(
                "a line needs one of the keys entity, class, relation, attribute, qualifier".to_owned()
            );
        }
        _ => {
            return Err(
                "a line is about one thing: only one of entity, class, relation, attribute, qualifier"
                    .to_owned(),
            );
        }
    }
    if ids.into_iter().flatten().any(String::is_empty) {
        return Err("an id must not be empty".to_owned());
    }
    check_keys(line)?;
    check_coverage(line)?;
    if let Some(kind) = line.kind.as_deref().filter(|kind| ValueKind::from_name(kind).is_none()) {
        return Err(format!(
            "`{kind}` is not a kind of value; use text, quantity, time, boolean, entity or mixed"
        ));
    }
    let sources = line.relations.iter().map(|f| f.source).chain(line.attributes.iter().map(|f| f.source));
    for source in sources.flatten() {
        if source >= n_sources {
            return Err(format!("source {source} is not in the header, which lists {n_sources}"));
        }
    }
    if line.attributes.iter().any(|fact| matches!(fact.value, LiteralJson::Node(_))) {
        return Err(
            "the value of an attribute is a literal; facts with entities go under `relations`".to_owned()
        );
    }
    Ok(())
}

/// Checks that `limit` comes with `window` or `top`, and that `as_of` and `survey` come with `coverage`.
fn check_coverage(line: &Line) -> Result<(), String> {
    let needs_limit = matches!(line.coverage, Some(Completeness::Window | Completeness::Top));
    let says_more = line.as_of.is_some() || line.survey;
    match (&line.coverage, &line.limit) {
        (None, Some(_)) => Err("`limit` needs `coverage`".to_owned()),
        (None, None) if says_more => Err("`as_of` and `survey` need `coverage`".to_owned()),
        (Some(_), None) if needs_limit => {
            Err("`coverage` of `window` or `top` needs a `limit` that says what is there".to_owned())
        }
        (Some(_), Some(_)) if !needs_limit => {
            Err("`limit` is for `coverage` of `window` or `top`".to_owned())
        }
        _ => Ok(()),
    }
}

/// Each kind of line has its own keys: one that would be ignored is an error.
fn check_keys(line: &Line) -> Result<(), String> {
    let what = match line {
        Line { entity: Some(_), .. } => "an entity",
        Line { class: Some(_), .. } => "a class",
        Line { relation: Some(_), .. } => "a relation",
        Line { attribute: Some(_), .. } => "an attribute",
        _ => "a qualifier",
    };
    let (node, schema) = (["an entity", "a class"], ["a class", "a relation", "an attribute", "a qualifier"]);
    let (property, typed) = (["a relation", "an attribute"], ["an attribute", "a qualifier"]);
    let named = ["an entity", "a class", "a relation", "an attribute"];
    let covered = ["a class", "a relation", "an attribute"];
    let keys: [(&str, bool, &[&str]); 18] = [
        ("aliases", !line.aliases.is_empty(), &node),
        ("description", line.description.is_some(), &named),
        ("parents", !line.parents.is_empty(), &["a class"]),
        ("classes", !line.classes.is_empty(), &node),
        ("relations", !line.relations.is_empty(), &node),
        ("attributes", !line.attributes.is_empty(), &node),
        ("group", line.group.is_some(), &schema),
        ("domain", line.domain.is_some(), &property),
        ("range", line.range.is_some(), &["a relation"]),
        ("inverse", line.inverse.is_some(), &["a relation"]),
        ("inverse_label", line.inverse_label.is_some(), &["a relation"]),
        ("symmetric", line.symmetric, &["a relation"]),
        ("kind", line.kind.is_some(), &typed),
        ("unit", line.unit.is_some(), &["an attribute"]),
        ("coverage", line.coverage.is_some(), &covered),
        ("limit", line.limit.is_some(), &covered),
        ("as_of", line.as_of.is_some(), &property),
        ("survey", line.survey, &property),
    ];
    match keys.iter().find(|(_, present, allowed)| *present && !allowed.contains(&what)) {
        Some((key, _, allowed)) => Err(format!("{what} has no `{key}`; that is for {}", allowed.join(", "))),
        None => Ok(()),
    }
}

/// The message of a JSON error without its own position, which is reported separately, and with the nearest
/// known name for an unknown one.
pub(super) fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
    if matches!(text, "expected ident" | "expected value") {
        return "this is not JSON".to_owned();
    }
    let unknown = text.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected "));
    if let Some((wrong, expected)) = unknown
        && let Some(name) = nearest_name(wrong, expected.split('`').skip(1).step_by(2))
    {
        return format!("unknown field `{wrong}`; did you mean `{name}`?");
    }
    text.to_owned()
}
