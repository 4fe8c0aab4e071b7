//! The knowledge base in numbers, and its schema.

use super::Studio;
use super::layout::{Frame, Section, chip};
use super::links::{self, link};
use super::parts::figure;
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use maud::{Markup, html};
use std::cmp::Reverse;
use touchstone_kb::counts::grouped;
use touchstone_kb::info::{AttributeInfo, ClassInfo, KbInfo, RelationInfo, SchemaInfo};
use touchstone_kb::{fold, nearest_name};

/// Maximum number of rows of a table of the schema.
const SHOWN: usize = 60;

/// What the tables show.
struct Filter<'f> {
    domain: &'f str,
    /// The filter as it was typed.
    typed: &'f str,
    folded: String,
    /// The table that is shown whole.
    all: &'f str,
}

impl Filter<'_> {
    fn keeps(&self, domain: Option<&str>, id: &str, label: &str) -> bool {
        (self.domain.is_empty() || domain == Some(self.domain))
            && (self.folded.is_empty() || id.contains(self.typed) || fold(label).contains(&self.folded))
    }

    fn link(&self, domain: &str, all: &str) -> String {
        link("/kb", &[("domain", domain), ("filter", self.typed), ("all", all)])
    }
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let info = studio.info();
    let typed = request.text("filter")?;
    let filter = Filter {
        domain: request.text("domain")?,
        typed,
        folded: fold(typed),
        all: request.choice("all", &["", "classes", "relations", "attributes"])?,
    };
    if !filter.domain.is_empty() && !info.domains.contains_key(filter.domain) {
        let problem =
            Problem::not_found(format!("the schema has no domain `{}`", filter.domain)).field("domain");
        let nearest = nearest_name(filter.domain, info.domains.keys().copied());
        return Err(match nearest {
            Some(nearest) => problem.hint(format!("Did you mean {nearest}?")),
            None => problem,
        });
    }
    let frame = Frame::new(info.name, Section::Kb, &["suggest.js"]);
    Ok(Reply::page(request, &frame, info, || {
        html! {
            p.eyebrow { "Knowledge base" }
            h1 { (info.name) }
            dl.figures {
                (figure(info.entities, "entities"))
                (figure(info.facts.total, "facts"))
                (figure(info.facts.qualified, "facts with qualifiers"))
                (figure(info.classes, "classes"))
                (figure(info.relations, "relations"))
                (figure(info.attributes, "attributes"))
            }
            (examples(studio))
            (schema(info, &filter))
            (about(info))
        }
    }))
}

fn examples(studio: &Studio) -> Markup {
    let examples = studio.examples();
    html! {
        section {
            h2 { "Start with" }
            p.try {
                @for name in &examples.names { a.chip href=(links::node(name.id)) { (name.label) } }
            }
            ul.query-list {
                @for example in examples.queries.iter().take(5) {
                    li {
                        a href=(links::query(example.language, &example.query)) {
                            @if let Some(english) = &example.english { span.query-english { (english) } }
                            code { (example.query) }
                        }
                    }
                }
            }
        }
    }
}

fn schema(info: &KbInfo<'_>, filter: &Filter<'_>) -> Markup {
    let Some(schema) = &info.schema else { return html! {} };
    html! {
        section #schema {
            h2 { "Schema" }
            form.filter action="/kb" method="get" role="search" aria-label="Schema" {
                @if !filter.domain.is_empty() { input type="hidden" name="domain" value=(filter.domain); }
                label for="filter" { "Filter by name" }
                input #filter type="search" name="filter" value=(filter.typed) placeholder="director" autocomplete="off" data-filter="";
                button type="submit" { "Filter" }
            }
            @if !info.domains.is_empty() {
                nav.chips aria-label="Domains" {
                    (chip(&filter.link("", ""), "all domains", filter.domain.is_empty()))
                    @for (domain, items) in &info.domains {
                        (chip(&filter.link(domain, ""), &format!("{domain} {items}"), filter.domain == *domain))
                    }
                }
            }
            (tables(schema, filter))
        }
    }
}

fn tables(schema: &SchemaInfo<'_>, filter: &Filter<'_>) -> Markup {
    let mut classes: Vec<&ClassInfo<'_>> =
        schema.classes.iter().filter(|class| filter.keeps(class.domain, class.id, class.label)).collect();
    classes.sort_by_key(|class| Reverse(class.members));
    let mut relations: Vec<&RelationInfo<'_>> = schema.relations.iter().collect();
    relations.retain(|relation| filter.keeps(relation.domain, relation.id, relation.label));
    relations.sort_by_key(|relation| Reverse(relation.facts));
    let mut attributes: Vec<&AttributeInfo<'_>> = schema.attributes.iter().collect();
    attributes.retain(|attribute| filter.keeps(attribute.domain, attribute.id, attribute.label));
    attributes.sort_by_key(|attribute| Reverse(attribute.facts));
    let class_link = |id: Option<&str>| html! { @if let Some(id) = id { a href=(links::node(id)) { (id) } } };
    let class_row = |class: &&ClassInfo<'_>| {
        html! { tr {
            th scope="row" { a href=(links::node(class.id)) { (class.label) } }
            td { code { (class.id) } }
            td.number { (grouped(class.members)) }
        } }
    };
    let relation_row = |relation: &&RelationInfo<'_>| {
        html! { tr {
            th scope="row" { a href=(links::property(relation.id)) { (relation.label) } }
            td { (class_link(relation.from)) }
            td { (class_link(relation.to)) }
            td.number { (grouped(relation.facts)) }
        } }
    };
    let attribute_row = |attribute: &&AttributeInfo<'_>| {
        html! { tr {
            th scope="row" { a href=(links::property(attribute.id)) { (attribute.label) } }
            td { (class_link(attribute.from)) }
            td { (attribute.kind) @if let Some(unit) = attribute.unit { " in " (unit) } }
            td.number { (grouped(attribute.facts)) }
        } }
    };
    html! {
        @if classes.is_empty() && relations.is_empty() && attributes.is_empty() {
            p.empty { "Nothing in the schema has this name. " a href="/kb#schema" { "Show the whole schema" } }
        }
        (table("Classes", "classes", &["class", "id", "members"], &classes, class_row, filter))
        (table("Relations", "relations", &["relation", "from", "to", "facts"], &relations, relation_row, filter))
        (table("Attributes", "attributes", &["attribute", "of", "values", "facts"], &attributes, attribute_row, filter))
    }
}

fn table<T>(
    title: &str,
    name: &str,
    headings: &[&str],
    rows: &[T],
    row: impl Fn(&T) -> Markup,
    filter: &Filter<'_>,
) -> Markup {
    let shown = if filter.all == name { rows.len() } else { rows.len().min(SHOWN) };
    html! {
        @if !rows.is_empty() {
            h3 id=(name) { (title) " " span.muted { (grouped(rows.len())) } }
            div.scroll tabindex="0" role="region" aria-labelledby=(name) {
                table {
                    thead { tr {
                        @for (at, heading) in headings.iter().enumerate() {
                            th scope="col" class=[(at + 1 == headings.len()).then_some("number")] { (heading) }
                        }
                    } }
                    tbody data-filtered="" { @for item in &rows[..shown] { (row(item)) } }
                }
            }
            @if shown < rows.len() {
                p { a href={ (filter.link(filter.domain, name)) "#" (name) } { "Show all " (grouped(rows.len())) } }
            }
        }
    }
}

fn about(info: &KbInfo<'_>) -> Markup {
    html! {
        section {
            h2 { "About" }
            dl.pairs {
                @for (key, value) in info.rows() {
                    @if !value.is_empty() && key.trim() != "domains of the schema" {
                        div { dt { (key.trim()) } dd { (value) } }
                    }
                }
            }
        }
    }
}
