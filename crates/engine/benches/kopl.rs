//! Compares the embedded engine with the package KoPL, on a KB of KQA Pro's size, from the program's steps to its answers:
//! `TOUCHSTONE_KOPL_PYTHON=... cargo bench --bench kopl`.
//!
//! Both sides run the same programs of each kind (as many as KoPL runs in three seconds, at most 2,000, at least 20), once to warm up and
//! then for the same number of rounds, of which the best counts; the answers must be the same. The ratio is for one thread: KoPL has only
//! one, so our rate on two threads is printed without a ratio.
//!
//! A word after `--` selects kinds of programs; `TOUCHSTONE_BENCH_ENTITIES` sets the size.
#![allow(missing_docs, clippy::print_stdout)]

#[path = "support/kqapro_world.rs"]
mod kqapro_world;

use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use touchstone_engine::budget::{Budget, Cancel, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Answer, Words, embedded};
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Program;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum number of programs of a kind. Repeating a few programs would only measure how well they fit into a cache.
const PROGRAMS: usize = 2_000;
/// Maximum number of seconds of KoPL's first pass through a kind; slow kinds have fewer programs, on both sides.
const SECONDS: u64 = 3;
/// Rounds of each side.
const ROUNDS: usize = 3;

/// From the steps of a program to its answers, with their ids and names.
fn run(words: &Words<'_>, program: &Program, cancel: &Cancel) -> Vec<Answer> {
    let kb = words.kb();
    let plan = Plan::of_program(program, words).expect("a plan");
    let budget = Budget::new(Limits::default()).stopped_by(cancel);
    embedded::run(kb, &plan, &budget).expect("an answer").answers(kb)
}

/// The answer in KoPL's format.
fn answer(words: &Words<'_>, program: &Program) -> Value {
    let answers = run(words, program, &Cancel::default());
    match &answers[..] {
        [only @ (Answer::Number { .. } | Answer::Boolean { .. })] => json!(only.to_string()),
        _ => answers.iter().map(ToString::to_string).collect(),
    }
}

/// Sets have no order; KoPL writes integers without a decimal point, ours are as in the file.
fn unordered(answer: &Value) -> Value {
    let Some(list) = answer.as_array() else { return answer.clone() };
    let whole = |text: &Value| text.to_string().replace(".0 ", " ").replace(".0\"", "\"");
    let mut texts: Vec<String> = list.iter().map(whole).collect();
    texts.sort();
    json!(texts)
}

fn is_nothing(answer: &Value) -> bool {
    answer.is_object() || answer.as_array().is_some_and(Vec::is_empty) || *answer == json!("0")
}

/// The input and output of KoPL, if there is a Python that has it.
fn peer(dir: &Path, kb: &Path, programs: &Value) -> Option<Value> {
    let python = std::env::var_os("TOUCHSTONE_KOPL_PYTHON")?;
    let (asked, out) = (dir.join("programs.json"), dir.join("out.json"));
    std::fs::write(&asked, programs.to_string()).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/kopl_bench.py");
    let status = Command::new(python)
        .arg(script)
        .args([kb, &asked, &out])
        .args([ROUNDS.to_string(), SECONDS.to_string()])
        .status();
    assert!(status.expect("Python").success());
    let text = std::fs::read_to_string(out).expect("results");
    Some(serde_json::from_str(&text).expect("JSON"))
}

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let n_entities = number("TOUCHSTONE_BENCH_ENTITIES").unwrap_or(16_960);
    let n_programs = number("TOUCHSTONE_BENCH_PROGRAMS").unwrap_or(PROGRAMS);
    let (json, mut programs) = kqapro_world::generate_kqapro(1, n_entities, n_programs);
    if let Some(wanted) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) {
        programs.retain(|kind, _| kind.contains(&wanted));
    }
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("kb.json");
    std::fs::write(&path, &json).expect("written");
    let start = Instant::now();
    let request = ImportRequest::new(Source::KqaPro, vec![path.clone()]);
    import(&request, &dir.path().join("kb"), &NoProgress).expect("a KB");
    let imported = start.elapsed();
    let kb = Kb::open(&dir.path().join("kb")).expect("a store");
    println!(
        "{} MB of JSON, {} facts; imported in {:.1} s",
        json.len() >> 20,
        kb.n_facts(),
        imported.as_secs_f64()
    );
    let all: Map<String, Value> =
        programs.iter().map(|(kind, programs)| ((*kind).to_owned(), json!(programs))).collect();
    let theirs = peer(dir.path(), &path, &Value::Object(all));
    if let Some(theirs) = &theirs {
        println!(
            "KoPL: loaded in {:.1} s, {} MB",
            theirs["load_seconds"].as_f64().unwrap_or(0.0),
            theirs["megabytes"]
        );
    }
    let (words, cancel) = (Words::new(&kb), Cancel::default());
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut ratios: Vec<f64> = Vec::new();
    for (kind, programs) in &programs {
        let theirs = theirs.as_ref().map(|theirs| &theirs["kinds"][*kind]);
        let n = theirs.and_then(|theirs| theirs["programs"].as_u64()).map_or(programs.len(), |n| n as usize);
        let programs = &programs[..n];
        let answers: Vec<Value> = programs.iter().map(|program| answer(&words, program)).collect();
        let nothing = answers.iter().filter(|answer| is_nothing(answer)).count();
        let ask_all = || {
            for program in programs {
                std::hint::black_box(run(&words, program, &cancel));
            }
        };
        let on_threads = |threads: usize| {
            let round = || {
                let start = Instant::now();
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(ask_all);
                    }
                });
                (threads * n) as f64 / start.elapsed().as_secs_f64()
            };
            (0..ROUNDS).map(|_| round()).fold(0f64, f64::max)
        };
        let (per_second, on_all) = (on_threads(1), on_threads(n_threads));
        print!(
            "{kind:34} {n:5} programs, {nothing} without an answer; {per_second:9.0} a second, {on_all:9.0} on {n_threads} threads"
        );
        if let Some(theirs) = theirs {
            let their_rate = 1.0 / theirs["seconds_per_program"].as_f64().expect("seconds");
            let their_answers = theirs["answers"].as_array().expect("answers");
            for ((program, ours), theirs) in programs.iter().zip(&answers).zip(their_answers) {
                assert_eq!(unordered(ours), unordered(theirs), "{:?}", program.to_readable());
            }
            ratios.push(per_second / their_rate);
            print!("; KoPL {their_rate:7.0}, ratio {:6.1}, all answers the same", per_second / their_rate);
        }
        println!();
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "one thread on both sides: geometric mean of the ratios {mean:.0} (wanted 100), the least {least:.1} (wanted 10)"
        );
    }
}
