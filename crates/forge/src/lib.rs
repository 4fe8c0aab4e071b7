#![doc = include_str!("../README.md")]

mod choices;
pub mod confirm;
mod division;
pub mod english;
mod forms;
mod ground;
pub mod lint;
mod make;
pub mod mix;
mod proof;
pub mod recipe;
mod recipe_keys;
pub mod sample;
pub mod stats;

pub use forms::{Disagreement, FormPrinter};
pub use ground::Ground;
pub use make::{MakeError, make};
pub use recipe::{Recipe, RecipeError};
