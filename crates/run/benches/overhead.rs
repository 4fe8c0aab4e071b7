//! Measures the overhead of a run: questions per second through `oracle`, including the journal and its syncs.
//!
//! `cargo bench -p touchstone-run --bench overhead`
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used)]

use std::time::Instant;
use touchstone_benchmark::{Answer, Prediction, RunHeader, RunJournal};
use touchstone_kb::NoProgress;
use touchstone_logic::Language;
use touchstone_run::{AskSettings, FixedPredictions, System, SystemInput, ask_all};

const QUESTIONS: usize = 200_000;
const WANTED: f64 = 20_000.0;

fn main() {
    let question = |number: usize| {
        let text = format!("Which films were directed by the person who made film number {number}?");
        SystemInput::new(&format!("hard-{number:06}"), &text)
    };
    let asked: Vec<SystemInput> = (0..QUESTIONS).map(question).collect();
    let gold = |input: &SystemInput| {
        let (id, label) = ("film/f-the-green-mile".to_owned(), "The Green Mile".to_owned());
        let form = "(AND film (JOIN director (JOIN (R director) film/f-the-green-mile)))";
        Prediction {
            id: input.id.clone(),
            answers: Some(vec![Answer::Entity { id, label }]),
            logical_form: Some(form.to_owned()),
            language: Some(Language::Sexpr),
            ..Prediction::default()
        }
    };
    let system = FixedPredictions::new("oracle", asked.iter().map(gold));
    for workers in [1, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let header = RunHeader::new(&system.name());
        let start = Instant::now();
        let mut journal = RunJournal::open(folder.path(), &header, &[], false).expect("a journal");
        let settings = AskSettings { workers, prices: None };
        let done = ask_all(&system, &asked, &mut journal, settings, &NoProgress, &mut |_, _| {});
        let done = done.expect("a run");
        assert!(done.complete && done.asked == QUESTIONS);
        let rate = QUESTIONS as f64 / start.elapsed().as_secs_f64();
        println!(
            "{workers} at once: {rate:.0} questions a second (wanted {WANTED:.0}), ratio {:.1}",
            rate / WANTED
        );
    }
}
