//! The functions of KoPL 0.0.5: everything that matches, as lists.

use super::Compat;
use super::error::{Exception, Fault, raise};
use super::file_view::{Entry, FileView, KeyType};
use super::machine::{self, Call, Outcome, Rows};
use super::value::Value;
use touchstone_kb::{NodeId, Property};
use touchstone_logic::kopl::KoplFunction;

const COMPAT: Compat = Compat::Kopl;

pub(super) fn call<'k>(view: &mut FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    use KoplFunction::*;
    match call.function {
        FindAll => {
            call.budget.spend(view.kb.n_nodes() as u64)?;
            Ok(Rows::plain(view.everything()))
        }
        Find => Ok(Rows::plain(view.named(call.input(0)?, call.budget)?)),
        FilterConcept => filter_concept(view, call),
        FilterStr => filter(view, call, KeyType::Text),
        FilterNum => filter(view, call, KeyType::Quantity),
        FilterYear | FilterDate => filter(view, call, KeyType::Time),
        QFilterStr => filter_qualifier(view, call, KeyType::Text),
        QFilterNum => filter_qualifier(view, call, KeyType::Quantity),
        QFilterYear | QFilterDate => filter_qualifier(view, call, KeyType::Time),
        Relate => relate(view, call),
        What => {
            let ids = &call.rows(0)?.ids;
            call.budget.spend(ids.len() as u64)?;
            ids.iter().map(|&id| view.name(id)).collect::<Result<_, _>>().map(Outcome::Texts)
        }
        SelectBetween => select_between(view, call),
        SelectAmong => select_among(view, call),
        QueryAttr => {
            let values = attribute_values(view, call, &call.rows(0)?.ids, call.input(0)?)?;
            Ok(Outcome::Values(values.into_iter().map(|(_, _, value)| value).collect()))
        }
        QueryAttrUnderCondition => query_under_condition(view, call),
        VerifyStr => verify(call, KeyType::Text),
        VerifyNum => verify(call, KeyType::Quantity),
        VerifyYear | VerifyDate => verify(call, KeyType::Time),
        QueryRelation => {
            let name = |entry: Entry| view.kb.property_label(entry.property).to_owned();
            Ok(Outcome::Texts(entries_between(view, call)?.into_iter().map(name).collect()))
        }
        QueryAttrQualifier => query_attribute_qualifier(view, call),
        QueryRelationQualifier => query_relation_qualifier(view, call),
        And => machine::and(view, call),
        Or => machine::or(view, call),
        Count => machine::count(call),
    }
}

/// Keeps the members of any concept with the name, including concepts below it.
fn filter_concept<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let ids = &call.rows(0)?.ids;
    let named = view.named(call.input(0)?, call.budget)?;
    let concepts: Vec<_> = named.into_iter().filter_map(|node| view.kb.as_class(node)).collect();
    call.budget.spend((ids.len() * (concepts.len() + 1)) as u64)?;
    let is_member = |id: &NodeId| concepts.iter().any(|&concept| view.is_member(*id, concept));
    Ok(Rows::plain(view.as_set(ids.iter().copied().filter(is_member).collect())))
}

/// One row for each matching record, entity by entity.
fn filter<'k>(view: &FileView<'k>, call: &Call<'_, 'k>, key_type: KeyType) -> Result<Outcome<'k>, Fault> {
    let (key, text) = (call.input(0)?, call.input(1)?);
    let op = if key_type == KeyType::Text { "=" } else { call.input(2)? };
    let ids = &call.rows(0)?.ids;
    let target = Value::parse(key_type, text)?;
    let attribute = view.attribute(key);
    call.budget.spend(ids.len() as u64)?;
    let ids = ids.iter().copied().filter(|&id| view.has_attribute(id, attribute)).collect();
    let mut rows = Vec::new();
    for (id, entry, value) in attribute_values(view, call, &view.as_set(ids), key)? {
        if value.satisfies(op, &target, COMPAT)? {
            rows.push((id, entry));
        }
    }
    Ok(Rows::with_facts(rows))
}

/// Each row whose record has a matching qualifier, once.
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
                break;
            }
        }
    }
    Ok(Rows::with_facts(kept))
}

/// The other ends of all records with the relation that are attached to the input in this direction.
fn relate<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let ids = call.rows(0)?.ids.clone();
    let relation = view.relation(call.input(0)?);
    let backward = match call.input(1)? {
        "forward" => Some(false),
        "backward" => Some(true),
        // No record has any other direction.
        _ => None,
    };
    let (Some(relation), Some(backward)) = (relation, backward) else {
        return Ok(Rows::with_facts(Vec::new()));
    };
    let property = Property::Relation(relation);
    let mut rows = Vec::new();
    for id in view.as_set(ids) {
        call.budget.spend(1)?;
        // The store quickly decides where there is nothing to find.
        let n_facts = if backward {
            view.kb.facts_into(relation, id).len()
        } else {
            view.kb.facts_of(id, property).len()
        };
        if n_facts == 0 {
            continue;
        }
        for entry in view.entries(id, call.budget)? {
            if entry.property == property
                && entry.backward == backward
                && let touchstone_kb::Value::Node(other) = entry.value
            {
                rows.push((other, entry));
            }
        }
    }
    Ok(Rows::with_facts(rows))
}

/// The values of all ids under a key, in id order and file order.
fn attribute_values<'k>(
    view: &FileView<'k>,
    call: &Call<'_, 'k>,
    ids: &[NodeId],
    key: &str,
) -> Result<Vec<(NodeId, Entry, Value<'k>)>, Fault> {
    let mut values = Vec::new();
    let attribute = view.attribute(key);
    for &id in ids {
        let entries = view.attribute_entries(id, attribute, call.budget)?;
        values.extend(entries.into_iter().map(|(entry, value)| (id, entry, value)));
    }
    Ok(values)
}

/// The quantities of the ids under a key, in the most frequent unit; among ties, the first.
fn candidates<'k>(
    view: &FileView<'k>,
    call: &Call<'_, 'k>,
    ids: &[NodeId],
    key: &str,
) -> Result<Vec<(NodeId, f64)>, Fault> {
    let values = attribute_values(view, call, ids, key)?;
    let quantities: Vec<(NodeId, f64, _)> = values
        .into_iter()
        .filter_map(|(id, _, value)| match value {
            Value::Quantity { number, unit } => Some((id, number, unit)),
            Value::Text(_) | Value::Year(_) | Value::Date(_) => None,
        })
        .collect();
    let mut units: Vec<(&str, usize)> = Vec::new();
    for (_, _, unit) in &quantities {
        match units.iter_mut().find(|(known, _)| known == unit) {
            Some((_, n)) => *n += 1,
            None => units.push((unit, 1)),
        }
    }
    let Some(most) = units.iter().map(|&(_, n)| n).max() else {
        return raise(Exception::IndexError, format!("nothing has a quantity under `{key}`"));
    };
    let common = units.iter().find(|&&(_, n)| n == most).map_or("", |&(unit, _)| unit);
    let in_unit = quantities.iter().filter(|(_, _, unit)| unit == common);
    Ok(in_unit.map(|&(id, number, _)| (id, number)).collect())
}

/// The name of one entity: the first of the smallest, or the last of the greatest, which is also the default for other operators.
fn select_between<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let ids = [&call.rows(0)?.ids[..], &call.rows(1)?.ids[..]].concat();
    let mut sorted = candidates(view, call, &ids, call.input(0)?)?;
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let chosen = if call.input(1)? == "less" { sorted.first() } else { sorted.last() };
    match chosen {
        Some(&(id, _)) => view.name(id).map(Outcome::Text),
        None => raise(Exception::IndexError, "there are no candidates"),
    }
}

/// The distinct names of all entities with the smallest value, or with the greatest, which is also the default for other operators.
fn select_among<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let ids = view.as_set(call.rows(0)?.ids.clone());
    let candidates = candidates(view, call, &ids, call.input(0)?)?;
    let numbers = candidates.iter().map(|&(_, number)| number);
    let extreme =
        if call.input(1)? == "smallest" { numbers.reduce(f64::min) } else { numbers.reduce(f64::max) };
    let mut names: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (id, number) in candidates {
        if Some(number) == extreme {
            let name = view.name(id)?;
            if seen.insert(name.clone()) {
                names.push(name);
            }
        }
    }
    Ok(Outcome::Texts(names))
}

fn query_under_condition<'k>(view: &mut FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let (key, qualifier, text) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let ids = &call.rows(0)?.ids;
    let target = Value::parse(view.key_type(qualifier, call.budget)?, text)?;
    let qualifier = view.qualifier_key(qualifier);
    let mut values = Vec::new();
    for (_, entry, value) in attribute_values(view, call, ids, key)? {
        for found in qualifier.map(|key| view.qualifiers(&entry, key)).unwrap_or_default() {
            if found.satisfies("=", &target, COMPAT)? {
                values.push(value);
                break;
            }
        }
    }
    Ok(Outcome::Values(values))
}

/// `yes` if all values satisfy the condition, `no` if none does, otherwise a third answer.
fn verify<'k>(call: &Call<'_, 'k>, key_type: KeyType) -> Result<Outcome<'k>, Fault> {
    let op = if key_type == KeyType::Text { "=" } else { call.input(1)? };
    let target = Value::parse(key_type, call.input(0)?)?;
    let values = call.values()?;
    call.budget.spend(values.len() as u64)?;
    let mut n_satisfied = 0;
    for value in values {
        n_satisfied += usize::from(value.satisfies(op, &target, COMPAT)?);
    }
    let text = match n_satisfied {
        0 => "no",
        n if n == values.len() => "yes",
        _ => "not sure",
    };
    Ok(Outcome::Text(text.to_owned()))
}

/// The relation records from any id on the left to any on the right, as attached on the left.
fn entries_between(view: &FileView<'_>, call: &Call<'_, '_>) -> Result<Vec<Entry>, Fault> {
    let (left, right) = (&call.rows(0)?.ids, &call.rows(1)?.ids);
    let mut between = Vec::new();
    for &from in left {
        let entries = view.entries(from, call.budget)?;
        for &to in right {
            call.budget.spend(entries.len() as u64 + 1)?;
            let leads = |entry: &&Entry| !entry.backward && entry.value == touchstone_kb::Value::Node(to);
            between.extend(entries.iter().filter(leads));
        }
    }
    Ok(between)
}

fn query_attribute_qualifier<'k>(view: &mut FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let (key, text, qualifier) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let ids = &call.rows(0)?.ids;
    let target = Value::parse(view.key_type(key, call.budget)?, text)?;
    let qualifier = view.qualifier_key(qualifier);
    let mut values = Vec::new();
    for (_, entry, value) in attribute_values(view, call, ids, key)? {
        if value.satisfies("=", &target, COMPAT)? {
            values.extend(qualifier.map(|key| view.qualifiers(&entry, key)).unwrap_or_default());
        }
    }
    Ok(Outcome::Values(values))
}

fn query_relation_qualifier<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let relation = view.relation(call.input(0)?).map(Property::Relation);
    let qualifier = view.qualifier_key(call.input(1)?);
    let entries = entries_between(view, call)?;
    let with_relation = entries.iter().filter(|entry| Some(entry.property) == relation);
    let values =
        with_relation.flat_map(|entry| qualifier.map(|key| view.qualifiers(entry, key)).unwrap_or_default());
    Ok(Outcome::Values(values.collect()))
}
