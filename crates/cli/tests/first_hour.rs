//! What a new user meets first: tables that fit, messages that help, data sets and questions of their own.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use support::{json, run, stderr, stdout, touchstone};

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A benchmark with two graded runs, made once for all tests of this file.
fn bench() -> &'static str {
    static MADE: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    let (_, folder) = MADE.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| text(&dir.path().join(name));
        let done = |args: &[&str]| {
            let output = run(args);
            assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        };
        let bench = path("bench");
        done(&["build", "quick", "--questions", "120", "--out", &bench]);
        for (system, name) in [("nearest", "nearest-training-question"), ("degraded:T2:0.5", "degraded")] {
            let out = path(&format!("runs/{name}"));
            done(&["run", system, "--benchmark", &bench, "--out", &out]);
            let grade =
                ["grade", "--benchmark", &bench, "--predictions", &out, "--by", "level,shape", "--out", &out];
            done(&grade);
        }
        let root = text(dir.path());
        (dir, root)
    });
    folder
}

fn in_bench(name: &str) -> String {
    text(&Path::new(bench()).join(name))
}

/// Runs a command in a terminal that is 80 columns wide, as far as it can know, and checks what it prints.
fn fits(args: &[&str]) -> String {
    let mut printed = String::new();
    for columns in [None, Some("80"), Some("50")] {
        let mut command = touchstone();
        command.args(args).env_remove("COLUMNS");
        command.envs(columns.map(|columns| ("COLUMNS", columns)));
        let output = command.output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {}", stderr(&output));
        let text = stdout(&output);
        let width = columns.map_or(80, |columns| columns.parse().unwrap());
        for line in text.lines() {
            // Commands, paths and queries are to be copied: they stay whole. Everything else fits.
            let is_long_word = line.split_whitespace().any(|word| word.chars().count() > width / 2);
            assert!(
                line.chars().count() <= width || is_long_word,
                "{args:?}, {width} columns:\n{line}\n\n{text}"
            );
        }
        if printed.is_empty() {
            printed = text;
        }
    }
    printed
}

#[test]
fn tables_fit_the_terminal() {
    let (bench, runs) = (in_bench("bench"), in_bench("runs"));
    let (first, second) = (in_bench("runs/nearest-training-question"), in_bench("runs/degraded"));
    let commands: Vec<Vec<&str>> = vec![
        vec!["kb", "info"],
        vec!["kb", "info", "--schema"],
        vec!["kb", "show", "Paris"],
        vec!["kb", "show", "Rick Nolan", "--sources"],
        vec!["kb", "find", "nolan", "-n", "30"],
        vec![
            "query",
            "SELECT ?f ?d ?l ?c ?g ?p WHERE { ?f <urn:touchstone:world:property:director> ?d ; <urn:touchstone:world:property:original_language> ?l ; <urn:touchstone:world:property:country_of_origin> ?c ; <urn:touchstone:world:property:genre> ?g ; <urn:touchstone:world:property:publication_date> ?p } LIMIT 5",
        ],
        vec!["query", "Find(Christopher Nolan) > Relate(director, backward) > What()"],
        vec!["stats", &bench],
        vec!["lint", &bench],
        vec!["runs", &runs],
        vec!["compare", &first, &second, "--measures", "em_answer,f1,gek_3"],
        vec!["grade", "--benchmark", &bench, "--predictions", &first, "--by", "level,shape,function,type"],
        vec!["measures"],
        vec!["axioms", "--benchmark", &bench, "--limit", "10"],
        vec![
            "sensitivity",
            "--benchmark",
            &bench,
            "--transform",
            "T1,T2,T3,drop,flip",
            "--share",
            "0.1,0.2,0.5",
        ],
        vec!["regress", "--benchmark", &bench, "--grades", &first],
        vec!["shape", &bench],
        vec!["level", "--train", &bench, "--test", &bench],
        vec!["cache", "info"],
    ];
    for args in &commands {
        fits(args);
    }
    // What a wide terminal shows is not lost.
    let output = run(&["runs", &runs, "--wide"]);
    for heading in ["run", "system", "benchmark", "started", "state", "gek_3"] {
        assert!(stdout(&output).lines().next().unwrap().contains(heading), "{}", stdout(&output));
    }
}

#[test]
fn no_number_is_split() {
    let (bench, first) = (in_bench("bench"), in_bench("runs/nearest-training-question"));
    let summary: Json =
        serde_json::from_str(&fs::read_to_string(Path::new(&first).join("summary.json")).unwrap()).unwrap();
    let mean = summary["measures"]["f1"]["mean"].as_f64().unwrap();
    let grade = ["grade", "--benchmark", &bench, "--predictions", &first];
    for args in [&grade[..], &["runs", &in_bench("runs")]] {
        let printed = fits(args);
        assert!(printed.contains(&format!("{mean:.3}")), "{args:?}:\n{printed}");
    }
    let compared = json(&["compare", &first, &in_bench("runs/degraded"), "--json"]);
    let printed = fits(&["compare", &first, &in_bench("runs/degraded")]);
    for row in compared.as_array().unwrap() {
        let interval = |name: &str| format!("{:+.3}", row["comparison"][name].as_f64().unwrap());
        let shown = format!("{} to {}", interval("low"), interval("high"));
        assert!(printed.contains(&shown), "{shown}:\n{printed}");
        // What n is over is said, and it is that of the table.
        assert!(printed.contains(&format!(" {} ", row["n"])), "{printed}");
    }
    for explained in
        ["questions for which the measure has a value in both runs", "McNemar's exact test", "80 % power"]
    {
        let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(explained), "{explained}:\n{printed}");
    }
}

fn refuses(args: &[&str], code: i32, message: &str) {
    let output = run(args);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert!(error.contains(message), "{args:?} reports:\n{error}\ninstead of: {message}");
}

#[test]
fn messages_say_what_to_do_next() {
    let bench = in_bench("bench");
    refuses(&["show", &bench, "--split", "tst"], 2, "unknown split `tst`; known: train, dev, test");
    refuses(
        &["show", &bench, "--shape", "Iso-77"],
        1,
        "no question has the shape `Iso-77`; did you mean `Iso-",
    );
    refuses(&["show", &bench, "--split", "test", "--id", "nothing"], 1, "no question has the id `nothing`");
    refuses(&["query", "Find(Pariss) > What()"], 1, "the nearest is `Paris`");
    refuses(&["query", "SELECT ?x WHERE { ?x a <u:f> . FILTR(?x > 3) }"], 2, "did you mean `FILTER`?");
    refuses(&["verbalise", "Find(Pariss) > QueryAttr(population)"], 2, "the KB has no entity named `Pariss`");
    let product = ["grade", "--benchmark", &bench, "--predictions", &bench, "--product", "x = f1 *"];
    refuses(&product, 2, "`x = f1 *` is not a product of measures; write it like");
    refuses(&["stats", &in_bench("bnch")], 2, "did you mean");
    refuses(&["stats", &in_bench("bnch")], 2, "there is no benchmark in");
    let resume = ["run", "--resume", &in_bench("runs/degraded"), "--parallel", "8"];
    refuses(&resume, 2, "`--parallel` cannot be given with it");
    let out = in_bench("runs/nothing");
    let missing = ["run", "command:nosuchprogram", "--benchmark", &bench, "--out", &out];
    let output = run(&missing);
    assert_ne!(output.status.code(), Some(0));
    let error = stderr(&output);
    assert!(error.contains("cannot find or start `nosuchprogram`"), "{error}");
    assert_eq!(error.matches("not found").count(), 1, "the shell is asked once:\n{error}");
    let _ = fs::remove_dir_all(&out);
}

#[test]
fn unknown_words_are_not_searched_for_in_batches() {
    let dir = tempfile::tempdir().unwrap();
    let (queries, results) =
        (text(&dir.path().join("queries.jsonl")), text(&dir.path().join("results.jsonl")));
    fs::write(&queries, "{\"id\": 1, \"query\": \"Find(Pariss) > What()\"}\n").unwrap();
    let output = run(&["query", "--batch", &queries, "--out", &results]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    let results = fs::read_to_string(&results).unwrap();
    assert!(results.contains("no entity named `Pariss`") && !results.contains("the nearest"), "{results}");
}

#[test]
fn benchmarks_have_shapes_and_levels() {
    let bench = in_bench("bench");
    let questions: Vec<Json> = fs::read_to_string(Path::new(&bench).join("questions.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for file in [bench.clone(), format!("{bench}/questions.jsonl")] {
        let output = run(&["shape", &file, "--per-question"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let shapes: Vec<Json> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(shapes.len(), questions.len());
        for (question, shape) in questions.iter().zip(&shapes) {
            assert_eq!((&question["id"], &question["shape"]), (&shape["id"], &shape["code"]));
        }
        let args =
            ["level", "--train", &file, "--test", &file, "--kb", "world", "--inverse-rule", "--per-question"];
        let output = run(&args);
        assert!(output.status.success(), "{}", stderr(&output));
        let levels: Vec<Json> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let tested: Vec<&Json> = questions.iter().filter(|question| question["split"] != "train").collect();
        assert_eq!(levels.len(), tested.len());
        for (question, level) in tested.iter().zip(&levels) {
            assert_eq!((&question["id"], &question["level"]), (&level["id"], &level["level"]));
        }
    }
}

#[test]
fn a_failed_import_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (text(&dir.path().join("broken.jsonl")), text(&dir.path().join("out")));
    fs::write(&file, "{\"question\": \"What?\", \"query\": \"(JOIN\"}\n").unwrap();
    let args = ["import-dataset", "--format", "lines", "--test", &file, "--out", &out];
    refuses(&args, 2, "no question could be imported, so nothing is written");
    assert!(!Path::new(&out).exists());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left next to it");
}

#[test]
fn questions_of_ones_own_are_imported() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (text(&dir.path().join("mine.jsonl")), text(&dir.path().join("mine")));
    let lines = [
        r#"{"id": "a", "question": "Who directed Inception?", "query": "Find(Inception) > Relate(director, forward) > What()", "answers": ["Christopher Nolan"]}"#,
        r#"{"id": "b", "question": "Who directed Inception?", "query": "SELECT ?d WHERE { <urn:touchstone:world:film/tt1375666> <urn:touchstone:world:property:director> ?d }"}"#,
        r#"{"id": "c", "question": "How many films did Christopher Nolan direct?", "query": "(COUNT (AND film (JOIN director person/f-christopher-nolan)))"}"#,
        r#"{"id": "d", "question": "What?", "query": "(JOIN"}"#,
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let args =
        ["import-dataset", "--format", "lines", "--test", &file, "--kb", "world", "--out", &out, "--json"];
    let report = json(&args);
    assert_eq!(report["unread"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["answers_looked_up"], 2, "{report}");
    let questions: Vec<Json> = fs::read_to_string(Path::new(&out).join("questions.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for question in &questions[..2] {
        assert_eq!(question["answers"][0]["id"], "person/f-christopher-nolan", "{question}");
    }
    assert_eq!(questions[2]["answers"][0]["value"], 9, "{}", questions[2]);
    let linted = run(&["lint", &out, "--kb", "world"]);
    assert!(!stdout(&linted).contains("wrong level"), "{}", stdout(&linted));
}

#[test]
fn levels_of_files_are_kept_or_computed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&dir.path().join(name));
    let record = |id: &str, level: &str, query: &str| {
        serde_json::json!({ "qid": id, "question": id, "level": level, "s_expression": query, "answer": [] })
            .to_string()
    };
    fs::write(path("train.json"), record("t", "", "(AND a.b (JOIN a.b.c m.1))")).unwrap();
    let dev = [
        record("same", "zero-shot", "(AND a.b (JOIN a.b.c m.2))"),
        record("new", "zero-shot", "(AND a.b (JOIN a.b.d m.2))"),
    ];
    fs::write(path("dev.json"), dev.join("\n")).unwrap();
    let import = |levels: &str| {
        let out = path(levels);
        let (train, dev) = (path("train.json"), path("dev.json"));
        let args = [
            "import-dataset",
            "--format",
            "grailqa",
            "--train",
            &train,
            "--dev",
            &dev,
            "--levels",
            levels,
            "--out",
            &out,
        ];
        let output = run(&args);
        assert!(output.status.success(), "{}", stderr(&output));
        let questions = fs::read_to_string(Path::new(&out).join("questions.jsonl")).unwrap();
        let level = |id: &str| {
            let line = questions.lines().find(|line| line.contains(&format!("\"id\":\"{id}\""))).unwrap();
            serde_json::from_str::<Json>(line).unwrap()["level"].as_str().unwrap().to_owned()
        };
        (stderr(&output), level("same"), level("new"))
    };
    let (note, same, new) = import("keep");
    assert!(note.contains("1 of them differ"), "{note}");
    assert_eq!((same.as_str(), new.as_str()), ("zero-shot", "zero-shot"));
    let (note, same, new) = import("compute");
    assert!(note.contains("1 of 2 questions differ"), "{note}");
    assert_eq!((same.as_str(), new.as_str()), ("i.i.d.", "zero-shot"));
}

#[test]
fn answers_without_a_label_show_their_id() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (text(&dir.path().join("cwq.json")), text(&dir.path().join("cwq")));
    let record = r#"[{"ID": "W-1", "question": "who?", "sparql": "SELECT ?x WHERE { ?x ns:a.b ns:m.1 }", "answers": ["m.0184jc"]}]"#;
    fs::write(&file, record).unwrap();
    let output = run(&["import-dataset", "--format", "cwq", "--test", &file, "--out", &out]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&run(&["show", &out, "--brief"])).contains("[m.0184jc]"));
    assert!(stdout(&run(&["show", &out])).contains("  m.0184jc\n"));
}

#[test]
fn graded_files_are_listed_beside_runs() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, out) = (in_bench("bench"), text(&dir.path().join("graded")));
    let predictions = Path::new(&in_bench("runs/degraded")).join("predictions.jsonl");
    let copy = text(&dir.path().join("mine.jsonl"));
    fs::copy(predictions, &copy).unwrap();
    let output = run(&["grade", "--benchmark", &bench, "--predictions", &copy, "--out", &out]);
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = json(&["runs", &text(dir.path()), "--json"]);
    assert_eq!((rows[0]["run"].as_str(), rows.as_array().unwrap().len()), (Some("graded"), 1), "{rows}");
    assert!(rows[0]["scores"]["f1"].is_number() && rows[0]["predictions"].as_u64().unwrap() > 30, "{rows}");
    let listed = run(&["runs", &text(dir.path())]);
    assert!(listed.status.success() && stdout(&listed).contains(" graded "), "{}", stdout(&listed));
}

#[test]
fn the_words_for_a_kb_can_be_edited() {
    let dir = tempfile::tempdir().unwrap();
    let words = text(&dir.path().join("words.toml"));
    let output = run(&["lexicon", "--out", &words]);
    assert!(output.status.success(), "{}", stderr(&output));
    let query = "Find(Inception) > Relate(director, forward) > What()";
    let asked = |lexicon: &str| stdout(&run(&["verbalise", query, "--lexicon", lexicon]));
    assert_eq!(asked(&words), stdout(&run(&["verbalise", query])));
    let derived = json(&["lexicon", "-n", "3", "--json"]);
    assert!(derived.as_array().is_some_and(|entries| entries.len() == 3), "{derived}");
}
