//! Wikidata's RDF: statement nodes become facts with qualifiers.
//!
//! `wd:Q42 p:P69 wds:X`, `wds:X ps:P69 wd:Q691283`, `wds:X pq:P580 "1971"` is one fact with one qualifier.
//! Value nodes (`psv:`, `pqv:`) have units and the precision of times, and replace the simple values.
//! `wdt:` shortcuts count only if there is no statement with the same subject and property.

use super::import_log::ImportLog;
use super::roles::{HOUSEKEEPING, Role};
use crate::build::{Ignored, KbBuilder, NameKind, RawNode, RawProperty, RawValue};
use crate::error::Result;
use crate::iri::{WIKIDATA_DIRECT, WIKIDATA_ENTITY};
use crate::literal::{Literal, LiteralFamily};
use hashbrown::HashMap;

const PROP: &str = "http://www.wikidata.org/prop/";
const WIKIBASE: &str = "http://wikiba.se/ontology#";

/// The role of a triple about a statement or a value node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StatementRole {
    /// `p:` from the subject to the statement.
    Link,
    /// `ps:` the simple value.
    Value,
    /// `psv:` the value node of the value.
    ValueNode,
    /// `pq:` a simple qualifier.
    Qualifier,
    /// `pqv:` the value node of a qualifier.
    QualifierNode,
    /// `wikibase:quantityAmount` of a value node.
    Amount,
    /// `wikibase:quantityUnit` of a value node.
    Unit,
    /// `wikibase:timeValue` of a value node.
    Time,
    /// `wikibase:timePrecision` of a value node.
    TimePrecision,
}

/// The role of a predicate in Wikidata; `None` for those of RDF Schema and others.
pub(super) fn role(iri: &str, builder: &mut KbBuilder) -> Option<Role> {
    let mut statement = |role, id: &str| Some(Role::Statement(role, builder.property(id)));
    if let Some(id) = iri.strip_prefix(WIKIDATA_DIRECT) {
        return Some(match id {
            "P31" => Role::Type,
            "P279" => Role::SubClassOf,
            _ => Role::Truthy(builder.property(id)),
        });
    }
    if let Some(rest) = iri.strip_prefix(PROP) {
        return match rest.split_once('/') {
            None => statement(StatementRole::Link, rest),
            Some(("statement", id)) if !id.contains('/') => statement(StatementRole::Value, id),
            Some(("qualifier", id)) if !id.contains('/') => statement(StatementRole::Qualifier, id),
            _ => match (rest.strip_prefix("statement/value/"), rest.strip_prefix("qualifier/value/")) {
                (Some(id), _) => statement(StatementRole::ValueNode, id),
                (_, Some(id)) => statement(StatementRole::QualifierNode, id),
                _ => Some(Role::Skip("normalised or deprecated form of a value")),
            },
        };
    }
    if let Some(local) = iri.strip_prefix(WIKIBASE) {
        return match local {
            "rank" => Some(Role::Rank),
            "quantityAmount" => statement(StatementRole::Amount, ""),
            "quantityUnit" => statement(StatementRole::Unit, ""),
            "timeValue" => statement(StatementRole::Time, ""),
            "timePrecision" => statement(StatementRole::TimePrecision, ""),
            _ => Some(Role::Skip(HOUSEKEEPING)),
        };
    }
    match iri {
        "http://schema.org/name" | "http://www.w3.org/2004/02/skos/core#prefLabel" => {
            Some(Role::Skip("label that rdfs:label repeats"))
        }
        "http://schema.org/description" => Some(Role::Name(NameKind::Description)),
        _ if iri.starts_with("http://schema.org/") || iri.starts_with("http://www.w3.org/ns/prov#") => {
            Some(Role::Skip(HOUSEKEEPING))
        }
        _ => None,
    }
}

/// Whether a subject is not an item: the dump's own pages, statements, references.
pub(super) fn is_housekeeping(iri: &str) -> bool {
    !iri.starts_with(WIKIDATA_ENTITY) || iri.starts_with("http://www.wikidata.org/entity/statement/")
}

/// The id of the property that an entity IRI stands for.
pub(super) fn property_of_entity(iri: &str) -> Option<&str> {
    let id = iri.strip_prefix(WIKIDATA_ENTITY)?;
    id.strip_prefix('P').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())).map(|_| id)
}

#[derive(Default)]
struct ValueNode {
    amount: Option<String>,
    unit: Option<RawNode>,
    time: Option<String>,
    precision: Option<u8>,
}

/// A value of a statement that may be replaced by a value node.
enum Deferred {
    Simple(RawValue),
    Node(RawNode),
}

/// Statements and value nodes that are not complete yet.
#[derive(Default)]
pub(super) struct WikidataStatements {
    value_nodes: HashMap<u32, ValueNode>,
    /// By statement, property and whether it is a qualifier: values in the order of the file.
    deferred: HashMap<(u32, u32, bool), Vec<Deferred>>,
    /// Statements of instance-of and subclass-of: subject and value.
    class_links: HashMap<(u32, bool), (Option<RawNode>, Option<RawNode>)>,
}

impl WikidataStatements {
    pub(super) fn literal(
        &mut self,
        subject: RawNode,
        role: StatementRole,
        property: RawProperty,
        literal: &Literal<'_>,
        builder: &mut KbBuilder,
    ) -> Result<()> {
        let text = || literal.text().to_owned();
        match role {
            StatementRole::Amount => {
                let amount = text();
                let amount = amount.strip_prefix('+').map(str::to_owned).unwrap_or(amount);
                self.value_nodes.entry(subject.0).or_default().amount = Some(amount);
            }
            StatementRole::Time => self.value_nodes.entry(subject.0).or_default().time = Some(text()),
            StatementRole::TimePrecision => {
                self.value_nodes.entry(subject.0).or_default().precision = literal.text().parse().ok();
            }
            StatementRole::Value | StatementRole::Qualifier => {
                let value = builder.literal(literal)?;
                let is_qualifier = role == StatementRole::Qualifier;
                if matches!(literal.kind().family(), LiteralFamily::Quantity | LiteralFamily::Time) {
                    let key = (subject.0, property.0, is_qualifier);
                    self.deferred.entry(key).or_default().push(Deferred::Simple(value));
                } else {
                    add(subject, property, value, is_qualifier, builder)?;
                }
            }
            StatementRole::Link
            | StatementRole::ValueNode
            | StatementRole::QualifierNode
            | StatementRole::Unit => {}
        }
        Ok(())
    }

    pub(super) fn node(
        &mut self,
        subject: RawNode,
        role: StatementRole,
        property: RawProperty,
        object: RawNode,
        builder: &mut KbBuilder,
    ) -> Result<()> {
        let class_link = match builder.properties.get(property.0) {
            "P31" => Some(false),
            "P279" => Some(true),
            _ => None,
        };
        match (role, class_link) {
            (StatementRole::Link, None) => builder.statement_subject(object, subject, property),
            (StatementRole::Link, Some(is_parent)) => {
                builder.ignore_statement(object, Ignored::ClassLink);
                self.class_links.entry((object.0, is_parent)).or_default().0 = Some(subject);
            }
            (StatementRole::Value, Some(is_parent)) => {
                self.class_links.entry((subject.0, is_parent)).or_default().1 = Some(object);
            }
            (StatementRole::Value, None) => add(subject, property, object.into(), false, builder)?,
            (StatementRole::Qualifier, _) => add(subject, property, object.into(), true, builder)?,
            (StatementRole::ValueNode | StatementRole::QualifierNode, _) => {
                let key = (subject.0, property.0, role == StatementRole::QualifierNode);
                self.deferred.entry(key).or_default().push(Deferred::Node(object));
            }
            (StatementRole::Unit, _) => self.value_nodes.entry(subject.0).or_default().unit = Some(object),
            (StatementRole::Amount | StatementRole::Time | StatementRole::TimePrecision, _) => {}
        }
        Ok(())
    }

    /// Combines the parts of statements.
    pub(super) fn finish(self, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
        let mut labels: HashMap<u32, u32> = HashMap::new();
        for &(node, kind, name) in &builder.names {
            if kind == NameKind::Label {
                labels.entry(node).or_insert(name);
            }
        }
        for ((statement, property, is_qualifier), values) in self.deferred {
            let (statement, property) = (RawNode(statement), RawProperty(property));
            let mut from_nodes = Vec::new();
            let mut described = false;
            for value in &values {
                let Deferred::Node(node) = value else { continue };
                let Some(found) = self.value_nodes.get(&node.0) else { continue };
                described = true;
                match value_of(found, &labels, builder)? {
                    Some(value) => from_nodes.push(value),
                    None => log.note("times coarser than a year, or not valid"),
                }
            }
            let simple = values.into_iter().filter_map(|value| match value {
                Deferred::Simple(value) => Some(value),
                Deferred::Node(_) => None,
            });
            // A value node has the precision; the simple value always has a day.
            let chosen: Vec<RawValue> = if described { from_nodes } else { simple.collect() };
            for value in chosen {
                add(statement, property, value, is_qualifier, builder)?;
            }
        }
        for ((_, is_parent), link) in self.class_links {
            match link {
                (Some(subject), Some(class)) if is_parent => builder.add_parent(subject, class),
                (Some(subject), Some(class)) => builder.add_class(subject, class),
                _ => log.note("instance-of or subclass-of statements without a subject or value"),
            }
        }
        Ok(())
    }
}

fn add(
    statement: RawNode,
    property: RawProperty,
    value: RawValue,
    is_qualifier: bool,
    builder: &mut KbBuilder,
) -> Result<()> {
    if is_qualifier {
        builder.fact(statement, property, value, &mut [], None)
    } else {
        builder.statement_value(statement, value);
        Ok(())
    }
}

/// The literal that a value node describes; units are named by their label.
fn value_of(
    node: &ValueNode,
    labels: &HashMap<u32, u32>,
    builder: &mut KbBuilder,
) -> Result<Option<RawValue>> {
    if let Some(amount) = &node.amount {
        let unit = match node.unit {
            Some(unit) if builder.nodes.get(unit.0) != "Q199" => match labels.get(&unit.0) {
                Some(&label) => builder.literals.get(label).text().to_owned(),
                None => builder.nodes.get(unit.0).to_owned(),
            },
            _ => String::new(),
        };
        return Literal::quantity(amount, &unit).map(|quantity| builder.literal(&quantity)).transpose();
    }
    let Some(time) = &node.time else { return Ok(None) };
    // RDF counts 1 BCE as year 0, as XML Schema 1.1 does; everything else here counts it as -1.
    let time = match time.split_once('-').filter(|(year, _)| *year == "0000") {
        Some((_, rest)) => format!("-0001-{rest}"),
        None => match time.strip_prefix('-').and_then(|t| t.split_once('-')) {
            Some((year, rest)) => match year.parse::<u64>() {
                Ok(year) => format!("-{:04}-{rest}", year + 1),
                Err(_) => return Ok(None),
            },
            None => time.clone(),
        },
    };
    let literal = time_literal(&time, node.precision.unwrap_or(11));
    literal.as_ref().and_then(WikidataTime::literal).map(|literal| builder.literal(&literal)).transpose()
}

/// A time of Wikidata, truncated to its precision.
pub(super) struct WikidataTime {
    text: String,
    precision: u8,
}

impl WikidataTime {
    /// The literal; `None` if there is no such day.
    pub(super) fn literal(&self) -> Option<Literal<'_>> {
        match self.precision {
            ..=9 => Literal::year(&self.text),
            10 => Literal::month(&self.text),
            _ => Literal::date(&self.text),
        }
    }
}

/// Reads `+1984-12-30T00:00:00Z` with Wikidata's precision: 11 day, 10 month, 9 year, below 9 coarser.
pub(super) fn time_literal(time: &str, precision: u8) -> Option<WikidataTime> {
    if precision < 9 {
        return None;
    }
    let date = time.trim_start_matches('+').split('T').next()?;
    let (sign, digits) = match date.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", date),
    };
    let mut parts = digits.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    // A day of 00 means that only the month or the year is known, whatever the precision says.
    let precision = match (month, day) {
        ("00", _) => 9,
        (_, "00") => precision.min(10),
        _ => precision,
    };
    let text = match precision {
        9 => format!("{sign}{}", year.parse::<u64>().ok()?),
        10 => format!("{sign}{year}-{month}"),
        _ => format!("{sign}{year}-{month}-{day}"),
    };
    Some(WikidataTime { text, precision })
}
