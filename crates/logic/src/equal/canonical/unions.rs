//! The normal form of unions.

use super::{Kind, Norm, graph_key, has_marks, thing_of};
use crate::value::Symbol;

/// A union: conjuncts that all branches share are moved outside, once.
pub(super) fn join_union(mut things: Vec<Norm>, parts: &mut Vec<Norm>) {
    if things.is_empty() {
        return parts.push(Norm::leaf(Kind::Union, "nothing".to_owned(), "nothing"));
    }
    merge_comparisons(&mut things);
    let common: Vec<Norm> = things[0]
        .children
        .iter()
        .filter(|part| {
            !has_marks(part)
                && things.iter().all(|thing| thing.children.iter().any(|other| other.key == part.key))
        })
        .cloned()
        .collect();
    for thing in &mut things {
        let rest = thing
            .children
            .iter()
            .filter(|part| common.iter().all(|other| other.key != part.key))
            .cloned()
            .collect();
        *thing = thing_of(rest, thing.mark, thing.label.starts_with('*'));
    }
    parts.extend(common);
    merge_comparisons(&mut things);
    merge_relations(&mut things);
    // A branch without any further condition makes the others redundant.
    if things.iter().any(|thing| thing.children.is_empty()) {
        return;
    }
    things.sort_by(|a, b| a.key.cmp(&b.key));
    // With marks, keys do not identify the repeated thing; the graph does.
    let whole = |thing: &Norm| {
        let question = Norm::new(Kind::Question, String::new(), Symbol::default(), vec![thing.clone()]);
        graph_key(&question, false, &[], false)
    };
    things.dedup_by(|a, b| a.key == b.key && (!has_marks(a) || whole(a) == whole(b)));
    if things.len() == 1 {
        parts.append(&mut things[0].children);
    } else {
        parts.push(Norm::new(Kind::Union, "union".to_owned(), Symbol::new_static("a union"), things));
    }
}

/// What is related to one thing or to another is related to one of both.
fn merge_relations(things: &mut Vec<Norm>) {
    let mut at = 0;
    while at < things.len() {
        let Some(relation) = only_relation(&things[at]).cloned() else {
            at += 1;
            continue;
        };
        let is_same = |thing: &mut Norm| only_relation(thing).is_some_and(|r| r.label == relation.label);
        let mut inner: Vec<Norm> =
            things.extract_if(at.., is_same).flat_map(|thing| thing.children).collect();
        if inner.len() > 1 {
            let ends = inner.drain(..).flat_map(|relation| relation.children).collect();
            let mut parts = Vec::new();
            join_union(ends, &mut parts);
            let end = thing_of(parts, None, false);
            let norm = Norm::new(Kind::Relation, relation.label.clone(), relation.shown, vec![end]);
            inner.push(Norm { masked: relation.masked, ..norm });
        }
        things.insert(at, thing_of(inner, None, false));
        at += 1;
    }
}

/// The relation of a thing that nothing else describes, and that nothing refers to.
fn only_relation(thing: &Norm) -> Option<&Norm> {
    match &thing.children[..] {
        [relation] if relation.kind == Kind::Relation && !is_referred_to(thing) => Some(relation),
        _ => None,
    }
}

/// Whether a thing or one in its description occurs elsewhere.
fn is_referred_to(norm: &Norm) -> bool {
    let is_start = norm.kind == Kind::Thing && !norm.label.is_empty();
    norm.mark.is_some() || is_start || norm.children.iter().any(is_referred_to)
}

/// Turns "less or equal" into "at most": KoPL cannot express it otherwise.
fn merge_comparisons(things: &mut Vec<Norm>) {
    for (strict, both) in [("<", "<="), (">", ">=")] {
        let mut i = 0;
        while i < things.len() {
            let twin = compared_by(&things[i], strict).and_then(|(relation, value)| {
                things.iter().position(|other| compared_by(other, "=") == Some((relation, value)))
            });
            if let (Some(twin), Some((_, value))) = (twin, compared_by(&things[i], strict)) {
                let label = format!("{both} {value}");
                let relation = &things[i].children[0];
                let shown = relation.children[0].children[0].shown.replacen(strict, both, 1);
                let masked = Some(format!("{both} literal").into());
                let value = Norm { masked, ..Norm::leaf(Kind::Value, label, shown) };
                let inner = thing_of(vec![value], None, false);
                let relation = Norm {
                    masked: relation.masked.clone(),
                    ..Norm::new(Kind::Relation, relation.label.clone(), relation.shown.clone(), vec![inner])
                };
                things[i] = thing_of(vec![relation], None, false);
                things.remove(twin);
                i = 0;
            } else {
                i += 1;
            }
        }
    }
}

/// The relation and the value of a thing that is described only by a comparison with a value.
fn compared_by<'n>(thing: &'n Norm, comparison: &str) -> Option<(&'n str, &'n str)> {
    let [relation] = &thing.children[..] else { return None };
    let [inner] = &relation.children[..] else { return None };
    let [value] = &inner.children[..] else { return None };
    if relation.kind != Kind::Relation || value.kind != Kind::Value || inner.kind != Kind::Thing {
        return None;
    }
    Some((relation.label.as_str(), value.label.strip_prefix(comparison)?.strip_prefix(' ')?))
}
