//! The embedded World KB, from a fresh start.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use support::{json, run, stderr, stdout};

#[test]
fn it_is_as_large_as_promised() {
    let info = json(&["kb", "info", "--json", "--schema"]);
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    assert!(number(&info["entities"]) >= 90_000);
    assert!(number(&info["classes"]) >= 40);
    assert!(number(&info["relations"]) >= 50);
    assert!(number(&info["attributes"]) >= 65);
    assert!(number(&info["facts"]["total"]) >= 600_000);
    assert!(number(&info["facts"]["qualified"]) >= 90_000);
    assert_eq!(
        number(&info["facts"]["total"]),
        number(&info["facts"]["relational"]) + number(&info["facts"]["literal"])
    );
    for key in ["fingerprint", "source", "license"] {
        assert!(!info[key].as_str().unwrap().is_empty(), "{key}");
    }
    for relation in info["schema"]["relations"].as_array().unwrap() {
        for key in ["from", "to", "inverse_label", "domain"] {
            assert!(relation[key].is_string(), "{relation} has no {key}");
        }
        assert!(relation["facts"].as_u64().unwrap() > 0, "{relation} is not used");
    }
    for attribute in info["schema"]["attributes"].as_array().unwrap() {
        assert!(attribute["from"].is_string() && attribute["domain"].is_string(), "{attribute}");
    }
    let classes = info["schema"]["classes"].as_array().unwrap();
    assert!(classes.iter().filter(|c| !c["parents"].as_array().unwrap().is_empty()).count() > 30);
}

#[test]
fn a_misspelt_film_is_found() {
    let hits = json(&["kb", "find", "shawshnk redemtion", "--json"]);
    assert_eq!(hits[0]["label"], "The Shawshank Redemption");
    assert_eq!(hits[0]["id"], "film/tt0111161");
}

#[test]
fn paris_is_ambiguous() {
    let page = json(&["kb", "show", "Paris", "--json"]);
    assert_eq!(page["description"], "capital of France");
    let candidates = page["candidates"].as_array().unwrap();
    assert!(
        candidates.iter().any(|c| c["description"].as_str().unwrap().contains("Texas")),
        "{candidates:?}"
    );
    assert!(candidates.iter().all(|c| c["description"].is_string()));
}

/// Names that people share are told apart by their descriptions.
#[test]
fn facts_have_sources_and_qualifiers() {
    let page = json(&["kb", "show", "Marie Curie", "--json"]);
    let facts = page["facts"].as_array().unwrap();
    let awards: Vec<_> = facts.iter().filter(|f| f["label"] == "award received").collect();
    assert_eq!(awards.len(), 2);
    assert!(awards.iter().all(|a| a["qualifiers"][0]["label"] == "point in time"));
    assert!(facts.iter().all(|f| f["source"].is_string()), "every fact keeps its source");
}

#[test]
fn two_processes_prepare_the_cache_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_touchstone"))
            .args(["kb", "info", "--json"])
            .env("TOUCHSTONE_CACHE", dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..3).map(|_| start()).collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert!(output.status.success(), "{}", stderr(output));
        assert_eq!(stdout(output), stdout(&outputs[0]));
    }
    let mut names: Vec<String> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 2, "one store and the lock, nothing half done: {names:?}");
    assert!(names[0].starts_with("world-") && names[1] == "world.lock");
}

#[test]
fn a_damaged_cache_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let info = || {
        let output = Command::new(env!("CARGO_BIN_EXE_touchstone"))
            .args(["kb", "info", "--json"])
            .env("TOUCHSTONE_CACHE", dir.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let first = info();
    let store = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path()).find(|p| p.is_dir()).unwrap();
    let column = store.join("fact_value.col");
    let mut bytes = fs::read(&column).unwrap();
    bytes[100] ^= 0x10;
    fs::write(&column, bytes).unwrap();
    assert_eq!(info(), first);
}

#[test]
fn export_and_import_give_the_same_world() {
    let dir = tempfile::tempdir().unwrap();
    let fingerprint = json(&["kb", "info", "--json"])["fingerprint"].clone();
    for (format, from, file) in [("lines", "lines", "world.jsonl"), ("nt", "rdf", "world.nt")] {
        let (file, kb) = (dir.path().join(file), dir.path().join("kb"));
        let (file, kb) = (file.to_str().unwrap(), kb.to_str().unwrap());
        let output = run(&["kb", "export", "--format", format, "--out", file]);
        assert!(output.status.success(), "{}", stderr(&output));
        let report = json(&["kb", "import", "--from", from, file, "--out", kb, "--json"]);
        assert_eq!(report["fingerprint"], fingerprint, "{format}");
        assert_eq!(report["n_problems"], 0);
    }
}
