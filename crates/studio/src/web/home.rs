//! The start page.

use super::layout::{Frame, Section};
use super::parts::figure;
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use super::{Studio, links};
use maud::html;
use serde::Serialize;

#[derive(Serialize)]
struct Home<'h> {
    kb: &'h str,
    fingerprint: &'h str,
    entities: u64,
    facts: u64,
    examples: &'h super::examples::Examples,
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let (info, examples) = (studio.info(), studio.examples());
    let data = Home {
        kb: info.name,
        fingerprint: info.fingerprint,
        entities: info.entities,
        facts: info.facts.total,
        examples,
    };
    let frame = Frame::new(info.name, Section::None, &["suggest.js"]);
    Ok(Reply::page(request, &frame, &data, || {
        html! {
            div.hero {
                p.eyebrow { "Knowledge base" }
                h1 { (info.name) }
                @if let Some(other) = studio.folder.other_kb() {
                    p.notice role="note" {
                        "This folder was used with another knowledge base before (" code { (super::parts::beginning(other, 12)) }
                        "); this one is " code { (super::parts::beginning(info.fingerprint, 12)) } "."
                    }
                }
                form.big-search role="search" action="/kb/find" method="get" aria-label="Names" {
                    label.visually-hidden for="big-search" { "Name of an entity or a class" }
                    input #big-search type="search" name="q" placeholder="A name, such as Paris" autocomplete="off" spellcheck="false" data-suggest="go";
                    button type="submit" { "Search" }
                }
                @if !examples.names.is_empty() {
                    p.try {
                        span.muted { "Try " }
                        @for name in &examples.names { a.chip href=(links::node(name.id)) { (name.label) } }
                    }
                }
            }
            dl.figures {
                (figure(info.entities, "entities"))
                (figure(info.facts.total, "facts"))
                (figure(info.classes, "classes"))
                (figure(info.relations, "relations"))
                (figure(info.attributes, "attributes"))
            }
            div.cards {
                section.card {
                    h2 { a href="/kb" { "Explore" } }
                    p { "Look up entities, follow their facts, and read the schema: what there is, and how complete it is." }
                }
                section.card {
                    h2 { a href="/query" { "Query" } }
                    p { "Write KoPL, S-expressions or SPARQL. See the answers, every step with its intermediate results, the graph, and the same query in the other languages and in English." }
                }
                section.card {
                    h2 { a href="/ask" { "Ask" } }
                    p { "Ask a question in English. Compare the systems that this studio was started with, and say whether they are right." }
                }
            }
            @if !examples.queries.is_empty() {
                section {
                    h2 { "Queries that work here" }
                    ul.query-list {
                        @for example in examples.queries.iter().take(6) {
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
    }))
}
