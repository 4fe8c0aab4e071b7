//! Prints a table in the width of the terminal: set `COLUMNS` to see it adapt.
//!
//!     cargo run -p touchstone-terminal --example fit_table
#![allow(clippy::print_stdout)]

use touchstone_terminal::Table;

fn main() {
    let mut table = Table::new(&["question", "level", "f1"]).optional(&["level"]);
    table.add_row([
        "Which chemical elements were discovered in Germany and belong to group 1?",
        "zero-shot",
        "0.667",
    ]);
    table.add_row(["How many airports observe the time zone America/Nuuk?", "i.i.d.", "1.000"]);
    println!("{table}");
}
