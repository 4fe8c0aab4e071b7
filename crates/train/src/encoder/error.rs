//! Why an encoder cannot be used.

use std::path::PathBuf;

/// Why an encoder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncoderError {
    /// A file is not there.
    #[error(
        "there is no `{file}` in {}; a folder of an encoder has `config.json`, `model.safetensors`, and `tokenizer.json` or `vocab.txt`",
        folder.display()
    )]
    Missing {
        /// The folder.
        folder: PathBuf,
        /// The file.
        file: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: std::io::Error,
    },
    /// A file is damaged, or has another format.
    #[error("{} is damaged or incomplete: {detail}; download it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Another kind of network.
    #[error("{}: the architecture is `{found}`; only `bert` is supported, which BERT and MiniLM have", path.display())]
    Architecture {
        /// `config.json`.
        path: PathBuf,
        /// Its architecture.
        found: String,
    },
    /// A setting whose value is not supported.
    #[error("{}: `{setting}` is {found}; supported: {supported}", path.display())]
    Setting {
        /// `config.json`.
        path: PathBuf,
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: String,
        /// Supported values.
        supported: &'static str,
    },
    /// The file does not have parameters that the network needs.
    #[error("{} has no parameters `{name}`, which `config.json` requires", path.display())]
    NoParameters {
        /// The file.
        path: PathBuf,
        /// Their name.
        name: String,
    },
    /// Parameters of another shape.
    #[error("{}: `{name}` has the shape {found:?}; `config.json` requires {expected:?}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The name of the parameters.
        name: String,
        /// Their shape.
        found: Vec<usize>,
        /// The shape of the network.
        expected: Vec<usize>,
    },
    /// Parameters in an unsupported format.
    #[error("{}: `{name}` is stored as {found}; supported are F32, F16 and BF16", path.display())]
    NumberFormat {
        /// The file.
        path: PathBuf,
        /// The name of the parameters.
        name: String,
        /// Their format.
        found: String,
    },
    /// The tokeniser knows pieces that the network does not.
    #[error("{}: the tokeniser has {pieces} pieces, but the network only {words}; the files are of different models", folder.display())]
    Vocabulary {
        /// The folder.
        folder: PathBuf,
        /// Number of pieces of the tokeniser.
        pieces: usize,
        /// Number of vectors of the network.
        words: usize,
    },
    /// More pieces are asked for than the network has positions.
    #[error("cannot read texts of {asked} pieces; this encoder reads {} to {most}", super::pieces::LEAST)]
    Length {
        /// What is asked for.
        asked: usize,
        /// Number of positions.
        most: usize,
    },
    /// A text that the tokeniser cannot split.
    #[error("the tokeniser cannot split `{text}`: {detail}")]
    Text {
        /// The text.
        text: String,
        /// What is wrong.
        detail: String,
    },
}
