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

pub mod decode;
pub mod encoder;
pub mod kernels;
pub mod layers;
pub mod optimise;
pub mod settings;

mod batch;
mod cast;
mod checkpoint;
mod device;
mod error;
mod fit;
mod model_card;
mod model_files;
mod model_system;
mod pass;
mod session;
mod subwords;
mod system_info;
mod train_system;
mod trainable;
mod vocabulary;
mod weights;
mod word_vectors;

pub use batch::{PairBatch, Rows, SequencePair, TrainBatch, batches};
pub use checkpoint::{
    MODEL_FORMAT, Model, ModelManifest, SavedTraining, TrainedBenchmark, TrainingHeader, WrittenFile,
};
pub use device::device;
pub use error::TrainError;
pub use fit::{
    CurvePoint, DevEvaluation, FitError, LoopSettings, Network, Observer, StepReport, StopReason, TrainState,
    Trainer, TrainingSet,
};
pub use model_files::ModelFiles;
pub use model_system::{ModelFactory, ModelSystem, system_named};
pub use pass::Pass;
pub use session::{NoTrainObserver, TrainObserver, TrainSession};
pub use subwords::SubWords;
pub use system_info::{ScaleInfo, SystemInfo};
pub use train_system::{DevelopmentSettings, TrainConfig, resume_training, train_system};
pub use trainable::{
    FormKind, Needs, Predictor, Preparation, SystemAbout, Trainable, TrainingCost, TrainingData,
};
pub use vocabulary::{END, PAD, SPECIAL_WORDS, START, TokenVocabulary, UNKNOWN};
pub use weights::{network_bytes, network_from_bytes, stored_rows};
pub use word_vectors::WordVectors;
