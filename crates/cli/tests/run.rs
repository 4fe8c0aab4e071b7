//! Runs: killed and resumed, gold and degraded gold on every recipe, and the commands around them.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use support::{json, run, stderr, stdout, touchstone};

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A small benchmark of a recipe.
fn build(folder: &Path, recipe: &str, questions: &str) -> String {
    let out = text(&folder.join(format!("{recipe}-bench")));
    let built = run(&["build", recipe, "--questions", questions, "--out", &out]);
    assert!(built.status.success(), "{}", stderr(&built));
    out
}

fn sorted_lines(path: &Path) -> Vec<String> {
    let mut lines: Vec<String> = fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Answers with the id, slowly, and notes what it was asked.
const SLOW_ECHO: &str = r#"while read -r line; do id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/'); echo "$id" >> ASKED; sleep 0.02; printf '{"id": "%s", "answers": ["%s"]}\n' "$id" "$id"; done"#;

#[test]
#[cfg(unix)]
fn killed_at_fifty_moments_and_resumed() {
    const KILLS: usize = 50;
    let dir = tempfile::tempdir().unwrap();
    let bench = build(dir.path(), "quick", "900");
    let asked = dir.path().join("asked");
    let system = format!("command:{}", SLOW_ECHO.replace("ASKED", &text(&asked)));
    let (whole, pieces) = (dir.path().join("whole"), dir.path().join("pieces"));
    let arguments = |out: &Path| {
        let fixed = ["run", &system, "--benchmark", &bench, "--parallel", "2", "--out"];
        fixed.iter().map(|word| (*word).to_owned()).chain([text(out)]).collect::<Vec<String>>()
    };
    let undisturbed = touchstone().args(arguments(&whole)).output().unwrap();
    assert!(undisturbed.status.success(), "{}", stderr(&undisturbed));
    fs::remove_file(&asked).unwrap();
    let mut moment = 7u64;
    let mut killed = 0;
    for attempt in 0.. {
        let mut command = touchstone();
        if attempt % 2 == 1 && pieces.join("run.json").exists() {
            command.args(["run", "--resume", &text(&pieces)]);
        } else {
            command.args(arguments(&pieces));
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if killed == KILLS {
            assert!(child.wait().unwrap().success());
            break;
        }
        // Until it has written something, and then a little longer.
        let length = || fs::metadata(pieces.join("predictions.jsonl")).map_or(0, |about| about.len());
        let before = length();
        while length() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((moment >> 33) % 40));
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
        assert!(attempt < 4 * KILLS, "it ends before it can be killed: the benchmark is too small");
    }
    // How long an answer took differs.
    let without_time = |line: String| {
        let mut prediction: Json = serde_json::from_str(&line).unwrap();
        assert!(prediction.as_object_mut().unwrap().remove("usage").is_some());
        prediction.to_string()
    };
    let predictions = |folder: &Path| -> Vec<String> {
        sorted_lines(&folder.join("predictions.jsonl")).into_iter().map(without_time).collect()
    };
    assert_eq!(predictions(&pieces), predictions(&whole));
    // Only what was in flight when it was killed was asked again: for each worker a question, and a reply that was not written yet.
    let n_asked = fs::read_to_string(&asked).unwrap().lines().count();
    assert!(n_asked <= predictions(&whole).len() + 2 * 2 * KILLS, "{n_asked}");
}

/// Whether a process is there, and not only as a name that nobody has asked for yet.
#[cfg(target_os = "linux")]
fn is_alive(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).is_some_and(|state| state != "Z")
}

/// A program and what it has started end with a run, however it ends.
#[test]
#[cfg(target_os = "linux")]
fn programs_end_with_their_run() {
    use rustix::process::{Pid, Signal, kill_process};
    let dir = tempfile::tempdir().unwrap();
    let bench = build(dir.path(), "quick", "100");
    let endings: [(&str, &[Signal]); 2] =
        [("killed", &[Signal::KILL]), ("interrupted", &[Signal::INT, Signal::INT])];
    for (name, signals) in endings {
        let ids = dir.path().join(name);
        // A shell with a child that reads nothing, and a grandchild.
        let script = format!(
            "(sleep 1000 & echo $! >> {0}; sleep 1000) & echo $! >> {0}; echo $$ >> {0}; sleep 1000",
            text(&ids)
        );
        let out = text(&dir.path().join(format!("{name}-run")));
        let mut child = touchstone()
            .args([
                "run",
                &format!("command:{script}"),
                "--benchmark",
                &bench,
                "--parallel",
                "1",
                "--out",
                &out,
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started =
            || fs::read_to_string(&ids).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>();
        while started().len() < 3 {
            assert!(child.try_wait().unwrap().is_none(), "the run ended");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(started().iter().all(|id| is_alive(id)));
        for &signal in signals {
            kill_process(Pid::from_child(&child), signal).unwrap();
            // Signals of one kind that come at once are one.
            std::thread::sleep(Duration::from_millis(200));
        }
        child.wait().unwrap();
        let mut left = started();
        for _ in 0..600 {
            left.retain(|id| is_alive(id));
            if left.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(left, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn gold_scores_one_on_every_recipe() {
    let dir = tempfile::tempdir().unwrap();
    for recipe in ["quick", "grailqa++", "kqapro", "hard"] {
        let bench = build(dir.path(), recipe, "250");
        let out = text(&dir.path().join(recipe));
        assert!(run(&["run", "oracle", "--benchmark", &bench, "--out", &out]).status.success());
        let summary = json(&["grade", "--benchmark", &bench, "--predictions", &out, "--out", &out, "--json"]);
        let measures = summary["measures"].as_object().unwrap();
        assert!(measures.len() > 15, "{recipe}: {measures:?}");
        for (name, measure) in measures {
            assert_eq!(measure["mean"].as_f64(), Some(1.0), "{recipe}: {name}");
        }
        // A fifth of them with random names.
        let worse = text(&dir.path().join(format!("{recipe}-worse")));
        assert!(run(&["run", "degraded:T2:0.2", "--benchmark", &bench, "--out", &worse]).status.success());
        let summary = json(&["grade", "--benchmark", &bench, "--predictions", &worse, "--json"]);
        let f1 = &summary["measures"]["f1"];
        let (low, high) = (f1["low"].as_f64().unwrap(), f1["high"].as_f64().unwrap());
        assert!(low - 0.03 <= 0.8 && 0.8 <= high + 0.03, "{recipe}: {f1}");
    }
    let runs = json(&["runs", &text(dir.path()), "--json"]);
    let gold: Vec<&Json> = runs.as_array().unwrap().iter().filter(|run| run["system"] == "oracle").collect();
    assert_eq!(gold.len(), 4);
    assert!(gold.iter().all(|run| run["scores"]["f1"] == 1.0 && run["ended"].is_string()));
}

#[test]
fn another_run_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let bench = build(dir.path(), "quick", "100");
    let out = text(&dir.path().join("run"));
    assert!(run(&["run", "oracle", "--benchmark", &bench, "--out", &out]).status.success());
    let again = run(&["run", "oracle", "--benchmark", &bench, "--out", &out]);
    assert!(stdout(&again).starts_with("0 questions asked"), "{}", stdout(&again));
    for other in [["nearest", "--benchmark"], ["oracle", "--gold-entities"]] {
        let mut arguments = vec!["run", other[0], "--benchmark", &bench, "--out", &out];
        if other[1] == "--gold-entities" {
            arguments.push("--gold-entities");
        }
        let refused = run(&arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("holds another run"), "{}", stderr(&refused));
    }
    let unknown = run(&["run", "orakel", "--benchmark", &bench, "--out", "unused"]);
    assert!(
        stderr(&unknown).contains("there is no system `orakel`; choose from oracle")
            && stderr(&unknown).ends_with("; did you mean `oracle`?\n"),
        "{}",
        stderr(&unknown)
    );
    let nothing = run(&["runs", &bench]);
    assert_eq!(nothing.status.code(), Some(1));
}

#[test]
fn replies_are_kept_and_explained() {
    let dir = tempfile::tempdir().unwrap();
    let bench = build(dir.path(), "quick", "100");
    let system = format!("command:{}", SLOW_ECHO.replace("ASKED", &text(&dir.path().join("asked"))));
    let cached = |out: &str, version: &str| {
        let out = text(&dir.path().join(out));
        let arguments = [
            "run",
            &system,
            "--benchmark",
            &bench,
            "--system-version",
            version,
            "--limit",
            "5",
            "--out",
            &out,
        ];
        let done =
            touchstone().args(arguments).env("TOUCHSTONE_CACHE", dir.path().join("cache")).output().unwrap();
        assert!(done.status.success(), "{}", stderr(&done));
        fs::read_to_string(dir.path().join("asked")).unwrap().lines().count()
    };
    assert_eq!(cached("one", "1"), 5);
    assert_eq!(cached("two", "1"), 5);
    assert_eq!(cached("three", "2"), 10);
    let prediction = fs::read_to_string(dir.path().join("one/predictions.jsonl")).unwrap();
    let prediction: Json = serde_json::from_str(prediction.lines().next().unwrap()).unwrap();
    let key = prediction["cache"].as_str().unwrap();
    let explained = touchstone()
        .args(["cache", "explain", key])
        .env("TOUCHSTONE_CACHE", dir.path().join("cache"))
        .output()
        .unwrap();
    assert!(stdout(&explained).contains("version"), "{}", stdout(&explained));
    assert_eq!(run(&["cache", "explain", "nothing"]).status.code(), Some(1));
}

#[test]
fn the_demonstration_shows_everything() {
    let dir = tempfile::tempdir().unwrap();
    let out = text(&dir.path().join("demo"));
    let demo = run(&["demo", "--questions", "200", "--out", &out]);
    assert!(demo.status.success(), "{}", stderr(&demo));
    let shown = stdout(&demo);
    for step in [
        "$ touchstone build quick",
        "$ touchstone run nearest",
        "$ touchstone compare",
        "$ touchstone report",
    ] {
        assert!(shown.contains(step), "{step}: {shown}");
    }
    assert!(fs::metadata(dir.path().join("demo/report.html")).unwrap().len() > 50_000);
    // A second time it goes on where it was.
    assert!(stdout(&run(&["demo", "--questions", "200", "--out", &out])).contains("0 questions asked"));
}

#[test]
fn questions_are_answered() {
    let question = "Which films directed by Christopher Nolan were released after 2008?";
    let answer = json(&["ask", question, "--json"]);
    let labels: Vec<&str> = answer["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["Interstellar", "The Dark Knight Rises", "Inception"]);
    assert_eq!(answer["entities"][0]["id"], "person/f-christopher-nolan");
    assert_eq!(answer["abstained"], false);
    assert!(answer["confidence"].as_f64().unwrap() >= 0.45, "{answer}");
    let shown = stdout(&run(&["ask", question]));
    assert!(shown.starts_with("Interstellar, The Dark Knight Rises, Inception (confidence 0."), "{shown}");
    assert_eq!(shown.lines().count(), 1, "{shown}");
    let explained = stdout(&run(&["ask", question, "--explain"]));
    for part in [
        "Understood as:",
        "S-expression:",
        "program:",
        "SPARQL:",
        "─ director → person/f-christopher-nolan",
        "µs",
    ] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    let unknown = run(&["ask", "Xyzzy?"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stdout(&unknown).starts_with("I do not know."), "{}", stdout(&unknown));
    let mut shell = touchstone().arg("shell").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(b"Who directed Pulp Fiction?\n").unwrap();
    let lines = shell.wait_with_output().unwrap();
    assert!(stdout(&lines).contains("Quentin Tarantino"), "{}", stdout(&lines));
    assert!(stderr(&run(&["ask", "x", "--min-confidence", "2"])).contains("not between 0 and 1"));
}

#[test]
fn prospector_states_what_it_learned_from() {
    let dir = tempfile::tempdir().unwrap();
    let bench = build(dir.path(), "quick", "40");
    let out = text(&dir.path().join("run"));
    let ran = run(&["run", "prospector", "--benchmark", &bench, "--limit", "5", "--out", &out]);
    assert!(ran.status.success(), "{}", stderr(&ran));
    let manifest: Json =
        serde_json::from_str(&fs::read_to_string(dir.path().join("run/run.json")).unwrap()).unwrap();
    assert!(manifest["trained_on"].as_str().unwrap().starts_with("regime Z0"), "{manifest}");
    let other = run(&["run", "nearest", "--regime", "Z1", "--benchmark", &bench, "--out", &out]);
    assert!(stderr(&other).contains("--regime is for `prospector`"), "{}", stderr(&other));
    let model = text(&dir.path().join("model"));
    let trained = run(&["train", "prospector", "--kb", "world", "--questions", "12", "--out", &model]);
    assert!(trained.status.success(), "{}", stderr(&trained));
    let system = format!("model:{model}");
    let refused = run(&["run", &system, "--benchmark", &bench, "--out", &out]);
    assert!(stderr(&refused).contains("--regime Z2"), "{}", stderr(&refused));
    let asked = run(&["ask", "--system", &system, "who directed jaws"]);
    assert!(asked.status.code().is_some_and(|code| code < 2), "{}", stderr(&asked));
}

/// Paths among the arguments are relative to where the run was started, wherever it is resumed.
#[test]
fn a_run_resumes_from_another_directory() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), "quick", "100");
    let in_folder =
        |arguments: &[&str]| touchstone().args(arguments).current_dir(dir.path()).output().unwrap();
    let oracle = in_folder(&["run", "oracle", "--benchmark", "quick-bench", "--out", "oracle"]);
    assert!(oracle.status.success(), "{}", stderr(&oracle));
    // The program is found only in the directory where the run was started.
    let script = SLOW_ECHO.replace("ASKED", "asked").replace("sleep 0.02; ", "");
    fs::write(dir.path().join("mine.sh"), script).unwrap();
    for (name, system) in [("file", "file:oracle/predictions.jsonl"), ("command", "command:sh mine.sh")] {
        let done = in_folder(&[
            "run",
            system,
            "--benchmark",
            "quick-bench",
            "--trained-on",
            "nothing",
            "--out",
            name,
        ]);
        assert!(done.status.success(), "{}", stderr(&done));
        let predictions = dir.path().join(name).join("predictions.jsonl");
        let whole = sorted_lines(&predictions);
        fs::write(&predictions, whole[..3].join("\n") + "\n").unwrap();
        let resumed = run(&["run", "--resume", &text(&dir.path().join(name))]);
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        assert!(stdout(&resumed).contains("3 answered before"), "{}", stdout(&resumed));
        assert_eq!(sorted_lines(&predictions).len(), whole.len());
        let manifest: Json =
            serde_json::from_str(&fs::read_to_string(dir.path().join(name).join("run.json")).unwrap())
                .unwrap();
        assert_eq!(manifest["trained_on"], "nothing");
    }
}

/// The KB of a run is also searched for where the run was started.
#[test]
fn a_resumed_run_finds_its_kb() {
    let dir = tempfile::tempdir().unwrap();
    let (work, bench) = (dir.path().join("work"), text(&dir.path().join("a/b/c/bench")));
    fs::create_dir(&work).unwrap();
    fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
    let elements = text(&support::root().join("docs/elements.ttl"));
    let out = text(&dir.path().join("runs/nearest"));
    for arguments in [
        vec!["kb", "import", &elements, "--out", "kb"],
        vec!["build", "quick", "--kb", "kb", "--questions", "60", "--out", &bench],
        vec!["run", "nearest", "--benchmark", &bench, "--out", &out],
    ] {
        let cache = dir.path().join("cache");
        let done =
            touchstone().args(&arguments).current_dir(&work).env("TOUCHSTONE_CACHE", cache).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", stderr(&done));
    }
    // Another cache folder does not record where the KB is.
    let mut command = touchstone();
    command
        .args(["run", "--resume", &out])
        .current_dir("/")
        .env("TOUCHSTONE_CACHE", dir.path().join("other"));
    let resumed = command.output().unwrap();
    assert!(resumed.status.success() && stderr(&resumed).is_empty(), "{}", stderr(&resumed));
}
