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

mod item;
pub mod pairs;
mod records;

pub use item::{Format, Item, RecordError, Source};
pub use records::{Record, Records};
