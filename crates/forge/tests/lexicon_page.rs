//! The page about lexicons documents exactly the keys that the code reads.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use touchstone_benchmark::english::Lexicon;

fn page(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The keys of a section that the code reads, from its error message for an unknown key.
fn known_keys(section: &str) -> Vec<String> {
    let error = toml::from_str::<Lexicon>(&format!("[{section}.x]\nno_such_key = 1\n")).unwrap_err();
    let (_, expected) = error.message().split_once("expected one of ").unwrap();
    let mut keys: Vec<String> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    keys.sort();
    keys
}

/// The keys of a section on the page, with their defaults.
fn documented_keys(section: &str) -> BTreeMap<String, String> {
    let page = page("lexicons.md");
    let heading = format!("## {}{}\n", section[..1].to_uppercase(), &section[1..]);
    let body = page.split_once(&heading).unwrap().1.split("\n## ").next().unwrap().to_owned();
    let row = |line: &str| {
        let (key, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((key.to_owned(), rest.split(" | ").next()?.to_owned()))
    };
    body.lines().filter_map(row).collect()
}

/// An entry with these keys, each with a valid value.
fn entry<'k>(section: &str, keys: impl Iterator<Item = &'k String>) -> String {
    let mut text = format!("[{section}.x]\n");
    for key in keys {
        let value = match key.as_str() {
            "person" | "article" | "dated" | "when" => "true",
            "about" => "{}",
            _ => "\"word\"",
        };
        text += &format!("{key} = {value}\n");
    }
    text
}

#[test]
fn every_key_is_documented() {
    for section in ["classes", "relations", "attributes", "qualifiers"] {
        let documented = documented_keys(section);
        assert_eq!(documented.keys().cloned().collect::<Vec<_>>(), known_keys(section), "{section}");
        toml::from_str::<Lexicon>(&entry(section, documented.keys())).unwrap();
        for (key, default) in &documented {
            let others = documented.keys().filter(|other| *other != key);
            let is_optional = toml::from_str::<Lexicon>(&entry(section, others)).is_ok();
            assert_eq!(is_optional, default != "required", "{section}.{key}");
        }
    }
}

#[test]
fn the_example_is_the_file() {
    let page = page("lexicons.md");
    let block = page.split_once("```toml words.toml\n").unwrap().1.split("```").next().unwrap();
    assert_eq!(block, self::page("words.toml"));
    toml::from_str::<Lexicon>(block).unwrap();
}
