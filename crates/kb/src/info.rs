//! The contents of a KB in numbers, and its schema.

use crate::counts::grouped;
use crate::ids::{ClassId, Property};
use crate::store::Kb;
use crate::survey::Survey;
use serde::Serialize;
use std::collections::BTreeMap;

/// The contents of a KB.
#[derive(Debug, Serialize)]
pub struct KbInfo<'a> {
    /// The name of the KB.
    pub name: &'a str,
    /// The hash of its content.
    pub fingerprint: &'a str,
    /// The number of entities.
    pub entities: u64,
    /// The number of classes.
    pub classes: u64,
    /// The number of relations.
    pub relations: u64,
    /// The number of attributes.
    pub attributes: u64,
    /// The number of qualifier keys.
    pub qualifiers: u64,
    /// The numbers of facts.
    pub facts: FactCounts,
    /// The number of names.
    pub names: u64,
    /// Names and classes of entities.
    pub naming: Survey,
    /// For each domain of the schema, the number of its classes and properties.
    pub domains: BTreeMap<&'a str, u64>,
    /// The source of the data.
    pub source: &'a str,
    /// The licence of the data.
    pub license: &'a str,
    /// The schema, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaInfo<'a>>,
}

/// The numbers of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FactCounts {
    /// All of them.
    pub total: u64,
    /// Those between entities.
    pub relational: u64,
    /// Those with a literal.
    pub literal: u64,
    /// Those with qualifiers.
    pub qualified: u64,
}

/// The schema of a KB.
#[derive(Debug, Serialize)]
pub struct SchemaInfo<'a> {
    /// Its classes.
    pub classes: Vec<ClassInfo<'a>>,
    /// Its relations.
    pub relations: Vec<RelationInfo<'a>>,
    /// Its attributes.
    pub attributes: Vec<AttributeInfo<'a>>,
    /// Its qualifier keys.
    pub qualifiers: Vec<QualifierInfo<'a>>,
}

/// A class.
#[derive(Debug, Serialize)]
pub struct ClassInfo<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// The ids of its direct superclasses.
    pub parents: Vec<&'a str>,
    /// The number of its members.
    pub members: usize,
    /// Its domain of the schema.
    pub domain: Option<&'a str>,
}

/// A relation.
#[derive(Debug, Serialize)]
pub struct RelationInfo<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// Its label in the inverse direction.
    pub inverse_label: Option<&'a str>,
    /// Whether it holds in both directions.
    pub symmetric: bool,
    /// The id of the class of its subjects.
    pub from: Option<&'a str>,
    /// The id of the class of its values.
    pub to: Option<&'a str>,
    /// The number of its facts.
    pub facts: usize,
    /// Its domain of the schema.
    pub domain: Option<&'a str>,
}

/// An attribute.
#[derive(Debug, Serialize)]
pub struct AttributeInfo<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// The kind of its values.
    pub kind: &'a str,
    /// The usual unit of its values.
    pub unit: Option<&'a str>,
    /// The id of the class of its subjects.
    pub from: Option<&'a str>,
    /// The number of its facts.
    pub facts: usize,
    /// Its domain of the schema.
    pub domain: Option<&'a str>,
}

/// A qualifier key.
#[derive(Debug, Serialize)]
pub struct QualifierInfo<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// The kind of its values.
    pub kind: &'a str,
}

/// A part of the schema as a table of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaTable {
    /// The names of the columns; one of them is `id`.
    pub headings: &'static [&'static str],
    /// The columns that can be left out where there is no room.
    pub optional: &'static [&'static str],
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl SchemaInfo<'_> {
    /// Classes, relations, attributes and qualifier keys as tables; classes are named by their labels.
    pub fn tables(&self, kb: &Kb) -> [SchemaTable; 4] {
        let or_dash = |text: Option<&str>| text.unwrap_or("-").to_owned();
        let label_of = |id: Option<&str>| or_dash(id.and_then(|id| kb.node(id)).map(|node| kb.label(node)));
        let class = |c: &ClassInfo<'_>| {
            let parents: Vec<String> = c.parents.iter().map(|id| label_of(Some(id))).collect();
            vec![
                c.label.into(),
                c.id.into(),
                parents.join(", "),
                grouped(c.members as u64),
                or_dash(c.domain),
            ]
        };
        let relation = |r: &RelationInfo<'_>| {
            let backwards = if r.symmetric { "(symmetric)" } else { r.inverse_label.unwrap_or("-") };
            let (from, to, facts) = (label_of(r.from), label_of(r.to), grouped(r.facts as u64));
            vec![r.label.into(), r.id.into(), backwards.into(), from, to, facts, or_dash(r.domain)]
        };
        let attribute = |a: &AttributeInfo<'_>| {
            let (unit, of, facts) = (or_dash(a.unit), label_of(a.from), grouped(a.facts as u64));
            vec![a.label.into(), a.id.into(), a.kind.into(), unit, of, facts, or_dash(a.domain)]
        };
        let qualifier = |q: &QualifierInfo<'_>| vec![q.label.into(), q.id.into(), q.kind.into()];
        [
            SchemaTable {
                headings: &["class", "id", "under", "members", "domain"],
                optional: &["domain", "under"],
                rows: self.classes.iter().map(class).collect(),
            },
            SchemaTable {
                headings: &["relation", "id", "backwards", "from", "to", "facts", "domain"],
                optional: &["domain", "backwards"],
                rows: self.relations.iter().map(relation).collect(),
            },
            SchemaTable {
                headings: &["attribute", "id", "kind", "unit", "of", "facts", "domain"],
                optional: &["domain"],
                rows: self.attributes.iter().map(attribute).collect(),
            },
            SchemaTable {
                headings: &["qualifier", "id", "kind"],
                optional: &[],
                rows: self.qualifiers.iter().map(qualifier).collect(),
            },
        ]
    }
}

impl<'a> KbInfo<'a> {
    /// Counts the contents of a KB; `with_schema` also lists the schema.
    pub fn of(kb: &'a Kb, with_schema: bool) -> KbInfo<'a> {
        let manifest = kb.manifest();
        let counts = &manifest.counts;
        let mut domains: BTreeMap<&str, u64> = kb.groups().map(|group| (group, 0)).collect();
        let properties =
            kb.relations().map(Property::Relation).chain(kb.attributes().map(Property::Attribute));
        let groups = properties.map(|p| kb.property_group(p)).chain(kb.classes().map(|c| kb.class_group(c)));
        for group in groups.flatten() {
            *domains.entry(group).or_default() += 1;
        }
        KbInfo {
            name: &manifest.name,
            fingerprint: &manifest.fingerprint,
            entities: counts.entities,
            classes: counts.classes,
            relations: counts.relations,
            attributes: counts.attributes,
            qualifiers: counts.qualifiers,
            facts: FactCounts {
                total: counts.relational_facts + counts.literal_facts,
                relational: counts.relational_facts,
                literal: counts.literal_facts,
                qualified: counts.qualified_facts,
            },
            names: counts.names,
            naming: Survey::of(kb),
            domains,
            source: &manifest.source,
            license: &manifest.license,
            schema: with_schema.then(|| SchemaInfo::of(kb)),
        }
    }

    /// Rows of a table for people: what is counted or named, and its value.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let facts = format!(
            "{} ({} relational, {} literal; {} with qualifiers)",
            grouped(self.facts.total),
            grouped(self.facts.relational),
            grouped(self.facts.literal),
            grouped(self.facts.qualified)
        );
        let naming = &self.naming;
        let share = |n: u64| match naming.entities {
            0 => grouped(n),
            all => format!("{} ({} %)", grouped(n), n * 100 / all),
        };
        let languages = naming.languages.iter().map(|(tag, n)| {
            let tag = if tag.is_empty() { "no language" } else { tag };
            format!("{tag} ({})", grouped(*n))
        });
        let languages: Vec<String> = languages.collect();
        let like_names: Vec<String> =
            naming.name_like.iter().map(|p| format!("{} ({})", p.id, grouped(p.entities))).collect();
        let domains: Vec<String> = self.domains.iter().map(|(name, n)| format!("{name} ({n})")).collect();
        let rows = [
            ("entities", grouped(self.entities)),
            ("  with a name", share(naming.named)),
            ("  with a class", share(naming.with_class)),
            ("  blank nodes", grouped(naming.blank)),
            ("languages of names", languages.join(", ")),
            ("look like names", like_names.join("\n")),
            ("classes", grouped(self.classes)),
            ("relations", grouped(self.relations)),
            ("attributes", grouped(self.attributes)),
            ("qualifier keys", grouped(self.qualifiers)),
            ("facts", facts),
            ("names", grouped(self.names)),
            ("domains of the schema", domains.join(", ")),
            ("fingerprint", self.fingerprint.to_owned()),
            ("source", self.source.to_owned()),
            ("licence", self.license.to_owned()),
        ];
        // What most KBs do not have needs no row.
        let is_rare = |key: &str| ["  blank nodes", "look like names"].contains(&key);
        rows.into_iter()
            .filter(|(key, value)| !is_rare(key) || !["", "0"].contains(&value.as_str()))
            .collect()
    }
}

impl<'a> SchemaInfo<'a> {
    /// Lists the schema of a KB.
    pub fn of(kb: &'a Kb) -> SchemaInfo<'a> {
        let class_id = |class: ClassId| kb.node_id(kb.class_node(class));
        let class = |class: ClassId| ClassInfo {
            id: class_id(class),
            label: kb.label(kb.class_node(class)),
            parents: kb.parents(class).map(class_id).collect(),
            members: kb.members(class).len(),
            domain: kb.class_group(class),
        };
        let relation = |r| RelationInfo {
            id: kb.relation_id(r),
            label: kb.relation_label(r),
            inverse_label: kb.relation_inverse_label(r).map(|label| kb.literal(label).text()),
            symmetric: kb.is_symmetric(r),
            from: kb.relation_domain(r).map(class_id),
            to: kb.relation_range(r).map(class_id),
            facts: kb.facts_with(Property::Relation(r)).count(),
            domain: kb.property_group(Property::Relation(r)),
        };
        let attribute = |a| AttributeInfo {
            id: kb.attribute_id(a),
            label: kb.attribute_label(a),
            kind: kb.attribute_kind(a).name(),
            unit: Some(kb.attribute_unit(a)).filter(|unit| !unit.is_empty()),
            from: kb.attribute_domain(a).map(class_id),
            facts: kb.facts_by_value(a).len(),
            domain: kb.property_group(Property::Attribute(a)),
        };
        let qualifier = |q| QualifierInfo {
            id: kb.qualifier_id(q),
            label: kb.qualifier_label(q),
            kind: kb.qualifier_kind(q).name(),
        };
        SchemaInfo {
            classes: kb.classes().map(class).collect(),
            relations: kb.relations().map(relation).collect(),
            attributes: kb.attributes().map(attribute).collect(),
            qualifiers: kb.qualifier_keys().map(qualifier).collect(),
        }
    }
}
