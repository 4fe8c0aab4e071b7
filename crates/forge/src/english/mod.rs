//! From a query to an English question that asks all of it.

mod inflect;
mod lexicon;
mod naming;
mod nouns;
mod phrases;
mod tense;
mod values;
mod verbalise;

pub use lexicon::{Lexicon, LexiconError};
pub use verbalise::{Mention, Spoken, verbalise};
