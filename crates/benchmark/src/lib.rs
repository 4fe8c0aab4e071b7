#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

mod cast;
pub mod english;
mod error_limit;
mod gives;
mod grade_row;
mod journal;
mod kb_choice;
mod kinds;
pub mod linguistic;
mod locate;
mod named;
mod outcome;
pub mod package;
mod prediction;
mod prediction_line;
mod question;
mod random;
mod run_journal;
mod run_manifest;
#[cfg(feature = "schema")]
pub mod schema;
mod selection;
mod usage;

pub use error_limit::{ErrorLimit, InvalidErrorLimit};
pub use gives::{Gives, UnknownGives};
pub use grade_row::{GradeRow, NamedValues};
pub use journal::{Journal, JournalError};
pub use kb_choice::{ChosenKb, EmbeddedKb, KbChoiceError, KbSource, choose_kb};
pub use kinds::{Function, QuestionType, Split};
pub use named::UnknownName;
pub use outcome::PredictionOutcome;
pub use package::{Benchmark, BenchmarkManifest, InvalidBenchmarkName, KbIdentity, PackageError, Unfilled};
pub use prediction::{Prediction, PredictionError, Predictions};
pub use prediction_line::{InvalidPrediction, UnusableReply};
pub use question::{
    Forms, Graph, GraphEdge, GraphVertex, Mention, Paraphrase, ProofFact, Provenance, ProvenanceJudgement,
    Question, QuestionParts,
};
pub use random::Random;
pub use run_journal::{RunJournal, RunJournalError};
pub use run_manifest::{RunHeader, RunManifest, RunManifestError, today};
pub use selection::{
    DatasetImport, OpenBenchmark, QuestionSource, Selection, SelectionError, SelectionWarning,
};
pub use touchstone_logic::Answer;
pub use usage::{Prices, Usage};
