#![doc = include_str!("../README.md")]

pub mod english;
mod gives;
mod grade_row;
mod journal;
mod kinds;
pub mod linguistic;
mod named;
pub mod package;
mod prediction;
mod question;
mod random;
mod usage;

pub use gives::Gives;
pub use grade_row::{GradeRow, NamedValues};
pub use journal::{Journal, JournalError, RunHeader, RunManifest, has_error};
pub use kinds::{Function, QuestionType, Split};
pub use named::UnknownName;
pub use package::{Benchmark, KbIdentity, Manifest, PackageError, Unfilled};
pub use prediction::{Prediction, PredictionError, PredictionFormat, Predictions};
pub use question::{Forms, Graph, GraphEdge, GraphVertex, Mention, ProofFact, Question};
pub use random::Random;
pub use touchstone_logic::Answer;
pub use usage::{Prices, Usage};
