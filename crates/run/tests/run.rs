//! Real child processes that misbehave in every way, and runs that are stopped and go on.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use touchstone_benchmark::{Journal, RunHeader};
use touchstone_kb::{NoProgress, Progress};
use touchstone_run::{Asked, CommandSystem, Given, System, run};

fn questions(n: usize) -> Vec<Asked> {
    let asked = |i: usize| Asked {
        id: format!("q{i}"),
        question: format!("Question {i}?"),
        entities: None,
        choices: None,
        schema: None,
    };
    (0..n).map(asked).collect()
}

fn header(system: &dyn System) -> RunHeader {
    RunHeader {
        touchstone_run: 1,
        system: system.name(),
        benchmark: "test".to_owned(),
        benchmark_identity: String::new(),
        benchmark_path: String::new(),
        split: None,
        limit: None,
        questions: String::new(),
        kb: String::new(),
        gold_entities: false,
        choices: false,
        schema: false,
        gives: None,
        tool_version: "0".to_owned(),
    }
}

fn replies(system: &dyn System, n: usize) -> Vec<Json> {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path(), &header(system), &[], false).unwrap();
    let done = run(system, &questions(n), &mut journal, 1, &NoProgress, &mut |_, _| {}).unwrap();
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
    assert_eq!(error("exit 3", 5.0), "the program ends without an answer (exit status: 3)");
    assert_eq!(error("cat >/dev/null", 0.3), "no answer within 0.3 s");
    assert!(
        error("while read -r line; do echo garbage; done", 5.0).starts_with("the reply is no JSON: garbage")
    );
    assert_eq!(error(r"while read -r line; do printf '\377\376\n'; done", 5.0), "the reply is no UTF-8");
    assert_eq!(
        error("while read -r line; do head -c 100000000 /dev/zero | tr '\\0' 'a'; echo; done", 20.0),
        "the reply is longer than 16 MB"
    );
    assert!(error("exec >&-; cat >/dev/null", 5.0).starts_with("the program ends without an answer"));
    assert_eq!(error("while read -r line; do echo '{}'; done", 5.0), "the reply has no `id`");
    // It never reads, and says the same for ever.
    assert_eq!(
        error("while :; do echo '{\"id\": \"x\"}'; done", 0.3).split(';').next(),
        Some("no answer within 0.3 s")
    );
}

#[test]
fn late_and_double_replies_are_told_apart() {
    // Every answer is given twice, and one that nobody asked for comes first.
    let twice = format!(
        "{ECHO} | while read -r line; do echo '{{\"id\": \"other\"}}'; echo \"$line\"; echo \"$line\"; done"
    );
    for (at, reply) in replies(&command(&twice, 10.0), 5).iter().enumerate() {
        assert_eq!(reply["answers"], json!([format!("q{at}")]));
    }
    // It dies after each answer, and is started again.
    let mortal = ECHO.replace("; done", "; exit 0; done");
    assert!(replies(&command(&mortal, 10.0), 5).iter().all(|reply| reply.get("error").is_none()));
}

/// Stops after so many questions.
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
fn a_stopped_run_goes_on_where_it_was() {
    let asked = questions(8000);
    let system = Given::new(
        "given",
        asked.iter().map(|asked| (asked.id.clone(), json!({ "answers": [asked.question] }))),
    );
    let whole = tempfile::tempdir().unwrap();
    run(
        &system,
        &asked,
        &mut Journal::open(whole.path(), &header(&system), &[], false).unwrap(),
        2,
        &NoProgress,
        &mut |_, _| {},
    )
    .unwrap();
    let pieces = tempfile::tempdir().unwrap();
    let mut rounds = 0;
    loop {
        let mut journal = Journal::open(pieces.path(), &header(&system), &[], false).unwrap();
        let before = journal.len();
        let done =
            run(&system, &asked, &mut journal, 2, &Impatient(AtomicUsize::new(60)), &mut |_, _| {}).unwrap();
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
