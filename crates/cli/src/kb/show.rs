//! `touchstone kb show`: the page of an entity or class.

use super::KbChoice;
use super::find::{HitJson, hit_json, hit_table, what};
use crate::Outcome;
use crate::output::{self, count};
use crate::table;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::fmt::Write;
use touchstone_kb::{Fact, Kb, LiteralKind, NodeId, Property, Qualifier, Value};

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// A name or an id
    name: String,
    #[command(flatten)]
    kb: KbChoice,
    /// Show all facts, not only the first of each property
    #[arg(long)]
    all: bool,
    /// Show where each fact comes from
    #[arg(long)]
    sources: bool,
    /// Print JSON (always all facts)
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    /// The page of something in a KB.
    pub(crate) fn of(name: &str, kb: &str, json: bool) -> ShowArgs {
        ShowArgs {
            name: name.to_owned(),
            kb: KbChoice { kb: kb.to_owned() },
            all: false,
            sources: false,
            json,
        }
    }
}

/// Facts shown of each property unless all are asked for.
const FACTS_SHOWN: usize = 5;
/// Candidates listed for an ambiguous name unless all are asked for.
const CANDIDATES_SHOWN: usize = 10;

#[derive(Serialize)]
struct PageJson<'a> {
    id: &'a str,
    label: &'a str,
    aliases: Vec<&'a str>,
    description: Option<&'a str>,
    is_class: bool,
    classes: Vec<NamedJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<ClassJson<'a>>,
    facts: Vec<FactJson<'a>>,
    facts_to: Vec<FactJson<'a>>,
    /// Other nodes with the same name.
    candidates: Vec<HitJson<'a>>,
}

#[derive(Serialize)]
struct ClassJson<'a> {
    parents: Vec<NamedJson<'a>>,
    children: Vec<NamedJson<'a>>,
    members: usize,
}

#[derive(Serialize)]
struct FactJson<'a> {
    property: &'a str,
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    value: ValueJson<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    qualifiers: Vec<QualifierJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

#[derive(Serialize)]
struct ValueJson<'a> {
    /// `entity`, `class`, `text`, `quantity`, `year`, `month`, `date`, `datetime` or `boolean`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    unit: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    lang: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    datatype: &'a str,
}

/// A class, or a qualifier key, or anything else with an id and a label.
#[derive(Serialize)]
struct NamedJson<'a> {
    id: &'a str,
    label: &'a str,
}

#[derive(Serialize)]
struct QualifierJson<'a> {
    qualifier: &'a str,
    label: &'a str,
    values: Vec<ValueJson<'a>>,
}

pub(crate) fn run(args: &ShowArgs) -> Result<Outcome> {
    let kb = args.kb.open()?;
    let mut nodes = kb.nodes_named(&args.name);
    if let Some(node) = kb.node(&args.name) {
        nodes.retain(|&other| other != node);
        nodes.insert(0, node);
    } else if nodes.is_empty() {
        // The same name in another spelling is as good.
        let spelled = kb.find_names(&args.name, 50);
        nodes =
            spelled.iter().filter(|h| h.matched == touchstone_kb::Match::Folded).map(|h| h.node).collect();
    }
    if args.name.trim().is_empty() {
        anyhow::bail!("give the name or the id of an entity or class");
    }
    let Some((&node, others)) = nodes.split_first() else {
        return not_found(&kb, args);
    };
    if args.json {
        output::json(&page_json(&kb, node, others))?;
    } else {
        let mut text = page(&kb, node, args);
        text.push_str(&candidates(&kb, others, args));
        output::text(&text)?;
    }
    Ok(Outcome::Done)
}

fn not_found(kb: &Kb, args: &ShowArgs) -> Result<Outcome> {
    let hits = kb.find_names(&args.name, 5);
    if args.json {
        let hits: Vec<_> = hits.iter().map(|hit| hit_json(kb, hit.node, Some(hit))).collect();
        output::json(&serde_json::json!({"error": "not found", "did_you_mean": hits}))?;
        return Ok(Outcome::NothingFound);
    }
    let name = output::shortened(&args.name);
    output::note(&format!("{} has nothing that is called `{name}` or has this id", kb.manifest().name));
    if !hits.is_empty() {
        output::note(&format!("did you mean:\n{}", hit_table(kb, &hits)));
    }
    Ok(Outcome::NothingFound)
}

fn value_json(kb: &Kb, value: Value) -> ValueJson<'_> {
    match value {
        Value::Node(node) => ValueJson {
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
            ValueJson { kind, id: None, text: literal.text(), unit, lang, datatype }
        }
    }
}

fn fact_json<'a>(kb: &'a Kb, fact: &Fact, to: bool) -> FactJson<'a> {
    let mut qualifiers: Vec<QualifierJson<'_>> = Vec::new();
    for Qualifier { key, value } in kb.fact_qualifiers(fact.id) {
        let value = value_json(kb, value);
        match qualifiers.last_mut().filter(|last| last.qualifier == kb.qualifier_id(key)) {
            Some(last) => last.values.push(value),
            None => qualifiers.push(QualifierJson {
                qualifier: kb.qualifier_id(key),
                label: kb.qualifier_label(key),
                values: vec![value],
            }),
        }
    }
    FactJson {
        property: kb.property_id(fact.property),
        label: kb.property_label(fact.property),
        subject: to.then(|| kb.node_id(fact.subject)),
        value: value_json(kb, if to { Value::Node(fact.subject) } else { fact.value }),
        qualifiers,
        source: kb.fact_source(fact.id),
    }
}

fn page_json<'a>(kb: &'a Kb, node: NodeId, others: &'a [NodeId]) -> PageJson<'a> {
    let label = |class| {
        let node = kb.class_node(class);
        NamedJson { id: kb.node_id(node), label: kb.label(node) }
    };
    PageJson {
        id: kb.node_id(node),
        label: kb.label(node),
        aliases: kb.aliases(node).map(|alias| kb.literal(alias).text()).collect(),
        description: kb.description(node),
        is_class: kb.as_class(node).is_some(),
        classes: kb.classes_of(node).map(label).collect(),
        class: kb.as_class(node).map(|class| ClassJson {
            parents: kb.parents(class).map(label).collect(),
            children: kb.children(class).map(label).collect(),
            members: kb.members(class).len(),
        }),
        facts: kb.facts_about(node).map(|fact| fact_json(kb, &fact, false)).collect(),
        facts_to: kb.facts_to(node).map(|fact| fact_json(kb, &fact, true)).collect(),
        candidates: others.iter().map(|&other| hit_json(kb, other, None)).collect(),
    }
}

fn page(kb: &Kb, node: NodeId, args: &ShowArgs) -> String {
    let mut text = format!("{}  [{}]\n", kb.label(node), kb.node_id(node));
    let mut line = |key: &str, value: String| {
        if !value.is_empty() {
            let line = format!("{key:>12}  {value}");
            text.push_str(&table::wrapped(&line, "              ", table::width()));
        }
    };
    let labels = |classes: Vec<touchstone_kb::ClassId>| {
        classes.iter().map(|&c| kb.label(kb.class_node(c))).collect::<Vec<_>>().join(", ")
    };
    line("", kb.description(node).unwrap_or_default().to_owned());
    line("also called", kb.aliases(node).map(|a| kb.literal(a).text()).collect::<Vec<_>>().join(" · "));
    line("is a", labels(kb.classes_of(node).collect()));
    if let Some(class) = kb.as_class(node) {
        line("class under", labels(kb.parents(class).collect()));
        line("above", labels(kb.children(class).collect()));
        let members = kb.members(class);
        let shown = if args.all { members.len() } else { FACTS_SHOWN.min(members.len()) };
        let names: Vec<&str> = members[..shown].iter().map(|&m| kb.label(NodeId(m))).collect();
        let more = if members.len() > shown { ", ..." } else { "" };
        line("members", format!("{}: {}{more}", count(members.len()), names.join(", ")));
    }
    let facts: Vec<Fact> = kb.facts_about(node).collect();
    let facts_to: Vec<Fact> = kb.facts_to(node).collect();
    add_facts(kb, &mut text, "Facts", &facts, args, false);
    add_facts(kb, &mut text, "Facts that lead here", &facts_to, args, true);
    text
}

fn add_facts(kb: &Kb, text: &mut String, title: &str, facts: &[Fact], args: &ShowArgs, to: bool) {
    if facts.is_empty() {
        return;
    }
    let mut table = output::table(&[title, "", ""]);
    for group in facts.chunk_by(|a, b| a.property == b.property) {
        let mut group = group.to_vec();
        group.sort_by_cached_key(|fact| std::cmp::Reverse(interest(kb, fact, to)));
        let shown = if args.all { group.len() } else { FACTS_SHOWN.min(group.len()) };
        let mut name = property_name(kb, group[0].property, to);
        for fact in &group[..shown] {
            let value = if to { Value::Node(fact.subject) } else { fact.value };
            let mut details = qualifiers(kb, fact);
            if let (true, Some(source)) = (args.sources, kb.fact_source(fact.id)) {
                let _ = write!(details, "{}[{source}]", if details.is_empty() { "" } else { "; " });
            }
            table.add_row([std::mem::take(&mut name), value_text(kb, value), details]);
        }
        if shown < group.len() {
            table.add_row([
                String::new(),
                format!("... and {} more (--all)", count(group.len() - shown)),
                String::new(),
            ]);
        }
    }
    let _ = writeln!(text, "\n{table}");
}

/// What is shown first: the latest, then the best connected, then the largest.
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

/// The property's label, or how it reads backwards.
fn property_name(kb: &Kb, property: Property, backwards: bool) -> String {
    match property {
        Property::Relation(relation) if backwards => match kb.relation_inverse_label(relation) {
            Some(label) => kb.literal(label).text().to_owned(),
            None => format!("is {} of", kb.relation_label(relation)),
        },
        _ => kb.property_label(property).to_owned(),
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

fn candidates(kb: &Kb, others: &[NodeId], args: &ShowArgs) -> String {
    if others.is_empty() {
        return String::new();
    }
    let mut table = output::table(&["Also called that", "what", "facts"]);
    let shown = if args.all { others.len() } else { CANDIDATES_SHOWN.min(others.len()) };
    for &other in &others[..shown] {
        table.add_row([kb.node_id(other).to_owned(), what(kb, other), count(kb.degree(other))]);
    }
    let more = if shown < others.len() {
        format!("... and {} more (--all)\n", others.len() - shown)
    } else {
        String::new()
    };
    let hint = format!("Show one of them with: touchstone kb show {}", kb.node_id(others[0]));
    format!("\n{table}\n{more}{}", table::wrapped(&hint, "  ", table::width()))
}
