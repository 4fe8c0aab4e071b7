//! Writes the statistics of a benchmark: one HTML file with everything in it. Without a folder, of a benchmark without questions.
//!
//!     cargo run -p touchstone-studio --example write_stats [STATS.html BENCHMARK]
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use touchstone_benchmark::{Benchmark, BenchmarkManifest};
use touchstone_grade::attack::attacks;
use touchstone_studio::stats_page;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let out = arguments.next();
    let benchmark = match arguments.next() {
        Some(folder) => Benchmark::read(Path::new(&folder))?,
        None => Benchmark::new(BenchmarkManifest::named("an example"), Vec::new()),
    };
    let page = stats_page(&benchmark, &attacks(&benchmark, None));
    match out {
        Some(path) => std::fs::write(path, &page)?,
        None => println!("a page of {} bytes; give the name of a file to keep it", page.len()),
    }
    Ok(())
}
