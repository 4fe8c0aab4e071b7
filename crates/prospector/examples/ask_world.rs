//! Answers a question about World with a scorer that has learned nothing yet, and prints what was understood.
//!
//!     cargo run --release -p touchstone-prospector --example ask_world -- "Which rivers flow through Austria?"
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_kb::NoProgress;
use touchstone_logic::sexpr;
use touchstone_prospector::{LeafThing, Prospector};

fn main() -> Result<(), Box<dyn Error>> {
    let question = std::env::args().nth(1).unwrap_or_else(|| "Which rivers flow through Austria?".to_owned());
    let kb = touchstone_world::open(&NoProgress)?;
    let prospector = Prospector::new(&kb);
    let found = prospector.read(&question, None, 5);
    for leaf in &found.leaves {
        let thing = match &leaf.thing {
            LeafThing::Entity(node) => kb.node_id(*node).to_owned(),
            LeafThing::Class(class) => format!("class {}", kb.node_id(kb.class_node(*class))),
            LeafThing::Value { comparison, values } => {
                format!("{comparison:?} a value of {} attributes", values.len())
            }
        };
        println!("{:>5.2}  {:<30} {thing}", leaf.fit, question.get(leaf.start..leaf.end).unwrap_or_default());
    }
    for reading in &found.readings {
        let form = sexpr::print(&reading.query)
            .map_or_else(|_| format!("{:?}", reading.query.answer), |printed| printed.text);
        println!("{:>5.2}  {form}", reading.probability);
    }
    println!("{} sets computed, {} queries compared", found.executions, found.candidates);
    Ok(())
}
