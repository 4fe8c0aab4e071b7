//! `touchstone query --batch` on the embedded engine compared with the same batch on a SPARQL server over loopback:
//! `TOUCHSTONE_TEST_VIRTUOSO=URL cargo bench -p touchstone --bench batch`. The server holds World's direct view; see `tools/servers`.
//!
//! The same file of S-expressions on both sides, by the same program: one run to warm up, then the best of three. All answers must be the
//! same.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use touchstone_kb::{Kb, NoProgress, NodeId, Property};

const QUERIES: u64 = 2000;
const ROUNDS: usize = 3;

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// S-expressions of one hop, two hops, an intersection or a count, each with an answer.
fn queries(kb: &Kb) -> Vec<Value> {
    let mut state = 7;
    let mut out = Vec::new();
    while (out.len() as u64) < QUERIES {
        let subject = NodeId((random(&mut state) % kb.n_entities() as u64) as u32);
        let relations: Vec<_> = kb
            .properties_of(subject)
            .filter_map(|(property, _)| match property {
                Property::Relation(relation) => Some(relation),
                Property::Attribute(_) => None,
            })
            .collect();
        if relations.len() < 2 {
            continue;
        }
        let pick = |state: &mut u64| relations[(random(state) % relations.len() as u64) as usize];
        let (first, second) = (pick(&mut state), pick(&mut state));
        let object = |relation| kb.node_id(NodeId(kb.objects(subject, relation)[0]));
        let set = |relation| format!("(JOIN {} {})", kb.relation_id(relation), object(relation));
        let query = match random(&mut state) % 4 {
            0 => set(first),
            1 => format!(
                "(JOIN {} (JOIN (R {}) {}))",
                kb.relation_id(first),
                kb.relation_id(first),
                kb.node_id(subject)
            ),
            2 => format!("(AND {} {})", set(first), set(second)),
            _ => format!("(COUNT {})", set(first)),
        };
        out.push(json!({ "id": out.len(), "lang": "sexpr", "query": query }));
    }
    out
}

/// The seconds that a batch takes, and its answers by question.
fn run(batch: &Path, out: &Path, more: &[&str]) -> (f64, Vec<Value>) {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
    command.arg("query").arg("--batch").arg(batch).arg("--out").arg(out).args(more);
    let finished = command.output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
    let seconds = start.elapsed().as_secs_f64();
    let lines = std::fs::read_to_string(out).unwrap();
    let answers = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["answers"].clone());
    (seconds, answers.collect())
}

fn main() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (batch, out) = (dir.path().join("batch.jsonl"), dir.path().join("out.jsonl"));
    let lines: Vec<String> = queries(&kb).iter().map(Value::to_string).collect();
    std::fs::write(&batch, lines.join("\n")).unwrap();
    let best = |more: &[&str]| {
        let (_, answers) = run(&batch, &out, more);
        let seconds = (0..ROUNDS).map(|_| run(&batch, &out, more).0).fold(f64::INFINITY, f64::min);
        (seconds, answers)
    };
    let (ours, answers) = best(&[]);
    println!("{QUERIES} queries, from the start of the program to its end: {ours:.3} s");
    let Ok(url) = std::env::var("TOUCHSTONE_TEST_VIRTUOSO") else {
        println!("TOUCHSTONE_TEST_VIRTUOSO is not set: no server to compare with");
        return;
    };
    let engine = format!("endpoint:{url}");
    let (theirs, their_answers) = best(&["--engine", &engine, "--default-graph", "urn:touchstone:test"]);
    for (ours, theirs) in answers.iter().zip(&their_answers) {
        assert_eq!(unordered(ours), unordered(theirs));
    }
    println!("the server: {theirs:.3} s, ratio {:.0} (wanted 20), all answers the same", theirs / ours);
}

fn unordered(answers: &Value) -> Vec<String> {
    let mut texts: Vec<String> = answers.as_array().into_iter().flatten().map(Value::to_string).collect();
    texts.sort();
    texts
}
