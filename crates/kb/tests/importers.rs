//! Importers against files of every kind of content and damage; see `importers/README.md`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export};
use touchstone_kb::import::{ImportRequest, Profile, Source, Subset, Tally, import};
use touchstone_kb::{Kb, NoProgress};

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/importers");
    let mut cases: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    cases.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        path.is_file() && name != "README.md" && !name.ends_with(".expected") && !name.ends_with(".seeds")
    });
    cases.sort();
    assert!(cases.len() >= 15);
    cases
}

fn request(path: &Path) -> ImportRequest {
    let beside =
        |ending: &str| Some(PathBuf::from(format!("{}{ending}", path.display()))).filter(|p| p.exists());
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let parts: Vec<&str> = name.split('.').collect();
    let source = match parts[0] {
        "kqapro" => Source::KqaPro,
        "lines" => Source::Lines,
        "wikidata-json" => Source::WikidataJson(Subset { seeds: beside(".seeds"), ..Subset::default() }),
        "rdf" => Source::Rdf(match parts[1] {
            "rdfs" => Profile::Rdfs,
            "freebase" => Profile::Freebase,
            "dbpedia" => Profile::Dbpedia,
            "wikidata" => Profile::Wikidata,
            other => panic!("unknown profile {other}"),
        }),
        other => panic!("unknown source {other}"),
    };
    let mut request = ImportRequest::new(source, vec![path.to_path_buf()]);
    request.ontology = beside(".ontology");
    request
}

/// The report and the KB, as text.
fn outcome(path: &Path) -> String {
    let dir = tempfile::tempdir().unwrap();
    let folder = format!("{}/", path.parent().unwrap().display());
    let out = dir.path().join("kb");
    let report = match import(&request(path), &out, &NoProgress) {
        Ok(report) => report,
        Err(error) => {
            assert!(!out.exists(), "a failed import leaves nothing behind");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nor next to it");
            return format!("error: {error}\n").replace(&folder, "");
        }
    };
    let mut text = String::new();
    let mut tally = |what: &str, tally: &Tally| {
        for (kind, n) in &tally.0 {
            writeln!(text, "{what}: {n} {kind}").unwrap();
        }
    };
    tally("kept", &report.kept);
    tally("graph only", &report.graph_only);
    tally("skipped", &report.skipped);
    tally("note", &report.notes);
    tally("left out", &Tally(report.compiled.left_out.clone()));
    writeln!(text, "duplicate facts: {}", report.compiled.duplicate_facts).unwrap();
    for cycle in &report.compiled.cycles {
        writeln!(text, "cycle: {}", cycle.join(" -> ")).unwrap();
    }
    for problem in &report.problems {
        writeln!(text, "problem: {problem}").unwrap();
    }
    let kb = Kb::open(&out).unwrap();
    let mut lines = Vec::new();
    let request = ExportRequest { format: ExportFormat::Lines, view: ExportView::Direct, qualifiers: true };
    export(&kb, &request, &mut lines, &NoProgress).unwrap();
    text.push('\n');
    text.push_str(&String::from_utf8(lines).unwrap());
    text.replace(&folder, "")
}

#[test]
fn every_case_comes_out_as_expected() {
    let mut wrong = Vec::new();
    for case in cases() {
        let got = outcome(&case);
        let expected_path = PathBuf::from(format!("{}.expected", case.display()));
        if std::env::var_os("COMPLETE").is_some() {
            fs::write(&expected_path, &got).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if got != expected {
            wrong.push(format!("{}\n--- expected\n{expected}--- got\n{got}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn strict_stops_at_the_first_problem_and_leaves_nothing() {
    for case in cases().iter().filter(|c| c.to_string_lossy().contains(".damage.")) {
        let dir = tempfile::tempdir().unwrap();
        let mut request = request(case);
        request.strict = true;
        let error = import(&request, &dir.path().join("kb"), &NoProgress).unwrap_err().to_string();
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        assert!(error.contains(&name) && error.contains("^"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

/// Files truncated at any place give an error or a report, never a panic and never an incomplete store.
#[test]
fn cut_files_never_panic() {
    for case in cases() {
        let bytes = fs::read(&case).unwrap();
        let name = case.file_name().unwrap().to_owned();
        for cut in (0..bytes.len()).step_by((bytes.len() / 25).max(1)) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(&name);
            fs::write(&path, &bytes[..cut]).unwrap();
            let mut request = request(&case);
            request.inputs = vec![path];
            let out = dir.path().join("out/kb");
            match import(&request, &out, &NoProgress) {
                Ok(_) => drop(Kb::open(&out).unwrap()),
                Err(_) => assert_eq!(fs::read_dir(dir.path().join("out")).map_or(0, Iterator::count), 0),
            }
        }
    }
}

/// Items that share a seed's label are included if requested, up to the given number.
#[test]
fn homonyms_of_seeds_come_along() {
    let dir = tempfile::tempdir().unwrap();
    let (dump, seeds) = (dir.path().join("dump.json"), dir.path().join("seeds"));
    let item = |id: &str, label: &str| {
        format!(r#"{{"id":"{id}","type":"item","labels":{{"en":{{"value":"{label}"}}}}}}"#)
    };
    let items = [item("Q1", "Paris"), item("Q2", "Paris"), item("Q3", "Rome"), item("Q4", "Paris")];
    fs::write(&dump, format!("[\n{}\n]\n", items.join(",\n"))).unwrap();
    fs::write(&seeds, "Q1\n").unwrap();
    for (same_name, n_entities) in [(0, 1), (1, 2), (9, 3)] {
        let subset = Subset { seeds: Some(seeds.clone()), same_name, ..Subset::default() };
        let report =
            support::import_file(Source::WikidataJson(subset), &[&dump], &dir.path().join("kb")).unwrap();
        assert_eq!(report.compiled.manifest.counts.entities, n_entities);
    }
}

#[test]
fn the_order_of_lines_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let nt = dir.path().join("a.nt");
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/importers/rdf.rdfs.basic.ttl");
    import(&request(&case), &dir.path().join("kb"), &NoProgress).unwrap();
    let kb = Kb::open(&dir.path().join("kb")).unwrap();
    let export_request =
        ExportRequest { format: ExportFormat::NTriples, view: ExportView::Direct, qualifiers: true };
    touchstone_kb::export::export_to(&kb, &export_request, &nt, &NoProgress).unwrap();
    let text = fs::read_to_string(&nt).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    for order in 0..5 {
        support::Rng::new(order).shuffle(&mut lines);
        fs::write(&nt, lines.join("\n")).unwrap();
        let report =
            support::import_file(Source::Rdf(Profile::Rdfs), &[&nt], &dir.path().join("again")).unwrap();
        assert_eq!(report.compiled.manifest.fingerprint, kb.manifest().fingerprint);
    }
}
