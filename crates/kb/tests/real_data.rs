//! Real public data, if it is available.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use support::import_file;
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export_to};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, Literal, NoProgress, Property};
use touchstone_testing::shared_data;

#[test]
fn freebase_with_its_ontology() {
    let Some(nt) = shared_data("freebase/mini.nt") else { return };
    let dir = tempfile::tempdir().unwrap();
    let mut request = ImportRequest::new(Source::Rdf(Profile::Freebase), vec![nt.clone()]);
    request.ontology = nt.parent().map(Into::into);
    let report = import(&request, &dir.path().join("kb"), &NoProgress).unwrap();
    let ontology: u64 = report.kept.0.iter().filter(|(k, _)| k.starts_with("ontology")).map(|(_, n)| n).sum();
    assert_eq!(report.n_records() - ontology, 96_087, "every triple is accounted for");
    assert_eq!(report.n_problems, 0);
    assert_eq!(report.skipped.total(), 0, "{:?}", report.skipped);
    assert_eq!(report.kept.get("label"), 39_581);
    assert_eq!(report.kept.get("type"), 23_291);
    assert_eq!(report.kept.get("ontology: relation"), 19_280);
    assert_eq!(report.kept.get("ontology: sub-class"), 21_107);
    assert_eq!(report.kept.get("ontology: inverse"), 9_907);
    assert_eq!(report.kept.get("ontology: domain"), 8_303);
    assert_eq!(report.notes.get("classes that fb_types calls sub-classes of themselves"), 16);

    let kb = Kb::open(&dir.path().join("kb")).unwrap();
    let contains = kb.relation("location.location.contains").unwrap();
    assert_eq!(kb.relation_inverse(contains), kb.relation("location.location.containedby"));
    assert_eq!(kb.property_group(Property::Relation(contains)), Some("location"));
    let gauge = kb.attribute("rail.locomotive_class.gauge_mm").unwrap();
    assert!(!kb.facts_by_value(gauge).is_empty());

    let file = dir.path().join("mini.nt");
    let direct = ExportRequest { format: ExportFormat::NTriples, view: ExportView::Direct, qualifiers: true };
    export_to(&kb, &direct, &file, &NoProgress).unwrap();
    let again = import_file(Source::Rdf(Profile::Freebase), &[&file], &dir.path().join("again")).unwrap();
    assert_eq!(again.compiled.manifest.fingerprint, kb.manifest().fingerprint, "export and import again");
}

#[test]
fn kopl_example_kb() {
    let Some(json) = shared_data("kqapro/kopl_example_kb.json") else { return };
    let dir = tempfile::tempdir().unwrap();
    let report = import_file(Source::KqaPro, &[&json], &dir.path().join("kb")).unwrap();
    assert_eq!(report.n_problems, 0);
    let counts = report.compiled.manifest.counts;
    assert_eq!((counts.entities, counts.classes), (4, 4));
    assert_eq!((counts.relational_facts, counts.literal_facts, counts.qualified_facts), (5, 9, 3));
    let kb = Kb::open(&dir.path().join("kb")).unwrap();
    let lebron = kb.nodes_named("LeBron James")[0];
    let height = kb.attribute("height").unwrap();
    let values = kb.literals(lebron, height);
    assert_eq!(values, [kb.find_literal(&Literal::quantity("206", "centimetre").unwrap()).unwrap().0]);
    let athlete = kb.class("Q2066131").unwrap();
    assert_eq!(kb.members(athlete).len(), 2, "membership is transitive");
    let file = dir.path().join("again.json");
    let request =
        ExportRequest { format: ExportFormat::KqaProJson, view: ExportView::Direct, qualifiers: true };
    let exported = export_to(&kb, &request, &file, &NoProgress).unwrap();
    assert_eq!(exported.lost, [], "the format holds all of it");
    let again = import_file(Source::KqaPro, &[&file], &dir.path().join("again")).unwrap();
    assert_eq!(again.compiled.manifest.fingerprint, kb.manifest().fingerprint);
}
