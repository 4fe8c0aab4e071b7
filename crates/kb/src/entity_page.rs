//! Everything about one entity or class, and nodes in lists.

use crate::counts::grouped;
use crate::ids::{NodeId, Property, Value};
use crate::literal::LiteralKind;
use crate::store::{Fact, Kb, Match, NameHit, Qualifier};
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write;

/// Everything about an entity or a class.
#[derive(Debug, Serialize)]
pub struct EntityPage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// Its other names.
    pub aliases: Vec<&'a str>,
    /// Its description.
    pub description: Option<&'a str>,
    /// Whether it is a class.
    pub is_class: bool,
    /// The classes that it is a member of.
    pub classes: Vec<Named<'a>>,
    /// Of a class: its place in the hierarchy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassPlace<'a>>,
    /// Facts about it.
    pub facts: Vec<PageFact<'a>>,
    /// Facts whose value it is.
    pub facts_to: Vec<PageFact<'a>>,
    /// Other nodes with the same name.
    pub candidates: Vec<NodeSummary<'a>>,
}

/// The place of a class in the hierarchy.
#[derive(Debug, Serialize)]
pub struct ClassPlace<'a> {
    /// The classes right above it.
    pub parents: Vec<Named<'a>>,
    /// The classes right below it.
    pub children: Vec<Named<'a>>,
    /// The number of its members.
    pub members: usize,
}

/// Something with an id and a label.
#[derive(Debug, Serialize)]
pub struct Named<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
}

/// A fact of a page.
#[derive(Debug, Serialize)]
pub struct PageFact<'a> {
    /// The id of the property.
    pub property: &'a str,
    /// The label of the property.
    pub label: &'a str,
    /// The id of the subject, if the page is about the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<&'a str>,
    /// The value; the subject, if the page is about the value.
    pub value: PageValue<'a>,
    /// The qualifiers of the fact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub qualifiers: Vec<PageQualifier<'a>>,
    /// Where the fact comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
}

/// A value of a page.
#[derive(Debug, Serialize)]
pub struct PageValue<'a> {
    /// `entity`, `class`, `text`, `quantity`, `year`, `month`, `date`, `datetime` or `boolean`.
    pub kind: &'static str,
    /// The id of an entity or a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    /// The label, or the literal.
    pub text: &'a str,
    /// The unit of a quantity.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'a str,
    /// The language of a text.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub lang: &'a str,
    /// The datatype of an RDF literal that has no kind in the model.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub datatype: &'a str,
}

/// The values of a qualifier key.
#[derive(Debug, Serialize)]
pub struct PageQualifier<'a> {
    /// The id of the key.
    pub qualifier: &'a str,
    /// The label of the key.
    pub label: &'a str,
    /// Its values.
    pub values: Vec<PageValue<'a>>,
}

/// A node in a list.
#[derive(Debug, Serialize)]
pub struct NodeSummary<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// The name that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    /// Its description.
    pub description: Option<&'a str>,
    /// The labels of its classes.
    pub classes: Vec<&'a str>,
    /// How the name matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<&'static str>,
    /// From 1 down to 0, in the order of hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The number of facts from and to it.
    pub facts: usize,
    /// Whether it is a class.
    #[serde(skip)]
    pub is_class: bool,
}

/// No node has the name.
#[derive(Debug, Serialize)]
pub struct NotFound<'a> {
    error: &'static str,
    /// Nodes with similar names.
    pub did_you_mean: Vec<NodeSummary<'a>>,
}

impl<'a> NotFound<'a> {
    /// Suggests nodes with similar names.
    pub fn with(kb: &'a Kb, hits: &'a [NameHit]) -> NotFound<'a> {
        NotFound { error: "not found", did_you_mean: NodeSummary::of_hits(kb, hits) }
    }
}

impl<'a> NodeSummary<'a> {
    /// A node that was not found by its name.
    pub fn of(kb: &'a Kb, node: NodeId) -> NodeSummary<'a> {
        NodeSummary {
            id: kb.node_id(node),
            label: kb.label(node),
            name: None,
            description: kb.description(node),
            classes: kb.classes_of(node).map(|class| kb.label(kb.class_node(class))).collect(),
            matched: None,
            score: None,
            facts: kb.degree(node),
            is_class: kb.as_class(node).is_some(),
        }
    }

    /// Nodes that were found by their names.
    pub fn of_hits(kb: &'a Kb, hits: &'a [NameHit]) -> Vec<NodeSummary<'a>> {
        let summary = |hit: &'a NameHit| NodeSummary {
            name: Some(hit.name.as_str()),
            matched: Some(hit.matched.name()),
            score: Some((hit.score * 1000.0).round() / 1000.0),
            ..NodeSummary::of(kb, hit.node)
        };
        hits.iter().map(summary).collect()
    }

    /// A short text about the node: its description, else its classes.
    pub fn gist(&self) -> Cow<'a, str> {
        match self.description {
            Some(description) => description.into(),
            None if self.is_class => "class".into(),
            None => self.classes.join(", ").into(),
        }
    }
}

impl<'a> PageValue<'a> {
    /// A value of a KB.
    pub fn of(kb: &'a Kb, value: Value) -> PageValue<'a> {
        match value {
            Value::Node(node) => PageValue {
                kind: if kb.as_class(node).is_some() { "class" } else { "entity" },
                id: Some(kb.node_id(node)),
                text: kb.label(node),
                unit: "",
                lang: "",
                datatype: "",
            },
            Value::Literal(id) => {
                let literal = kb.literal(id);
                let kind = match literal.kind() {
                    LiteralKind::Boolean => "boolean",
                    LiteralKind::Quantity => "quantity",
                    LiteralKind::Year => "year",
                    LiteralKind::Month => "month",
                    LiteralKind::Date => "date",
                    LiteralKind::DateTime => "datetime",
                    LiteralKind::Text | LiteralKind::LanguageText | LiteralKind::TypedText => "text",
                };
                let (unit, lang, datatype) = (literal.unit(), literal.language(), literal.datatype());
                PageValue { kind, id: None, text: literal.text(), unit, lang, datatype }
            }
        }
    }
}

impl<'a> PageFact<'a> {
    /// A fact; `to`: on the page of its value.
    pub fn of(kb: &'a Kb, fact: &Fact, to: bool) -> PageFact<'a> {
        let mut qualifiers: Vec<PageQualifier<'_>> = Vec::new();
        for Qualifier { key, value } in kb.fact_qualifiers(fact.id) {
            let value = PageValue::of(kb, value);
            match qualifiers.last_mut().filter(|last| last.qualifier == kb.qualifier_id(key)) {
                Some(last) => last.values.push(value),
                None => qualifiers.push(PageQualifier {
                    qualifier: kb.qualifier_id(key),
                    label: kb.qualifier_label(key),
                    values: vec![value],
                }),
            }
        }
        PageFact {
            property: kb.property_id(fact.property),
            label: kb.property_label(fact.property),
            subject: to.then(|| kb.node_id(fact.subject)),
            value: PageValue::of(kb, if to { Value::Node(fact.subject) } else { fact.value }),
            qualifiers,
            source: kb.fact_source(fact.id),
        }
    }
}

impl<'a> EntityPage<'a> {
    /// Everything about a node; `others` have the same name.
    pub fn of(kb: &'a Kb, node: NodeId, others: &[NodeId]) -> EntityPage<'a> {
        let named = |class| {
            let node = kb.class_node(class);
            Named { id: kb.node_id(node), label: kb.label(node) }
        };
        EntityPage {
            id: kb.node_id(node),
            label: kb.label(node),
            aliases: kb.aliases(node).map(|alias| kb.literal(alias).text()).collect(),
            description: kb.description(node),
            is_class: kb.as_class(node).is_some(),
            classes: kb.classes_of(node).map(named).collect(),
            class: kb.as_class(node).map(|class| ClassPlace {
                parents: kb.parents(class).map(named).collect(),
                children: kb.children(class).map(named).collect(),
                members: kb.members(class).len(),
            }),
            facts: kb.facts_about(node).map(|fact| PageFact::of(kb, &fact, false)).collect(),
            facts_to: kb.facts_to(node).map(|fact| PageFact::of(kb, &fact, true)).collect(),
            candidates: others.iter().map(|&other| NodeSummary::of(kb, other)).collect(),
        }
    }

    /// What is known besides facts, by what it is: a line of text each; at most a number of members.
    pub fn lines(&self, kb: &Kb, node: NodeId, most: usize) -> Vec<(&'static str, String)> {
        let mut lines: Vec<(&str, String)> = Vec::new();
        let mut line = |key: &'static str, value: String| {
            if !value.is_empty() {
                lines.push((key, value));
            }
        };
        let labels = |classes: &[Named<'_>]| classes.iter().map(|c| c.label).collect::<Vec<_>>().join(", ");
        line("", self.description.unwrap_or_default().to_owned());
        line("also called", self.aliases.join(" · "));
        line("is a", labels(&self.classes));
        if let (Some(place), Some(class)) = (&self.class, kb.as_class(node)) {
            line("class under", labels(&place.parents));
            line("above", labels(&place.children));
            let shown = most.min(place.members);
            let names: Vec<&str> = kb.members(class)[..shown].iter().map(|&m| kb.label(NodeId(m))).collect();
            let more = if place.members > shown { ", ..." } else { "" };
            line("members", format!("{}: {}{more}", grouped(place.members), names.join(", ")));
        }
        lines
    }
}

/// The facts of one property, the most interesting first.
#[derive(Debug)]
pub struct FactGroup {
    /// The label of the property, or its inverse label.
    pub name: String,
    /// The facts.
    pub facts: Vec<Fact>,
}

impl FactGroup {
    /// The facts about a node, or those whose value it is, by property.
    pub fn all(kb: &Kb, node: NodeId, to: bool) -> Vec<FactGroup> {
        let facts: Vec<Fact> = if to { kb.facts_to(node).collect() } else { kb.facts_about(node).collect() };
        let groups = facts.chunk_by(|a, b| a.property == b.property).map(|group| {
            let mut facts = group.to_vec();
            facts.sort_by_cached_key(|fact| Reverse(interest(kb, fact, to)));
            FactGroup { name: property_name(kb, group[0].property, to), facts }
        });
        groups.collect()
    }

    /// Rows of a table: the property once, values, and what is said about them; at most a number of facts.
    pub fn rows(&self, kb: &Kb, to: bool, most: usize, with_sources: bool) -> Vec<[String; 3]> {
        let FactGroup { name, facts } = self;
        let shown = most.min(facts.len());
        let mut rows = Vec::new();
        for (at, fact) in facts[..shown].iter().enumerate() {
            let value = if to { Value::Node(fact.subject) } else { fact.value };
            let mut details = qualifiers(kb, fact);
            if let (true, Some(source)) = (with_sources, kb.fact_source(fact.id)) {
                let _ = write!(details, "{}[{source}]", if details.is_empty() { "" } else { "; " });
            }
            let name = if at == 0 { name.clone() } else { String::new() };
            rows.push([name, value_text(kb, value), details]);
        }
        if shown < facts.len() {
            let more = format!("... and {} more (--all)", grouped(facts.len() - shown));
            rows.push([String::new(), more, String::new()]);
        }
        rows
    }
}

fn value_text(kb: &Kb, value: Value) -> String {
    match value {
        Value::Node(node) => kb.label(node).to_owned(),
        Value::Literal(literal) => kb.literal(literal).to_string(),
    }
}

fn qualifiers(kb: &Kb, fact: &Fact) -> String {
    let parts = kb
        .fact_qualifiers(fact.id)
        .map(|q| format!("{}: {}", kb.qualifier_label(q.key), value_text(kb, q.value)));
    parts.collect::<Vec<_>>().join("; ")
}

/// The order of values on a page: the latest, then the best connected, then the largest.
fn interest(kb: &Kb, fact: &Fact, to: bool) -> (i64, usize, i64) {
    let time_of = |value: Value| match value {
        Value::Literal(literal) => kb.literal(literal).as_time().map(|time| time.key()),
        Value::Node(_) => None,
    };
    let latest = kb.fact_qualifiers(fact.id).filter_map(|q| time_of(q.value)).max().unwrap_or(i64::MIN);
    match if to { Value::Node(fact.subject) } else { fact.value } {
        Value::Node(node) => (latest, kb.degree(node), -i64::from(node.0)),
        // Literal ids are in the order of values.
        Value::Literal(literal) => (latest, 0, i64::from(literal.0)),
    }
}

/// The property's label, or its inverse label.
fn property_name(kb: &Kb, property: Property, backwards: bool) -> String {
    match property {
        Property::Relation(relation) if backwards => match kb.relation_inverse_label(relation) {
            Some(label) => kb.literal(label).text().to_owned(),
            None => format!("is {} of", kb.relation_label(relation)),
        },
        _ => kb.property_label(property).to_owned(),
    }
}

impl Kb {
    /// The nodes that a user may mean: the one with this id first, then those with this name; if there are none, those
    /// with the same name in another spelling.
    pub fn nodes_meant_by(&self, name: &str) -> Vec<NodeId> {
        let mut nodes = self.nodes_named(name);
        if let Some(node) = self.node(name) {
            nodes.retain(|&other| other != node);
            nodes.insert(0, node);
        } else if nodes.is_empty() {
            let spelled = self.find_names(name, 50);
            nodes = spelled.iter().filter(|hit| hit.matched == Match::Folded).map(|hit| hit.node).collect();
        }
        nodes
    }
}
