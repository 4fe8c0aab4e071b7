#![doc = include_str!("../README.md")]

mod checks;
mod near_misses;
mod paraphrase;

pub use checks::{Fault, check_mentions, check_numbers, is_far_enough};
pub use near_misses::near_misses;
pub use paraphrase::{ParaphraseConfig, ParaphraseError, ParaphraseReport, Rejected, paraphrase};
