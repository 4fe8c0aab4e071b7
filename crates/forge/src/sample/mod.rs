//! Makes queries that have answers: by shape, as GrailQA++ does, and by locating and asking, as KQA Pro does.

pub mod asking;
pub mod cycles;
pub mod filters;
pub(crate) mod numbers;
pub(crate) mod relocate;
pub mod shapes;
pub(crate) mod star;
pub mod tree;
