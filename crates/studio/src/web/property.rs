//! The page of a relation or an attribute.

use super::layout::{Frame, Section, bar};
use super::parts::{beginning, details, figure, or_id, value};
use super::problem::{Problem, Suggestion};
use super::request::PageRequest;
use super::response::Reply;
use super::{Studio, links};
use maud::{Markup, html};
use serde::Serialize;
use touchstone_kb::counts::{float, grouped};
use touchstone_kb::entity_page::Named;
use touchstone_kb::nearest_name;
use touchstone_kb::property_page::{HistogramBar, PropertyPage};

/// How the lexicon says a property.
#[derive(Debug, Default, Serialize)]
struct Wording<'w> {
    /// What the subject does, or the noun of the attribute.
    forward: Vec<&'w str>,
    /// What the object does, or how the attribute is asked for.
    backward: Vec<&'w str>,
}

#[derive(Serialize)]
struct Shown<'s> {
    #[serde(flatten)]
    page: PropertyPage<'s>,
    wording: Wording<'s>,
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let kb = studio.kb();
    let name = request.text("id")?;
    if name.is_empty() {
        return Err(Problem::bad("give the id or the name of a relation or an attribute").field("id"));
    }
    let Some(property) = kb.property_meant_by(name) else {
        let message =
            format!("{} has no relation or attribute `{}`", kb.manifest().name, beginning(name, 80));
        let labels = kb.properties().map(|property| kb.property_label(property));
        let nearest =
            nearest_name(name, labels.chain(kb.properties().map(|property| kb.property_id(property))));
        let suggestion = |nearest: &str| Suggestion {
            label: nearest.to_owned(),
            href: links::property(nearest),
            about: String::new(),
        };
        return Err(Problem::not_found(message)
            .field("id")
            .suggest(nearest.map(suggestion).into_iter().collect()));
    };
    let page = PropertyPage::of(kb, property);
    let wording = wording(studio, page.id);
    let data = Shown { page, wording };
    let title = or_id(data.page.label, data.page.id);
    let frame = Frame::new(title, Section::Kb, &["suggest.js", "show.js"]);
    Ok(Reply::page(request, &frame, &data, || {
        let page = &data.page;
        html! {
            p.eyebrow {
                (page.kind)
                @if let Some(domain) = page.domain { " · " a href=(links::link("/kb", &[("domain", domain)])) { (domain) } }
            }
            h1 { (title) }
            dl.figures {
                (figure(page.facts, "facts"))
                (figure(page.subjects, "subjects"))
                (figure(page.values, "different values"))
            }
            (place(page))
            (words(page, &data.wording))
            (values(page))
            (examples(page))
            section #identifiers { h2 { "Identifiers" } dl.pairs.copies { div { dt { "Id" } dd { code { (page.id) } } } } }
        }
    }))
}

fn wording<'s>(studio: &'s Studio, id: &str) -> Wording<'s> {
    let texts =
        |texts: &'s [String]| texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if let Some(words) = studio.lexicon.relations.get(id) {
        return Wording { forward: texts(&words.subject), backward: texts(&words.object) };
    }
    match studio.lexicon.attributes.get(id) {
        Some(words) => Wording { forward: vec![&words.noun], backward: texts(&words.ask) },
        None => Wording::default(),
    }
}

fn place(page: &PropertyPage<'_>) -> Markup {
    let class =
        |class: &Named<'_>| html! { a href=(links::node(class.id)) { (or_id(class.label, class.id)) } };
    html! {
        dl.pairs {
            @if let Some(from) = &page.from { div { dt { "From" } dd { (class(from)) } } }
            @if let Some(to) = &page.to { div { dt { "To" } dd { (class(to)) } } }
            @if page.kind == "attribute" {
                div { dt { "Values" } dd { (page.values_are) @if let Some(unit) = page.unit { " in " (unit) } } }
            }
            @if let Some(inverse) = &page.inverse {
                div { dt { "Inverse" } dd { a href=(links::property(inverse.id)) { (or_id(inverse.label, inverse.id)) } } }
            }
            @if let Some(label) = page.inverse_label { div { dt { "In the other direction" } dd { (label) } } }
            @if page.symmetric { div { dt { "Symmetric" } dd { "It holds in both directions." } } }
        }
    }
}

/// How it is said in English: the words of the lexicon as a pattern, with a thing in place of each end.
fn words(page: &PropertyPage<'_>, wording: &Wording<'_>) -> Markup {
    let relation = page.kind == "relation";
    html! {
        @if !wording.forward.is_empty() || !wording.backward.is_empty() {
            section #english {
                h2 { "In English" }
                dl.pairs {
                    @if !wording.forward.is_empty() {
                        div { dt { @if relation { "The subject" } @else { "Called" } } dd { (wording.forward.join(" · ")) } }
                    }
                    @if !wording.backward.is_empty() {
                        div { dt { @if relation { "The object" } @else { "Asked as" } } dd { (wording.backward.join(" · ")) } }
                    }
                }
            }
        }
    }
}

fn values(page: &PropertyPage<'_>) -> Markup {
    let most = page.frequent.first().map_or(1, |first| first.facts.max(1));
    html! {
        @if !page.histogram.is_empty() { (histogram(page)) }
        @else if !page.frequent.is_empty() {
            section #frequent {
                h2 { "Most frequent values" }
                div.scroll tabindex="0" role="region" aria-label="Most frequent values" {
                    table.coverage {
                        thead { tr { th scope="col" { "value" } th scope="col" { "share" } th.number scope="col" { "facts" } } }
                        tbody {
                            @for frequent in &page.frequent {
                                tr {
                                    th scope="row" { (value(&frequent.value)) }
                                    td.bar-cell { (bar(float(frequent.facts as u64) / float(most as u64))) }
                                    td.number { (grouped(frequent.facts)) }
                                }
                            }
                        }
                    }
                }
                @if page.counted < page.facts { p.fine { "Among the first " (grouped(page.counted)) " facts." } }
            }
        }
    }
}

fn histogram(page: &PropertyPage<'_>) -> Markup {
    let most = page.histogram.iter().map(|bar| bar.facts).max().unwrap_or(1).max(1);
    let unit = page.histogram_unit;
    let range = |bar: &HistogramBar| format!("{} to {}", shown(bar.from), shown(bar.to));
    html! {
        section #histogram {
            h2 { "Distribution" @if !unit.is_empty() { span.muted { " in " (unit) } } }
            div.scroll tabindex="0" role="region" aria-label="Distribution" {
                table.coverage {
                    thead { tr { th scope="col" { "range" } th scope="col" { "share" } th.number scope="col" { "facts" } } }
                    tbody {
                        @for one in &page.histogram {
                            tr {
                                th scope="row" { (range(one)) }
                                td.bar-cell { @if one.facts > 0 { (bar(float(one.facts as u64) / float(most as u64))) } }
                                td.number { (grouped(one.facts)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The end of a range: whole numbers without a point, large ones with separators.
fn shown(number: f64) -> String {
    let text = format!("{number:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text.parse::<u64>() {
        Ok(whole) if whole >= 10_000 => grouped(whole),
        _ => text.to_owned(),
    }
}

fn examples(page: &PropertyPage<'_>) -> Markup {
    html! {
        @if !page.examples.is_empty() {
            section #examples {
                h2 { "Examples" }
                dl.facts {
                    @for example in &page.examples {
                        div.fact-group {
                            dt { a href=(links::node(example.subject.id)) { (or_id(example.subject.label, example.subject.id)) } }
                            dd { ul.values { li { (value(&example.fact.value)) (details(&example.fact, true)) } } }
                        }
                    }
                }
            }
        }
    }
}
