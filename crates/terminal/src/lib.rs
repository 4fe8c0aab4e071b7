#![doc = include_str!("../README.md")]

mod table;
mod text;

pub use table::{Table, set_wide, width, wrapped};
pub use text::{VisibleWriter, escaped, visible};
