//! Lists the questions of a published file with the shapes of their queries: `list_shapes FILE`.
//!
//! Without a file it reads two questions from a text.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use touchstone_datasets::{DataSet, Records};
use touchstone_logic::Knowledge;

const EXAMPLE: &str = r#"[
    {"qid": 1, "question": "films by Nolan?", "s_expression": "(AND film.film (JOIN film.film.directed_by m.1))"},
    {"qid": 2, "question": "how many?", "s_expression": "(COUNT (AND film.film (JOIN film.film.directed_by m.1)))"}
]"#;

fn main() -> Result<(), Box<dyn Error>> {
    let reader: Box<dyn BufRead> = match std::env::args().nth(1) {
        Some(path) => Box::new(BufReader::new(File::open(path)?)),
        None => Box::new(EXAMPLE.as_bytes()),
    };
    let knowledge = Knowledge::of_spelling();
    for record in Records::new(reader) {
        let item = DataSet::Lines.item(&record?)?;
        let shape = item.source.graph(&knowledge)?.shape();
        println!("{}: {} {}", item.id, shape.code, item.question.unwrap_or_default());
    }
    Ok(())
}
