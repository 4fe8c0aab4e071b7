//! Suggestions while a name is typed.

use super::find::{hits, properties};
use super::parts::{beginning, or_id};
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use super::{Studio, links};
use serde::Serialize;
use touchstone_kb::entity_page::NodeSummary;

/// Number of suggestions.
const SUGGESTIONS: usize = 10;

#[derive(Serialize)]
struct Suggested<'k> {
    id: &'k str,
    label: &'k str,
    /// The name that was found, if it is not the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'k str>,
    about: String,
    /// `entity`, `class`, `relation` or `attribute`.
    what: &'static str,
    href: String,
}

pub(super) fn data(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let kb = studio.kb();
    let query = request.text("q")?;
    let kind = request.choice("kind", &["all", "entity", "class", "property"])?;
    let wants_nodes = !query.is_empty() && kind != "property";
    let hits = if wants_nodes { hits(kb, query, kind, SUGGESTIONS) } else { Vec::new() };
    let mut suggested: Vec<Suggested<'_>> = Vec::new();
    for node in NodeSummary::of_hits(kb, &hits) {
        suggested.push(Suggested {
            id: node.id,
            label: or_id(node.label, node.id),
            name: node.name.filter(|name| *name != node.label),
            about: beginning(&node.gist(), 80),
            what: if node.is_class { "class" } else { "entity" },
            href: links::node(node.id),
        });
    }
    if matches!(kind, "all" | "property") {
        // Properties get two places; they would be crowded out otherwise.
        let found = properties(kb, query, if kind == "all" { 2 } else { SUGGESTIONS });
        suggested.truncate(SUGGESTIONS - found.len().min(SUGGESTIONS));
        suggested.extend(found.into_iter().map(|property| Suggested {
            id: property.id,
            label: or_id(property.label, property.id),
            name: None,
            about: String::new(),
            what: property.kind,
            href: links::property(property.id),
        }));
    }
    Ok(Reply::json(&suggested))
}
