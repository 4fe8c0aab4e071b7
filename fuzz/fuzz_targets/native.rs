//! SPARQL on the embedded engine: whatever can be parsed is run within its budget on a small KB, without a panic.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use std::sync::OnceLock;
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::native;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::rdf::{DirectView, KqaProView};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::sparql::parse;

/// The names are those of the corpus of `sparql`.
const TRIPLES: &str = r#"
@base <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<a> a <c> ; <p> <b>, <a> ; <q> 1, 2.5, "x"@en ; rdfs:label "a"@en .
<b> a <c> ; <p> <d> ; <q> "2001-02-03"^^<http://www.w3.org/2001/XMLSchema#date>, -7e2 ; rdfs:label "b" .
<d> a <e> ; <r> <a>, <b>, <d> ; <q> true, "1999"^^<http://www.w3.org/2001/XMLSchema#gYear> .
<c> rdfs:subClassOf <e> .
"#;

fn kb() -> &'static Kb {
    static KB: OnceLock<Kb> = OnceLock::new();
    KB.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("touchstone-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("kb.ttl");
        std::fs::write(&file, TRIPLES).expect("a file");
        let store = folder.join("kb");
        import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &store, &NoProgress).expect("a KB");
        let kb = Kb::open(&store).expect("a KB");
        // The store is mapped; its name is no longer needed.
        std::fs::remove_dir_all(&folder).expect("a folder");
        kb
    })
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let Ok(parsed) = parse(text) else { return Corpus::Reject };
    let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
    let _ = native::evaluate(&DirectView::new(kb()), &parsed.query, &Budget::new(limits));
    let _ = native::evaluate(&KqaProView::new(kb()), &parsed.query, &Budget::new(limits));
    Corpus::Keep
});
