#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

mod checks;
mod near_misses;
mod paraphrase;

pub use checks::{Fault, check_numbers, is_far_enough};
pub use near_misses::near_misses;
pub use paraphrase::{
    ParaphraseConfig, ParaphraseError, ParaphraseReport, Rejected, paraphrase, paraphrase_prompt,
};
