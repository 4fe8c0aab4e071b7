//! Runs logical forms on a knowledge base: fast, bounded, explained.

mod answer;
pub mod budget;
pub mod embedded;
pub mod plan;
mod shortcut;
mod sorted;
#[cfg(test)]
mod testing;
pub mod values;
mod words;

pub use answer::{Answer, Found};
pub use shortcut::View;
pub use words::{UnknownWord, WordKind, Words};
