#![doc = include_str!("../README.md")]

mod answers;
mod choices;
pub mod confirm;
mod division;
pub mod english;
pub mod export;
mod forms;
mod ground;
pub mod import;
pub mod linguistic;
pub mod lint;
mod make;
pub mod mix;
pub mod package;
mod proof;
mod question;
mod random;
pub mod recipe;
mod recipe_keys;
pub mod report;
pub mod sample;
pub mod stats;
mod words;

pub use forms::{Disagreement, FormPrinter};
pub use ground::Ground;
pub use make::{MakeError, make};
pub use package::{Benchmark, PackageError};
pub use proof::ProofFact;
pub use question::{Forms, Graph, GraphEdge, GraphVertex, Question, function_of};
pub use random::Random;
pub use recipe::{Recipe, RecipeError};
pub use words::with_ids;
