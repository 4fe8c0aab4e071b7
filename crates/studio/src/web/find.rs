//! Answers to a name.

use super::Studio;
use super::layout::{Frame, Section, chip, pager};
use super::links::{self, link};
use super::parts::{node_item, or_id};
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use maud::html;
use serde::Serialize;
use touchstone_kb::counts::grouped;
use touchstone_kb::entity_page::NodeSummary;
use touchstone_kb::{Kb, NameHit, Property, fold};

/// Hits on a page.
const ON_PAGE: usize = 25;
/// Maximum number of hits, and the last page.
const MOST: usize = 500;
/// Maximum number of properties that are listed.
const PROPERTIES: usize = 8;

/// A property whose label begins with or contains the words.
#[derive(Debug, Serialize)]
pub(super) struct PropertyHit<'k> {
    pub(super) id: &'k str,
    pub(super) label: &'k str,
    /// `relation` or `attribute`.
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
struct Found<'f> {
    query: &'f str,
    kind: &'f str,
    page: usize,
    hits: Vec<NodeSummary<'f>>,
    properties: Vec<PropertyHit<'f>>,
    more: bool,
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let kb = studio.kb();
    let query = request.text("q")?;
    let kind = request.choice("kind", &["all", "entity", "class", "property"])?;
    let number = request.number("page", MOST / ON_PAGE)?;
    let hits = if query.is_empty() || kind == "property" {
        Vec::new()
    } else {
        hits(kb, query, kind, number * ON_PAGE + 1)
    };
    let more = hits.len() > number * ON_PAGE && number < MOST / ON_PAGE;
    let shown = &hits[hits.len().min((number - 1) * ON_PAGE)..hits.len().min(number * ON_PAGE)];
    let properties = match kind {
        "all" if number == 1 => properties(kb, query, PROPERTIES),
        "property" => properties(kb, query, 100),
        _ => Vec::new(),
    };
    let data = Found { query, kind, page: number, hits: NodeSummary::of_hits(kb, shown), properties, more };
    let title = if query.is_empty() { "Search".to_owned() } else { format!("{query} · Search") };
    let frame = Frame::new(&title, Section::Kb, &["suggest.js"]);
    let address = |kind: &str, page: usize| {
        let page = if page > 1 { page.to_string() } else { String::new() };
        link("/kb/find", &[("q", query), ("kind", if kind == "all" { "" } else { kind }), ("page", &page)])
    };
    Ok(Reply::page(request, &frame, &data, || {
        html! {
            h1 { @if query.is_empty() { "Search" } @else { "Results for “" (query) "”" } }
            form.big-search action="/kb/find" method="get" role="search" aria-label="Names" {
                @if kind != "all" { input type="hidden" name="kind" value=(kind); }
                label.visually-hidden for="q" { "Name" }
                input #q type="search" name="q" value=(query) autocomplete="off" spellcheck="false" data-suggest="go";
                button type="submit" { "Search" }
            }
            nav.chips aria-label="Kinds" {
                @for (name, text) in [("all", "Everything"), ("entity", "Entities"), ("class", "Classes"), ("property", "Properties")] {
                    (chip(&address(name, 1), text, kind == name))
                }
            }
            @if !data.properties.is_empty() {
                section.panel.slim {
                    h2 { "Properties" }
                    p.try {
                        @for property in &data.properties {
                            a.chip href=(links::property(property.id)) { (or_id(property.label, property.id)) " " span.muted { (property.kind) } }
                        }
                    }
                }
            }
            @if data.hits.is_empty() && data.properties.is_empty() {
                p.empty {
                    @if query.is_empty() { "Type a name, the beginning of one, or one with typing errors." }
                    @else { "No name in " (kb.manifest().name) " resembles “" (query) "”. Try fewer words, or look at the " a href="/kb" { "schema" } "." }
                }
            }
            ol.results data-list="" start=((number - 1) * ON_PAGE + 1) { @for hit in &data.hits { (node_item(hit)) } }
            (pager(
                (number > 1).then(|| address(kind, number - 1)),
                &format!("page {}", grouped(number)),
                more.then(|| address(kind, number + 1)),
            ))
        }
    }))
}

/// The first hits of a kind.
pub(super) fn hits(kb: &Kb, query: &str, kind: &str, most: usize) -> Vec<NameHit> {
    if kind == "all" {
        return kb.find_names(query, most);
    }
    let mut hits = kb.find_names(query, MOST);
    hits.retain(|hit| kb.as_class(hit.node).is_some() == (kind == "class"));
    hits.truncate(most);
    hits
}

/// Properties whose label begins with the words, then those that contain them.
pub(super) fn properties<'k>(kb: &'k Kb, query: &str, most: usize) -> Vec<PropertyHit<'k>> {
    let folded = fold(query);
    if folded.is_empty() {
        return Vec::new();
    }
    let hit = |property: Property| {
        let (id, label) = (kb.property_id(property), kb.property_label(property));
        let kind = if matches!(property, Property::Relation(_)) { "relation" } else { "attribute" };
        let name = fold(label);
        let rank = match () {
            () if id == query || name == folded => 0,
            () if name.starts_with(&folded) => 1,
            () if folded.len() > 2 && name.contains(&folded) => 2,
            () => return None,
        };
        Some((rank, label.len(), id, PropertyHit { id, label, kind }))
    };
    let mut found: Vec<_> = kb.properties().filter_map(hit).collect();
    found.sort_by_key(|&(rank, length, id, _)| (rank, length, id));
    found.into_iter().take(most).map(|(.., hit)| hit).collect()
}
