//! Lists the questions of a benchmark package with their shapes and answers: `list_questions DIR`.
//!
//! Without a folder it reads predictions from a text, to show that answers have one type.
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_benchmark::{Answer, Benchmark, Predictions};

fn main() -> Result<(), Box<dyn Error>> {
    let shown = |answers: &[Answer]| answers.iter().map(Answer::text).collect::<Vec<_>>().join("; ");
    if let Some(folder) = std::env::args().nth(1) {
        let benchmark = Benchmark::read(folder.as_ref())?;
        for question in &benchmark.questions {
            println!(
                "{} [{}] {} -> {}",
                question.id,
                question.shape,
                question.question,
                shown(&question.answers)
            );
        }
        return Ok(());
    }
    let lines = "{\"id\": 1, \"answers\": [\"Paris\", {\"id\": \"Q64\", \"label\": \"Berlin\"}]}\n{\"id\": 2, \"answers\": [true]}\n";
    for prediction in Predictions::new(lines.as_bytes()) {
        let prediction = prediction?;
        println!("{}: {}", prediction.id, shown(prediction.answers.as_deref().unwrap_or_default()));
    }
    Ok(())
}
