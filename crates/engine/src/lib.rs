//! Runs logical forms on a knowledge base: fast, bounded, explained.

pub mod budget;
pub mod plan;
mod sorted;
#[cfg(test)]
mod testing;
pub mod values;
mod words;

pub use words::{UnknownWord, WordKind, Words};
