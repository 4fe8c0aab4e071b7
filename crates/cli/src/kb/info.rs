//! `touchstone kb info`.

use super::KbChoice;
use crate::Outcome;
use crate::output::{self, count};
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use touchstone_kb::survey::Survey;
use touchstone_kb::{Counts, Kb, Property};

#[derive(Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    kb: KbChoice,
    /// Also list all classes, relations, attributes and qualifier keys
    #[arg(long)]
    schema: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct FactsJson {
    total: u64,
    relational: u64,
    literal: u64,
    qualified: u64,
}

#[derive(Serialize)]
struct InfoJson<'a> {
    name: &'a str,
    fingerprint: &'a str,
    entities: u64,
    classes: u64,
    relations: u64,
    attributes: u64,
    qualifiers: u64,
    facts: FactsJson,
    names: u64,
    naming: NamingJson<'a>,
    domains: BTreeMap<&'a str, u64>,
    source: &'a str,
    license: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<SchemaJson<'a>>,
}

/// What matters for a benchmark: names and classes of entities.
#[derive(Serialize)]
pub(crate) struct NamingJson<'a> {
    entities: u64,
    blank_nodes: u64,
    named: u64,
    with_class: u64,
    /// By language tag; the empty one is for labels without a language.
    labels_by_language: BTreeMap<String, u64>,
    properties_like_names: Vec<NameLikeJson<'a>>,
}

#[derive(Serialize)]
struct NameLikeJson<'a> {
    id: &'a str,
    entities: u64,
    example: String,
}

impl<'a> NamingJson<'a> {
    pub(crate) fn new(kb: &'a Kb, survey: &Survey) -> NamingJson<'a> {
        NamingJson {
            entities: survey.entities,
            blank_nodes: survey.blank,
            named: survey.named,
            with_class: survey.with_class,
            labels_by_language: survey.languages.clone(),
            properties_like_names: survey
                .name_like
                .iter()
                .map(|property| NameLikeJson {
                    id: kb.attribute_id(property.attribute),
                    entities: property.entities,
                    example: property.example.clone(),
                })
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct SchemaJson<'a> {
    classes: Vec<ClassJson<'a>>,
    relations: Vec<RelationJson<'a>>,
    attributes: Vec<AttributeJson<'a>>,
    qualifiers: Vec<QualifierJson<'a>>,
}

#[derive(Serialize)]
struct ClassJson<'a> {
    id: &'a str,
    label: &'a str,
    parents: Vec<&'a str>,
    members: usize,
    domain: Option<&'a str>,
}

#[derive(Serialize)]
struct RelationJson<'a> {
    id: &'a str,
    label: &'a str,
    inverse_label: Option<&'a str>,
    symmetric: bool,
    from: Option<&'a str>,
    to: Option<&'a str>,
    facts: usize,
    domain: Option<&'a str>,
}

#[derive(Serialize)]
struct AttributeJson<'a> {
    id: &'a str,
    label: &'a str,
    kind: &'a str,
    unit: Option<&'a str>,
    from: Option<&'a str>,
    facts: usize,
    domain: Option<&'a str>,
}

#[derive(Serialize)]
struct QualifierJson<'a> {
    id: &'a str,
    label: &'a str,
    kind: &'a str,
}

pub(crate) fn run(args: &InfoArgs) -> Result<Outcome> {
    let kb = args.kb.open()?;
    let info = info(&kb, args.schema);
    if args.json {
        output::json(&info)?;
    } else {
        output::text(&readable(&kb, &info))?;
    }
    Ok(Outcome::Done)
}

fn info(kb: &Kb, with_schema: bool) -> InfoJson<'_> {
    let manifest = kb.manifest();
    let Counts {
        entities,
        classes,
        relations,
        attributes,
        qualifiers,
        relational_facts,
        literal_facts,
        qualified_facts,
        names,
        ..
    } = manifest.counts;
    let mut domains: BTreeMap<&str, u64> = kb.groups().map(|group| (group, 0)).collect();
    let properties = kb.relations().map(Property::Relation).chain(kb.attributes().map(Property::Attribute));
    let groups = properties.map(|p| kb.property_group(p)).chain(kb.classes().map(|c| kb.class_group(c)));
    for group in groups.flatten() {
        *domains.entry(group).or_default() += 1;
    }
    InfoJson {
        name: &manifest.name,
        fingerprint: &manifest.fingerprint,
        entities,
        classes,
        relations,
        attributes,
        qualifiers,
        facts: FactsJson {
            total: relational_facts + literal_facts,
            relational: relational_facts,
            literal: literal_facts,
            qualified: qualified_facts,
        },
        names,
        naming: NamingJson::new(kb, &Survey::of(kb)),
        domains,
        source: &manifest.source,
        license: &manifest.license,
        schema: with_schema.then(|| schema(kb)),
    }
}

fn schema(kb: &Kb) -> SchemaJson<'_> {
    let class_id = |class| kb.node_id(kb.class_node(class));
    let text = |literal| kb.literal(literal).text();
    SchemaJson {
        classes: kb
            .classes()
            .map(|class| ClassJson {
                id: class_id(class),
                label: kb.label(kb.class_node(class)),
                parents: kb.parents(class).map(class_id).collect(),
                members: kb.members(class).len(),
                domain: kb.class_group(class),
            })
            .collect(),
        relations: kb
            .relations()
            .map(|r| RelationJson {
                id: kb.relation_id(r),
                label: kb.relation_label(r),
                inverse_label: kb.relation_inverse_label(r).map(text),
                symmetric: kb.is_symmetric(r),
                from: kb.relation_domain(r).map(class_id),
                to: kb.relation_range(r).map(class_id),
                facts: kb.facts_with(Property::Relation(r)).count(),
                domain: kb.property_group(Property::Relation(r)),
            })
            .collect(),
        attributes: kb
            .attributes()
            .map(|a| AttributeJson {
                id: kb.attribute_id(a),
                label: kb.attribute_label(a),
                kind: kb.attribute_kind(a).name(),
                unit: Some(kb.attribute_unit(a)).filter(|unit| !unit.is_empty()),
                from: kb.attribute_domain(a).map(class_id),
                facts: kb.facts_by_value(a).len(),
                domain: kb.property_group(Property::Attribute(a)),
            })
            .collect(),
        qualifiers: kb
            .qualifier_keys()
            .map(|q| QualifierJson {
                id: kb.qualifier_id(q),
                label: kb.qualifier_label(q),
                kind: kb.qualifier_kind(q).name(),
            })
            .collect(),
    }
}

fn readable(kb: &Kb, info: &InfoJson<'_>) -> String {
    let mut table = output::table(&[info.name, ""]);
    let facts = format!(
        "{} ({} relational, {} literal; {} with qualifiers)",
        count(info.facts.total),
        count(info.facts.relational),
        count(info.facts.literal),
        count(info.facts.qualified)
    );
    let naming = &info.naming;
    let share = |n: u64| match naming.entities {
        0 => count(n),
        all => format!("{} ({} %)", count(n), n * 100 / all),
    };
    let languages = naming.labels_by_language.iter().map(|(tag, n)| {
        let tag = if tag.is_empty() { "no language" } else { tag };
        format!("{tag} ({})", count(*n))
    });
    let languages: Vec<String> = languages.collect();
    let like_names = naming.properties_like_names.iter();
    let like_names: Vec<String> =
        like_names.map(|property| format!("{} ({})", property.id, count(property.entities))).collect();
    let domains: Vec<String> = info.domains.iter().map(|(name, n)| format!("{name} ({n})")).collect();
    let rows = [
        ("entities", count(info.entities)),
        ("  with a name", share(naming.named)),
        ("  with a class", share(naming.with_class)),
        ("  blank nodes", count(naming.blank_nodes)),
        ("languages of names", languages.join(", ")),
        ("look like names", like_names.join("\n")),
        ("classes", count(info.classes)),
        ("relations", count(info.relations)),
        ("attributes", count(info.attributes)),
        ("qualifier keys", count(info.qualifiers)),
        ("facts", facts),
        ("names", count(info.names)),
        ("domains of the schema", domains.join(", ")),
        ("fingerprint", info.fingerprint.to_owned()),
        ("source", info.source.to_owned()),
        ("licence", info.license.to_owned()),
    ];
    let left_out = ["  blank nodes", "look like names"];
    for (key, value) in rows {
        // What most KBs do not have needs no row.
        if left_out.contains(&key) && (value.is_empty() || value == "0") {
            continue;
        }
        table.add_row([key.to_owned(), value]);
    }
    let mut text = format!("{table}\n");
    if let Some(schema) = &info.schema {
        text.push_str(&readable_schema(kb, schema));
    }
    text
}

fn readable_schema(kb: &Kb, schema: &SchemaJson<'_>) -> String {
    let or_dash = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let label_of =
        |id: Option<&str>| id.and_then(|id| kb.node(id)).map_or("-".to_owned(), |n| kb.label(n).to_owned());
    let mut classes = output::table(&["class", "id", "under", "members", "domain"])
        .whole(&["id"])
        .optional(&["domain", "under"]);
    for c in &schema.classes {
        let parents: Vec<String> = c.parents.iter().map(|id| label_of(Some(id))).collect();
        classes.add_row([
            c.label.to_owned(),
            c.id.to_owned(),
            parents.join(", "),
            count(c.members),
            or_dash(c.domain),
        ]);
    }
    let mut relations = output::table(&["relation", "id", "backwards", "from", "to", "facts", "domain"])
        .whole(&["id"])
        .optional(&["domain", "backwards"]);
    for r in &schema.relations {
        let backwards = if r.symmetric { "(symmetric)".to_owned() } else { or_dash(r.inverse_label) };
        relations.add_row([
            r.label.to_owned(),
            r.id.to_owned(),
            backwards,
            label_of(r.from),
            label_of(r.to),
            count(r.facts),
            or_dash(r.domain),
        ]);
    }
    let mut attributes = output::table(&["attribute", "id", "kind", "unit", "of", "facts", "domain"])
        .whole(&["id"])
        .optional(&["domain"]);
    for a in &schema.attributes {
        attributes.add_row([
            a.label.to_owned(),
            a.id.to_owned(),
            a.kind.to_owned(),
            or_dash(a.unit),
            label_of(a.from),
            count(a.facts),
            or_dash(a.domain),
        ]);
    }
    let mut qualifiers = output::table(&["qualifier", "id", "kind"]).whole(&["id"]);
    for q in &schema.qualifiers {
        qualifiers.add_row([q.label, q.id, q.kind]);
    }
    format!("\n{classes}\n\n{relations}\n\n{attributes}\n\n{qualifiers}\n")
}
