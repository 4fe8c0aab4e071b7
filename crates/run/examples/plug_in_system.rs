//! Plugs a system of your own into a run: it looks for a word that it knows, and has one answer for each.
//!
//!     cargo run -p touchstone-run --example plug_in_system
#![allow(clippy::print_stdout)]

use serde_json::{Value as Json, json};
use std::error::Error;
use touchstone_benchmark::{Journal, RunHeader};
use touchstone_kb::NoProgress;
use touchstone_run::{Asked, System, Worker, run};

/// Knows the discoverers of some elements.
struct Keywords {
    known: Vec<(&'static str, &'static str)>,
}

impl System for Keywords {
    /// The name identifies the run: two versions of a system must have different names.
    fn name(&self) -> String {
        format!("keywords ({} words)", self.known.len())
    }

    /// One worker for each thread: what is expensive to share belongs here.
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(KeywordWorker { system: self })
    }
}

struct KeywordWorker<'s> {
    system: &'s Keywords,
}

impl Worker for KeywordWorker<'_> {
    fn answer(&mut self, asked: &Asked) -> Option<Json> {
        let hit = self.system.known.iter().find(|(word, _)| asked.question.contains(word));
        Some(match hit {
            Some((_, answer)) => json!({ "id": asked.id, "answers": [answer] }),
            // To abstain is better than to guess: neither answers nor an error.
            None => json!({ "id": asked.id }),
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let system = Keywords { known: vec![("radium", "Marie Curie"), ("germanium", "Clemens Winkler")] };
    let questions: Vec<Asked> =
        ["Who discovered radium?", "Who discovered germanium?", "Who discovered gold?"]
            .iter()
            .enumerate()
            .map(|(number, text)| Asked {
                id: format!("q{number}"),
                question: (*text).to_owned(),
                entities: None,
                choices: None,
                schema: None,
            })
            .collect();

    // The journal: a folder with `run.json` and `predictions.jsonl`. If it is there already, the run resumes.
    let folder = tempfile::tempdir()?;
    let header = RunHeader {
        touchstone_run: 1,
        system: system.name(),
        benchmark: "example".to_owned(),
        benchmark_identity: String::new(),
        benchmark_path: String::new(),
        split: None,
        limit: None,
        questions: String::new(),
        kb: String::new(),
        gold_entities: false,
        choices: false,
        schema: false,
        gives: system.gives(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let mut journal = Journal::open(folder.path(), &header, &[], false)?;
    let done = run(&system, &questions, &mut journal, 2, &NoProgress, &mut |asked, reply| {
        println!("{} -> {reply}", asked.question);
    })?;
    journal.close(done.complete)?;
    println!("{} questions asked, {} errors", done.asked, done.errors);
    Ok(())
}
