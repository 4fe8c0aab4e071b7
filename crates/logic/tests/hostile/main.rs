//! Inputs of 64 KB that are designed to be slow, deep or large. They only have to finish, on a thread with the usual stack.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod forms;
mod queries;

use forms::{pair_cases, program_cases, s_expression_cases};
use queries::sparql_cases;
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::graph::{Style, draw_in};
use touchstone_logic::sparql::{Dialect, Namespaces};
use touchstone_logic::{Form, Ontology, Program, Query, QueryGraph, Spelling, kopl, sexpr, sparql};

pub(crate) const SIZE: usize = 1 << 16;
const STACK: usize = 2 << 20;

/// An input, with a word for its kind.
pub(crate) type Case = (String, String);

#[test]
fn s_expressions() {
    all(s_expression_cases(), s_expression);
}

#[test]
fn pairs_of_s_expressions() {
    all(pair_cases(), pair);
}

#[test]
fn programs() {
    all(program_cases(), program);
}

#[test]
fn sparql_queries() {
    all(sparql_cases(), sparql_query);
}

fn all(cases: Vec<Case>, run: fn(&str)) {
    for (name, text) in cases {
        assert!(text.len() <= SIZE * 5 / 4, "{name}: {} bytes", text.len());
        // The name first: after a stack overflow, nothing else is printed.
        eprint!("{name}: ");
        let start = std::time::Instant::now();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&text));
        assert!(thread.unwrap().join().is_ok(), "{name}");
        eprintln!("{} ms", start.elapsed().as_millis());
    }
}

fn s_expression(text: &str) {
    match Form::parse(text, &Spelling) {
        Ok(form) => {
            let printed = form.to_string();
            assert_eq!(Form::parse(&printed, &Spelling).as_ref(), Ok(&form));
            if let Ok(query) = form.to_query() {
                everything(&query);
            }
        }
        Err(error) => assert!(error.to_string().len() < 4000),
    }
    pair(&format!("{text}\n{text}"));
}

fn pair(text: &str) {
    let (gold, predicted) = text.split_once('\n').unwrap_or((text, ""));
    let ontology = Ontology::default();
    for legacy in [false, true] {
        let mut matcher = OfficialMatcher::new(&ontology).legacy(legacy);
        let equal = matcher.equal(gold, predicted);
        assert_eq!(matcher.explain(gold, predicted).equal, equal);
    }
}

fn program(text: &str) {
    match Program::parse(text) {
        Ok(program) => {
            let _ = program.check().map_err(|error| error.to_string());
            let json = program.to_json();
            assert_eq!(Program::from_json(&json).as_ref(), Ok(&program));
            for line in [program.to_linear(), program.to_readable()].into_iter().flatten() {
                let again = Program::parse(&line).unwrap();
                assert_eq!(again, *program.in_order().unwrap());
            }
            if let Ok(query) = program.to_query(&()) {
                everything(&query);
            }
        }
        Err(error) => assert!(error.to_string().len() < 4000),
    }
}

fn sparql_query(text: &str) {
    match sparql::parse(text) {
        Ok(parsed) => match sparql::recognise(&parsed.query, &Namespaces::default()) {
            Ok(recognised) => everything(&recognised.query),
            Err(error) => assert!(error.to_string().len() < 4000),
        },
        Err(error) => assert!(error.to_string().len() < 4000),
    }
}

/// Everything that can be derived from a query without running it.
fn everything(query: &Query) {
    for (_, stage) in STAGES {
        stage(query);
    }
}

type Stage = (&'static str, fn(&Query));

const STAGES: [Stage; 8] = [
    ("canonical", |query| {
        let canonical = Canonical::of(query, &());
        assert!(canonical.compare(&Canonical::template(query, &())).why.is_none_or(|why| !why.is_empty()));
    }),
    ("shape", |query| {
        QueryGraph::of(query).shape();
    }),
    ("draw", |query| {
        draw_in(&QueryGraph::of(query), Style::Ascii);
    }),
    ("print sexpr", |query| {
        let _ = sexpr::print(query);
    }),
    ("print kopl", |query| {
        let _ = kopl::print(query, &());
    }),
    ("print freebase", |query| reread(query, &Dialect::Freebase, None)),
    ("print kqapro", |query| reread(query, &Dialect::KqaPro, None)),
    ("print plain", |query| {
        let base = "http://example.org/".to_owned();
        reread(query, &Dialect::Plain { base: base.clone() }, Some(base));
    }),
];

/// Printed queries may be longer than what is accepted, or outside what is recognised; printing only has to finish.
fn reread(query: &Query, dialect: &Dialect, base: Option<String>) {
    let Ok(printed) = sparql::print(query, dialect) else { return };
    let Ok(parsed) = sparql::parse(&printed.text) else { return };
    let _ = sparql::recognise(&parsed.query, &Namespaces { base, vocabulary: None });
}
