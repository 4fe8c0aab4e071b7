//! KoPL programs in their three forms: what is printed is read back as it was.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use touchstone_logic::equal::Canonical;
use touchstone_logic::graph::draw;
use touchstone_logic::sparql::{self, Dialect};
use touchstone_logic::{Form, Program, QueryGraph, kopl};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let program = match Program::parse(text) {
        Ok(program) => program,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Corpus::Keep;
        }
    };
    let checked = program.check();
    if let Err(error) = &checked {
        assert!(!error.to_string().is_empty());
    }
    let json = program.to_json();
    assert_eq!(Program::parse(&json).as_ref(), Ok(&program), "{json}");
    if let Ok(ordered) = program.in_order() {
        for line in [program.to_linear(), program.to_readable()].into_iter().flatten() {
            assert_eq!(Program::parse(&line).as_ref(), Ok(ordered.as_ref()), "{line}");
        }
    }
    match program.to_query(&()) {
        Ok(query) => {
            assert_eq!(checked, Ok(()));
            Canonical::of(&query, &());
            let graph = QueryGraph::of(&query);
            graph.shape();
            draw(&graph);
            let _ = Form::from_query(&query);
            let _ = sparql::print(&query, &Dialect::KqaPro);
            if let Ok((again, _)) = kopl::from_query(&query, &()) {
                let line = again.to_readable().expect("a printed program is in order");
                assert_eq!(Program::parse(&line), Ok(again), "{line}");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Corpus::Keep
});
