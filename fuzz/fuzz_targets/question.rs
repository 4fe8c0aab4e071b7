//! Questions in English: whatever is typed is read, searched for and replied to on a small KB, without a panic and within bounds.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use std::sync::OnceLock;
use touchstone_benchmark::english::Lexicon;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_prospector::{MIN_CONFIDENCE, Prospector, SearchLimits};

const TRIPLES: &str = r#"
@base <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<film> rdfs:label "film"@en . <person> rdfs:label "person"@en . <director> rdfs:label "director"@en . <year> rdfs:label "release year"@en .
<length> rdfs:label "length"@en . <part> rdfs:label "sequel of"@en . <old> rdfs:label "in black and white"@en .
<a> a <film> ; rdfs:label "Alien"@en ; <director> <s> ; <year> "1979"^^xsd:gYear ; <length> 117 ; <old> false .
<b> a <film> ; rdfs:label "Blade Runner"@en ; <director> <s> ; <year> "1982"^^xsd:gYear ; <length> 117.5 .
<c> a <film> ; rdfs:label "Aliens"@en ; <director> <j> ; <year> "1986"^^xsd:gYear ; <length> 137 ; <part> <a> .
<s> a <person> ; rdfs:label "Ridley Scott"@en . <j> a <person> ; rdfs:label "James Cameron"@en .
"#;

fn kb() -> &'static Kb {
    static KB: OnceLock<Kb> = OnceLock::new();
    KB.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("touchstone-fuzz-question-{}", std::process::id()));
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
    static ASKED: OnceLock<(Prospector<'static>, Lexicon)> = OnceLock::new();
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let (prospector, lexicon) = ASKED.get_or_init(|| {
        let limits = SearchLimits { executions: 300, ..SearchLimits::default() };
        (Prospector::new(kb()).with_limits(limits), Lexicon::of(kb()))
    });
    let readings = prospector.read(text, None, 2);
    let reply = prospector.reply(text, &readings, lexicon, MIN_CONFIDENCE);
    assert!((0.0..=1.0).contains(&reply.confidence));
    Corpus::Keep
});
