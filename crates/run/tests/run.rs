//! Real child processes that misbehave in every way, and runs that are stopped and resumed.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use touchstone_benchmark::{Answer, Prediction, Prices, RunHeader, RunJournal};
use touchstone_kb::{NoProgress, Progress};
use touchstone_run::{AskSettings, CommandSystem, FixedPredictions, System, SystemInput, ask_all};

fn questions(n: usize) -> Vec<SystemInput> {
    (0..n).map(|i| SystemInput::new(&format!("q{i}"), &format!("Question {i}?"))).collect()
}

fn open(folder: &Path, system: &dyn System) -> RunJournal {
    RunJournal::open(folder, &RunHeader::new(&system.name()), &[], false).unwrap()
}

const ONE: AskSettings = AskSettings { workers: 1, prices: None };
const TWO: AskSettings = AskSettings { workers: 2, prices: None };

fn replies(system: &dyn System, n: usize) -> Vec<Json> {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = open(dir.path(), system);
    let done = ask_all(system, &questions(n), &mut journal, ONE, &NoProgress, &mut |_, _| {}).unwrap();
    assert!(done.complete && done.asked == n);
    let text = std::fs::read_to_string(dir.path().join("predictions.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn command(script: &str, seconds: f32) -> CommandSystem {
    CommandSystem::new(script, Duration::from_secs_f32(seconds))
}

/// A program that answers every question with its id.
const ECHO: &str = r#"while read -r line; do id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/'); printf '{"id": "%s", "answers": ["%s"]}\n' "$id" "$id"; done"#;

#[test]
fn a_good_program_answers_everything() {
    for (at, reply) in replies(&command(ECHO, 10.0), 20).iter().enumerate() {
        assert_eq!(reply["answers"], json!([format!("q{at}")]));
    }
}

#[test]
fn programs_that_misbehave_are_errors_not_answers() {
    let error = |script: &str, seconds: f32| {
        replies(&command(script, seconds), 2)[0]["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(error("exit 3", 5.0), "the program ended without an answer (exit status: 3)");
    assert_eq!(error("cat >/dev/null", 0.3), "no answer within 0.3 s");
    assert!(
        error("while read -r line; do echo garbage; done", 5.0).starts_with("the reply is not JSON: garbage")
    );
    assert_eq!(error(r"while read -r line; do printf '\377\376\n'; done", 5.0), "the reply is not UTF-8");
    assert_eq!(
        error("while read -r line; do head -c 100000000 /dev/zero | tr '\\0' 'a'; echo; done", 20.0),
        "the reply is longer than 16 MB"
    );
    assert!(error("exec >&-; cat >/dev/null", 5.0).starts_with("the program ended without an answer"));
    assert_eq!(error("while read -r line; do echo '{}'; done", 5.0), "the reply has no `id`");
    // It never reads, and repeats the same line for ever.
    assert_eq!(
        error("while :; do echo '{\"id\": \"x\"}'; done", 0.3).split(';').next(),
        Some("no answer within 0.3 s")
    );
}

#[test]
fn late_and_double_replies_are_told_apart() {
    // Every answer is sent twice, preceded by an unrelated one.
    let twice = format!(
        "{ECHO} | while read -r line; do echo '{{\"id\": \"other\"}}'; echo \"$line\"; echo \"$line\"; done"
    );
    for (at, reply) in replies(&command(&twice, 10.0), 5).iter().enumerate() {
        assert_eq!(reply["answers"], json!([format!("q{at}")]));
    }
    // It exits after each answer, and is restarted.
    let mortal = ECHO.replace("; done", "; exit 0; done");
    assert!(replies(&command(&mortal, 10.0), 5).iter().all(|reply| reply.get("error").is_none()));
}

/// Stops after this number of questions.
struct Impatient(AtomicUsize);

impl Progress for Impatient {
    fn stage(&self, _: &str, _: Option<u64>) {}

    fn advance(&self, n: u64) {
        self.0.fetch_sub((n as usize).min(self.0.load(Ordering::Relaxed)), Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn a_stopped_run_resumes() {
    let asked = questions(8000);
    let predictions = asked.iter().map(|input| Prediction {
        id: input.id.clone(),
        answers: Some(vec![Answer::plain(&input.question)]),
        ..Prediction::default()
    });
    let system = FixedPredictions::new("fixed", predictions);
    let whole = tempfile::tempdir().unwrap();
    let mut journal = open(whole.path(), &system);
    ask_all(&system, &asked, &mut journal, TWO, &NoProgress, &mut |_, _| {}).unwrap();
    let pieces = tempfile::tempdir().unwrap();
    let mut rounds = 0;
    loop {
        let mut journal = open(pieces.path(), &system);
        let before = journal.len();
        let impatient = Impatient(AtomicUsize::new(60));
        let done = ask_all(&system, &asked, &mut journal, TWO, &impatient, &mut |_, _| {}).unwrap();
        assert_eq!((done.before, done.before + done.asked), (before, journal.len()));
        drop(journal);
        rounds += 1;
        if done.complete {
            break;
        }
        // The end of the file is torn, as by a crash.
        let path = pieces.path().join("predictions.jsonl");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
    }
    assert!(rounds > 2, "{rounds}");
    let sorted = |dir: &tempfile::TempDir| {
        let text = std::fs::read_to_string(dir.path().join("predictions.jsonl")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&pieces), sorted(&whole));
}

#[test]
fn tokens_have_a_price() {
    let script = r#"while read -r line; do id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/'); printf '{"id": "%s", "usage": {"tokens_in": 1000, "tokens_out": 100, "seconds": 2}, "mine": 1}\n' "$id"; done"#;
    let system = command(script, 10.0);
    let dir = tempfile::tempdir().unwrap();
    let mut journal = open(dir.path(), &system);
    let prices = Some(Prices { tokens_in: 1.0, tokens_out: 10.0 });
    let settings = AskSettings { workers: 1, prices };
    ask_all(&system, &questions(1), &mut journal, settings, &NoProgress, &mut |_, _| {}).unwrap();
    let line = std::fs::read_to_string(dir.path().join("predictions.jsonl")).unwrap();
    let expected =
        r#"{"id":"q0","usage":{"tokens_in":1000,"tokens_out":100,"seconds":2,"cost":0.002},"mine":1}"#;
    assert_eq!(line.trim_end(), expected);
}

/// A system with a bug in its adapter.
struct Panicking;

impl System for Panicking {
    fn name(&self) -> String {
        "panicking".to_owned()
    }

    fn worker(&self) -> Box<dyn touchstone_run::Worker + '_> {
        Box::new(Panicking)
    }
}

impl touchstone_run::Worker for Panicking {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, touchstone_run::SystemError> {
        assert_ne!(input.id, "q1", "a defect");
        Ok(Prediction::default())
    }
}

#[test]
fn a_panic_is_the_error_of_one_question() {
    let replies = replies(&Panicking, 3);
    assert_eq!(replies[1]["error"], json!("internal error in the system adapter"));
    assert_eq!((replies[0]["id"].as_str(), replies[2]["id"].as_str()), (Some("q0"), Some("q2")));
}

#[test]
fn a_run_of_errors_only_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let system = command("exit 3", 5.0);
    let mut journal = open(dir.path(), &system);
    let done = ask_all(&system, &questions(50), &mut journal, ONE, &NoProgress, &mut |_, _| {}).unwrap();
    assert_eq!(done.gave_up.as_deref(), Some("the program ended without an answer (exit status: 3)"));
    assert!(!done.complete && journal.is_empty());
}
