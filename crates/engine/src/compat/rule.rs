//! The functions of the baselines' rule executor: the first entity, one record, one value.

use super::Compat;
use super::error::{Exception, Fault, raise};
use super::file_view::{Entry, FileView, KeyType};
use super::machine::{self, Call, Outcome, Rows};
use super::value::Value;
use std::collections::HashMap;
use touchstone_kb::{AttributeId, NodeId, Property};
use touchstone_logic::kopl::KoplFunction;

const COMPAT: Compat = Compat::Rule;

pub(super) fn call<'k>(
    view: &mut FileView<'k>,
    asked: &mut HashMap<String, usize>,
    call: &Call<'_, 'k>,
) -> Result<Outcome<'k>, Fault> {
    use KoplFunction::*;
    match call.function {
        FindAll => {
            call.budget.spend(view.kb.n_nodes() as u64)?;
            let all = view.everything();
            Ok(Rows::plain(all.into_iter().filter(|&node| !view.is_concept(node)).collect()))
        }
        Find => find(view, asked, call),
        FilterConcept => filter_concept(view, call),
        FilterStr => filter(view, call, KeyType::Text),
        FilterNum => filter(view, call, KeyType::Quantity),
        FilterYear | FilterDate => filter(view, call, KeyType::Time),
        QFilterStr => filter_qualifier(view, call, KeyType::Text),
        QFilterNum => filter_qualifier(view, call, KeyType::Quantity),
        QFilterYear | QFilterDate => filter_qualifier(view, call, KeyType::Time),
        Relate => relate(view, call),
        What => entity_name(view, call.rows(0)?.first()?).map(Outcome::Text),
        SelectBetween => select_between(view, call),
        SelectAmong => select_among(view, call),
        QueryAttr => {
            let first = call.rows(0)?.first()?;
            last_value(view, call, first, call.input(0)?).map(Outcome::Value)
        }
        QueryAttrUnderCondition => query_under_condition(view, call),
        VerifyStr => verify(call, KeyType::Text),
        VerifyNum => verify(call, KeyType::Quantity),
        VerifyYear | VerifyDate => verify(call, KeyType::Time),
        QueryRelation => {
            let last = entries_between(view, call)?.pop();
            let name = |entry: Entry| Outcome::Text(view.kb.property_label(entry.property).to_owned());
            Ok(last.map_or(Outcome::Null, name))
        }
        QueryAttrQualifier => query_attribute_qualifier(view, call),
        QueryRelationQualifier => query_relation_qualifier(view, call),
        And => machine::and(view, call),
        Or => machine::or(view, call),
        Count => machine::count(call),
    }
}

/// Entities with the name, then its concepts. The concepts are appended to the executor's own table, so they occur once more
/// with every call.
fn find<'k>(
    view: &FileView<'k>,
    asked: &mut HashMap<String, usize>,
    call: &Call<'_, 'k>,
) -> Result<Outcome<'k>, Fault> {
    let name = call.input(0)?;
    let named = view.named(name, call.budget)?;
    let (concepts, mut ids): (Vec<NodeId>, Vec<NodeId>) =
        named.into_iter().partition(|&node| view.is_concept(node));
    let n_calls = asked.entry(name.to_owned()).or_default();
    *n_calls += 1;
    call.budget.spend((concepts.len() * *n_calls) as u64)?;
    for _ in 0..*n_calls {
        ids.extend(&concepts);
    }
    Ok(Rows::plain(ids))
}

fn filter_concept<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let ids = &call.rows(0)?.ids;
    let name = call.input(0)?;
    let named = view.named(name, call.budget)?;
    let concepts: Vec<_> = named.into_iter().filter_map(|node| view.kb.as_class(node)).collect();
    if concepts.iter().any(|&concept| view.kb.members(concept).is_empty()) {
        return raise(Exception::KeyError, format!("the concept `{name}` has no entities"));
    }
    call.budget.spend((ids.len() * (concepts.len() + 1)) as u64)?;
    let is_member = |id: &NodeId| concepts.iter().any(|&concept| view.is_member(*id, concept));
    Ok(Rows::plain(view.as_set(ids.iter().copied().filter(is_member).collect())))
}

/// Concepts, and ids that are only mentioned, are not in the table of entities.
fn check_entity(view: &FileView<'_>, id: NodeId) -> Result<(), Fault> {
    if view.is_concept(id) || !view.is_described(id) {
        return raise(Exception::KeyError, format!("{} is not an entity", view.kb.node_id(id)));
    }
    Ok(())
}

fn entity_name(view: &FileView<'_>, id: NodeId) -> Result<String, Fault> {
    check_entity(view, id)?;
    view.name(id)
}

/// The records of an attribute at an entity.
fn attributes<'k>(
    view: &FileView<'k>,
    call: &Call<'_, 'k>,
    id: NodeId,
    attribute: Option<AttributeId>,
) -> Result<Vec<(Entry, Value<'k>)>, Fault> {
    check_entity(view, id)?;
    view.attribute_entries(id, attribute, call.budget)
}

/// The last value of an entity under a key.
fn last_value<'k>(
    view: &FileView<'k>,
    call: &Call<'_, 'k>,
    id: NodeId,
    key: &str,
) -> Result<Value<'k>, Fault> {
    match attributes(view, call, id, view.attribute(key))?.pop() {
        Some((_, value)) => Ok(value),
        None => no_value(key),
    }
}

fn no_value<T>(key: &str) -> Result<T, Fault> {
    raise(Exception::UnboundLocalError, format!("no record with the key `{key}` sets the value"))
}

/// One row for each matching record, in input order.
fn filter<'k>(view: &FileView<'k>, call: &Call<'_, 'k>, key_type: KeyType) -> Result<Outcome<'k>, Fault> {
    let (key, text) = (call.input(0)?, call.input(1)?);
    let op = if key_type == KeyType::Text { "=" } else { call.input(2)? };
    let ids = &call.rows(0)?.ids;
    let target = Value::parse(key_type, text)?;
    let attribute = view.attribute(key);
    let mut rows = Vec::new();
    for &id in ids {
        for (entry, value) in attributes(view, call, id, attribute)? {
            if value.satisfies(op, &target, COMPAT)? {
                rows.push((id, entry));
            }
        }
    }
    Ok(Rows::with_facts(rows))
}

/// A row for each matching qualifier, so rows may repeat.
fn filter_qualifier<'k>(
    view: &FileView<'k>,
    call: &Call<'_, 'k>,
    key_type: KeyType,
) -> Result<Outcome<'k>, Fault> {
    let (key, text) = (call.input(0)?, call.input(1)?);
    let op = if key_type == KeyType::Text { "=" } else { call.input(2)? };
    let rows = call.rows(0)?;
    let target = Value::parse(key_type, text)?;
    let mut kept = Vec::new();
    let key = view.qualifier_key(key);
    for (id, entry) in rows.pairs()? {
        call.budget.spend(1)?;
        for value in key.map(|key| view.qualifiers(&entry, key)).unwrap_or_default() {
            if value.satisfies(op, &target, COMPAT)? {
                kept.push((id, entry));
            }
        }
    }
    Ok(Rows::with_facts(kept))
}

/// The relation records at an entity or concept. A concept without incoming relations has no list of them.
fn relations(view: &FileView<'_>, call: &Call<'_, '_>, id: NodeId) -> Result<Vec<Entry>, Fault> {
    let mut entries = view.entries(id, call.budget)?;
    if !view.is_described(id) || view.is_concept(id) && entries.is_empty() {
        return raise(Exception::KeyError, format!("{} has no list of relations", view.kb.node_id(id)));
    }
    entries.retain(|entry| matches!(entry.property, Property::Relation(_)));
    Ok(entries)
}

/// From the first id only.
fn relate<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let first = call.rows(0)?.first()?;
    let (name, direction) = (call.input(0)?, call.input(1)?);
    let relation = view.relation(name).map(Property::Relation);
    let mut rows = Vec::new();
    for entry in relations(view, call, first)? {
        let stored = if entry.backward { "backward" } else { "forward" };
        if Some(entry.property) == relation
            && stored == direction
            && let touchstone_kb::Value::Node(other) = entry.value
        {
            rows.push((other, entry));
        }
    }
    Ok(Rows::with_facts(rows))
}

/// The first of two if it is strictly less or greater, otherwise the second, which is also the default for other operators.
fn select_between<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let (left, right) = (call.rows(0)?.first()?, call.rows(1)?.first()?);
    let (key, op) = (call.input(0)?, call.input(1)?);
    let left_value = last_value(view, call, left, key)?;
    let right_value = last_value(view, call, right, key)?;
    let is_left = match op {
        "greater" => right_value.less(&left_value)?,
        "less" => left_value.less(&right_value)?,
        _ => false,
    };
    entity_name(view, if is_left { left } else { right }).map(Outcome::Text)
}

/// One of the entities with the extreme value. An entity without the key gets the value of the previous one.
fn select_among<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let ids = &call.rows(0)?.ids;
    let (key, op) = (call.input(0)?, call.input(1)?);
    let attribute = view.attribute(key);
    let mut last: Option<Value<'k>> = None;
    let mut candidates: Vec<(NodeId, Value<'k>)> = Vec::with_capacity(ids.len());
    for &id in ids {
        last = attributes(view, call, id, attribute)?.pop().map(|(_, value)| value).or(last);
        match &last {
            Some(value) => candidates.push((id, value.clone())),
            None => return no_value(key),
        }
    }
    let sorted = sorted(candidates, call)?;
    let chosen = if op == "smallest" { sorted.first() } else { sorted.last() };
    match chosen {
        Some(&(id, _)) => entity_name(view, id).map(Outcome::Text),
        None => raise(Exception::IndexError, "there are no candidates"),
    }
}

/// Sorts as Python does. Years and dates together have no consistent order (a year equals each of its days), so the result
/// depends on which values are compared: Python uses insertion sort.
fn sorted<'k>(
    mut candidates: Vec<(NodeId, Value<'k>)>,
    call: &Call<'_, 'k>,
) -> Result<Vec<(NodeId, Value<'k>)>, Fault> {
    let all_numbers = candidates.iter().all(|(_, value)| matches!(value, Value::Quantity { .. }));
    let one_unit = candidates.windows(2).all(|pair| pair[0].1.comparable(&pair[1].1));
    if all_numbers && one_unit {
        call.budget.spend(candidates.len() as u64)?;
        candidates.sort_by(|a, b| match (&a.1, &b.1) {
            (Value::Quantity { number: a, .. }, Value::Quantity { number: b, .. }) => a.total_cmp(b),
            _ => std::cmp::Ordering::Equal,
        });
        return Ok(candidates);
    }
    let mut sorted: Vec<(NodeId, Value<'k>)> = Vec::with_capacity(candidates.len());
    let mut waiting = candidates.into_iter().peekable();
    // An ascending run at the beginning is kept; a descending one is reversed.
    let Some(first) = waiting.next() else { return Ok(sorted) };
    sorted.push(first);
    let mut falls = None;
    while let Some(next) = waiting.peek() {
        call.budget.spend(1)?;
        let less = next.1.less(&sorted[sorted.len() - 1].1)?;
        if *falls.get_or_insert(less) != less {
            break;
        }
        sorted.extend(waiting.next());
    }
    if falls == Some(true) {
        sorted.reverse();
    }
    for candidate in waiting {
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if candidate.1.less(&sorted[middle].1)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        call.budget.spend((sorted.len() - low) as u64 + 1)?;
        sorted.insert(low, candidate);
    }
    Ok(sorted)
}

/// The value of the first record with a matching qualifier.
fn query_under_condition<'k>(view: &mut FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let first = call.rows(0)?.first()?;
    let (key, qualifier, text) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let target = Value::parse(view.key_type(qualifier, call.budget)?, text)?;
    let qualifier = view.qualifier_key(qualifier);
    for (entry, value) in attributes(view, call, first, view.attribute(key))? {
        for found in qualifier.map(|key| view.qualifiers(&entry, key)).unwrap_or_default() {
            if found.satisfies("=", &target, COMPAT)? {
                return Ok(Outcome::Value(value));
            }
        }
    }
    no_value(key)
}

fn verify<'k>(call: &Call<'_, 'k>, key_type: KeyType) -> Result<Outcome<'k>, Fault> {
    let op = if key_type == KeyType::Text { "=" } else { call.input(1)? };
    let target = Value::parse(key_type, call.input(0)?)?;
    let mut satisfied = false;
    for value in call.values()? {
        satisfied = value.satisfies(op, &target, COMPAT)?;
    }
    Ok(Outcome::Text(if satisfied { "yes" } else { "no" }.to_owned()))
}

/// The relation records from the first id on the left to the first on the right, as attached on the left.
fn entries_between(view: &FileView<'_>, call: &Call<'_, '_>) -> Result<Vec<Entry>, Fault> {
    let (from, to) = (call.rows(0)?.first()?, call.rows(1)?.first()?);
    let mut entries = relations(view, call, from)?;
    entries.retain(|entry| !entry.backward && entry.value == touchstone_kb::Value::Node(to));
    Ok(entries)
}

/// The first qualifier of the first record that has one.
fn first_qualifier<'k>(
    view: &FileView<'k>,
    qualifier: &str,
    entries: impl Iterator<Item = Entry>,
) -> Outcome<'k> {
    let key = view.qualifier_key(qualifier);
    let mut values =
        entries.flat_map(|entry| key.map(|key| view.qualifiers(&entry, key)).unwrap_or_default());
    values.next().map_or(Outcome::Null, Outcome::Value)
}

fn query_attribute_qualifier<'k>(view: &mut FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let first = call.rows(0)?.first()?;
    let (key, text, qualifier) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let target = Value::parse(view.key_type(key, call.budget)?, text)?;
    let mut matching = Vec::new();
    for (entry, value) in attributes(view, call, first, view.attribute(key))? {
        if value.satisfies("=", &target, COMPAT)? {
            matching.push(entry);
        }
    }
    Ok(first_qualifier(view, qualifier, matching.into_iter()))
}

fn query_relation_qualifier<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let relation = view.relation(call.input(0)?).map(Property::Relation);
    let entries = entries_between(view, call)?.into_iter();
    Ok(first_qualifier(view, call.input(1)?, entries.filter(|entry| Some(entry.property) == relation)))
}
