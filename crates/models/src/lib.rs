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
mod english;
pub mod experiment;
mod forms;
pub mod networks;
mod program_system;
mod seq2seq_settings;
mod seq2seq_system;
mod side;
mod systems;

pub use english::QuestionWords;
pub use forms::{FormCodec, kqapro_form, kqapro_words};
pub use program_system::ProgramDecoding;
pub use seq2seq_settings::{DataSettings, DecodingSettings, Seq2SeqSettings};
pub use side::SequenceUnits;
pub use systems::systems;
