//! Names, descriptions and values that try to be markup stay text: a page about them has the same elements as one about plain names.

use super::client::{Running, encoded, leaked};
use serde_json::json;
use touchstone_engine::budget::Limits;
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{Kb, NoProgress};

/// What is put into names; each is combined with each ending.
const STARTS: [&str; 15] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</title><svg onload=alert(1)>",
    "</textarea><b>",
    "</pre></details><h1>",
    "javascript:alert(1)",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "&#x3c;i&#x3e;",
    "{{7*7}}${7*7}",
    "<a href=//evil.example>",
    "%3Cscript%3E",
    "<base href=//evil.example>",
];
const ENDINGS: [&str; 20] = [
    "", "\u{202e}", "\u{2028}", "é", "😀", "\\", "`", "=", ";", "&", "\"", "'", "<", ">", "?x=1&y=2", "#",
    "../../", "(", ")", ",",
];

/// A KB with a film and its director, whose names, description, class and property are given.
fn kb(words: &[String]) -> (tempfile::TempDir, &'static Kb) {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = vec![json!({"touchstone_kb": 1, "name": words[0]})];
    lines.push(json!({"class": "film", "label": words[1 % words.len()]}));
    lines.push(json!({"relation": "directed_by", "label": words[2 % words.len()]}));
    lines.push(json!({"attribute": "motto", "label": words[3 % words.len()], "kind": "text"}));
    for (at, word) in words.iter().enumerate() {
        lines.push(json!({"entity": format!("p{at}"), "label": word, "description": word, "aliases": [format!("x{word}")]}));
        lines.push(json!({
            "entity": format!("f{at}"), "label": format!("film {word}"), "classes": ["film"],
            "relations": [["directed_by", format!("p{at}")]],
            "attributes": [["motto", word]],
        }));
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = folder.path().join("kb.jsonl");
    std::fs::write(&file, text).unwrap();
    let store = folder.path().join("kb");
    import(&ImportRequest::new(Source::Lines, vec![file]), &store, &NoProgress).unwrap();
    (folder, leaked(Kb::open(&store).unwrap()))
}

/// The elements of a page with the names of their attributes, in order.
fn structure(page: &str) -> Vec<String> {
    let tag = |rest: &str| {
        let tag = rest.split('>').next().unwrap();
        let name: String = tag.chars().take_while(|c| !c.is_whitespace()).collect();
        // Attributes are written as name="value", and values have neither quotes nor brackets.
        let parts: Vec<&str> = tag.split('"').step_by(2).map(str::trim).collect();
        format!("{name} {}", parts.join(" "))
    };
    page.split('<').skip(1).map(tag).collect()
}

#[test]
fn names_are_text() {
    let hostile: Vec<String> = STARTS
        .iter()
        .flat_map(|start| ENDINGS.iter().map(move |ending| format!("{start}{ending}")))
        .collect();
    assert_eq!(hostile.len(), 300);
    let plain: Vec<String> = (0..hostile.len()).map(|at| format!("name {at:03}")).collect();
    let (hostile_folder, hostile_kb) = kb(&hostile);
    let (plain_folder, plain_kb) = kb(&plain);
    let [mine, other] = [hostile_kb, plain_kb].map(|kb| Running::start(kb, Limits::default()));
    for (at, name) in hostile.iter().enumerate() {
        for address in [format!("/kb/show?id=p{at}"), format!("/kb/show?id=f{at}")] {
            let (page, expected) = (mine.get(&address).body, other.get(&address).body);
            let difference = structure(&page).into_iter().zip(structure(&expected)).find(|(a, b)| a != b);
            assert!(difference.is_none(), "{address} of {name:?}: {difference:?}");
            assert_eq!(structure(&page).len(), structure(&expected).len(), "{address}");
        }
    }
    for address in ["/kb", "/", "/kb/property?id=directed_by", "/kb/property?id=motto"] {
        let page = mine.get(address).body;
        for element in ["<script>alert", "<img", "<b>", "<i>", "onerror=alert(1)>", "<base"] {
            assert!(!page.contains(element), "{address} has {element}");
        }
    }
    drop((hostile_folder, plain_folder));
}

#[test]
fn what_is_typed_is_text() {
    let (_folder, kb) = kb(&["plain".to_owned()]);
    let studio = Running::start(kb, Limits::default());
    for start in STARTS {
        for ending in ENDINGS {
            let (text, plain) = (encoded(&format!("{start}{ending}")), "zzzz");
            for path in ["/kb/find?q=", "/kb/show?id=", "/kb/property?id=", "/kb?filter=", "/kb?domain="] {
                let (page, expected) =
                    (studio.get(&format!("{path}{text}")), studio.get(&format!("{path}{plain}")));
                let (page, expected) = (structure(&page.body), structure(&expected.body));
                // Similar names may be suggested for one and not for the other.
                let mut known = expected.clone();
                known.extend(
                    [
                        "ul class=",
                        "li",
                        "/li",
                        "/ul",
                        "a href=",
                        "/a",
                        "span class=",
                        "/span",
                        "section class=",
                        "/section",
                        "h2",
                        "/h2",
                    ]
                    .map(str::to_owned),
                );
                for element in page {
                    let name = element.split(' ').next().unwrap().to_owned();
                    let is_known = known.iter().any(|other| other.split(' ').next() == Some(name.as_str()));
                    assert!(is_known, "{path}{text} has <{element}>");
                }
            }
            let page = studio.get(&format!("/query?q={text}")).body;
            assert!(
                !page.contains("<script>alert") && !page.contains("<img") && !page.contains("<base"),
                "{text}"
            );
            assert_eq!(page.matches("</textarea>").count(), 1, "{text}");
        }
    }
}
