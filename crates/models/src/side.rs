//! One side of a system from sequence to sequence: words or sub-words, and their numbers.

use serde::{Deserialize, Serialize};
use std::path::Path;
use touchstone_train::{ModelFiles, SubWords, TokenVocabulary, TrainError, UNKNOWN, stored_rows};

/// What sequences are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SequenceUnits {
    /// Words of the training questions.
    Words,
    /// Sub-words, learned from the training questions.
    Pieces,
}

/// The vocabulary of one side.
#[derive(Clone)]
pub(crate) enum Side {
    Words(TokenVocabulary),
    Pieces(Box<SubWords>),
}

impl Side {
    /// Learns from the texts of the training questions.
    pub(crate) fn learn(
        units: SequenceUnits,
        texts: &[Vec<String>],
        min_count: usize,
        most: usize,
    ) -> Result<Side, TrainError> {
        Ok(match units {
            SequenceUnits::Words => {
                Side::Words(TokenVocabulary::of(texts.iter().map(Vec::as_slice), min_count))
            }
            SequenceUnits::Pieces => {
                let joined: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
                Side::Pieces(Box::new(SubWords::learn(joined.iter().map(String::as_str), most)?))
            }
        })
    }

    /// Adds it to the files of a model.
    pub(crate) fn save(&self, name: &str, files: &mut ModelFiles) -> Result<(), TrainError> {
        match self {
            Side::Words(words) => files.add_json(&format!("{name}.words.json"), words),
            Side::Pieces(pieces) => files.add_text(&format!("{name}.tokenizer.json"), pieces.to_json()?),
        }
        Ok(())
    }

    /// Reads it from the files of a model.
    pub(crate) fn load(
        units: SequenceUnits,
        name: &str,
        files: &ModelFiles,
        folder: &Path,
    ) -> Result<Side, TrainError> {
        Ok(match units {
            SequenceUnits::Words => Side::Words(files.json(&format!("{name}.words.json"), folder)?),
            SequenceUnits::Pieces => {
                let text = files.text(&format!("{name}.tokenizer.json"), folder)?;
                Side::Pieces(Box::new(SubWords::from_json(text)?))
            }
        })
    }

    /// Number of words or pieces.
    pub(crate) fn len(&self) -> usize {
        match self {
            Side::Words(words) => words.len(),
            Side::Pieces(pieces) => pieces.len(),
        }
    }

    /// The numbers of words.
    pub(crate) fn numbers(&self, words: &[String]) -> Vec<u32> {
        match self {
            Side::Words(vocabulary) => vocabulary.numbers(words),
            Side::Pieces(pieces) => pieces.numbers(&words.join(" ")),
        }
    }

    /// The text of numbers: words with one blank between them.
    pub(crate) fn text(&self, numbers: &[u32]) -> String {
        match self {
            Side::Words(vocabulary) => {
                let words: Vec<&str> = numbers.iter().map(|&number| vocabulary.word(number)).collect();
                words.join(" ")
            }
            Side::Pieces(pieces) => pieces.text(numbers),
        }
    }

    /// Whether a word is unknown among numbers.
    pub(crate) fn has_unknown(numbers: &[u32]) -> bool {
        numbers.contains(&UNKNOWN)
    }
}

/// Refuses vocabularies that do not have the sizes for which the network in a file was made: `tables` names the vectors of each.
pub(crate) fn check_vocabularies(
    tables: [&str; 2],
    words: [usize; 2],
    network: &[u8],
    folder: &Path,
) -> Result<(), TrainError> {
    // A file without these tables is refused when it is read.
    let [Some(source), Some(target)] = tables.map(|name| stored_rows(network, name)) else { return Ok(()) };
    if [source, target] == words {
        return Ok(());
    }
    Err(TrainError::Vocabulary {
        path: folder.to_owned(),
        found: format!("{} and {}", words[0], words[1]),
        expected: format!("{source} and {target}"),
    })
}
