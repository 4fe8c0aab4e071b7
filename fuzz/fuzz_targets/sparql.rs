//! SPARQL: repaired, parsed, simplified, recognised, compared with itself, printed in every dialect and recognised again, and drawn.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use touchstone_logic::equal::{Canonical, compare_forms};
use touchstone_logic::graph::draw;
use touchstone_logic::sparql::{Dialect, Namespaces, SparqlOutline, parse, print, recognise};
use touchstone_logic::{Knowledge, Language, Query, QueryGraph, ReadForm, Spelling};

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
    understood(text);
    for base in [None, Some(BASE.to_owned())] {
        let Ok(recognised) = recognise(&parsed.query, &Namespaces { base, ..Namespaces::default() }) else { continue };
        drawn(&recognised.query);
        for dialect in [Dialect::Freebase, Dialect::Plain { base: BASE.to_owned() }, Dialect::KqaPro] {
            reread(&recognised.query, &dialect);
        }
        Canonical::of(&recognised.query, &());
    }
    Corpus::Keep
});

/// Every query that can be parsed has a graph, schema items and a template, and is the same as itself.
fn understood(text: &str) {
    let form = ReadForm::read(Language::Sparql, text, &Knowledge::of_spelling());
    if form.query().is_none() && form.outside_algebra().is_none() {
        return;
    }
    let graph = form.graph().unwrap_or_else(|error| panic!("{error}\n{text}"));
    graph.shape();
    draw(&graph);
    form.schema_items();
    form.entities();
    assert!(form.template(&Spelling).is_some(), "{text}");
    if let Some(sparql) = form.outside_algebra() {
        SparqlOutline::of(sparql);
    }
    let verdict = compare_forms(&form, &form, &Spelling).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(verdict.equal, "{:?}\n{text}", verdict.why);
}

fn drawn(query: &Query) {
    let graph = QueryGraph::of(query);
    graph.shape();
    draw(&graph);
}

/// What is printed can be parsed. That it means the same is the business of the tests, which have queries that make sense.
fn reread(query: &Query, dialect: &Dialect) {
    let Ok(printed) = print(query, dialect) else { return };
    let text = &printed.text;
    let parsed = parse(text).unwrap_or_else(|error| panic!("{dialect:?}: {error}\n{text}"));
    let _ = recognise(&parsed.query, &Namespaces::default());
}
