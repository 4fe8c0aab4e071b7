//! The part of a schema that a question is about, within a token limit.

use crate::link::{Linked, Thing, words};
use hashbrown::HashSet;
use touchstone_kb::{Kb, Property};

/// Average number of characters per token.
const TOKEN: usize = 4;

/// The classes, relations, attributes and qualifiers most related to a question: those of the entities that it names, and those that share
/// its words.
pub(crate) fn packed_schema(
    kb: &Kb,
    question: &str,
    links: &[Linked],
    tokens: usize,
    by_label: bool,
) -> String {
    let question_words: HashSet<String> = stems(question).collect();
    let mut near: HashSet<Property> = HashSet::new();
    let mut classes: HashSet<&str> = HashSet::new();
    for linked in links {
        match &linked.thing {
            Thing::Entities(nodes) => {
                for &node in nodes.iter().take(2) {
                    near.extend(kb.properties_of(node).map(|(property, _)| property));
                    near.extend(kb.relations_to(node).map(|(relation, _)| Property::Relation(relation)));
                }
            }
            Thing::Class(id) => {
                classes.insert(id);
            }
            Thing::Number(_) | Thing::Date(_) | Thing::Text(_) => {}
        }
    }
    let shared = |label: &str| stems(label).filter(|stem| question_words.contains(stem)).count();
    let named = |label: &str, id: &str| {
        if by_label { label.to_owned() } else { format!("{label} [{id}]") }
    };
    let class_label = |class| kb.label(kb.class_node(class));
    let mut items: Vec<(usize, String)> = Vec::new();
    for class in kb.classes() {
        let node = kb.class_node(class);
        let (label, id) = (kb.label(node), kb.node_id(node));
        let score = 2 * shared(label) + 3 * usize::from(classes.contains(id));
        items.push((score, format!("class {}", named(label, id))));
    }
    for relation in kb.relations() {
        let (label, property) = (kb.relation_label(relation), Property::Relation(relation));
        let ends = [kb.relation_domain(relation), kb.relation_range(relation)];
        let ends = ends.map(|class| class.map_or("thing", class_label));
        let score = 2 * shared(label) + 2 * usize::from(near.contains(&property));
        let name = named(label, kb.relation_id(relation));
        items.push((score, format!("relation {name}: from {} to {}", ends[0], ends[1])));
    }
    for attribute in kb.attributes() {
        let (label, property) = (kb.attribute_label(attribute), Property::Attribute(attribute));
        let of = kb.attribute_domain(attribute).map_or("thing", class_label);
        let unit = kb.attribute_unit(attribute);
        let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
        let score = 2 * shared(label) + 2 * usize::from(near.contains(&property));
        let (name, kind) = (named(label, kb.attribute_id(attribute)), kb.attribute_kind(attribute).name());
        items.push((score, format!("attribute {name} of {of}: {kind}{unit}")));
    }
    for key in kb.qualifier_keys() {
        let label = kb.qualifier_label(key);
        items.push((2 * shared(label), format!("qualifier {}", named(label, kb.qualifier_id(key)))));
    }
    items.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut left = tokens.saturating_mul(TOKEN);
    let mut lines: Vec<String> = Vec::new();
    for (_, line) in items {
        if line.len() + 3 > left {
            break;
        }
        left -= line.len() + 3;
        lines.push(format!("- {line}"));
    }
    lines.join("\n")
}

/// Words without their endings: enough to relate "directed" and "director".
fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    words(text).into_iter().filter_map(|(start, end)| {
        let word = text[start..end].to_lowercase();
        let n = word.chars().count();
        let kept = match n {
            0..=2 => return None,
            3..=4 => n,
            _ => (n - 2).clamp(4, 6),
        };
        Some(word.chars().take(kept).collect())
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::link::Linker;
    use touchstone_benchmark::english::Lexicon;

    #[test]
    fn what_a_question_is_about_comes_first() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        let question = "Which films directed by Christopher Nolan were released after 2008?";
        let links = Linker::new(&world, &Lexicon::of(&world)).link(question, None);
        let text = packed_schema(&world, question, &links, 200, true);
        assert!(text.len() <= 800, "{}", text.len());
        let first: Vec<&str> = text.lines().take(4).collect();
        assert!(first.iter().any(|line| line.contains("relation director: from film")), "{text}");
        assert!(text.contains("class film"), "{text}");
        assert_eq!(packed_schema(&world, question, &links, 0, true), "");
    }
}
