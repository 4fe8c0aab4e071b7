//! Pieces that several pages show: lists of nodes, values, graphs with names and links.

use super::links;
use super::problem::Suggestion;
use crate::drawing::linked_svg;
use maud::{Markup, html};
use touchstone_kb::counts::{counted, grouped};
use touchstone_kb::entity_page::{NodeSummary, PageFact, PageValue};
use touchstone_kb::{Kb, NodeId, Property};
use touchstone_logic::graph::{Edge, Vertex, draw};
use touchstone_logic::{Answer, QueryGraph};

/// Maximum number of characters of a description in a list.
const GIST: usize = 160;

/// The beginning of a long text.
pub(super) fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A node in a list of results.
pub(super) fn node_item(node: &NodeSummary<'_>) -> Markup {
    let gist = node.gist();
    html! {
        li.result {
            div.result-head {
                a.result-name href=(links::node(node.id)) { (or_id(node.label, node.id)) }
                @if let Some(name) = node.name.filter(|name| *name != node.label) {
                    span.muted { "also called " (name) }
                }
                @if node.is_class { span.tag { "class" } }
                @if let Some(matched) = node.matched.filter(|matched| *matched != "exact") {
                    span.tag.quiet title="How the name matches" { (matched) }
                }
            }
            @if !gist.is_empty() { p.gist { (beginning(&gist, GIST)) } }
            p.fine {
                @if node.description.is_some() && !node.classes.is_empty() { (node.classes.join(", ")) " · " }
                (counted(node.facts, "fact", "facts")) " · " code { (node.id) }
            }
        }
    }
}

/// The label, or the id of something without one.
pub(super) fn or_id<'t>(label: &'t str, id: &'t str) -> &'t str {
    if label.is_empty() { id } else { label }
}

/// A value of a fact, with a link to its page.
pub(super) fn value(value: &PageValue<'_>) -> Markup {
    html! {
        @match value.id {
            Some(id) => a href=(links::node(id)) { (or_id(value.text, id)) },
            None => span.literal { (value.text) },
        }
        @if !value.unit.is_empty() { " " span.unit { (value.unit) } }
        @if !value.lang.is_empty() { " " span.tag.quiet { (value.lang) } }
        @if !value.datatype.is_empty() { " " span.tag.quiet { (value.datatype) } }
    }
}

/// What is said about a fact: its qualifiers and, if the reader wants it, its source.
pub(super) fn details(fact: &PageFact<'_>, with_source: bool) -> Markup {
    let source = fact.source.filter(|_| with_source);
    html! {
        @if !fact.qualifiers.is_empty() || source.is_some() {
            div.fact-details {
                @for qualifier in &fact.qualifiers {
                    span.qualifier {
                        span.qualifier-key { (qualifier.label) }
                        @for (at, one) in qualifier.values.iter().enumerate() {
                            @if at > 0 { ", " }
                            (value(one))
                        }
                    }
                }
                @if let Some(source) = source { span.source { "Source: " (source) } }
            }
        }
    }
}

/// An answer, with a link if the KB has a page about it.
pub(super) fn answer(answer: &Answer) -> Markup {
    html! {
        @match answer {
            Answer::Entity { id, label } | Answer::Class { id, label } if !id.is_empty() => {
                a href=(links::node(id)) { (or_id(label, id)) }
            },
            Answer::Relation { id, label } if !id.is_empty() => a href=(links::property(id)) { (or_id(label, id)) },
            Answer::Boolean { value } => span.literal { (if *value { "yes" } else { "no" }) },
            other => span.literal { (other.to_string()) },
        }
    }
}

/// A graph with the names of things in place of their ids, and for each vertex the address of its page.
pub(super) struct NamedGraph {
    pub(super) graph: QueryGraph,
    links: Vec<Option<String>>,
}

impl NamedGraph {
    pub(super) fn of(kb: &Kb, graph: &QueryGraph) -> NamedGraph {
        let mut named = graph.clone();
        let mut links = Vec::with_capacity(graph.vertices.len());
        for vertex in &mut named.vertices {
            let node = kb.node(&vertex.label);
            let named_so = || vertex.grounded && kb.nodes_labelled(&vertex.label).next().is_some();
            links.push((node.is_some() || named_so()).then(|| links::node(&vertex.label)));
            if let Some(label) = node.map(|node| kb.label(node)).filter(|label| !label.is_empty()) {
                vertex.label = label.into();
            }
        }
        for edge in &mut named.edges {
            let property = kb.relation(&edge.label).map(Property::Relation);
            let property = property.or_else(|| kb.attribute(&edge.label).map(Property::Attribute));
            if let Some(label) =
                property.map(|property| kb.property_label(property)).filter(|label| !label.is_empty())
            {
                edge.label = label.into();
            }
        }
        NamedGraph { graph: named, links }
    }

    /// The picture, and the same as text.
    pub(super) fn figure(&self, caption: &str) -> Markup {
        let tree = draw(&self.graph);
        html! {
            figure.graph {
                div.scroll tabindex="0" role="region" aria-label=(caption) {
                    (linked_svg(&self.graph, &self.links, &tree))
                }
                figcaption {
                    (caption)
                    details.as-text { summary { "As text" } pre { (tree.trim_end()) } }
                }
            }
        }
    }
}

/// Maximum number of facts in the picture of a neighbourhood.
const NEIGHBOURS: usize = 12;

/// The facts about a node as a graph: first those of the properties with the fewest facts, because they say most.
pub(super) fn neighbourhood(kb: &Kb, node: NodeId) -> QueryGraph {
    let about = kb.properties_of(node).filter(|(property, _)| matches!(property, Property::Relation(_)));
    let mut groups: Vec<(usize, bool, Property)> =
        about.map(|(property, values)| (values.len(), false, property)).collect();
    groups.extend(
        kb.relations_to(node)
            .map(|(relation, subjects)| (subjects.len(), true, Property::Relation(relation))),
    );
    groups.sort_unstable_by_key(|&(facts, backwards, property)| (facts, backwards, kb.property_id(property)));
    let mut graph = QueryGraph {
        vertices: vec![Vertex { grounded: false, label: kb.node_id(node).into(), note: "".into() }],
        edges: Vec::new(),
        root: 0,
    };
    let facts = groups.iter().flat_map(|&(_, backwards, property)| {
        let Property::Relation(relation) = property else { return Vec::new() };
        // Three of each, so that one property does not fill the picture.
        let others = if backwards { kb.subjects(relation, node) } else { kb.objects(node, relation) };
        others.iter().take(3).map(|&other| (other, backwards, property)).collect()
    });
    for (other, backwards, property) in facts.take(NEIGHBOURS) {
        let at = graph.vertices.len();
        let label = kb.node_id(NodeId(other));
        graph.vertices.push(Vertex { grounded: true, label: label.into(), note: "".into() });
        let (from, to) = if backwards { (at, 0) } else { (0, at) };
        graph.edges.push(Edge { from, to, label: kb.property_id(property).into() });
    }
    graph
}

/// Nodes with similar names, for errors.
pub(super) fn similar(kb: &Kb, name: &str) -> Vec<Suggestion> {
    let hits = kb.find_names(name, 3);
    let summaries = NodeSummary::of_hits(kb, &hits);
    let suggestion = |node: &NodeSummary<'_>| Suggestion {
        label: or_id(node.label, node.id).to_owned(),
        href: links::node(node.id),
        about: beginning(&node.gist(), GIST),
    };
    summaries.iter().map(suggestion).collect()
}

/// A number with a small heading.
pub(super) fn figure(number: impl TryInto<u64>, name: &str) -> Markup {
    html! { div.figure { dt { (name) } dd { (grouped(number)) } } }
}

/// A language in JSON: its word, as in files and options.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) fn language_as_word<S: serde::Serializer>(
    language: &touchstone_logic::Language,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.serialize_str(language.word())
}
