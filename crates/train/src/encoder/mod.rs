//! Pretrained encoders: BERT and its relatives, such as MiniLM, read from a local folder in the format of Hugging Face.
//!
//! Useful for: vectors of texts and of their pieces, as they are or as a part of a network that is trained further.
//! Not useful for: other architectures; loading says so.
//!
//! ```no_run
//! use burn::tensor::Device;
//! use touchstone_train::Pass;
//! use touchstone_train::encoder::{Encoder, EncoderBatch};
//!
//! # fn main() -> Result<(), touchstone_train::encoder::EncoderError> {
//! let device = Device::flex();
//! let encoder = Encoder::load("models/all-MiniLM-L6-v2".as_ref(), &device)?;
//! let texts = encoder.pieces.encode(&[("Who directed Alien?", None)], 256)?;
//! let batch = EncoderBatch::new(&texts);
//! let vectors = encoder.network.forward(&batch, &Pass::inference(), &device);
//! let sentences = batch.mean(vectors);
//! # Ok(())
//! # }
//! ```

mod batch;
mod bert;
mod config;
mod error;
mod folder;
mod pieces;

pub use batch::EncoderBatch;
pub use bert::{Bert, BertEmbeddings, BertLayer};
pub use config::{Activation, BertConfig};
pub use error::EncoderError;
pub use folder::Encoder;
pub use pieces::{Piece, Pieces, TextPieces};
