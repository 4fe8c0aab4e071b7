//! The commands about logical forms: `convert`, `shape`, `match`, `level`.

pub(crate) mod convert;
pub(crate) mod level;
pub(crate) mod matching;
pub(crate) mod shape;
