//! The first difference between two normal forms, in words.

use super::{Kind, Norm, without_arrow};
use hashbrown::HashSet;

/// Finds the first difference between two normal forms and describes it.
pub(super) fn difference(gold: &Norm, predicted: &Norm, place: &str, why: &mut Option<String>) {
    if why.is_some() || gold.key == predicted.key {
        return;
    }
    if gold.label != predicted.label {
        *why = Some(instead(gold, predicted, place));
        return;
    }
    let (mut missing, mut extra) = (only_in(gold, predicted), only_in(predicted, gold));
    // Parts with the same kind and label differ further down; other parts of the same kind were exchanged.
    for same_label in [true, false] {
        let mut i = 0;
        while i < missing.len() {
            let twin = extra
                .iter()
                .position(|x| x.kind == missing[i].kind && (!same_label || x.label == missing[i].label));
            let Some(twin) = twin else {
                i += 1;
                continue;
            };
            let (wanted, found) = (missing.remove(i), extra.remove(twin));
            let below = if wanted.kind == Kind::Relation {
                format!("{place} > {}", wanted.shown)
            } else {
                place.to_owned()
            };
            difference(wanted, found, if same_label { &below } else { place }, why);
        }
    }
    if why.is_some() {
        return;
    }
    if let Some(part) = missing.first() {
        *why = Some(format!("{} is missing at {place}", named(part)));
    } else if let Some(part) = extra.first() {
        *why = Some(format!("{} is unexpected at {place}", named(part)));
    }
}

/// The parts of one form that are not in the other.
fn only_in<'n>(one: &'n Norm, other: &Norm) -> Vec<&'n Norm> {
    let known: HashSet<&str> = other.children.iter().map(|part| part.key.as_str()).collect();
    one.children.iter().filter(|part| !known.contains(part.key.as_str())).collect()
}

fn instead(gold: &Norm, predicted: &Norm, place: &str) -> String {
    let (wanted, found) = (shown(gold), shown(predicted));
    if wanted == found {
        let turned = without_arrow(&gold.label) == without_arrow(&predicted.label);
        return match gold.kind {
            Kind::Relation if turned => format!("relation {wanted} in the other direction at {place}"),
            kind => format!("{} {} instead of {} at {place}", word(kind), predicted.label, gold.label),
        };
    }
    match gold.kind {
        Kind::Question => format!("asks for {found} instead of {wanted}"),
        Kind::Thing => format!("the superlative is about another thing at {place}"),
        kind => format!("{} {found} instead of {wanted} at {place}", word(kind)),
    }
}

/// Maximum number of alternatives to name.
const MAX_NAMED: usize = 3;

/// A part with its kind. Of a union, its alternatives; of an alternative, what describes it.
fn named(part: &Norm) -> String {
    match part.kind {
        Kind::Union if !part.children.is_empty() => {
            let mut alternatives: Vec<String> = part.children.iter().take(MAX_NAMED).map(described).collect();
            if part.children.len() > MAX_NAMED {
                alternatives.push("...".to_owned());
            }
            alternatives.join(" or ")
        }
        Kind::Thing => format!("the alternative {}", described(part)),
        kind => format!("{} {}", word(kind), shown(part)),
    }
}

fn described(thing: &Norm) -> String {
    if thing.children.is_empty() {
        return "anything".to_owned();
    }
    thing.children.iter().map(named).collect::<Vec<_>>().join(" and ")
}

fn shown(norm: &Norm) -> &str {
    if norm.shown.is_empty() { &norm.label } else { &norm.shown }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "question",
        Kind::Thing => "thing",
        Kind::Class => "class",
        Kind::Entity => "entity",
        Kind::Value => "value",
        Kind::Relation => "relation",
        Kind::Union => "union",
        Kind::Superlative => "superlative",
        Kind::Period => "period",
        Kind::Same => "cycle through",
    }
}
