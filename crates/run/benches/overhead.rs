//! What the machinery costs: questions a second through `oracle`, journal and its syncs included.
//!
//! `cargo bench -p touchstone-run --bench overhead`
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used)]

use serde_json::json;
use std::time::Instant;
use touchstone_benchmark::{Journal, RunHeader};
use touchstone_kb::NoProgress;
use touchstone_run::{Asked, Given, System, run};

const QUESTIONS: usize = 200_000;
const WANTED: f64 = 20_000.0;

fn main() {
    let asked: Vec<Asked> = (0..QUESTIONS)
        .map(|number| Asked {
            id: format!("hard-{number:06}"),
            question: format!("Which films were directed by the person who made film number {number}?"),
            entities: None,
            choices: None,
            schema: None,
        })
        .collect();
    let gold = |asked: &Asked| {
        let answer = json!({ "type": "entity", "id": "film/f-the-green-mile", "label": "The Green Mile" });
        let form = "(AND film (JOIN director (JOIN (R director) film/f-the-green-mile)))";
        (
            asked.id.clone(),
            json!({ "id": asked.id, "answers": [answer], "logical_form": form, "lang": "sexpr" }),
        )
    };
    let system = Given::new("oracle", asked.iter().map(gold));
    for workers in [1, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let header = RunHeader {
            touchstone_run: 1,
            system: system.name(),
            benchmark: "bench".to_owned(),
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
            tool_version: String::new(),
        };
        let start = Instant::now();
        let mut journal = Journal::open(folder.path(), &header, &[], false).expect("a journal");
        let done = run(&system, &asked, &mut journal, workers, &NoProgress, &mut |_, _| {}).expect("a run");
        assert!(done.complete && done.asked == QUESTIONS);
        let rate = QUESTIONS as f64 / start.elapsed().as_secs_f64();
        println!(
            "{workers} at once: {rate:.0} questions a second (wanted {WANTED:.0}), ratio {:.1}",
            rate / WANTED
        );
    }
}
