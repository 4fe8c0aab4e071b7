//! `convert`, `shape`, `match` and `level`, as a user runs them.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::Write;
use std::process::Stdio;
use support::{json, run, stderr, stdout, touchstone};

const FILM: &str = "(AND film.film (JOIN film.film.directed_by m.0184jc))";

/// A folder with a small ontology and small files.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write(
        "fb_roles",
        "film.film film.film.directed_by film.director\nfilm.director film.director.film film.film\nfilm.film film.film.genre film.genre\n",
    );
    write("fb_types", "film.film meta.subclassOf common.topic\nfilm.director meta.subclassOf common.topic\n");
    write(
        "reverse_properties",
        "film.film.directed_by\tfilm.director.film\nfilm.director.film\tfilm.film.directed_by\n",
    );
    write(
        "train.jsonl",
        &format!(
            "{{\"qid\": 1, \"question\": \"films by A\", \"s_expression\": \"{FILM}\"}}\n{{\"qid\": 2, \"s_expression\": \"(AND film.genre (JOIN (R film.film.genre) m.01))\"}}\n"
        ),
    );
    write(
        "test.json",
        "[{\"qid\": 3, \"s_expression\": \"(AND film.film (JOIN film.film.directed_by m.02))\"},\n {\"qid\": 4, \"s_expression\": \"(AND film.film (JOIN film.film.genre m.03))\"},\n {\"qid\": 5, \"s_expression\": \"(AND film.film (JOIN (R film.director.film) m.02))\"},\n {\"qid\": 6, \"s_expression\": \"(AND food.food (JOIN food.food.of m.02))\"}]\n",
    );
    write(
        "pairs.jsonl",
        &format!(
            "{{\"id\": \"a\", \"gold\": \"{FILM}\", \"predicted\": \"(AND film.film (JOIN (R film.director.film) m.0184jc))\"}}\n{{\"id\": \"b\", \"gold\": \"{FILM}\", \"predicted\": \"(COUNT {FILM})\"}}\n{{\"id\": \"c\", \"gold\": \"{FILM}\", \"predicted\": \"(AND film.film\"}}\n"
        ),
    );
    dir
}

fn path(dir: &tempfile::TempDir, name: &str) -> String {
    dir.path().join(name).display().to_string()
}

#[test]
fn convert_one_form() {
    let output = run(&["convert", "--to", "kopl", FILM]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "Find(m.0184jc) > Relate(film.film.directed_by, backward) > FilterConcept(film.film) > What()\n"
    );
    assert!(stderr(&output).contains("not the same: `m.0184jc` is an id"), "{}", stderr(&output));
    let strict = run(&["convert", "--to", "kopl", "--strict", FILM]);
    assert_eq!((strict.status.code(), stdout(&strict).as_str()), (Some(2), ""));
    let linear = run(&["convert", "--to", "kopl", "--style", "linear", "Find(A) > What()"]);
    assert_eq!(stdout(&linear), "Find <arg> A <func> What\n");
    let known =
        run(&["convert", "--to", "kopl", "--kb", "world", "(JOIN place_of_birth (ENTITY \"city/2988507\"))"]);
    assert_eq!(known.status.code(), Some(0), "{}", stderr(&known));
    assert!(stdout(&known).ends_with("> Relate(place of birth, backward) > What()\n"), "{}", stdout(&known));
    let unknown =
        run(&["convert", "--to", "kopl", "--kb", "world", "(JOIN place_of_brith (ENTITY \"city/2988507\"))"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("did you mean `place_of_birth`?"), "{}", stderr(&unknown));
}

#[test]
fn convert_many_forms() {
    let mut child = touchstone()
        .args(["convert", "--to", "sparql", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("{FILM}\n(AND\n(COUNT film.film)\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "one of three is wrong");
    let lines: Vec<String> = stdout(&output).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "a line for each record: {lines:?}");
    assert!(
        lines[0].contains("ns:film.film.directed_by ns:m.0184jc")
            && lines[1].is_empty()
            && lines[2].contains("COUNT(DISTINCT ?x)")
    );
    assert!(stderr(&output).contains("1 record that could not be translated"), "{}", stderr(&output));
}

#[test]
fn shapes() {
    let dir = folder();
    let one = run(&["shape", FILM]);
    assert_eq!(one.status.code(), Some(0));
    for part in ["film.film.directed_by", "T1:(())", "Iso-0, RP-0", "simple"] {
        assert!(stdout(&one).contains(part), "{part} in {}", stdout(&one));
    }
    let rows = &json(&["shape", "--json", &path(&dir, "test.json")])["shapes"];
    assert_eq!((rows[0]["code"].as_str(), rows[0]["count"].as_u64()), (Some("T1:(())"), Some(4)));
    let drawings = dir.path().join("drawings");
    let questions =
        run(&["shape", "--per-question", "--svg", drawings.to_str().unwrap(), &path(&dir, "train.jsonl")]);
    let first: serde_json::Value = serde_json::from_str(stdout(&questions).lines().next().unwrap()).unwrap();
    assert_eq!(
        (first["id"].as_str(), first["alias"].as_str(), first["hops"].as_u64()),
        (Some("1"), Some("Iso-0"), Some(1))
    );
    let mut names: Vec<String> = fs::read_dir(&drawings)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    assert_eq!(names, ["1.svg", "2.svg"]);
    assert!(fs::read_to_string(drawings.join("1.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn a_drawing_cannot_leave_its_folder() {
    let dir = folder();
    let evil = dir.path().join("evil.jsonl");
    fs::write(&evil, format!("{{\"qid\": \"../../outside\", \"s_expression\": \"{FILM}\"}}\n")).unwrap();
    let drawings = dir.path().join("deep/drawings");
    let output =
        run(&["shape", "--per-question", "--svg", drawings.to_str().unwrap(), evil.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let names: Vec<String> = fs::read_dir(&drawings)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(!dir.path().join("outside.svg").exists());
}

#[test]
fn matches() {
    let dir = folder();
    let (ontology, pairs) = (dir.path().display().to_string(), path(&dir, "pairs.jsonl"));
    for mode in ["official", "canonical"] {
        let output = run(&["match", "--mode", mode, "--ontology", &ontology, "--json", &pairs]);
        let verdicts: Vec<serde_json::Value> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let equal: Vec<(&str, bool)> =
            verdicts.iter().map(|v| (v["id"].as_str().unwrap(), v["equal"].as_bool().unwrap())).collect();
        assert_eq!(equal, [("a", true), ("b", false), ("c", false)], "{mode}");
        assert!(
            verdicts[0]["why"].is_null() && verdicts[1]["why"].as_str().unwrap().contains("count"),
            "{verdicts:?}"
        );
        assert!(verdicts[2]["why"].as_str().unwrap().starts_with("predicted:"), "{verdicts:?}");
    }
    let missing = run(&["match", "--mode", "official", &pairs]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("give --ontology DIR"), "{}", stderr(&missing));
    let nowhere = run(&["match", "--mode", "official", "--ontology", "/nowhere", &pairs]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("/nowhere"), "{}", stderr(&nowhere));
}

#[test]
fn levels() {
    let dir = folder();
    let (train, test) = (path(&dir, "train.jsonl"), path(&dir, "test.json"));
    let output = run(&["level", "--train", &train, "--test", &test, "--per-question"]);
    let levels: Vec<(String, u64)> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|v| (v["level"].as_str().unwrap().to_owned(), v["z"].as_u64().unwrap()))
        .collect();
    let expected = [("i.i.d.", 0), ("compositional", 0), ("zero-shot", 1), ("zero-shot", 2)];
    assert_eq!(levels, expected.map(|(level, z)| (level.to_owned(), z)));
    let output = run(&[
        "level",
        "--train",
        &train,
        "--test",
        &test,
        "--inverse-rule",
        "--ontology",
        dir.path().to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(1), "one question cannot be judged");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Food is no word of the ontology; the inverse counts as seen.
    assert_eq!(
        (summary["unreadable"].as_u64(), summary["levels"][0]["count"].as_u64()),
        (Some(1), Some(2)),
        "{summary}"
    );
    let refused = run(&["level", "--train", &train, "--test", &test, "--inverse-rule"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn wrong_input_is_told() {
    let dir = folder();
    for (args, message) in [
        (vec!["shape", "no-such-file.json"], "no-such-file.json"),
        (vec!["shape", dir.path().to_str().unwrap()], "is a folder"),
        (vec!["convert", "--to", "sparql", "(JION a m.1)"], "did you mean `JOIN`?"),
        (vec!["convert", "--to", "sexpr", "SELECT ?x WHERE { ?x"], "line 1, column"),
        (
            vec!["convert", "--to", "sexpr", "--kb", "world", "--ontology", ".", "(COUNT a)"],
            "has no file fb_roles",
        ),
    ] {
        let output = run(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    }
    let broken = dir.path().join("broken.json");
    fs::write(&broken, "[{\"s_expression\": \"(COUNT a)\"}, {\"s_expr").unwrap();
    let output = run(&["shape", broken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the file ends inside this record"), "{}", stderr(&output));
}
