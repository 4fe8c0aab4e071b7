//! Prints what the checks that need no system find in some paraphrases.
//!
//!     cargo run -p touchstone-annotate --example check_paraphrase
#![allow(clippy::print_stdout)]

use touchstone_annotate::{check_numbers, is_far_enough};

fn main() {
    let question = "Which rivers of at least 3,000 kilometres flow through Brazil?";
    for text in [
        "Name Brazil's rivers that measure 3000 kilometres or more.",
        "Which rivers of at least 2,000 kilometres flow through Brazil?",
        "Which rivers of at least 3,000 kilometres run through Brazil?",
    ] {
        let verdict = match check_numbers(question, text) {
            Err(fault) => fault.to_string(),
            Ok(()) if !is_far_enough(question, text, 0.25) => "almost the same words".to_owned(),
            Ok(()) => "passes".to_owned(),
        };
        println!("{verdict}: {text}");
    }
}
