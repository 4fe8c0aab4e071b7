//! Writes KQA Pro's `kb.json`, with the field names of the re-release.

use super::ExportReport;
use crate::cast::index32;
use crate::ids::{LiteralId, NodeId, Property, Value};
use crate::literal::{Literal, LiteralKind, NumberType};
use crate::progress::Progress;
use crate::store::{Fact, Kb};
use crate::time::Precision;
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};

pub(super) fn write(kb: &Kb, out: &mut impl Write, progress: &dyn Progress) -> io::Result<ExportReport> {
    let mut report = ExportReport::default();
    let mut writer = Writer { kb, n_between_classes: 0, n_class_attributes: 0 };
    out.write_all(b"{\n \"concepts\": {")?;
    let mut separator = "\n";
    for class in kb.classes() {
        let node = kb.class_node(class);
        let parents: Vec<&str> = kb.parents(class).map(|p| kb.node_id(kb.class_node(p))).collect();
        write_member(
            out,
            &mut separator,
            kb.node_id(node),
            &json!({"name": kb.label(node), "subclassOf": parents}),
        )?;
        report.n_records += 1;
        writer.count_class_facts(node);
    }
    out.write_all(b"\n },\n \"entities\": {")?;
    separator = "\n";
    for node in kb.nodes().take(kb.n_entities()) {
        super::tick(progress, report.n_records)?;
        write_member(out, &mut separator, kb.node_id(node), &writer.entity(node))?;
        report.n_records += 1;
    }
    out.write_all(b"\n }\n}\n")?;
    writer.report_losses(&mut report);
    report.lose(super::ASSERTED, kb.n_asserted() as u64);
    Ok(report)
}

fn write_member(out: &mut impl Write, separator: &mut &str, id: &str, value: &Json) -> io::Result<()> {
    out.write_all(separator.as_bytes())?;
    *separator = ",\n";
    out.write_all(b"  ")?;
    serde_json::to_writer(&mut *out, id)?;
    out.write_all(b": ")?;
    serde_json::to_writer(out, value)?;
    Ok(())
}

struct Writer<'k> {
    kb: &'k Kb,
    n_between_classes: u64,
    n_class_attributes: u64,
}

impl Writer<'_> {
    fn entity(&self, node: NodeId) -> Json {
        let kb = self.kb;
        let classes: Vec<&str> = kb.classes_of(node).map(|c| kb.node_id(kb.class_node(c))).collect();
        let (mut attributes, mut relations) = (Vec::new(), Vec::new());
        for fact in kb.facts_about(node) {
            match fact.value {
                Value::Literal(literal) => attributes.push(json!({
                    "key": kb.property_label(fact.property),
                    "value": value_json(&kb.literal(literal)),
                    "qualifiers": self.qualifiers(&fact),
                })),
                Value::Node(object) => relations.push(self.relation(&fact, "forward", object)),
            }
        }
        for fact in kb.facts_to(node) {
            relations.push(self.relation(&fact, "backward", fact.subject));
        }
        json!({"name": kb.label(node), "instanceOf": classes, "attributes": attributes, "relations": relations})
    }

    fn relation(&self, fact: &Fact, direction: &str, object: NodeId) -> Json {
        json!({
            "relation": self.kb.property_label(fact.property),
            "direction": direction,
            "object": self.kb.node_id(object),
            "qualifiers": self.qualifiers(fact),
        })
    }

    fn qualifiers(&self, fact: &Fact) -> Json {
        let kb = self.kb;
        let mut qualifiers = Map::new();
        for qualifier in kb.fact_qualifiers(fact.id) {
            let value = match qualifier.value {
                Value::Node(node) => json!({"type": "string", "value": kb.label(node)}),
                Value::Literal(literal) => value_json(&kb.literal(literal)),
            };
            let list = qualifiers
                .entry(kb.qualifier_label(qualifier.key).to_owned())
                .or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(list) = list {
                list.push(value);
            }
        }
        qualifiers.into()
    }

    /// Concepts have no records: facts between them, and their attributes, cannot be written.
    fn count_class_facts(&mut self, node: NodeId) {
        for fact in self.kb.facts_about(node) {
            match fact.value {
                Value::Literal(_) => self.n_class_attributes += 1,
                Value::Node(object) => {
                    self.n_between_classes += u64::from(self.kb.as_class(object).is_some())
                }
            }
        }
    }

    fn report_losses(&self, report: &mut ExportReport) {
        let kb = self.kb;
        report.lose("aliases", kb.nodes().map(|n| kb.aliases(n).len() as u64).sum());
        report
            .lose("descriptions", kb.nodes().filter(|&n| kb.description_literal(n).is_some()).count() as u64);
        let class_nodes = || kb.classes().map(|c| kb.class_node(c));
        report.lose(
            "classes that are members of classes",
            class_nodes().map(|n| kb.classes_of(n).len() as u64).sum(),
        );
        report.lose("facts between classes", self.n_between_classes);
        report.lose("attributes of classes", self.n_class_attributes);
        let count = |lost: bool| u64::from(lost);
        report.lose(
            "missing labels, for which the id is written",
            kb.nodes().map(|n| count(kb.label_literal(n).is_none())).sum(),
        );
        let number_types = (0..index32(kb.n_literals()))
            .map(|id| kb.literal(LiteralId(id)))
            .filter(|l| l.kind() == LiteralKind::Quantity && l.number_type() != NumberType::of(l.text()));
        report.lose("XML Schema types of numbers", number_types.count() as u64);
        let described = kb.relations().map(|r| kb.relation_description(r).is_some());
        let described = described.chain(kb.attributes().map(|a| kb.attribute_description(a).is_some()));
        report.lose("descriptions of properties", described.map(count).sum());
        let unused = kb.relations().map(|r| kb.subjects_with(Property::Relation(r)).len() == 0);
        let unused = unused.chain(kb.attributes().map(|a| kb.facts_by_value(a).is_empty()));
        report.lose("properties without facts", unused.map(count).sum());
        let relations = kb.relations().map(|r| {
            count(
                kb.relation_domain(r).is_some()
                    || kb.relation_range(r).is_some()
                    || kb.relation_inverse(r).is_some()
                    || kb.relation_inverse_label(r).is_some()
                    || kb.is_symmetric(r),
            )
        });
        let attributes = kb.attributes().map(|a| count(kb.attribute_domain(a).is_some()));
        report.lose("domains, ranges and inverses of properties", relations.chain(attributes).sum());
        report.lose("domains of the schema", kb.groups().len() as u64);
        let renamed = |id: &str, label: &str| count(id != label);
        let properties = kb.relations().map(|r| renamed(kb.relation_id(r), kb.relation_label(r)));
        let properties =
            properties.chain(kb.attributes().map(|a| renamed(kb.attribute_id(a), kb.attribute_label(a))));
        let properties =
            properties.chain(kb.qualifier_keys().map(|q| renamed(kb.qualifier_id(q), kb.qualifier_label(q))));
        report.lose("ids of properties, which are known by their label", properties.sum());
        let literal_ids = || (0..index32(kb.n_literals())).map(LiteralId);
        let odd = |id: &LiteralId| {
            let literal = kb.literal(*id);
            !matches!(
                literal.kind(),
                LiteralKind::Text | LiteralKind::Quantity | LiteralKind::Year | LiteralKind::Date
            )
        };
        report.lose(
            "languages, datatypes, months, times of day and booleans of literals",
            literal_ids().filter(odd).count() as u64,
        );
        let entity_values =
            kb.all_qualifier_positions().filter(|&at| matches!(kb.qualifier_at(at).value, Value::Node(_)));
        report
            .lose("qualifier values that are entities, written as their names", entity_values.count() as u64);
        let n_sources = if kb.manifest().sources.is_empty() { 0 } else { kb.n_facts() as u64 };
        report.lose("sources of facts", n_sources);
        report.lose(super::COVERAGE, kb.manifest().coverage.len() as u64);
    }
}

fn value_json(literal: &Literal<'_>) -> Json {
    let text = literal.text();
    if literal.kind() == LiteralKind::Quantity {
        // The exact text, as a JSON number where it is one.
        let number = text.parse::<serde_json::Number>().ok();
        let exact =
            number.filter(|n| n.to_string().as_str() == text).map_or_else(|| text.into(), Json::Number);
        let unit = if literal.unit().is_empty() { "1" } else { literal.unit() };
        return json!({"type": "quantity", "value": exact, "unit": unit});
    }
    match literal.as_time() {
        Some(time) if time.precision() >= Precision::Day => {
            // KQA Pro has years before the common era, but no dates.
            json!({"type": "date", "value": time.date_text()})
        }
        Some(time) => json!({"type": "year", "value": time.year()}),
        None => json!({"type": "string", "value": text}),
    }
}
