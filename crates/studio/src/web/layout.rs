//! The frame of every page: head, header with search and navigation, footer.

use maud::{DOCTYPE, Markup, html};

/// The part of the application that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    None,
    Kb,
    Query,
    Ask,
}

/// Everything around the content of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'f> {
    pub(super) title: &'f str,
    pub(super) section: Section,
    /// Names of ES modules, besides the one of every page.
    pub(super) scripts: &'f [&'static str],
    /// After how many seconds the browser loads the page again, for work that goes on in the background.
    pub(super) again_after: Option<u32>,
}

impl<'f> Frame<'f> {
    pub(super) fn new(title: &'f str, section: Section, scripts: &'f [&'static str]) -> Frame<'f> {
        Frame { title, section, scripts, again_after: None }
    }
}

/// The sections in the header: address, name, key after `g`.
const SECTIONS: [(Section, &str, &str, &str); 3] = [
    (Section::Kb, "/kb", "Knowledge base", "k"),
    (Section::Query, "/query", "Query", "q"),
    (Section::Ask, "/ask", "Ask", "a"),
];

/// A whole page.
pub(super) fn frame(about: &Frame<'_>, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if let Some(seconds) = about.again_after { meta http-equiv="refresh" content=(seconds); }
                title { (about.title) " · Touchstone" }
                link rel="stylesheet" href="/assets/studio.css";
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                script type="module" src="/assets/studio.js" {}
                @for script in about.scripts {
                    script type="module" src={ "/assets/" (script) } {}
                }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                (header(about.section))
                main #content tabindex="-1" { (body) }
                footer.page-foot {
                    p {
                        "Touchstone studio. Every page is also JSON: add "
                        code { "format=json" }
                        " to its address. "
                        button.as-link.needs-script type="button" data-action="help" { "Keyboard shortcuts" }
                    }
                }
                div.visually-hidden #status role="status" aria-live="polite" {}
            }
        }
    };
    page.into_string() + "\n"
}

fn header(current: Section) -> Markup {
    html! {
        header.page-head {
            div.bar {
                a.brand href="/" { span.mark aria-hidden="true" {} "Touchstone" }
                nav aria-label="Main" {
                    ul {
                        @for (section, path, name, key) in SECTIONS {
                            li {
                                a href=(path) data-key=(key) aria-current=[(section == current).then_some("page")] { (name) }
                            }
                        }
                    }
                }
                form.search role="search" action="/kb/find" method="get" {
                    label.visually-hidden for="search" { "Search the knowledge base" }
                    input #search type="search" name="q" placeholder="Search names" autocomplete="off" spellcheck="false" data-suggest="go";
                    button.visually-hidden type="submit" tabindex="-1" { "Search" }
                }
            }
        }
    }
}

/// A link in a row of choices, the current one marked.
pub(super) fn chip(href: &str, text: &str, is_current: bool) -> Markup {
    html! { a.chip href=(href) aria-current=[is_current.then_some("true")] { (text) } }
}

/// Links to the previous and the next page of a list.
pub(super) fn pager(previous: Option<String>, shown: &str, next: Option<String>) -> Markup {
    html! {
        @if previous.is_some() || next.is_some() {
            nav.pager aria-label="Pages" {
                @if let Some(href) = previous { a.button.quiet href=(href) rel="prev" { "← Previous" } }
                span.muted { (shown) }
                @if let Some(href) = next { a.button.quiet href=(href) rel="next" { "Next →" } }
            }
        }
    }
}

/// A horizontal bar for a share of a whole, as a picture without text: the figure stands beside it.
pub(super) fn bar(share: f64) -> Markup {
    // In thousandths of the width.
    let width = format!("{:.0}", (share.clamp(0.0, 1.0) * 1000.0).max(4.0));
    html! {
        svg.share viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect.share-back width="1000" height="10" {}
            rect.share-fill width=(width) height="10" {}
        }
    }
}
