//! Commands on small KBs: what is printed, exit codes, and what wrong input gets for an answer.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{json, run, stderr, stdout, touchstone};

/// Runs a command and checks its exit code and a part of what it says on standard error.
fn refuses(args: &[&str], code: i32, message: &str) {
    let output = run(args);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert!(error.contains(message), "{args:?} says:\n{error}\ninstead of: {message}");
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn wrong_input_gets_a_helpful_answer() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (out, missing, empty) = (path("out"), path("missing.nt"), path("empty.json"));
    fs::write(&empty, "").unwrap();
    fs::write(path("data.unknown"), "").unwrap();
    fs::write(path("notes.txt"), "mine").unwrap();
    fs::create_dir(path("folder")).unwrap();
    fs::write(path("folder/file"), "mine").unwrap();

    refuses(&["kb", "show", "--kb", "nowhere", "x"], 2, "there is no KB `nowhere`");
    refuses(&["kb", "info", "--kb", &path("folder")], 2, "is not a compiled KB");
    refuses(&["kb", "show", "Shawshank Redemtion"], 1, "did you mean");
    refuses(&["kb", "show", "Shawshank Redemtion"], 1, "film/tt0111161");
    refuses(&["kb", "find", "qqqqqqqqqqqq"], 1, "no name in World");
    refuses(&["kb", "import", "--from", "rdf", &missing, "--out", &out], 2, "cannot read");
    refuses(&["kb", "import", "--from", "rdf", &path("data.unknown"), "--out", &out], 2, "known extensions");
    refuses(&["kb", "import", "--from", "rdff", &missing, "--out", &out], 2, "rdf");
    refuses(&["kb", "import", "--from", "lines", &empty, "--out", &out], 2, "empty.json:1:1");
    refuses(&["kb", "import", "--from", "lines", &path("folder"), "--out", &out], 2, "folder");
    refuses(
        &["kb", "import", "--from", "kqapro", "--profile", "freebase", &empty, "--out", &out],
        2,
        "--profile is for",
    );
    refuses(&["kb", "import", "--from", "kqapro", &empty, "--out", &path("folder")], 2, "already exists");
    refuses(
        &["kb", "import", "--from", "kqapro", "--seeds", &empty, &empty, "--out", &out],
        2,
        "wikidata-json",
    );
    refuses(&["kb", "export", "--format", "nt", "--out", &path("notes.txt/x.nt")], 2, "notes.txt");
    refuses(&["kb", "export", "--format", "lines", "--view", "kqapro"], 2, "--view is for");
    refuses(&["kb", "show", ""], 2, "give the name");
    refuses(&["kb"], 2, "Usage");
    assert!(!Path::new(&out).exists());
    assert_eq!(fs::read_to_string(path("folder/file")).unwrap(), "mine", "nothing of the user's is touched");
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in [
        vec!["kb", "info"],
        vec!["kb", "show"],
        vec!["kb", "find"],
        vec!["kb", "import"],
        vec!["kb", "export"],
    ] {
        let output = touchstone().args(&command).arg("--help").output().unwrap();
        let help = stdout(&output);
        assert!(output.status.success());
        assert!(help.contains("Example") && help.contains("touchstone kb"), "{command:?}: {help}");
        assert!(help.contains("--json"), "{command:?}");
    }
}

#[test]
fn a_kb_of_ones_own() {
    let dir = tempfile::tempdir().unwrap();
    let kb = dir.path().join("kb");
    let kb = kb.to_str().unwrap();
    let example = "crates/kb/tests/importers/kqapro.older.json";
    let report = json(&[
        "kb",
        "import",
        "--from",
        "kqapro",
        example,
        "--out",
        kb,
        "--json",
        "--name",
        "Mine",
        "--license",
        "CC0-1.0",
    ]);
    assert_eq!(report["n_problems"], 0);
    assert_eq!(report["duplicate_facts"], 1);
    let info = json(&["kb", "info", "--kb", kb, "--json"]);
    assert_eq!((&info["name"], &info["license"]), (&"Mine".into(), &"CC0-1.0".into()));
    assert_eq!(info["fingerprint"], report["fingerprint"]);
    let page = stdout(&run(&["kb", "show", "Cavaliers", "--kb", kb]));
    let expected = "\
Cavaliers  [Q3]
        is a  basketball team

 Facts
────────────────────────────────────────────
 member     LeBron James  point in time: -44
 founded    1970-02-28
 inception  1970

 Facts that link here
─────────────────────────────
 is sport of           team
";
    assert_eq!(page, expected);
    let class = stdout(&run(&["kb", "show", "team", "--kb", kb]));
    assert!(class.contains("members  1: Cavaliers"), "{class}");
    let triples = stdout(&run(&["kb", "export", "--kb", kb, "--format", "nt", "--view", "kqapro"]));
    assert!(
        triples.contains(
            "<http://kqapro.invalid/Q3> <http://kqapro.invalid/member> <http://kqapro.invalid/Q4> ."
        ),
        "{triples}"
    );
    // The same place again: the old KB is replaced.
    let again = json(&["kb", "import", "--from", "rdf", "docs/example.ttl", "--out", kb, "--json"]);
    assert_eq!(json(&["kb", "info", "--kb", kb, "--json"])["fingerprint"], again["fingerprint"]);
}

#[test]
fn strict_stops_and_leaves_the_old_kb() {
    let dir = tempfile::tempdir().unwrap();
    let kb = dir.path().join("kb");
    let kb = kb.to_str().unwrap();
    let first = json(&["kb", "import", "--from", "rdf", "docs/example.ttl", "--out", kb, "--json"]);
    refuses(
        &["kb", "import", "--from", "rdf", "docs/broken.nt", "--out", kb, "--strict"],
        2,
        "docs/broken.nt:2:26",
    );
    assert_eq!(json(&["kb", "info", "--kb", kb, "--json"])["fingerprint"], first["fingerprint"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = touchstone()
        .args(["kb", "export", "--format", "nt"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"));
}

/// Ctrl-C in the middle of an import: the program says so and leaves nothing behind. After `kill -9` the next
/// import clears up.
#[cfg(unix)]
#[test]
fn an_interrupted_import_leaves_nothing() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let nt = dir.path().join("big.nt");
    let mut out = std::io::BufWriter::new(fs::File::create(&nt).unwrap());
    for i in 0..600_000 {
        writeln!(
            out,
            "<http://ex.org/e{i}> <http://ex.org/r{}> <http://ex.org/e{}> .",
            i % 50,
            i * 7 % 600_000
        )
        .unwrap();
    }
    drop(out);
    let store = dir.path().join("store");
    let start = || {
        let mut command = touchstone();
        command.args(["kb", "import", "--from", "rdf"]).arg(&nt).arg("--out").arg(store.join("kb"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let left = || fs::read_dir(&store).map_or(0, Iterator::count);
    for (signal, patience) in [("-INT", 300), ("-INT", 1500), ("-KILL", 1500)] {
        let before = left();
        let child = start();
        std::thread::sleep(Duration::from_millis(patience));
        let sent =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        if signal == "-INT" && sent.success() && !output.status.success() {
            assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
            assert!(stderr(&output).contains("interrupted"), "{}", stderr(&output));
            assert_eq!(left(), before, "nothing is left behind");
        }
    }
    let began = Instant::now();
    let output = start().wait_with_output().unwrap();
    assert!(output.status.success(), "{} after {:?}", stderr(&output), began.elapsed());
    assert_eq!(left(), 1, "only the finished KB");
}
