//! Plugs your own system into a run: it looks for a word that it knows, and has one answer for each.
//!
//!     cargo run -p touchstone-run --example plug_in_system
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_benchmark::{Answer, Prediction, RunHeader, RunJournal};
use touchstone_kb::NoProgress;
use touchstone_run::{AskSettings, System, SystemError, SystemInput, Worker, ask_all};

/// Knows the discoverers of some elements.
struct Keywords {
    known: Vec<(&'static str, &'static str)>,
}

impl System for Keywords {
    /// The name identifies the run: two versions of a system must have different names.
    fn name(&self) -> String {
        format!("keywords ({} words)", self.known.len())
    }

    /// One worker per thread: what is expensive to share belongs here.
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(KeywordWorker { system: self })
    }
}

struct KeywordWorker<'s> {
    system: &'s Keywords,
}

impl Worker for KeywordWorker<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        let hit = self.system.known.iter().find(|(word, _)| input.question.contains(word));
        // Without a match it abstains, with neither answers nor an error: that is better than a guess.
        let answers = hit.map(|(_, answer)| vec![Answer::plain(*answer)]);
        Ok(Prediction { id: input.id.clone(), answers, ..Prediction::default() })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let system = Keywords { known: vec![("radium", "Marie Curie"), ("germanium", "Clemens Winkler")] };
    let texts = ["Who discovered radium?", "Who discovered germanium?", "Who discovered gold?"];
    let questions: Vec<SystemInput> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| SystemInput::new(&format!("q{number}"), text))
        .collect();

    // The journal: a folder with `run.json` and `predictions.jsonl`. If it already exists, the run resumes.
    let folder = tempfile::tempdir()?;
    let header = RunHeader { gives: system.gives(), ..RunHeader::new(&system.name()) };
    let mut journal = RunJournal::open(folder.path(), &header, &[], false)?;
    let settings = AskSettings { workers: 2, prices: None };
    let done =
        ask_all(&system, &questions, &mut journal, settings, &NoProgress, &mut |input, prediction| {
            println!("{} -> {}", input.question, serde_json::to_string(prediction).unwrap_or_default());
        })?;
    println!("{} questions asked, {} errors", done.asked, done.errors);
    Ok(())
}
