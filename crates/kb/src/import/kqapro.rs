//! Reads KQA Pro's `kb.json`, the original of 2020 and the re-release of 2022.
//!
//! Facts between entities occur twice in the file, forward on the subject and backward on the object;
//! both become the same fact, and duplicates are removed when the store is compiled. The records in
//! the order of the file are kept next to the facts (`Kb::records`), because the published executors depend on it.

use super::ImportRequest;
use super::import_log::{ImportLog, Problem};
use super::input::{self, in_parallel};
use super::json_records::{JsonRecord, JsonRecords, JsonRecordsError, JsonRecordsErrorKind};
use super::line_json::plain_message;
use crate::build::{KbBuilder, NameKind, RawQualifier, RawValue};
use crate::error::{KbError, Result};
use crate::literal::Literal;
use crate::progress::Progress;
use serde::Deserialize;
use serde_json::value::RawValue as RawJson;
use std::collections::BTreeMap;
use std::io::BufRead;

#[derive(Deserialize)]
#[serde(expecting = "an object with `name` and `instanceOf` or `subclassOf`")]
struct NodeJson<'a> {
    name: String,
    #[serde(rename = "instanceOf")]
    instance_of: Option<Vec<String>>,
    #[serde(rename = "subclassOf")]
    subclass_of: Option<Vec<String>>,
    #[serde(borrow, default)]
    attributes: Vec<&'a RawJson>,
    #[serde(borrow, default)]
    relations: Vec<&'a RawJson>,
}

#[derive(Deserialize)]
#[serde(expecting = "an attribute: an object with `key`, `value` and `qualifiers`")]
struct AttributeJson<'a> {
    key: String,
    #[serde(borrow)]
    value: ValueJson<'a>,
    #[serde(borrow, default)]
    qualifiers: BTreeMap<String, Vec<ValueJson<'a>>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a relation: an object with `relation`, `object`, `direction` and `qualifiers`")]
struct RelationJson<'a> {
    /// Its name in the re-release.
    relation: Option<String>,
    /// Its name in the original.
    predicate: Option<String>,
    object: String,
    direction: Direction,
    #[serde(borrow, default)]
    qualifiers: BTreeMap<String, Vec<ValueJson<'a>>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Forward,
    Backward,
}

#[derive(Deserialize)]
#[serde(expecting = "a value: an object with `type` and `value`")]
struct ValueJson<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    value: &'a RawJson,
    unit: Option<String>,
}

/// A value that is known to be valid.
enum ParsedValue {
    Text(String),
    Quantity { number: String, unit: String },
    Year(String),
    Date(String),
}

type Qualifiers = Vec<(String, ParsedValue)>;

enum ParsedFact {
    Attribute { key: String, value: ParsedValue, qualifiers: Qualifiers },
    Relation { relation: String, direction: Direction, object: String, qualifiers: Qualifiers },
}

struct ParsedNode {
    id: String,
    is_class: bool,
    name: String,
    parents: Vec<String>,
    facts: Vec<ParsedFact>,
    problems: Vec<Problem>,
}

/// Reads all input files.
pub(super) fn read(
    request: &ImportRequest,
    builder: &mut KbBuilder,
    log: &mut ImportLog,
    progress: &dyn Progress,
) -> Result<()> {
    builder.keep_file_order();
    builder.meta.lang.clear();
    builder.meta.base = "http://www.wikidata.org/entity/".to_owned();
    progress.stage("reading", Some(input::total_size(&request.inputs)));
    for path in &request.inputs {
        let file = input::display_name(path);
        let records = JsonRecords::of_sections(input::open(path, progress)?, request.max_record);
        let parse = |batch: Vec<JsonRecord>| -> Vec<Result<ParsedNode, Problem>> {
            batch.iter().map(|record| parse_node(record, &file)).collect()
        };
        in_parallel(batches(records, &file), parse, |nodes| {
            for node in nodes {
                match node {
                    Ok(node) => add_node(node, builder, log)?,
                    Err(problem) => log.problem(problem)?,
                }
            }
            Ok(())
        })?;
    }
    log.note_times("ids that are used but not described", builder.n_undeclared());
    Ok(())
}

/// Approximate size of a batch of records, in bytes.
const BATCH_BYTES: usize = 1 << 20;

/// Records in batches that are large enough for a worker.
fn batches<R: BufRead + Send>(
    mut records: JsonRecords<R>,
    file: &str,
) -> impl Iterator<Item = Result<Vec<JsonRecord>>> + Send {
    std::iter::from_fn(move || {
        let (mut batch, mut n_bytes) = (Vec::new(), 0);
        while n_bytes < BATCH_BYTES {
            match records.next() {
                Some(Ok(record)) => {
                    n_bytes += record.bytes.len();
                    batch.push(record);
                }
                Some(Err(error)) => return Some(Err(unreadable(error, file))),
                None => break,
            }
        }
        (!batch.is_empty()).then_some(Ok(batch))
    })
}

/// The file as a whole is invalid.
fn unreadable(error: JsonRecordsError, file: &str) -> KbError {
    let message = match error.kind {
        JsonRecordsErrorKind::Io(source) => return input::read_error(file, error.line, &source),
        JsonRecordsErrorKind::List => "expected an object with `concepts` and `entities`".to_owned(),
        JsonRecordsErrorKind::NotContainer => "expected a JSON object".to_owned(),
        JsonRecordsErrorKind::EndsInList | JsonRecordsErrorKind::EndsInRecord => {
            "the JSON ends in the middle of a value; is the file truncated?".to_owned()
        }
        JsonRecordsErrorKind::TooLong { maximum } => input::TooLong { limit: maximum }.to_string(),
        JsonRecordsErrorKind::Section | JsonRecordsErrorKind::Unmatched => error.kind.to_string(),
    };
    KbError::Input(Box::new(Problem {
        file: file.to_owned(),
        line: error.line,
        column: error.column as u64 + 1,
        snippet: String::new(),
        caret: 0,
        message,
    }))
}

fn parse_node(record: &JsonRecord, file: &str) -> Result<ParsedNode, Problem> {
    let is_class = match record.section.as_str() {
        "concepts" => true,
        "entities" => false,
        other => {
            let message = format!("unknown section `{other}`; expected `concepts` or `entities`");
            return Err(record.problem(file, 0, message));
        }
    };
    let bytes = &record.bytes[..];
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<String>();
    let id = match stream.next() {
        Some(Ok(id)) => id,
        _ => return Err(record.problem(file, 0, "expected an id as a string")),
    };
    let mut start = stream.byte_offset();
    while bytes.get(start).is_some_and(|&b| b == b':' || b.is_ascii_whitespace()) {
        start += 1;
    }
    let body = &bytes[start..];
    let node: NodeJson<'_> = serde_json::from_slice(body)
        .map_err(|error| record.problem(file, start + offset_of(body, &error), plain_message(&error)))?;
    let parents = match (node.subclass_of, node.instance_of) {
        (Some(parents), _) if is_class => parents,
        (_, parents) => parents.unwrap_or_default(),
    };
    let mut parsed = ParsedNode {
        id,
        is_class,
        name: node.name.split_whitespace().collect::<Vec<_>>().join(" "),
        parents,
        facts: Vec::new(),
        problems: Vec::new(),
    };
    let attributes = node.attributes.iter().map(|raw| (raw, parse_attribute(raw)));
    let relations = node.relations.iter().map(|raw| (raw, parse_relation(raw)));
    for (raw, fact) in attributes.chain(relations) {
        match fact {
            Ok(fact) => parsed.facts.push(fact),
            Err((offset, message)) => {
                let place = raw.get().as_ptr() as usize - bytes.as_ptr() as usize + offset;
                parsed.problems.push(record.problem(file, place, message));
            }
        }
    }
    Ok(parsed)
}

/// The byte offset of a JSON error.
fn offset_of(text: &[u8], error: &serde_json::Error) -> usize {
    let line_start: usize =
        text.split_inclusive(|&b| b == b'\n').take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    line_start + error.column().saturating_sub(1)
}

type FactResult = Result<ParsedFact, (usize, String)>;

fn parse_attribute(raw: &RawJson) -> FactResult {
    let json: AttributeJson<'_> = from_raw(raw)?;
    let value = parse_value(raw, &json.value)?;
    Ok(ParsedFact::Attribute { key: json.key, value, qualifiers: parse_qualifiers(raw, &json.qualifiers)? })
}

fn parse_relation(raw: &RawJson) -> FactResult {
    let json: RelationJson<'_> = from_raw(raw)?;
    let relation = json
        .relation
        .or(json.predicate)
        .ok_or_else(|| (0, "a relation needs `relation` (or `predicate`, in the older format)".to_owned()))?;
    let qualifiers = parse_qualifiers(raw, &json.qualifiers)?;
    Ok(ParsedFact::Relation { relation, direction: json.direction, object: json.object, qualifiers })
}

fn from_raw<'a, T: Deserialize<'a>>(raw: &'a RawJson) -> Result<T, (usize, String)> {
    serde_json::from_str(raw.get()).map_err(|e| (offset_of(raw.get().as_bytes(), &e), plain_message(&e)))
}

fn parse_qualifiers(
    raw: &RawJson,
    qualifiers: &BTreeMap<String, Vec<ValueJson<'_>>>,
) -> Result<Qualifiers, (usize, String)> {
    let mut parsed = Vec::new();
    for (key, values) in qualifiers {
        for value in values {
            parsed.push((key.clone(), parse_value(raw, value)?));
        }
    }
    Ok(parsed)
}

/// Checks a value object; the error has its offset within `raw`.
fn parse_value(raw: &RawJson, value: &ValueJson<'_>) -> Result<ParsedValue, (usize, String)> {
    let json = value.value.get();
    let offset = json.as_ptr() as usize - raw.get().as_ptr() as usize;
    let wrong = |expected: &str| (offset, format!("{json} is not {expected}"));
    let text = || serde_json::from_str::<String>(json);
    match value.kind.as_str() {
        "string" => text().map(ParsedValue::Text).map_err(|_| wrong("a string")),
        "quantity" => {
            // A number, or a number as a string.
            let number = text().unwrap_or_else(|_| json.to_owned());
            let unit = value.unit.clone().unwrap_or_default();
            if Literal::quantity(&number, &unit).is_none() {
                return Err(wrong("a number"));
            }
            Ok(ParsedValue::Quantity { number, unit })
        }
        // The text distinguishes years from dates; the type does not always, and loaders of the format ignore it.
        "year" | "date" => {
            let time = text().unwrap_or_else(|_| json.to_owned());
            if time.contains('/') || time.char_indices().any(|(at, c)| at > 0 && c == '-') {
                let date = time.replace('/', "-");
                Literal::date(&date).map(|_| ()).ok_or_else(|| wrong("a date (yyyy-mm-dd or yyyy/mm/dd)"))?;
                Ok(ParsedValue::Date(date))
            } else {
                Literal::year(&time).map(|_| ()).ok_or_else(|| wrong("a year"))?;
                Ok(ParsedValue::Year(time))
            }
        }
        other => Err((0, format!("unknown value type `{other}`; expected string, quantity, year or date"))),
    }
}

fn add_node(node: ParsedNode, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    let subject = builder.node(&node.id)?;
    if node.is_class {
        builder.mark_class(subject);
    }
    builder.declare(subject);
    log.keep(if node.is_class { "concept" } else { "entity" });
    builder.add_name(subject, NameKind::Label, &Literal::text_value(&node.name));
    for parent in &node.parents {
        let parent = builder.node(parent)?;
        if node.is_class {
            builder.add_parent(subject, parent);
        } else {
            builder.add_class(subject, parent);
        }
    }
    for fact in &node.facts {
        match fact {
            ParsedFact::Attribute { key, value, qualifiers } => {
                log.keep("attribute record");
                let property = builder.property(key);
                let value = add_value(value, builder)?;
                let mut qualifiers = add_qualifiers(qualifiers, builder)?;
                builder.record(subject, property, value, false, &mut qualifiers)?;
            }
            ParsedFact::Relation { relation, direction, object, qualifiers } => {
                log.keep("relation record");
                let property = builder.property(relation);
                let object = builder.node(object)?;
                let backward = *direction == Direction::Backward;
                let mut qualifiers = add_qualifiers(qualifiers, builder)?;
                builder.record(subject, property, object.into(), backward, &mut qualifiers)?;
            }
        }
    }
    node.problems.into_iter().try_for_each(|problem| log.problem(problem))
}

fn add_value(value: &ParsedValue, builder: &mut KbBuilder) -> Result<RawValue> {
    let literal = match value {
        ParsedValue::Text(text) => Some(Literal::text_value(text)),
        ParsedValue::Quantity { number, unit } => Literal::quantity(number, unit),
        ParsedValue::Year(year) => Literal::year(year),
        ParsedValue::Date(date) => Literal::date(date),
    };
    builder.literal(&literal.unwrap_or(Literal::text_value("")))
}

fn add_qualifiers(qualifiers: &Qualifiers, builder: &mut KbBuilder) -> Result<Vec<(RawQualifier, RawValue)>> {
    qualifiers.iter().map(|(key, value)| Ok((builder.qualifier(key), add_value(value, builder)?))).collect()
}
