//! Finds entities of the World KB by misspelt names.
//!
//!     cargo run -p touchstone-world --example find_names -- "shawshnk redemtion"
#![allow(clippy::print_stdout)]

use touchstone_kb::{KbError, NoProgress};

fn main() -> Result<(), KbError> {
    let query = std::env::args().nth(1).unwrap_or_else(|| "marie courie".to_owned());
    let kb = touchstone_world::open(&NoProgress)?;
    for hit in kb.find_names(&query, 5) {
        let about = kb.description(hit.node).unwrap_or("");
        println!("{} ({}), {} match: {about}", hit.name, kb.node_id(hit.node), hit.matched.name());
    }
    Ok(())
}
