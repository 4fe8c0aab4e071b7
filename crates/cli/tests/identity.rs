//! A benchmark and a run find their own KB and benchmark, and never take another.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{stderr, stdout, touchstone};

/// A folder with a cache of its own: what other tests import is not found in it.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = touchstone();
        // Compiling World for each test would take seconds: the store is shared, the record of imports is not.
        let cache = self.dir.path().join("cache");
        if !cache.exists() {
            fs::create_dir(&cache).unwrap();
            let shared = touchstone().get_envs().find_map(|(name, value)| {
                (name == "TOUCHSTONE_CACHE").then(|| PathBuf::from(value.unwrap()))
            });
            for entry in fs::read_dir(shared.unwrap()).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with("world-") {
                    std::os::unix::fs::symlink(entry.path(), cache.join(entry.file_name())).unwrap();
                }
            }
        }
        command.env("TOUCHSTONE_CACHE", &cache);
        command.args(args).output().unwrap()
    }

    fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}\n{}", stdout(&output), stderr(&output));
        stdout(&output)
    }

    fn json(&self, args: &[&str]) -> Json {
        serde_json::from_str(&self.done(args)).unwrap()
    }

    /// Fails with a code and a message.
    fn refused(&self, args: &[&str], code: i32, message: &str) {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}\n{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    }

    /// The elements as a KB, with one word of the file replaced, and a benchmark of it.
    fn elements(&self, name: &str, word: &str, by: &str) -> (String, String) {
        let (kb, bench) = (self.path(&format!("kb-{name}")), self.path(&format!("bench-{name}")));
        let text = fs::read_to_string(support::root().join("docs/elements.ttl")).unwrap();
        let file = self.path(&format!("{name}.ttl"));
        fs::write(&file, text.replace(word, by)).unwrap();
        self.done(&["kb", "import", "--from", "rdf", &file, "--name", name, "--out", &kb]);
        self.done(&["build", "quick", "--questions", "120", "--kb", &kb, "--out", &bench]);
        (kb, bench)
    }
}

fn value(summary: &Json, measure: &str) -> (f64, u64) {
    let measure = &summary["measures"][measure];
    (measure["mean"].as_f64().unwrap(), measure["n"].as_u64().unwrap())
}

#[test]
fn a_run_finds_its_benchmark_and_kb() {
    let place = Place::new();
    let (kb, bench) = place.elements("elements", "", "");
    let out = place.path("runs/mine");
    place.done(&["run", "degraded:T2:0.3", "--benchmark", &bench, "--out", &out]);
    // Nothing but the run is named, and everything is as if all were.
    let alone = place.json(&["grade", &out, "--json"]);
    let named = place.json(&["grade", "--predictions", &out, "--benchmark", &bench, "--kb", &kb, "--json"]);
    assert_eq!(alone, named);
    assert!(value(&alone, "exec").1 > 20);
    // Also where nothing is recorded: the KB lies beside the benchmark.
    fs::remove_file(place.path("cache/kbs.json")).unwrap();
    assert_eq!(place.json(&["grade", &out, "--json"]), named);
    assert!(place.done(&["lint", &bench]).contains("nothing is wrong"));
    // Everything moves: found beside the run.
    let moved = place.path("elsewhere");
    fs::create_dir(&moved).unwrap();
    for name in ["kb-elements", "bench-elements", "runs"] {
        fs::rename(place.path(name), Path::new(&moved).join(name)).unwrap();
    }
    let out = place.path("elsewhere/runs/mine");
    assert_eq!(place.json(&["grade", &out, "--json"]), named);
    // The KB is gone: reported and refused, and done without only if that is asked for.
    let bench = place.path("elsewhere/bench-elements");
    fs::rename(place.path("elsewhere/kb-elements"), place.path("cache/hidden")).unwrap();
    for command in [
        vec!["grade", &out],
        vec!["grade", "--benchmark", &bench, "--predictions", &out],
        vec!["lint", &bench],
        vec!["axioms", "--benchmark", &bench],
        vec!["sensitivity", "--benchmark", &bench],
        vec!["distil", "--benchmark", &bench, "--out", "unused.jsonl"],
        vec!["degrade", "--benchmark", &bench, "--transform", "T2", "--out", "unused.jsonl"],
        vec!["ask", "--benchmark", &bench, "Who discovered barium?"],
        vec!["run", "nearest", "--benchmark", &bench, "--out", &place.path("runs/none")],
    ] {
        place.refused(&command, 2, "cannot find the KB of the benchmark, `elements`");
    }
    let without = place.json(&["grade", &out, "--kb", "none", "--json"]);
    assert!(without["measures"].get("exec").is_none(), "{without}");
    place.done(&["run", "oracle", "--benchmark", &bench, "--out", &place.path("runs/gold")]);
    // The benchmark is gone, too.
    fs::rename(&bench, place.path("cache/gone")).unwrap();
    place.refused(&["grade", &out], 2, "cannot find the benchmark of");
}

#[test]
fn another_kb_is_used_only_if_it_is_named() {
    let place = Place::new();
    let (kb, bench) = place.elements("elements", "", "");
    let (other, _) = place.elements("changed", ":discoverer", ":found_by");
    let out = place.path("runs/gold");
    place.done(&["run", "oracle", "--benchmark", &bench, "--out", &out]);
    assert!(place.done(&["lint", &bench]).contains("nothing is wrong"));
    let on_other = place.run(&["lint", &bench, "--kb", &other]);
    assert_eq!(on_other.status.code(), Some(1));
    assert!(stderr(&on_other).contains("is not the KB that the benchmark was made from"));
    assert!(stdout(&on_other).contains("unreadable form"), "{}", stdout(&on_other));
    // The KB at the same place is another one now: it is not taken for the one that was there.
    let text = fs::read_to_string(place.path("changed.ttl")).unwrap();
    fs::write(place.path("newer.ttl"), text.replace("Humphry Davy", "Humphrey Davy")).unwrap();
    place.done(&["kb", "import", "--from", "rdf", &place.path("newer.ttl"), "--out", &kb]);
    place.refused(&["grade", &out], 2, "cannot find the KB of the benchmark");
}

#[test]
fn ids_and_names_are_of_one_benchmark() {
    let place = Place::new();
    let (kb, bench) = place.elements("elements", "", "");
    let again = place.path("again");
    let named = ["build", "quick", "--questions", "120", "--kb", &kb, "--name", "periodic", "--out", &again];
    place.done(&named);
    let first = fs::read(place.path("again/questions.jsonl")).unwrap();
    place.done(&named);
    assert_eq!(
        fs::read(place.path("again/questions.jsonl")).unwrap(),
        first,
        "the same recipe, the same bytes"
    );
    let manifest = |folder: &str| -> Json {
        serde_json::from_str(&fs::read_to_string(Path::new(folder).join("benchmark.json")).unwrap()).unwrap()
    };
    assert_eq!(manifest(&again)["name"], "periodic");
    assert_eq!(manifest(&again)["identity"], blake3::hash(&first).to_hex()[..32]);
    assert_ne!(manifest(&again)["identity"], manifest(&bench)["identity"]);
    let ids = |folder: &str| -> Vec<String> {
        let text = fs::read_to_string(Path::new(folder).join("questions.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str::<Json>(line).unwrap()["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(ids(&again).iter().all(|id| id.starts_with("periodic-")));
    // Two KBs, one recipe: no id is of both.
    let (_, other) = place.elements("changed", ":discoverer", ":found_by");
    let other = ids(&other);
    assert!(ids(&bench).iter().all(|id| !other.contains(id)));
    for odd in ["", "a\nb"] {
        let refused = ["build", "quick", "--kb", &kb, "--name", odd, "--out", "unused"];
        place.refused(&refused, 2, "--name");
    }
}
