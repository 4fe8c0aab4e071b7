#![doc = include_str!("../README.md")]

mod candidate;
mod common_words;
mod confidence;
mod feature_names;
mod features;
mod generated;
mod leaves;
mod model;
mod open;
mod prospector;
mod qualified;
mod reach;
mod regime;
mod reply;
mod schema;
mod scorer_file;
mod scorer_folder;
mod search;
mod synonyms;
mod system;
mod text;
mod training;
mod units;

pub use generated::{KbTraining, KbTrainingError};
pub use leaves::{Leaf, LeafThing};
pub use prospector::{Prospector, RankedReading, Readings};
pub use reach::GoldRank;
pub use regime::{Regime, UnknownRegime};
pub use reply::{Alternative, AskReply, MIN_CONFIDENCE, Missing};
pub use scorer_file::{ScorerError, ScorerHeader};
pub use scorer_folder::{ScorerFileError, check_scorer_output, is_scorer_folder, scorer_header};
pub use search::SearchLimits;
pub use system::{ModelOrProspector, ProspectorError, ProspectorFactory, ProspectorSystem};
pub use training::{Cancelled, TrainingQuestion, TrainingReport};
