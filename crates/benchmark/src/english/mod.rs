//! English words for the parts of a KB's schema.

pub mod inflect;
mod labels;
mod lexicon;
mod lexicon_text;
mod relation_labels;

pub use labels::readable;
pub use lexicon::{AttributeWords, ClassWords, Lexicon, LexiconError, QualifierWords, RelationWords};
pub use lexicon_text::{LexiconEntry, LexiconFilter, ListedEntries, lexicon_toml};
