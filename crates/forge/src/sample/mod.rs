//! Samples queries that have answers: by shape, as in GrailQA++, and by locating and asking, as in KQA Pro.

pub(crate) mod asking;
pub(crate) mod cycles;
pub(crate) mod distractors;
pub(crate) mod filters;
pub(crate) mod numbers;
pub(crate) mod relocate;
mod relocate_asking;
pub(crate) mod shapes;
pub(crate) mod star;
pub(crate) mod tree;
