//! Import, export, import: the same fingerprint, for everything the format can hold.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use std::path::Path;
use support::{Content, NaiveKb, import_file};
use touchstone_kb::export::{ExportFormat, ExportReport, ExportRequest, ExportView, export_to};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};

fn export(kb: &Kb, format: ExportFormat, path: &Path) -> ExportReport {
    export_to(kb, &ExportRequest { format, view: ExportView::Direct, qualifiers: true }, path, &NoProgress)
        .unwrap()
}

/// Exports, imports and compares.
fn check(kb: &Kb, format: ExportFormat, source: Source, file: &Path) -> ExportReport {
    let report = export(kb, format, file);
    let again = file.with_extension("kb");
    let mut request = ImportRequest::new(source, vec![file.to_path_buf()]);
    request.lang = "any".into();
    let imported = import(&request, &again, &NoProgress).unwrap();
    assert_eq!(imported.n_problems, 0, "{:?}", imported.problems);
    assert_eq!(imported.skipped.total(), 0, "{:?}", imported.skipped);
    if imported.compiled.manifest.fingerprint != kb.manifest().fingerprint {
        let again = Kb::open(&again).unwrap();
        let (a, b) = (file.with_extension("a"), file.with_extension("b"));
        export(kb, ExportFormat::Lines, &a);
        export(&again, ExportFormat::Lines, &b);
        let (a, b) = (std::fs::read_to_string(a).unwrap(), std::fs::read_to_string(b).unwrap());
        let difference = a.lines().zip(b.lines()).skip(1).find(|(x, y)| x != y);
        panic!("{format:?} does not round-trip: {difference:?}");
    }
    report
}

proptest! {
    #![proptest_config(support::cases(40))]

    #[test]
    fn lines_hold_everything(seed in 0u64..1_000_000, size in 1usize..30) {
        let dir = tempfile::tempdir().unwrap();
        let kb = NaiveKb::random(seed, size, Content::Everything).compile(&dir.path().join("kb"), seed, 1 << 20);
        let report = check(&kb, ExportFormat::Lines, Source::Lines, &dir.path().join("x.jsonl"));
        prop_assert!(report.lost.is_empty());
    }

    #[test]
    fn rdf_holds_everything_but_sources(seed in 0u64..1_000_000, size in 1usize..30) {
        let dir = tempfile::tempdir().unwrap();
        let kb = NaiveKb::random(seed, size, Content::Everything).compile(&dir.path().join("kb"), seed, 1 << 20);
        let report = check(&kb, ExportFormat::NTriples, Source::Rdf(Profile::Rdfs), &dir.path().join("x.nt"));
        prop_assert!(report.lost.is_empty(), "{:?}", report.lost);
        check(&kb, ExportFormat::Turtle, Source::Rdf(Profile::Rdfs), &dir.path().join("x.ttl"));
    }

    #[test]
    fn kqapro_json_holds_what_kqapro_knows(seed in 0u64..1_000_000, size in 1usize..30) {
        let dir = tempfile::tempdir().unwrap();
        let model = NaiveKb::random(seed, size, Content::KqaPro);
        let first = dir.path().join("first.json");
        // Through the format once, so that names have no language.
        export(&model.compile(&dir.path().join("kb"), seed, 1 << 20), ExportFormat::KqaProJson, &first);
        import_file(Source::KqaPro, &[&first], &dir.path().join("kb2")).unwrap();
        let kb = Kb::open(&dir.path().join("kb2")).unwrap();
        let report = check(&kb, ExportFormat::KqaProJson, Source::KqaPro, &dir.path().join("second.json"));
        prop_assert!(report.lost.is_empty(), "{:?}", report.lost);
    }
}

/// A schema with everything in it survives both formats.
#[test]
fn the_schema_survives() {
    let dir = tempfile::tempdir().unwrap();
    let lines = dir.path().join("kb.jsonl");
    std::fs::write(&lines, SCHEMA).unwrap();
    import_file(Source::Lines, &[&lines], &dir.path().join("kb")).unwrap();
    let kb = Kb::open(&dir.path().join("kb")).unwrap();
    let director = kb.relation("director").unwrap();
    assert_eq!(kb.relation_domain(director), kb.class("film"));
    assert_eq!(kb.literal(kb.relation_inverse_label(director).unwrap()).text(), "film directed");
    assert_eq!(kb.relation_inverse(director), kb.relation("directed"));
    assert_eq!(
        kb.relation_inverse(kb.relation("directed").unwrap()),
        Some(director),
        "declared once, known in both directions"
    );
    assert!(kb.is_symmetric(kb.relation("spouse").unwrap()));
    let duration = kb.attribute("duration").unwrap();
    assert_eq!((kb.attribute_unit(duration), kb.attribute_kind(duration).name()), ("minute", "quantity"));
    assert_eq!(kb.groups().collect::<Vec<_>>(), ["film", "people"]);
    assert_eq!(kb.fact_source(touchstone_kb::FactId(0)), Some("a source"));
    check(&kb, ExportFormat::Lines, Source::Lines, &dir.path().join("x.jsonl"));
    let report = check(&kb, ExportFormat::NTriples, Source::Rdf(Profile::Rdfs), &dir.path().join("x.nt"));
    assert_eq!(report.lost, [("sources of facts", 5)]);
    check(&kb, ExportFormat::Turtle, Source::Rdf(Profile::Rdfs), &dir.path().join("x.ttl"));
}

const SCHEMA: &str = r#"{"touchstone_kb":1,"name":"small","base":"urn:small:","lang":"en","sources":["a source","another"]}
{"class":"work","label":"work"}
{"class":"film","label":"film","parents":["work"],"aliases":["movie"],"description":"moving pictures","group":"film"}
{"class":"person","label":"person","group":"people"}
{"relation":"director","label":"director","domain":"film","range":"person","inverse":"directed","inverse_label":"film directed","group":"film","description":"who made it"}
{"relation":"directed","label":"directed"}
{"relation":"spouse","label":"spouse","domain":"person","range":"person","symmetric":true,"inverse_label":"spouse","group":"people"}
{"attribute":"duration","label":"duration","domain":"film","kind":"quantity","unit":"minute","group":"film"}
{"attribute":"spouse","label":"spouse's name"}
{"qualifier":"duration","label":"lasting","kind":"quantity","group":"film"}
{"entity":"tt1","label":"A Film","classes":["film"],"relations":[["director","p1",{},0]],"attributes":[["duration",["142","minute"],{"duration":[["1","hour"],{"id":"p1"}]},1],["duration",["2","hour"],{},1],["duration",["3"],{},1]]}
{"entity":"p1","label":{"text":"Une Personne","lang":"fr"},"classes":["person"],"attributes":[["spouse","Somebody",{},0]]}
"#;
