//! When are two logical forms the same?

pub mod canonical;
mod labelled;
pub mod official;

pub use canonical::Canonical;
pub use official::OfficialMatcher;
