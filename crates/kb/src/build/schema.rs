//! Writes the schema: relations, attributes, qualifier keys, and the domains they are grouped in.

use super::builder::{KbBuilder, PropertyInfo};
use super::compile::{ABSENT, Numbers};
use super::facts::{FactSummary, NODE_FAMILY, ValueUse};
use crate::cast::index32;
use crate::error::Result;
use crate::literal::LiteralFamily;
use crate::store::ValueKind;
use crate::store::fingerprint::ContentHasher;
use crate::store::writer::StoreWriter;

/// Writes all schema columns; returns their part of the fingerprint.
pub(crate) fn write(
    builder: &KbBuilder,
    numbers: &Numbers,
    facts: &FactSummary,
    writer: &StoreWriter,
) -> Result<ContentHasher> {
    let mut content = ContentHasher::new();
    let infos = |order: &[u32]| -> Vec<PropertyInfo> {
        order.iter().map(|&raw| builder.property_info[raw as usize].clone()).collect()
    };
    let relations = infos(&numbers.relation_order);
    let attributes = infos(&numbers.attribute_order);
    let qualifiers: Vec<PropertyInfo> =
        numbers.qualifier_order.iter().map(|&raw| builder.qualifier_info[raw as usize].clone()).collect();

    let groups = group_names(builder, [&relations, &attributes, &qualifiers]);
    writer.write_strings("group", groups.iter().copied())?;
    let group_of =
        |group: Option<&str>| group.and_then(|g| groups.binary_search(&g).ok()).map_or(ABSENT, index32);
    let literal = |raw: Option<u32>| raw.map_or(ABSENT, |raw| numbers.literal[raw as usize]);
    let class = |raw: Option<super::RawNode>| {
        raw.map_or(ABSENT, |raw| numbers.node[raw.0 as usize] - index32(numbers.n_entities))
    };
    content.section("schema groups");
    groups.iter().for_each(|group| content.text(group));

    let class_groups: Vec<u32> = numbers.node_order[numbers.n_entities..]
        .iter()
        .map(|raw| group_of(builder.node_groups.get(raw).map(String::as_str)))
        .collect();
    let mut column = |name: &str, values: Vec<u32>| {
        content.section(name);
        content.numbers(&values);
        writer.write(name, &values)
    };
    column("class_group", class_groups)?;

    column("relation_label", relations.iter().map(|r| literal(r.label)).collect())?;
    column("relation_description", relations.iter().map(|r| literal(r.description)).collect())?;
    column("relation_inverse_label", relations.iter().map(|r| literal(r.inverse_label)).collect())?;
    column("relation_domain", relations.iter().map(|r| class(r.domain)).collect())?;
    column("relation_range", relations.iter().map(|r| class(r.range)).collect())?;
    column("relation_inverse", inverses(&relations, numbers))?;
    column("relation_symmetric", relations.iter().map(|r| u32::from(r.symmetric)).collect())?;
    column("relation_group", relations.iter().map(|r| group_of(r.group.as_deref())).collect())?;

    column("attribute_label", attributes.iter().map(|a| literal(a.label)).collect())?;
    column("attribute_description", attributes.iter().map(|a| literal(a.description)).collect())?;
    column("attribute_domain", attributes.iter().map(|a| class(a.domain)).collect())?;
    column("attribute_group", attributes.iter().map(|a| group_of(a.group.as_deref())).collect())?;
    let kinds = |infos: &[PropertyInfo], seen: &[ValueUse]| {
        infos.iter().zip(seen).map(|(info, seen)| kind_of(info, seen) as u32).collect::<Vec<u32>>()
    };
    column("attribute_kind", kinds(&attributes, &facts.attribute_use))?;

    column("qualifier_label", qualifiers.iter().map(|q| literal(q.label)).collect())?;
    column("qualifier_group", qualifiers.iter().map(|q| group_of(q.group.as_deref())).collect())?;
    column("qualifier_kind", kinds(&qualifiers, &facts.qualifier_use))?;

    write_units(&attributes, facts, builder, writer, &mut content)?;
    write_ids(builder, numbers, writer, &mut content)?;
    Ok(content)
}

/// The domains of the schema, sorted.
fn group_names<'b>(builder: &'b KbBuilder, infos: [&'b [PropertyInfo]; 3]) -> Vec<&'b str> {
    let of_properties = infos.into_iter().flatten().filter_map(|info| info.group.as_deref());
    let mut groups: Vec<&str> =
        of_properties.chain(builder.node_groups.values().map(String::as_str)).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// Writes the unit of each attribute's plain numbers.
fn write_units(
    attributes: &[PropertyInfo],
    facts: &FactSummary,
    builder: &KbBuilder,
    writer: &StoreWriter,
    content: &mut ContentHasher,
) -> Result<()> {
    let units: Vec<&str> = attributes
        .iter()
        .zip(&facts.attribute_use)
        .map(|(info, used)| match info.unit.as_deref() {
            Some("1") => "",
            Some(unit) => unit,
            None => used.only_unit(&builder.literals).unwrap_or(""),
        })
        .collect();
    writer.write_strings("attribute_unit", units.iter().copied())?;
    content.section("attribute units");
    units.iter().for_each(|unit| content.text(unit));
    Ok(())
}

/// Writes the ids of relations, attributes and qualifier keys.
fn write_ids(
    builder: &KbBuilder,
    numbers: &Numbers,
    writer: &StoreWriter,
    content: &mut ContentHasher,
) -> Result<()> {
    for (name, order, interner) in [
        ("relation_id", &numbers.relation_order, &builder.properties),
        ("attribute_id", &numbers.attribute_order, &builder.properties),
        ("qualifier_id", &numbers.qualifier_order, &builder.qualifiers),
    ] {
        writer.write_strings(name, order.iter().map(|&raw| interner.get(raw)))?;
        content.section(name);
        order.iter().for_each(|&raw| content.text(interner.get(raw)));
    }
    Ok(())
}

/// The inverse of each relation, completed where only the other relation declares it.
fn inverses(relations: &[PropertyInfo], numbers: &Numbers) -> Vec<u32> {
    let declared = |info: &PropertyInfo| info.inverse.map_or(ABSENT, |i| numbers.relation[i.0 as usize]);
    let mut inverses: Vec<u32> = relations.iter().map(declared).collect();
    for (relation, info) in relations.iter().enumerate() {
        let inverse = declared(info);
        if inverse != ABSENT && inverses[inverse as usize] == ABSENT {
            inverses[inverse as usize] = index32(relation);
        }
    }
    inverses
}

/// The kind of the values that occur with a property; the declared kind if there are none.
fn kind_of(info: &PropertyInfo, used: &ValueUse) -> ValueKind {
    let bit = |family: LiteralFamily| 1u8 << family as u8;
    match used.families {
        0 => info.kind.unwrap_or(ValueKind::Unknown),
        f if f == bit(LiteralFamily::Text) => ValueKind::Text,
        f if f == bit(LiteralFamily::Quantity) => ValueKind::Quantity,
        f if f == bit(LiteralFamily::Time) => ValueKind::Time,
        f if f == bit(LiteralFamily::Boolean) => ValueKind::Boolean,
        NODE_FAMILY => ValueKind::Entity,
        _ => ValueKind::Mixed,
    }
}
