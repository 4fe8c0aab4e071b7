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

mod card;
mod compared_answer;
pub mod convert;
mod cwq;
mod data_set;
mod data_set_file;
mod export;
mod freebase;
mod gek;
mod grailqa;
mod graphquestions;
mod import;
mod importer;
mod input;
mod item;
pub mod kqapro;
mod lcquad;
mod levels;
mod lines;
mod look_up;
mod meaning;
mod nspm;
mod official;
pub mod pairs;
mod parquet;
mod plain;
mod predictions;
pub mod qald;
mod questions;
mod reasons;
mod records;
mod shaped;
mod text2sparql;
mod webqsp;

pub use compared_answer::ComparedAnswer;
pub use data_set::{DataSet, UnknownDataSet};
pub use data_set_file::{DataSetFile, InvalidDataSetFile};
pub use export::{ExportConfig, ExportError, Exported, LeftOut, export};
pub use import::{ImportConfig, ImportSummary, Imported, LevelAgreement, LevelSource, SplitFile, import};
pub use importer::{ImportedQuestion, Importer, UnreadReason, UnreadRecord};
pub use input::{InputError, RecordInput};
pub use item::{Item, ItemSource, RecordError};
pub use levels::{JudgedLevels, LevelConfig, LevelJudge};
pub use look_up::{Unanswered, UnansweredReason};
pub use official::OfficialInput;
pub use predictions::PredictionReader;
pub use reasons::ReasonCounts;
pub use records::{Record, Records, RecordsError};
pub use shaped::{CountedShapes, ShapedQuestion};
pub use text2sparql::{ResultSets, ResultSetsError};
