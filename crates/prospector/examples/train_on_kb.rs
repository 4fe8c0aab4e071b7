//! Trains Prospector on questions generated from World, and keeps what it learned in a folder.
//!
//!     cargo run --release -p touchstone-prospector --example train_on_kb -- model/ 3000
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use touchstone_kb::NoProgress;
use touchstone_prospector::{KbTraining, Prospector};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "target/prospector-example".to_owned());
    let questions = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let kb = touchstone_world::open(&NoProgress)?;
    let config = KbTraining { questions, ..KbTraining::default() };
    let (prospector, report) = Prospector::train_on_kb(&kb, config, &NoProgress)?;
    prospector.write_folder(
        Path::new(&folder),
        "questions generated from World with the lexicon of the KB",
        config.seed,
        &report,
    )?;
    println!("{report:?}");
    Ok(())
}
