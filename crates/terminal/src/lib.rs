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

mod table;
mod text;

pub use table::{Table, set_wide, width, wrapped};
pub use text::{VisibleWriter, escaped, quoted, visible};
