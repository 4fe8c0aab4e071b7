//! SPARQL: repaired, parsed, recognised, printed in every dialect and recognised again, and drawn.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use touchstone_logic::equal::Canonical;
use touchstone_logic::graph::{draw, svg};
use touchstone_logic::sparql::{Dialect, Namespaces, parse, print, recognise};
use touchstone_logic::{Query, QueryGraph};

const BASE: &str = "http://example.org/";

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let parsed = match parse(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Corpus::Keep;
        }
    };
    for repair in &parsed.repairs {
        assert!(!repair.to_string().is_empty());
    }
    for base in [None, Some(BASE.to_owned())] {
        let Ok(recognised) = recognise(&parsed.query, &Namespaces { base }) else { continue };
        drawn(&recognised.query);
        for dialect in [Dialect::Freebase, Dialect::KqaPro, Dialect::Plain { base: BASE.to_owned() }] {
            reread(&recognised.query, &dialect);
        }
    }
    Corpus::Keep
});

fn drawn(query: &Query) {
    let graph = QueryGraph::of(query);
    graph.shape();
    draw(&graph);
    svg(&graph);
}

/// What is printed is recognised as the same query, unless the printer says what it loses.
fn reread(query: &Query, dialect: &Dialect) {
    let Ok(printed) = print(query, dialect) else { return };
    let base = match dialect {
        Dialect::Plain { base } => Some(base.clone()),
        _ => None,
    };
    let text = &printed.text;
    let parsed = parse(text).unwrap_or_else(|error| panic!("{dialect:?} PARSE {error}\n{text}"));
    let again = recognise(&parsed.query, &Namespaces { base });
    let again = again.unwrap_or_else(|error| panic!("{dialect:?} RECOGNISE {error}\n{text}"));
    if printed.lost.is_empty() {
        let (gold, found) = (Canonical::of(query, &()), Canonical::of(&again.query, &()));
        assert_eq!(gold.compare(&found).why, None, "{dialect:?}\n{text}");
    }
}
