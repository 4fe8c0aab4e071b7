//! Equivalence of logical forms.

pub mod canonical;
mod forms;
mod labelled;
pub mod official;

pub use canonical::Canonical;
pub use forms::{
    NotComparable, compare_forms, compare_sparql, differ_besides, excluded_strangers, other_languages,
};
pub use official::OfficialMatcher;
