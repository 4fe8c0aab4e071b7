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
    // Also where nothing is recorded: the KB is next to the benchmark.
    fs::remove_file(place.path("cache/kbs.json")).unwrap();
    assert_eq!(place.json(&["grade", &out, "--json"]), named);
    assert!(place.done(&["lint", &bench]).contains("no problems found"));
    // Everything moves: found next to the run.
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
    assert!(place.done(&["lint", &bench]).contains("no problems found"));
    let on_other = place.run(&["lint", &bench, "--kb", &other]);
    assert_eq!(on_other.status.code(), Some(1));
    assert!(stderr(&on_other).contains("is not the KB that the benchmark was made from"));
    assert!(stdout(&on_other).contains("unreadable form"), "{}", stdout(&on_other));
    // Gold is run there, and what it gives is measured: nothing is taken over from the KB that it was made from.
    let graded = place.run(&["grade", &out, "--kb", &other, "--json"]);
    assert!(graded.status.success(), "{}", stderr(&graded));
    let summary: Json = serde_json::from_slice(&graded.stdout).unwrap();
    let differs = summary["gold_differs"].as_u64().unwrap();
    let (f1, n) = value(&summary, "f1_exec");
    assert!(differs > 3 && (f1 - (1.0 - differs as f64 / n as f64)).abs() < 0.05, "{f1}: {differs} of {n}");
    assert!(stderr(&graded).contains(&format!("warning: {differs} of {n} gold queries do not give")));
    let own = place.json(&["grade", &out, "--json"]);
    assert_eq!((value(&own, "f1_exec").0, &own["gold_differs"]), (1.0, &Json::Null));
    // A gold form that was changed by hand is run on the benchmark's own KB, too.
    let file = Path::new(&bench).join("questions.jsonl");
    let questions = fs::read_to_string(&file).unwrap();
    fs::write(&file, questions.replace("elements/discoverer", "elements/nothing")).unwrap();
    let edited = place.path("runs/edited");
    place.done(&["run", "oracle", "--benchmark", &bench, "--out", &edited]);
    assert!(value(&place.json(&["grade", &edited, "--json"]), "f1_exec").0 < 0.95);
    fs::write(&file, questions).unwrap();
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

/// A benchmark about World, with a run of it.
fn world(place: &Place, questions: &str) -> (String, String) {
    let (bench, out) = (place.path("bench"), place.path("runs/a"));
    place.done(&["build", "quick", "--questions", questions, "--out", &bench]);
    place.done(&["run", "degraded:T2:0.4", "--benchmark", &bench, "--out", &out]);
    (bench, out)
}

/// A system that gives the same fields to every question.
fn echo(fields: &str) -> String {
    format!(
        r#"command:while read -r line; do id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/'); printf '{{"id": "%s", {fields}}}\n' "$id"; done"#
    )
}

#[test]
fn nothing_to_grade_is_not_a_success() {
    let place = Place::new();
    let (bench, out) = world(&place, "100");
    let file = |name: &str, text: &str| {
        fs::write(place.path(name), text).unwrap();
        place.path(name)
    };
    let grades = place.path("grades");
    let grade = |file: &str| place.run(&["grade", "--benchmark", &bench, file, "--out", &grades]);
    let empty = grade(&file("empty.jsonl", "\n"));
    assert_eq!(empty.status.code(), Some(1));
    assert!(stderr(&empty).contains("there are no predictions in"), "{}", stderr(&empty));
    let foreign = grade(&file("foreign.jsonl", "{\"id\": \"nobody-1\", \"answers\": []}\n"));
    assert_eq!(foreign.status.code(), Some(1));
    assert!(stderr(&foreign).contains("1 prediction is in"), "{}", stderr(&foreign));
    assert!(!Path::new(&grades).join("summary.json").exists());
    // One that belongs to nothing next to many that do.
    let mut text = fs::read_to_string(format!("{out}/predictions.jsonl")).unwrap();
    text.push_str("{\"id\": \"nobody-1\", \"answers\": []}\n");
    let partly = grade(&file("partly.jsonl", &text));
    assert_eq!(partly.status.code(), Some(1));
    assert!(
        stderr(&partly).contains("failed: 1 prediction is for questions that the benchmark does not have"),
        "{}",
        stderr(&partly)
    );
    // Predictions for another split are no mistake.
    let train = place.path("runs/train");
    place.done(&["run", "oracle", "--benchmark", &bench, "--split", "train", "--out", &train]);
    let both = text.replace("{\"id\": \"nobody-1\", \"answers\": []}\n", "")
        + &fs::read_to_string(format!("{train}/predictions.jsonl")).unwrap();
    let both = grade(&file("both.jsonl", &both));
    assert!(both.status.success() && stderr(&both).contains("not selected for grading"), "{}", stderr(&both));
}

#[test]
fn runs_with_too_many_errors_fail_with_their_messages() {
    let place = Place::new();
    let (bench, _) = world(&place, "100");
    let failing = echo(r#""error": "no more memory""#);
    let out = place.path("runs/failing");
    let run = |more: &[&str]| {
        let fixed = ["run", &failing, "--benchmark", &bench, "--limit", "3", "--out", &out];
        place.run(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let failed = run(&[]);
    assert_eq!(failed.status.code(), Some(1), "{}", stdout(&failed));
    let message = stderr(&failed);
    assert!(message.contains("error, 3 times: no more memory"), "{message}");
    assert!(message.contains("3 of 3 questions failed"), "{message}");
    // The errors of before count when nothing is left to ask.
    assert_eq!(run(&[]).status.code(), Some(1));
    assert!(run(&["--max-errors", "100%"]).status.success());
    assert_eq!(run(&["--max-errors", "2"]).status.code(), Some(1));
    assert!(run(&["--max-errors", "3"]).status.success());
    assert_eq!(run(&["--max-errors", "some"]).status.code(), Some(2));
    place.refused(&["grade", &out, "--max-errors", "10%"], 1, "the system failed on 3 of 3 questions");
    place.done(&["grade", &out]);
}

#[test]
fn scores_that_are_demanded() {
    let place = Place::new();
    let (bench, out) = world(&place, "150");
    place.done(&["grade", &out, "--fail-under", "f1=0.1", "--fail-under", "exec=0.1"]);
    place.refused(&["grade", &out, "--fail-under", "f1=0.99"], 1, "failed: f1 is 0.");
    place.refused(
        &["grade", &out, "--fail-under", "f2=0.5"],
        2,
        "there is no measure `f2`; did you mean `f1`?",
    );
    place.refused(&["grade", &out, "--fail-under", "f1"], 2, "write it like f1=0.6");
    place.refused(&["grade", &out, "--kb", "none", "--fail-under", "exec=0"], 1, "exec is not measured");
    let gold = place.path("runs/gold");
    place.done(&["run", "oracle", "--benchmark", &bench, "--out", &gold]);
    for run in [&out, &gold] {
        place.done(&["grade", run, "--out", run]);
    }
    let compare = |first: &str, second: &str| {
        place.run(&["compare", first, second, "--fail-on-regression", "f1", "--flips", "0"])
    };
    assert!(compare(&out, &gold).status.success(), "better is no regression");
    assert!(compare(&gold, &gold).status.success());
    let worse = compare(&gold, &out);
    assert_eq!(worse.status.code(), Some(1));
    assert!(stderr(&worse).contains("failed: f1 of ") && stderr(&worse).contains("fell from 1.000"));
    // By facet: groups with their own tests.
    let by =
        place.done(&["compare", &gold, &out, "--measures", "f1", "--by", "level", "--format", "markdown"]);
    assert!(by.contains("| level | run | measure | n |") && by.contains("| zero-shot | "), "{by}");
    place.refused(
        &["compare", &gold, &out, "--by", "words"],
        2,
        "is not graded by `words`: it has function, level, shape",
    );
    // The same in the formats of other programs.
    let junit =
        place.run(&["grade", &out, "--format", "junit", "--fail-under", "f1=0.99", "--measures", "f1,exec"]);
    assert_eq!(junit.status.code(), Some(1));
    assert!(
        stdout(&junit).contains("failures=\"1\"") && stdout(&junit).contains("<failure message=\"f1 is 0.")
    );
    let markdown = place.done(&["grade", &out, "--format", "markdown", "--measures", "f1"]);
    assert!(markdown.contains("| measure | all |") && markdown.contains("| f1 | 0."), "{markdown}");
    let csv = place.done(&["grade", &out, "--format", "csv", "--measures", "f1,exec"]);
    assert!(csv.starts_with("facet,value,measure,mean,low,high,n\n"), "{csv}");
    let summary = place.json(&["grade", &out, "--json"]);
    let (mean, n) = value(&summary, "f1");
    let row = csv.lines().find(|line| line.starts_with("all,,f1,")).unwrap();
    assert!(row.starts_with(&format!("all,,f1,{mean},")) && row.ends_with(&format!(",{n}")), "{row}");
    assert!(place.done(&["grade", &out, "--format", "latex"]).contains("em\\_canonical & "));
    assert!(place.done(&["compare", &gold, &out, "--format", "latex"]).contains("\\begin{tabular}"));
    let all = place.done(&["runs", &place.path("runs"), "--format", "csv"]);
    assert_eq!(all.lines().count(), 3, "{all}");
    assert!(
        place
            .done(&["runs", &place.path("runs"), "--format", "junit"])
            .contains("tests=\"2\" failures=\"0\"")
    );
    // A format of predictions, as it was written before.
    place.done(&["grade", &out, "--format", "lines"]);
}

#[test]
fn benchmarks_are_not_mixed() {
    let place = Place::new();
    let (_, mine) = world(&place, "100");
    let (bench, other) = (place.path("other"), place.path("runs/other"));
    place.done(&["build", "quick", "--questions", "100", "--seed", "9", "--out", &bench]);
    place.done(&["run", "oracle", "--benchmark", &bench, "--out", &other]);
    for run in [&mine, &other] {
        place.done(&["grade", run, "--out", run]);
    }
    let page = place.path("report.html");
    place.refused(&["report", &mine, &other, "--out", &page], 2, "are about different benchmarks");
    assert!(!Path::new(&page).exists());
    place.refused(&["compare", &mine, &other], 2, "are about different benchmarks");
    let grade = ["grade", "--benchmark", &bench, &mine];
    place.refused(&grade, 2, "was made on another benchmark");
    let regress = ["regress", "--benchmark", &bench, "--grades", &mine];
    place.refused(&regress, 2, "was graded on another benchmark");
    place.done(&["report", &mine, &mine, "--out", &page]);
}

#[test]
fn a_part_of_the_questions() {
    let place = Place::new();
    let (bench, out) = world(&place, "150");
    let all = place.json(&["grade", &out, "--json"]);
    let text = fs::read_to_string(format!("{out}/predictions.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().take(20).collect();
    fs::write(place.path("part.jsonl"), lines.join("\n")).unwrap();
    let part = place.path("part.jsonl");
    let grade = |more: &[&str]| {
        let fixed = ["grade", "--benchmark", &bench, &part, "--json"];
        place.json(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
    };
    // Without the option the others score 0.
    let (with_missing, predicted) = (grade(&[]), grade(&["--only-predicted"]));
    assert_eq!(with_missing["questions"], all["questions"]);
    assert_eq!((predicted["questions"].as_u64(), value(&predicted, "f1").1), (Some(20), 20));
    assert_eq!(predicted["outcomes"]["missing"], 0);
    let (some, every) = (value(&predicted, "f1").0, value(&with_missing, "f1"));
    assert!((some * 20.0 - every.0 * every.1 as f64).abs() < 1e-9);
    let in_facet = |summary: &Json, facet: &str| -> u64 {
        summary["by"][facet].as_object().unwrap().values().map(|cell| cell["n"].as_u64().unwrap()).sum()
    };
    assert_eq!(in_facet(&predicted, "level"), 20);
    // The same by a list of ids.
    let ids: Vec<String> = lines
        .iter()
        .map(|line| serde_json::from_str::<Json>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    fs::write(place.path("ids.txt"), ids.join("\n") + "\n").unwrap();
    let listed = place.json(&["grade", &out, "--ids", &place.path("ids.txt"), "--json"]);
    assert_eq!((&listed["measures"], &listed["by"]), (&predicted["measures"], &predicted["by"]));
    fs::write(place.path("ids.txt"), format!("{}\nnobody-1\n", ids[0])).unwrap();
    place.refused(
        &["grade", &out, "--ids", &place.path("ids.txt")],
        2,
        "line 2: no question selected for grading has the id `nobody-1`",
    );
}

#[test]
fn what_questions_cost_is_kept_and_shown() {
    let place = Place::new();
    let (bench, _) = world(&place, "100");
    let system = echo(r#""answers": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 10}"#);
    let out = place.path("runs/paid");
    let prices = ["--price-in", "2", "--price-out", "30", "--limit", "10"];
    place.done(&[&["run", &system, "--benchmark", &bench, "--out", &out][..], &prices[..]].concat());
    let text = fs::read_to_string(format!("{out}/predictions.jsonl")).unwrap();
    for line in text.lines() {
        let usage = &serde_json::from_str::<Json>(line).unwrap()["usage"];
        assert!(usage["seconds"].as_f64().unwrap() > 0.0, "{usage}");
        assert!((usage["cost"].as_f64().unwrap() - 0.0023).abs() < 1e-12, "{usage}");
    }
    let summary = place.json(&["grade", &out, "--out", &out, "--json"]);
    let usage = &summary["usage"];
    assert_eq!(
        (usage["tokens_in"]["total"].as_f64(), usage["tokens_in"]["n"].as_u64()),
        (Some(10_000.0), Some(10))
    );
    assert!((usage["cost"]["total"].as_f64().unwrap() - 0.023).abs() < 1e-9, "{usage}");
    assert!(usage["seconds"]["p95"].as_f64() >= usage["seconds"]["median"].as_f64());
    let shown = place.done(&["grade", &out, "--brief"]);
    assert!(shown.contains("tokens in") && shown.contains("10,000"), "{shown}");
    assert!(place.done(&["compare", &out, &out, "--flips", "0"]).contains("tokens out"));
    assert!(place.done(&["runs", &place.path("runs")]).contains("0.023"));
    // What is only looked up has no time worth keeping.
    let gold = fs::read_to_string(place.path("runs/a/predictions.jsonl")).unwrap();
    assert!(!gold.contains("usage"));
}

/// Rows that nobody can count to the end.
const ENDLESS: &str = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c = ?i && ?a = ?f && ?b != ?h) }";

fn endless(place: &Place, out: &str) -> String {
    let text = fs::read_to_string(format!("{out}/predictions.jsonl")).unwrap();
    let line = |line: &str| {
        let id = serde_json::from_str::<Json>(line).unwrap()["id"].clone();
        serde_json::json!({ "id": id, "logical_form": ENDLESS, "lang": "sparql" }).to_string()
    };
    let lines: Vec<String> = text.lines().take(20).map(line).collect();
    fs::write(place.path("endless.jsonl"), lines.join("\n")).unwrap();
    place.path("endless.jsonl")
}

#[test]
fn grading_is_bounded() {
    let place = Place::new();
    let (bench, out) = world(&place, "150");
    let file = endless(&place, &out);
    let grade = |more: &[&str]| {
        let fixed = ["grade", "--benchmark", &bench, &file, "--only-predicted", "--json"];
        place.run(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let few = grade(&["--max-operations", "20000"]);
    assert!(few.status.success(), "{}", stderr(&few));
    let summary: Json = serde_json::from_slice(&few.stdout).unwrap();
    assert_eq!(summary["outcomes"]["over_budget"], 20);
    // All the time is spent on the first ones: the rest is not graded, and does not count as 0 either.
    let all = "1000000000000";
    let late = grade(&["--max-operations", all, "--max-time", "100000", "--max-total-time", "0.2"]);
    assert_eq!(late.status.code(), Some(1));
    let summary: Json = serde_json::from_slice(&late.stdout).unwrap();
    assert_eq!((summary["not_graded"].as_u64(), summary["questions"].as_u64()), (Some(20), Some(0)));
    assert!(stderr(&late).contains("20 predictions are not graded"), "{}", stderr(&late));
    for odd in ["0", "-1", "soon"] {
        assert_eq!(grade(&["--max-time", odd]).status.code(), Some(2));
    }
}

/// Would go on for days if a signal did not stop it.
#[test]
fn grading_stops_when_it_is_told_to() {
    let place = Place::new();
    let (bench, out) = world(&place, "150");
    let (file, grades) = (endless(&place, &out), place.path("grades"));
    for signal in ["INT", "TERM"] {
        let mut command = touchstone();
        command.env("TOUCHSTONE_CACHE", place.path("cache"));
        command.args(["grade", "--benchmark", &bench, &file, "--out", &grades]);
        command.args(["--max-operations", "1000000000000", "--max-time", "100000"]);
        let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        // Grading has begun when its file is there.
        while !fs::read_dir(&grades).is_ok_and(|mut entries| entries.next().is_some()) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let sent = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("nothing was written"), "{}", stderr(&output));
        let left = fs::read_dir(&grades).map_or(0, |entries| entries.count());
        assert_eq!(left, 0, "nothing is left behind");
    }
}
