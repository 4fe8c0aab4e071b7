//! From a query to an English question that asks all of it.

mod naming;
mod nouns;
mod phrases;
mod tense;
mod values;
mod verbalise;

pub use verbalise::{Spoken, verbalise};
