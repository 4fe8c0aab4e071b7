//! Random programs compared with the package KoPL itself.
//!
//! `TOUCHSTONE_KOPL_PYTHON=$(tools/peers/install.sh target/peers) cargo test --test suite kopl_peer -- --nocapture` runs it. Without a
//! Python that has the package there is nothing to compare with, and the tests are skipped.

use crate::programs::random::Random;
use crate::programs::random_kb::random_kb;
use crate::programs::random_programs::Words;
use crate::programs::{cases, import_kqapro};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::compat::{Compat, CompatAnswer, CompatError, run};
use touchstone_kb::Kb;
use touchstone_logic::Program;

const PYTHON: &str = "TOUCHSTONE_KOPL_PYTHON";
/// Seeds of Python's hashes, which determine the order of its sets. The first ones for all programs, the others for those without a match.
const FIRST_SEEDS: std::ops::Range<usize> = 0..4;
const MORE_SEEDS: std::ops::Range<usize> = 4..64;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The answers of the package, one list for each seed.
fn their_answers(
    python: &OsString,
    dir: &Path,
    kb: &Path,
    programs: &[&Program],
    seeds: std::ops::Range<usize>,
) -> Vec<Vec<Value>> {
    let asked = dir.join("programs.json");
    std::fs::write(&asked, serde_json::json!(programs).to_string()).expect("written");
    let answers = |seed: usize| {
        let out = dir.join("answers.json");
        let status = Command::new(python)
            .arg(here("benches/peers/kopl_answers.py"))
            .args([kb, &asked, &out])
            .env("PYTHONHASHSEED", seed.to_string())
            .status();
        assert!(status.expect("Python").success(), "seed {seed}");
        let text = std::fs::read_to_string(&out).expect("answers");
        let answers: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(answers.len(), programs.len());
        answers
    };
    seeds.map(answers).collect()
}

fn our_answer(kb: &Kb, program: &Program) -> Value {
    let budget = Budget::new(Limits::default());
    match run(kb, program, Compat::Kopl, &budget) {
        Ok(CompatAnswer::List(texts)) => json!({"answer": texts}),
        Ok(CompatAnswer::Text(text)) => json!({"answer": text}),
        Err(CompatError::Raised { exception, .. }) => json!({"error": exception.name()}),
        Err(error) => panic!("{error}"),
    }
}

/// A list without its order.
fn unordered(answer: &Value) -> Value {
    match answer["answer"].as_array() {
        Some(list) => {
            let mut texts: Vec<String> = list.iter().map(Value::to_string).collect();
            texts.sort();
            json!({"answer": texts})
        }
        None => answer.clone(),
    }
}

#[derive(Default)]
struct Tally {
    /// The same for every seed, in the same order.
    identical: usize,
    /// The same except for the order of a list that was a set.
    same_but_for_order: usize,
    /// The seeds disagree, and some give our answer.
    one_of_several: usize,
    /// No seed gives our answer.
    wrong: usize,
    exceptions: usize,
    empty: usize,
}

fn compare(
    kb: &Kb,
    programs: &[Program],
    ask: impl Fn(&[&Program], std::ops::Range<usize>) -> Vec<Vec<Value>>,
) -> Tally {
    let mut tally = Tally::default();
    let all: Vec<&Program> = programs.iter().collect();
    let theirs = ask(&all, FIRST_SEEDS);
    let mut open: Vec<(&Program, Value)> = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let ours = our_answer(kb, program);
        tally.exceptions += usize::from(!ours["error"].is_null());
        tally.empty += usize::from(ours["answer"].as_array().is_some_and(Vec::is_empty));
        let theirs: Vec<&Value> = theirs.iter().map(|answers| &answers[at]).collect();
        let same = |answer: &&Value| unordered(answer) == unordered(&ours);
        if theirs.iter().all(|answer| **answer == ours) {
            tally.identical += 1;
        } else if theirs.iter().all(same) {
            tally.same_but_for_order += 1;
        } else if theirs.iter().any(same) {
            tally.one_of_several += 1;
        } else {
            open.push((program, ours));
        }
    }
    if open.is_empty() {
        return tally;
    }
    // Among ties, a few seeds may not show every order.
    let again: Vec<&Program> = open.iter().map(|(program, _)| *program).collect();
    let theirs = ask(&again, MORE_SEEDS);
    for (at, (program, ours)) in open.iter().enumerate() {
        if theirs.iter().any(|answers| unordered(&answers[at]) == unordered(ours)) {
            tally.one_of_several += 1;
        } else {
            let line = program.to_readable().expect("short");
            println!("wrong: {line}\n  ours {ours}\n  theirs {}", theirs[0][at]);
            tally.wrong += 1;
        }
    }
    tally
}

fn peer(name: &str, kb_json: &Path, programs: impl FnOnce(&Value) -> Vec<Program>) {
    let Some(python) = touchstone_testing::variable(PYTHON) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(kb_json).expect("a KB")).expect("JSON");
    let kb = import_kqapro(kb_json, &dir.path().join("kb"));
    let programs = programs(&json);
    let tally = compare(&kb, &programs, |programs, seeds| {
        their_answers(&python, dir.path(), kb_json, programs, seeds)
    });
    let Tally { identical, same_but_for_order, one_of_several, wrong, exceptions, empty } = tally;
    println!(
        "{name}: {} programs, {identical} identical, {same_but_for_order} the same but for the order of a set, {one_of_several} one of \
         several answers of Python, {wrong} wrong ({exceptions} raise, {empty} give nothing)",
        programs.len()
    );
    assert_eq!(wrong, 0, "{name}");
}

fn random_programs(seed: u64, n: usize) -> impl FnOnce(&Value) -> Vec<Program> {
    move |kb| {
        let (words, mut random) = (Words::of(kb), Random::new(seed));
        (0..n).map(|_| words.program(&mut random)).collect()
    }
}

#[test]
fn on_the_example_of_the_package() {
    let Some(kb) = crate::programs::shared_data("kqapro/kopl_example_kb.json") else { return };
    peer("example", &kb, random_programs(1, 3000));
}

#[test]
fn on_random_kbs() {
    let dir = tempfile::tempdir().expect("a folder");
    for seed in 1..=4 {
        let path = dir.path().join(format!("{seed}.json"));
        std::fs::write(&path, random_kb(seed, 12 * seed as usize).to_string()).expect("written");
        peer(&format!("random KB {seed}"), &path, random_programs(seed + 100, 2000));
    }
}

/// The data files agree with the package about KOPL.
#[test]
fn on_the_cases() {
    let example = crate::programs::shared_data("kqapro/kopl_example_kb.json");
    for (file, kb) in [
        ("tests/compat/differences.txt", Some(here("tests/compat/towns.json"))),
        ("tests/cases/kopl_examples.txt", example),
    ] {
        let Some(kb) = kb else { continue };
        let text = std::fs::read_to_string(here(file)).expect("cases");
        let programs = cases(&text).map(|case| Program::parse(case.fields[0]).expect("a program")).collect();
        peer(file, &kb, |_| programs);
    }
}
