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
    // A query over one graph need not be recognised in the words of the other.
    let facts = parsed.text.contains("pred:") || parsed.text.contains('\\');
    for base in [None, Some(BASE.to_owned())] {
        let Ok(recognised) = recognise(&parsed.query, &Namespaces { base }) else { continue };
        drawn(&recognised.query);
        let plain = Dialect::Plain { base: BASE.to_owned() };
        let again =
            [Dialect::Freebase, plain, Dialect::KqaPro].map(|dialect| reread(&recognised.query, &dialect));
        match again {
            [Ok(()), Ok(()), _] => {}
            [_, _, Ok(())] if facts => {}
            [Err(why), _, _] | [_, Err(why), _] if !facts => panic!("{why}"),
            [.., why] => panic!("{why:?}"),
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

/// What is printed can be parsed, and is recognised as the same query unless the printer says what it loses.
fn reread(query: &Query, dialect: &Dialect) -> Result<(), String> {
    let Ok(printed) = print(query, dialect) else { return Ok(()) };
    let base = match dialect {
        Dialect::Plain { base } => Some(base.clone()),
        _ => None,
    };
    let text = &printed.text;
    let parsed = parse(text).unwrap_or_else(|error| panic!("{dialect:?}: {error}\n{text}"));
    let again = recognise(&parsed.query, &Namespaces { base });
    let again = again.map_err(|error| format!("{dialect:?}: {error}\n{text}"))?;
    if !printed.lost.is_empty() {
        return Ok(());
    }
    let (gold, found) = (Canonical::of(query, &()), Canonical::of(&again.query, &()));
    match gold.compare(&found).why {
        None => Ok(()),
        Some(why) => Err(format!("{dialect:?}: {why}\n{text}")),
    }
}
