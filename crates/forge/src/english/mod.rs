//! From a query to an English question that asks all of it.

mod inflect;
mod lexicon;
mod lexicon_text;
mod naming;
mod nouns;
mod phrases;
mod tense;
mod values;
mod verbalise;

pub use lexicon::{Lexicon, LexiconError};
pub use lexicon_text::{Entry, lexicon_toml};
pub use verbalise::{Mention, Spoken, verbalise};
