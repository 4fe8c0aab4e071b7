#![doc = include_str!("../README.md")]

mod report;

pub use report::{Graded, Report, Run, html};
