#![doc = include_str!("../README.md")]

pub mod aligned;
pub mod answers;
pub mod axioms;
mod carrying;
mod comparison;
pub mod compat;
pub mod degrade;
mod degrade_sexpr;
pub mod distil;
pub mod elements;
pub mod facets;
mod grader;
mod holds;
pub mod language;
mod measure;
pub mod neighbour;
mod outcome;
pub mod overlap;
pub mod regression;
pub mod same;
pub mod scan;
pub mod sensitivity;
pub mod sets;
pub mod statistics;
pub mod summary;
pub mod table;
mod threshold;
pub mod usage;

pub use comparison::tokens;
pub use grader::{GoldAnswers, Grade, Grader};
pub use measure::{FLOOR, Family, Measure, Product, ProductError, Values};
pub use outcome::Outcome;
pub use threshold::{NotAThreshold, Threshold};
