//! `touchstone grade`: scores do not depend on the order of predictions, and what a system gives is declared.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use serde_json::{Value as Json, json as object};
use std::fs;
use support::{json, run, stderr};

fn succeed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stderr(&output)
}

/// The questions of a benchmark that are graded.
fn questions(bench: &str) -> Vec<Json> {
    let text = fs::read_to_string(format!("{bench}/questions.jsonl")).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    all.filter(|question| question["split"] != "train").collect()
}

#[test]
fn the_order_of_predictions_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let bench = file("bench");
    succeed(&["build", "quick", "--questions", "600", "--seed", "1", "--out", &bench]);
    // Most give answers only; a few have a form, at the end or at the beginning.
    let lines: Vec<String> = questions(&bench)
        .iter()
        .enumerate()
        .map(|(at, question)| {
            let mut line = object!({ "id": question["id"], "answers": question["answers"] });
            if at % 5 == 0 {
                line["logical_form"] = question["forms"]["sparql"].clone();
                line["lang"] = object!("sparql");
            }
            line.to_string()
        })
        .collect();
    let with_form = |line: &&String| line.contains("logical_form");
    let (forms, answers): (Vec<&String>, Vec<&String>) = lines.iter().partition(with_form);
    let orders = [
        forms.iter().chain(&answers).copied().collect::<Vec<_>>(),
        answers.iter().chain(&forms).copied().collect(),
        lines.iter().rev().collect(),
    ];
    let mut summaries = Vec::new();
    for (at, order) in orders.iter().enumerate() {
        let (predictions, out) = (file(&format!("{at}.jsonl")), file(&format!("grades{at}")));
        fs::write(&predictions, order.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let told = succeed(&["grade", "--benchmark", &bench, "--predictions", &predictions, "--out", &out]);
        assert!(told.contains("answers and logical forms"), "{told}");
        summaries.push(fs::read(format!("{out}/summary.json")).unwrap());
    }
    assert_eq!(summaries[0], summaries[1]);
    assert_eq!(summaries[0], summaries[2]);
    // Declared otherwise, forms are not measured.
    let graded = |gives: &str| {
        json(&["grade", "--benchmark", &bench, "--predictions", &file("0.jsonl"), "--gives", gives, "--json"])
    };
    assert!(graded("answers")["measures"].get("em_canonical").is_none());
    let both = graded("both");
    let n = both["questions"].as_u64().unwrap();
    for measure in [
        "em_canonical",
        "em_string",
        "bleu",
        "rouge_l",
        "f1_sem",
        "f1_tri",
        "f1_aligned",
        "exec",
        "f1_exec",
        "gek_3",
    ] {
        assert_eq!(both["measures"][measure]["n"].as_u64(), Some(n), "{measure}");
    }
}

/// Whichever comes first: a score must not depend on it.
#[test]
fn two_different_predictions_for_a_question_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let bench = file("bench");
    succeed(&["build", "quick", "--questions", "100", "--seed", "1", "--out", &bench]);
    let question = &questions(&bench)[0];
    let right = object!({ "id": question["id"], "answers": question["answers"] }).to_string();
    let wrong = object!({ "id": question["id"], "answers": ["something else"] }).to_string();
    let predictions = file("predictions.jsonl");
    let grade = |lines: [&str; 2]| {
        fs::write(&predictions, lines.join("\n")).unwrap();
        run(&["grade", &predictions, "--benchmark", &bench, "--only-predicted", "--out", &file("grades")])
    };
    for lines in [[&right, &wrong], [&wrong, &right]] {
        let output = grade(lines.map(String::as_str));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("two different predictions for question"), "{}", stderr(&output));
        assert!(!dir.path().join("grades").join("summary.json").exists());
    }
    let again = grade([&right, &right]);
    assert!(
        again.status.success() && stderr(&again).contains("1 duplicate prediction was ignored"),
        "{}",
        stderr(&again)
    );
}

#[test]
fn a_run_declares_what_its_system_gives() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let (bench, answers) = (file("bench"), file("answers.jsonl"));
    succeed(&["build", "quick", "--questions", "200", "--seed", "1", "--out", &bench]);
    let line = |question: &Json| {
        object!({ "id": question["id"], "answers": question["answers"] }).to_string() + "\n"
    };
    fs::write(&answers, questions(&bench).iter().map(line).collect::<String>()).unwrap();
    let declared = |system: &str, options: &[&str]| {
        let out = file(&format!("run{}", options.len() + system.len()));
        let args = [&["run", system, "--benchmark", &bench, "--out", &out][..], options].concat();
        succeed(&args);
        let header: Json =
            serde_json::from_str(&fs::read_to_string(format!("{out}/run.json")).unwrap()).unwrap();
        let summary = json(&["grade", "--benchmark", &bench, "--predictions", &out, "--json"]);
        (header["gives"].as_str().unwrap().to_owned(), summary["measures"]["em_canonical"]["mean"].as_f64())
    };
    assert_eq!(declared("oracle", &[]), ("both".to_owned(), Some(1.0)));
    let system = format!("file:{answers}");
    assert_eq!(declared(&system, &[]), ("answers".to_owned(), None));
    // A system that should have given forms scores 0 for all that it left out.
    assert_eq!(declared(&system, &["--gives", "both"]), ("both".to_owned(), Some(0.0)));
}

/// LC-QuAD has gold queries and no gold answers.
#[test]
fn gold_answers_that_are_not_known_are_not_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let (bench, lcquad, own) = (file("bench"), file("lcquad.json"), file("own"));
    succeed(&["build", "quick", "--questions", "200", "--seed", "1", "--out", &bench]);
    let of_triples = |question: &&Json| {
        let sparql = question["forms"]["sparql"].as_str().unwrap_or_default();
        question["function"] == "none" && sparql.starts_with("SELECT") && !sparql.contains("FILTER")
    };
    let all = questions(&bench);
    let asked: Vec<&Json> = all.iter().filter(of_triples).collect();
    let record = |question: &&Json| object!({ "_id": question["id"], "corrected_question": question["question"], "sparql_query": question["forms"]["sparql"] });
    fs::write(&lcquad, Json::Array(asked.iter().map(record).collect()).to_string()).unwrap();
    // With a KB the import runs the gold queries; without one the answers stay unknown.
    let answered = file("answered");
    run(&["import-dataset", "--format", "lcquad", "--test", &lcquad, "--kb", "world", "--out", &answered]);
    assert!(questions(&answered).iter().all(|question| !question["answers"].as_array().unwrap().is_empty()));
    run(&["import-dataset", "--format", "lcquad", "--test", &lcquad, "--out", &own]);
    let imported = questions(&own);
    assert!(imported.len() > 10, "{} questions", imported.len());
    let (forms, answers) = (file("forms.jsonl"), file("answers.jsonl"));
    let renamed = |question: &Json| {
        let form = question["forms"]["sparql"].as_str().unwrap().replace('?', "?other_");
        object!({ "id": question["id"], "logical_form": form, "lang": "sparql" }).to_string() + "\n"
    };
    fs::write(&forms, imported.iter().map(renamed).collect::<String>()).unwrap();
    let wrong = |question: &Json| {
        object!({ "id": question["id"], "answers": ["nothing like it"] }).to_string() + "\n"
    };
    fs::write(&answers, imported.iter().map(wrong).collect::<String>()).unwrap();

    let on_kb = json(&["grade", "--benchmark", &own, "--predictions", &forms, "--kb", "world", "--json"]);
    let n = imported.len() as u64;
    assert_eq!(
        (on_kb["answers_from_kb"].as_u64(), on_kb["measures"]["f1"]["mean"].as_f64()),
        (Some(n), Some(1.0))
    );
    let wrong = json(&["grade", "--benchmark", &own, "--predictions", &answers, "--kb", "world", "--json"]);
    assert_eq!(wrong["measures"]["f1"]["mean"].as_f64(), Some(0.0));
    let blind = json(&["grade", "--benchmark", &own, "--predictions", &answers, "--kb", "none", "--json"]);
    assert_eq!(blind["answers_unknown"].as_u64(), Some(n));
    assert!(blind["measures"].get("f1").is_none(), "{}", blind["measures"]);
    // Gold itself claims no answers that nobody knows.
    let oracle = file("oracle");
    succeed(&["run", "oracle", "--benchmark", &own, "--kb", "world", "--out", &oracle]);
    let gold = json(&["grade", "--benchmark", &own, "--predictions", &oracle, "--kb", "world", "--json"]);
    assert_eq!(gold["measures"]["f1"]["mean"].as_f64(), Some(1.0));
}

/// Without a benchmark, a path that does not exist is named.
#[test]
fn a_missing_run_is_named() {
    let missing = run(&["grade", "nowhere/run"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(stderr(&missing), "error: `nowhere/run` is neither a run folder nor a predictions file\n");
}
