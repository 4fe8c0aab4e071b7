//! Writes KB lines (`docs/kb-lines.md`): everything a KB holds.

use super::ExportReport;
use crate::coverage::Coverage;
use crate::ids::{FactId, LiteralId, NodeId, Property, Value};
use crate::literal::{Literal, LiteralKind, NumberType};
use crate::progress::Progress;
use crate::store::{Fact, Kb, ValueKind};
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};

pub(super) fn write(kb: &Kb, out: &mut impl Write, progress: &dyn Progress) -> io::Result<ExportReport> {
    let mut report = ExportReport::default();
    for line in schema(kb) {
        write_line(out, &line)?;
    }
    // Classes first: readers get the hierarchy before its members.
    let (entities, classes): (Vec<NodeId>, Vec<NodeId>) = kb.nodes().partition(|&n| kb.as_class(n).is_none());
    for node in classes.into_iter().chain(entities) {
        report.n_records += 1;
        super::tick(progress, report.n_records)?;
        write_line(out, &node_line(kb, node).into())?;
    }
    report.lose(super::ASSERTED, kb.n_asserted() as u64);
    Ok(report)
}

/// A value as KB lines write those of qualifiers: a node as `{"id": ...}`. [`crate::import::find_value`] reads it.
pub(crate) fn value_json(kb: &Kb, value: Value) -> Json {
    match value {
        Value::Node(node) => json!({"id": kb.node_id(node)}),
        Value::Literal(literal) => literal_json(&kb.literal(literal)),
    }
}

/// The header with the KB's metadata, and the lines of its properties.
fn schema(kb: &Kb) -> Vec<Json> {
    let manifest = kb.manifest();
    let mut lines = vec![json!({
        "touchstone_kb": 1,
        "name": manifest.name,
        "source": manifest.source,
        "license": manifest.license,
        "base": manifest.base,
        "lang": manifest.lang,
        "vocabulary": manifest.vocabulary,
        "sources": manifest.sources,
    })];
    for relation in kb.relations() {
        let mut line = Map::new();
        line.insert("relation".into(), kb.relation_id(relation).into());
        put_name(kb, &mut line, "label", kb.relation_label_literal(relation));
        put_name(kb, &mut line, "description", kb.relation_description(relation));
        let class_id = |class| kb.node_id(kb.class_node(class)).into();
        put(&mut line, "domain", kb.relation_domain(relation).map(class_id));
        put(&mut line, "range", kb.relation_range(relation).map(class_id));
        put(&mut line, "inverse", kb.relation_inverse(relation).map(|r| kb.relation_id(r).into()));
        put_name(kb, &mut line, "inverse_label", kb.relation_inverse_label(relation));
        put(&mut line, "symmetric", kb.is_symmetric(relation).then_some(true.into()));
        put(&mut line, "group", kb.property_group(Property::Relation(relation)).map(Json::from));
        put_coverage(&mut line, kb.property_coverage(Property::Relation(relation)));
        lines.push(line.into());
    }
    for attribute in kb.attributes() {
        let mut line = Map::new();
        line.insert("attribute".into(), kb.attribute_id(attribute).into());
        put_name(kb, &mut line, "label", kb.attribute_label_literal(attribute));
        put_name(kb, &mut line, "description", kb.attribute_description(attribute));
        let class_id = |class| kb.node_id(kb.class_node(class)).into();
        put(&mut line, "domain", kb.attribute_domain(attribute).map(class_id));
        line.insert("kind".into(), kb.attribute_kind(attribute).name().into());
        let unit = match kb.attribute_unit(attribute) {
            // Written explicitly: a reader would otherwise derive a unit from the values.
            "" if matches!(kb.attribute_kind(attribute), ValueKind::Quantity | ValueKind::Mixed) => Some("1"),
            "" => None,
            unit => Some(unit),
        };
        put(&mut line, "unit", unit.map(Json::from));
        put(&mut line, "group", kb.property_group(Property::Attribute(attribute)).map(Json::from));
        put_coverage(&mut line, kb.property_coverage(Property::Attribute(attribute)));
        lines.push(line.into());
    }
    for qualifier in kb.qualifier_keys() {
        let mut line = Map::new();
        line.insert("qualifier".into(), kb.qualifier_id(qualifier).into());
        put_name(kb, &mut line, "label", kb.qualifier_label_literal(qualifier));
        line.insert("kind".into(), kb.qualifier_kind(qualifier).name().into());
        put(&mut line, "group", kb.qualifier_group(qualifier).map(Json::from));
        lines.push(line.into());
    }
    lines
}

fn write_line(out: &mut impl Write, line: &Json) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

fn put(line: &mut Map<String, Json>, key: &str, value: Option<Json>) {
    if let Some(value) = value {
        line.insert(key.into(), value);
    }
}

fn put_coverage(line: &mut Map<String, Json>, coverage: Option<&Coverage>) {
    if let Some(Ok(Json::Object(keys))) = coverage.map(serde_json::to_value) {
        line.extend(keys);
    }
}

fn put_name(kb: &Kb, line: &mut Map<String, Json>, key: &str, name: Option<LiteralId>) {
    put(line, key, name.map(|name| name_json(kb, name)));
}

/// A name is a plain string if it is in the KB's language.
fn name_json(kb: &Kb, name: LiteralId) -> Json {
    let literal = kb.literal(name);
    match literal.kind() {
        LiteralKind::LanguageText if literal.language() == kb.manifest().lang => literal.text().into(),
        LiteralKind::Text if kb.manifest().lang.is_empty() => literal.text().into(),
        LiteralKind::Text => json!({"text": literal.text(), "lang": ""}),
        _ => literal_json(&literal),
    }
}

fn node_line(kb: &Kb, node: NodeId) -> Map<String, Json> {
    let mut line = Map::new();
    let class = kb.as_class(node);
    line.insert(if class.is_some() { "class" } else { "entity" }.into(), kb.node_id(node).into());
    put_name(kb, &mut line, "label", kb.label_literal(node));
    let aliases: Vec<Json> = kb.aliases(node).map(|alias| name_json(kb, alias)).collect();
    put(&mut line, "aliases", (!aliases.is_empty()).then(|| aliases.into()));
    put_name(kb, &mut line, "description", kb.description_literal(node));
    let ids = |classes: Vec<crate::ids::ClassId>| -> Option<Json> {
        let ids: Vec<Json> = classes.iter().map(|&c| kb.node_id(kb.class_node(c)).into()).collect();
        (!ids.is_empty()).then(|| ids.into())
    };
    if let Some(class) = class {
        put(&mut line, "parents", ids(kb.parents(class).collect()));
        put(&mut line, "group", kb.class_group(class).map(Json::from));
        put_coverage(&mut line, kb.class_coverage(class));
    }
    put(&mut line, "classes", ids(kb.classes_of(node).collect()));
    let (mut relations, mut attributes) = (Vec::new(), Vec::new());
    for fact in kb.facts_about(node) {
        let facts =
            if matches!(fact.property, Property::Relation(_)) { &mut relations } else { &mut attributes };
        facts.push(fact_json(kb, &fact));
    }
    put(&mut line, "relations", (!relations.is_empty()).then(|| relations.into()));
    put(&mut line, "attributes", (!attributes.is_empty()).then(|| attributes.into()));
    line
}

fn fact_json(kb: &Kb, fact: &Fact) -> Json {
    let value = match fact.value {
        Value::Node(node) => kb.node_id(node).into(),
        Value::Literal(literal) => literal_json(&kb.literal(literal)),
    };
    let mut json = vec![Json::from(kb.property_id(fact.property)), value];
    let source = source_position(kb, fact.id);
    let mut qualifiers = Map::new();
    for qualifier in kb.fact_qualifiers(fact.id) {
        let value = value_json(kb, qualifier.value);
        let key = kb.qualifier_id(qualifier.key).to_owned();
        let list = qualifiers.entry(key).or_insert_with(|| Json::Array(Vec::new()));
        if let Json::Array(list) = list {
            list.push(value);
        }
    }
    if !qualifiers.is_empty() || source.is_some() {
        json.push(qualifiers.into());
    }
    json.extend(source.map(Json::from));
    json.into()
}

fn source_position(kb: &Kb, fact: FactId) -> Option<usize> {
    let source = kb.fact_source(fact)?;
    kb.manifest().sources.iter().position(|s| s == source)
}

fn literal_json(literal: &Literal<'_>) -> Json {
    let text = literal.text();
    match literal.kind() {
        LiteralKind::Text => text.into(),
        LiteralKind::LanguageText => json!({"text": text, "lang": literal.language()}),
        LiteralKind::TypedText => json!({"text": text, "datatype": literal.datatype()}),
        LiteralKind::Boolean => json!({"bool": literal.as_bool()}),
        LiteralKind::Year => match literal.as_time() {
            Some(time) if time.year().to_string() == text => json!({"year": time.year()}),
            // Written with a time zone or a plus sign.
            _ => json!({"year": text}),
        },
        LiteralKind::Month => json!({"month": text}),
        LiteralKind::Date => json!({"date": text}),
        LiteralKind::DateTime => json!({"datetime": text}),
        LiteralKind::Quantity => match (literal.unit(), literal.number_type()) {
            ("", number_type) if number_type == NumberType::of(text) => json!([text]),
            (unit, number_type) if number_type == NumberType::of(text) => json!([text, unit]),
            (unit, other) => json!([text, if unit.is_empty() { "1" } else { unit }, other.name()]),
        },
    }
}
