//! Runs logical forms on a knowledge base: fast, bounded, explained.

pub mod budget;
pub mod compat;
pub mod embedded;
pub mod endpoint;
pub mod exact;
mod found;
pub mod plan;
pub mod server;
mod session;
mod shortcut;
mod sorted;
pub mod sparql;
mod terms;
#[cfg(test)]
mod testing;
pub mod values;
mod words;

pub use found::Found;
pub use session::{Answers, Engine, Outcome, Reply, Session, Settings};
pub use shortcut::View;
pub use sorted::gallop;
pub use touchstone_logic::Answer;
pub use words::{Few, UnknownWord, WordKind, Words};
