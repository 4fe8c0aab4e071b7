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
mod prediction_line;
mod question;
mod random;
mod run_journal;
mod run_manifest;
mod usage;

pub use gives::Gives;
pub use grade_row::{GradeRow, NamedValues};
pub use journal::{Journal, JournalError, LockedJournal};
pub use kinds::{Function, QuestionType, Split};
pub use named::UnknownName;
pub use package::{Benchmark, KbIdentity, Manifest, PackageError, Unfilled};
pub use prediction::{Prediction, PredictionError, PredictionFormat, Predictions};
pub use prediction_line::{InvalidPrediction, UnusableReply};
pub use question::{Forms, Graph, GraphEdge, GraphVertex, Mention, ProofFact, Question};
pub use random::Random;
pub use run_journal::{RunJournal, RunJournalError};
pub use run_manifest::{RunHeader, RunManifest, RunManifestError};
pub use touchstone_logic::Answer;
pub use usage::{Prices, Usage};
