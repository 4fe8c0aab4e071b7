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

mod build;
mod cast;
mod choices;
mod complete;
pub mod confirm;
mod context;
mod division;
pub mod english;
pub mod find;
mod forms;
pub mod lint;
mod make;
pub mod mix;
pub mod paper;
mod proof;
mod question_page;
pub mod recipe;
mod recipe_keys;
pub mod refresh;
mod reject;
mod sample;
pub mod stats;

pub use build::{
    BuildConfig, BuildError, Built, RecipeChanges, build, built_in_recipe, load_lexicon, load_recipe,
};
pub use context::SamplingContext;
pub use division::UnknownDomain;
pub use forms::{CheckedForms, Disagreement, FormPrinter};
pub use make::{MakeError, make};
pub use question_page::{question_line, question_page};
pub use recipe::{Recipe, RecipeError};
pub use reject::RejectReason;
