//! The embedded engine beside the package KoPL, on a KB of KQA Pro's size, from the program's steps to its answers: `TOUCHSTONE_KOPL_PYTHON=... cargo bench --bench kopl`.
//!
//! A word after `--` chooses kinds of programs; `TOUCHSTONE_BENCH_ENTITIES` sets the size. Answers are compared on the way.
#![allow(missing_docs, clippy::print_stdout)]

#[path = "support/kqapro_world.rs"]
mod kqapro_world;

use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use touchstone_engine::budget::{Budget, Cancel, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Answer, Words, embedded};
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Program;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Of each kind. Questions are asked once: a few programs over and over would only measure how well they fit into a cache.
const PROGRAMS: usize = 2_000;
/// On a machine that is shared with others, the best whole round through all programs counts, of those that are begun in this time and at
/// least of one; for KoPL of those that are ended.
const SECONDS: u64 = 3;
/// Threads are measured together, in rounds of their own.
const ROUNDS: usize = 6;
const ROUND: Duration = Duration::from_millis(400);

/// From the steps of a program to its answers, with their ids and names.
fn run(words: &Words<'_>, program: &Program, cancel: &Cancel) -> Vec<Answer> {
    let kb = words.kb();
    let plan = Plan::of_program(program, words).expect("a plan");
    let budget = Budget::new(Limits::default()).stopped_by(cancel);
    embedded::run(kb, &plan, &budget).expect("an answer").answers(kb)
}

/// As KoPL gives it.
fn answer(words: &Words<'_>, program: &Program) -> Value {
    let answers = run(words, program, &Cancel::default());
    match &answers[..] {
        [only @ (Answer::Number { .. } | Answer::Boolean { .. })] => json!(only.to_string()),
        _ => answers.iter().map(ToString::to_string).collect(),
    }
}

/// Sets have no order; and KoPL writes whole numbers without a dot, ours are as they are in the file.
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

/// What KoPL needs and says, if there is a Python that has it.
fn peer(dir: &Path, kb: &Path, programs: &Value) -> Option<Value> {
    let python = std::env::var_os("TOUCHSTONE_KOPL_PYTHON")?;
    let (asked, out) = (dir.join("programs.json"), dir.join("out.json"));
    std::fs::write(&asked, programs.to_string()).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/kopl_bench.py");
    let status = Command::new(python).arg(script).args([kb, &asked, &out]).arg(SECONDS.to_string()).status();
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
    let all: Map<String, Value> = programs
        .iter()
        .map(|(kind, programs)| ((*kind).to_owned(), programs.iter().map(Program::to_json).collect()))
        .collect();
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
    let mut ratios: Vec<(f64, f64)> = Vec::new();
    for (kind, programs) in &programs {
        let answers: Vec<Value> = programs.iter().map(|program| answer(&words, program)).collect();
        let nothing = answers.iter().filter(|answer| is_nothing(answer)).count();
        let ask_all = || {
            for program in programs {
                std::hint::black_box(run(&words, program, &cancel));
            }
        };
        let (start, mut best) = (Instant::now(), Duration::MAX);
        while start.elapsed() < Duration::from_secs(SECONDS) {
            let round = Instant::now();
            ask_all();
            best = best.min(round.elapsed());
        }
        let per_second = programs.len() as f64 / best.as_secs_f64();
        let round = || {
            let (start, mut n_runs) = (Instant::now(), 0);
            while start.elapsed() < ROUND {
                ask_all();
                n_runs += programs.len();
            }
            n_runs as f64 / start.elapsed().as_secs_f64()
        };
        let on_threads = || {
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(round)).collect();
                threads.into_iter().map(|thread| thread.join().expect("a rate")).sum::<f64>()
            })
        };
        let on_all = (0..ROUNDS).map(|_| on_threads()).fold(0f64, f64::max);
        print!(
            "{kind:34} {per_second:9.0} programs/s, {on_all:9.0} on {n_threads} threads; {nothing} of {} give nothing",
            programs.len()
        );
        if let Some(theirs) = theirs.as_ref().map(|theirs| &theirs["kinds"][*kind]) {
            let their_rate = 1.0 / theirs["seconds_per_program"].as_f64().expect("seconds");
            let their_answers = theirs["answers"].as_array().expect("answers");
            let same = |(a, b): &(&Value, &Value)| unordered(a) == unordered(b);
            let n_same = answers.iter().zip(their_answers).filter(same).count();
            ratios.push((per_second / their_rate, on_all / their_rate));
            print!(
                "; KoPL {their_rate:7.0}, ratio {:6.1} and {:6.1}, {n_same} answers the same",
                per_second / their_rate,
                on_all / their_rate
            );
            let pairs = || answers.iter().zip(their_answers);
            if let Some(at) = pairs().position(|pair| !same(&pair)) {
                let program = programs[at].to_readable().expect("short");
                print!("; not for {program}: {}, KoPL {}", answers[at], their_answers[at]);
            }
        }
        println!();
    }
    if !ratios.is_empty() {
        let summary = |name: &str, ratios: &mut dyn Iterator<Item = f64>| {
            let ratios: Vec<f64> = ratios.collect();
            let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            println!(
                "{name}: geometric mean of the ratios {mean:.0} (wanted 100), the least {least:.1} (wanted 10)"
            );
        };
        summary("one thread", &mut ratios.iter().map(|(one, _)| *one));
        summary("all threads", &mut ratios.iter().map(|(_, all)| *all));
    }
}
