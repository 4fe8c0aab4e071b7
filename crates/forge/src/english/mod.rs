//! Turns a query into an English question that expresses all of it.

mod direct;
mod form;
mod frames;
mod introduce;
mod naming;
mod noise;
mod nouns;
mod other_end;
mod phrases;
mod rows;
mod tense;
mod values;
mod verbalise;

pub(crate) use frames::CONFIRM;
pub(crate) use noise::noisy;

pub use form::{VerbaliseError, verbalise_form};
pub use verbalise::{VerbalisedQuestion, Wording, verbalise};
