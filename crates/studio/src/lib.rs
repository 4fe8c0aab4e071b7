#![doc = include_str!("../README.md")]

mod report;

pub use report::{Report, Run, html};
