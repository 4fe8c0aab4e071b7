//! What all pages share: the document around them, the style, and data for scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

/// The look of all pages: colours, type, spacing and common elements.
const LOOK: &str = include_str!("look.css");
/// The frame of a page that is one file.
const STYLE: &str = include_str!("page.css");

/// A page that needs nothing but itself.
pub(crate) fn page(title: &str, style: &'static str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(LOOK)) (PreEscaped(STYLE)) (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

/// What kind of page it is, and its heading.
pub(crate) fn heading(kind: &str, title: &str) -> Markup {
    html! {
        p.eyebrow { span.dot aria-hidden="true" {} (kind) }
        h1 { (title) }
    }
}

/// Facts below a heading, each with its name.
pub(crate) fn facts<'n>(facts: impl IntoIterator<Item = (&'n str, Markup)>) -> Markup {
    html! {
        dl.facts { @for (name, fact) in facts { div { dt { (name) } dd { (fact) } } } }
    }
}

/// The first digits of a hash, with all of them as a tooltip.
pub(crate) fn hash_start(hash: &str) -> Markup {
    html! { code title=(hash) { (hash.get(..8).unwrap_or(hash)) } }
}

/// Data for a script, in an element with the id `data`. Nothing in it can end the element.
pub(crate) fn script_data(data: &impl Serialize) -> Result<Markup, serde_json::Error> {
    let json = json(data)?;
    Ok(html! { script id="data" type="application/json" { (PreEscaped(json)) } })
}

/// Data for a script, one line of JSON for each record, so that it need not parse all of them.
pub(crate) fn script_lines(
    id: &str,
    records: impl Iterator<Item = impl Serialize>,
) -> Result<Markup, serde_json::Error> {
    let mut lines = String::new();
    for record in records {
        lines.push_str(&json(&record)?);
        lines.push('\n');
    }
    Ok(html! { script id=(id) type="application/json-lines" { (PreEscaped(lines)) } })
}

/// JSON that cannot end the element that it is in.
fn json(data: &impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(data)?;
    Ok(json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"))
}

#[cfg(test)]
mod tests {
    use super::{page, script_data, script_lines};
    use maud::html;

    #[test]
    fn titles_are_text() {
        let page = page("<i>", "", &html! {});
        assert!(page.contains("<title>&lt;i&gt;</title>"), "{page}");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let text = "</script><!--<script>\u{2028}";
        let markup = script_data(&text).expect("JSON").into_string();
        assert_eq!(markup.matches('<').count(), 2, "{markup}");
        let json = markup.split_once('>').and_then(|(_, rest)| rest.rsplit_once('<')).expect("content").0;
        assert_eq!(serde_json::from_str::<String>(json).expect("JSON"), text);
        let markup = script_lines("details", [text, "a\nb"].iter()).expect("JSON").into_string();
        assert_eq!(markup.matches('<').count(), 2, "{markup}");
        assert_eq!(markup.lines().count(), 3, "a line for each record, and the end: {markup}");
    }
}
