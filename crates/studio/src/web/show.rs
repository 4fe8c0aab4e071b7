//! The page of an entity or a class.

use super::Studio;
use super::layout::{Frame, Section, bar, pager};
use super::links::{self, link};
use super::parts::{NamedGraph, beginning, details, neighbourhood, node_item, or_id, similar, value};
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use maud::{Markup, html};
use serde::Serialize;
use touchstone_engine::View;
use touchstone_kb::counts::{float, grouped, percent};
use touchstone_kb::entity_page::{EntityPage, FactGroup, Named, NodeSummary, PageFact};
use touchstone_kb::property_page::ClassProfile;
use touchstone_kb::rdf::RdfTerm;
use touchstone_kb::{Kb, NodeId, Property};
use touchstone_logic::Language;

/// Facts of each property that are shown at first.
const FACTS: usize = 20;
/// Facts of one property that are shown at most.
const ALL_FACTS: usize = 2_000;
/// Members of a class on a page.
const MEMBERS: usize = 50;
/// Properties of the members of a class that are shown.
const PROPERTIES: usize = 25;

#[derive(Serialize)]
struct Shown<'s> {
    #[serde(flatten)]
    page: EntityPage<'s>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<ClassProfile<'s>>,
}

/// What the reader chose.
struct Choice<'c> {
    /// The property whose facts are all shown, and whether they lead here.
    all: &'c str,
    backwards: bool,
    sources: bool,
    members_page: usize,
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let kb = studio.kb();
    let name = request.text("id")?;
    if name.is_empty() {
        return Err(Problem::bad("give the id or the name of an entity or a class").field("id"));
    }
    let nodes = kb.nodes_meant_by(name);
    let Some((&node, others)) = nodes.split_first() else {
        let message = format!(
            "{} has no entity or class with the name or id `{}`",
            kb.manifest().name,
            beginning(name, 80)
        );
        return Err(Problem::not_found(message).field("id").suggest(similar(kb, name)));
    };
    let choice = Choice {
        all: request.text("all")?,
        backwards: request.choice("to", &["", "1"])? == "1",
        sources: request.choice("sources", &["", "1"])? == "1",
        members_page: request.number("members", 1_000_000)?,
    };
    let profile = kb.as_class(node).map(|class| ClassProfile::of(kb, class));
    let data = Shown { page: EntityPage::of(kb, node, others), profile };
    let title = or_id(data.page.label, data.page.id);
    let frame = Frame::new(title, Section::Kb, &["suggest.js", "show.js"]);
    Ok(Reply::page(request, &frame, &data, || {
        html! {
            (head(studio, node, &data.page))
            @if let Some(profile) = &data.profile { (class(kb, node, &data.page, profile, &choice)) }
            (facts(kb, node, &choice))
            (surroundings(kb, node))
            (others_with_the_name(&data.page))
            (identifiers(studio, node, &data.page))
        }
    }))
}

fn head(studio: &Studio, node: NodeId, page: &EntityPage<'_>) -> Markup {
    let kb = studio.kb();
    let relation = kb.properties_of(node).find_map(|(property, _)| match property {
        Property::Relation(relation) => Some(kb.relation_label(relation)),
        Property::Attribute(_) => None,
    });
    let query = match (page.is_class, relation) {
        (true, _) => format!("FindAll() > FilterConcept({}) > Count()", page.label),
        (false, Some(relation)) => format!("Find({}) > Relate({relation}, forward) > What()", page.label),
        (false, None) => format!("Find({}) > What()", page.label),
    };
    html! {
        p.eyebrow {
            @if page.is_class { "Class" } @else { (named(&page.classes)) }
        }
        h1 dir="auto" { (or_id(page.label, page.id)) }
        @if let Some(description) = page.description { p.lead dir="auto" { (description) } }
        @if !page.aliases.is_empty() {
            p.aliases dir="auto" { span.muted { "Also called " } (page.aliases.join(" · ")) }
        }
        p.actions {
            a.button href=(links::query(Language::Kopl, &query)) data-key-action="query" { "Query from here" }
            " "
            a.button.quiet href="#identifiers" { "Identifiers" }
        }
    }
}

fn named(classes: &[Named<'_>]) -> Markup {
    html! {
        @for (at, class) in classes.iter().enumerate() {
            @if at > 0 { ", " }
            a href=(links::node(class.id)) { (or_id(class.label, class.id)) }
        }
    }
}

/// What only classes have.
fn class(
    kb: &Kb,
    node: NodeId,
    page: &EntityPage<'_>,
    profile: &ClassProfile<'_>,
    choice: &Choice<'_>,
) -> Markup {
    let (Some(class), Some(place)) = (kb.as_class(node), &page.class) else { return html! {} };
    let members = kb.members(class);
    let start = members.len().min((choice.members_page - 1) * MEMBERS);
    let end = members.len().min(start + MEMBERS);
    let address =
        |number: usize| link("/kb/show", &[("id", page.id), ("members", &number.to_string())]) + "#members";
    html! {
        dl.pairs {
            @if !place.parents.is_empty() { div { dt { "Under" } dd { (named(&place.parents)) } } }
            @if !place.children.is_empty() { div { dt { "Above" } dd { (named(&place.children)) } } }
            div { dt { "Members" } dd { (grouped(place.members)) } }
        }
        @if !profile.properties.is_empty() {
            section #coverage {
                h2 { "What is known about its members" }
                div.scroll tabindex="0" role="region" aria-label="Properties of members" {
                    table.coverage {
                        thead { tr { th scope="col" { "property" } th scope="col" { "members that have it" } th.number scope="col" { "share" } } }
                        tbody {
                            @for property in profile.properties.iter().take(PROPERTIES) {
                                tr {
                                    th scope="row" { a href=(links::property(property.id)) { (or_id(property.label, property.id)) } }
                                    td.bar-cell { (bar(float(property.members as u64) / float(profile.examined.max(1) as u64))) }
                                    td.number { (percent(property.members, profile.examined)) }
                                }
                            }
                        }
                    }
                }
                @if profile.examined < place.members {
                    p.fine { "Of the first " (grouped(profile.examined)) " members." }
                }
            }
        }
        @if !members.is_empty() {
            section #members {
                h2 { "Members" }
                ul.columns data-list="" {
                    @for &member in &members[start..end] {
                        li { a href=(links::node(kb.node_id(NodeId(member)))) { (or_id(kb.label(NodeId(member)), kb.node_id(NodeId(member)))) } }
                    }
                }
                (pager(
                    (choice.members_page > 1).then(|| address(choice.members_page - 1)),
                    &format!("{} to {} of {}", grouped((start + 1).min(end)), grouped(end), grouped(members.len())),
                    (end < members.len()).then(|| address(choice.members_page + 1)),
                ))
            }
        }
    }
}

/// The facts about a node, attributes first, then those that lead to it.
fn facts(kb: &Kb, node: NodeId, choice: &Choice<'_>) -> Markup {
    let mut about = FactGroup::all(kb, node, false);
    about.sort_by_key(|group| matches!(group.facts[0].property, Property::Relation(_)));
    let to = FactGroup::all(kb, node, true);
    html! {
        @if about.is_empty() && to.is_empty() { p.empty { "The knowledge base has no facts about it." } }
        @if about.len() + to.len() > 5 {
            p.filter.needs-script {
                label for="fact-filter" { "Filter facts" }
                input #fact-filter type="search" autocomplete="off" data-filter="";
            }
        }
        @if about.iter().chain(&to).flat_map(|group| &group.facts).any(|fact| kb.fact_source(fact.id).is_some()) {
            @let address = link("/kb/show", &[("id", kb.node_id(node)), ("sources", if choice.sources { "" } else { "1" })]);
            p.fine { a href={ (address) "#facts" } { @if choice.sources { "Hide sources" } @else { "Show the source of each fact" } } }
        }
        (groups(kb, node, &about, false, choice))
        (groups(kb, node, &to, true, choice))
    }
}

fn groups(kb: &Kb, node: NodeId, groups: &[FactGroup], to: bool, choice: &Choice<'_>) -> Markup {
    html! {
        @if !groups.is_empty() {
            section id=(if to { "facts-to" } else { "facts" }) {
                h2 { @if to { "Facts that lead here" } @else { "Facts" } }
                dl.facts data-filtered="" {
                    @for group in groups { (fact_group(kb, node, group, to, choice)) }
                }
            }
        }
    }
}

fn fact_group(kb: &Kb, node: NodeId, group: &FactGroup, to: bool, choice: &Choice<'_>) -> Markup {
    let id = kb.property_id(group.facts[0].property);
    let is_whole = choice.all == id && choice.backwards == to;
    let shown = group.facts.len().min(if is_whole { ALL_FACTS } else { FACTS });
    let all = link("/kb/show", &[("id", kb.node_id(node)), ("all", id), ("to", if to { "1" } else { "" })]);
    let anchor = format!("{}{id}", if to { "to-" } else { "p-" });
    html! {
        div.fact-group id=(anchor) {
            dt { a href=(links::property(id)) { (group.name) } }
            dd {
                ul.values {
                    @for fact in &group.facts[..shown] {
                        @let fact = PageFact::of(kb, fact, to);
                        li { (value(&fact.value)) (details(&fact, choice.sources)) }
                    }
                }
                @if shown < group.facts.len() {
                    @if is_whole { p.fine { "The first " (grouped(shown)) " of " (grouped(group.facts.len())) "; the JSON of this page has all." } }
                    @else { a.more href={ (all) "#" (anchor) } { "All " (grouped(group.facts.len())) } }
                }
            }
        }
    }
}

fn surroundings(kb: &Kb, node: NodeId) -> Markup {
    let graph = neighbourhood(kb, node);
    html! {
        @if !graph.edges.is_empty() {
            section #neighbourhood {
                h2 { "Neighbourhood" }
                (NamedGraph::of(kb, &graph).figure("What is connected with it, by the properties with the fewest facts"))
            }
        }
    }
}

fn others_with_the_name(page: &EntityPage<'_>) -> Markup {
    let others: &[NodeSummary<'_>] = &page.candidates;
    html! {
        @if !others.is_empty() {
            section #others {
                h2 { "Others with this name" }
                ul.results { @for other in others.iter().take(20) { (node_item(other)) } }
            }
        }
    }
}

fn identifiers(studio: &Studio, node: NodeId, page: &EntityPage<'_>) -> Markup {
    let iri = studio.session.context().rdf(View::Direct).decode(RdfTerm::Node(node)).to_string();
    let iri = iri.trim_matches(['<', '>']);
    let call = if page.is_class { "FilterConcept" } else { "Find" };
    html! {
        section #identifiers {
            h2 { "Identifiers" }
            dl.pairs.copies {
                div { dt { "Id" } dd { code { (page.id) } } }
                div { dt { "IRI" } dd { code { (iri) } } }
                div { dt { "In KoPL" } dd { code { (call) "(" (page.label) ")" } } }
                div { dt { "In S-expressions" } dd { code { (page.id) } } }
            }
        }
    }
}
