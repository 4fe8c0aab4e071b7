//! Texts as pieces of words, by the tokeniser of a pretrained encoder.

use super::error::EncoderError;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use tokenizers::{
    EncodeInput, Encoding, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy,
};

/// The fewest pieces that texts can be cut to: those that the tokeniser adds to two texts.
pub(super) const LEAST: usize = 3;

/// A piece of a text, or a piece that the tokeniser adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its number.
    pub number: u32,
    /// Its token type.
    pub kind: u32,
    /// Which of the texts it is of, 0 or 1, and which bytes of it; `None`: the tokeniser added it.
    pub place: Option<(usize, Range<usize>)>,
}

/// A text, or a pair of texts, as pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPieces {
    /// The pieces, those that the tokeniser adds included.
    pub pieces: Vec<Piece>,
}

impl TextPieces {
    /// The numbers of the pieces.
    pub fn numbers(&self) -> Vec<u32> {
        self.pieces.iter().map(|piece| piece.number).collect()
    }
}

/// Cuts texts into pieces.
#[derive(Debug, Clone)]
pub struct Pieces {
    tokenizer: Tokenizer,
    most: usize,
}

impl Pieces {
    /// Reads a `tokenizer.json`. `most`: the number of positions of the network.
    pub(super) fn from_json(bytes: &[u8], path: &Path, most: usize) -> Result<Pieces, EncoderError> {
        let mut tokenizer = Tokenizer::from_bytes(bytes)
            .map_err(|error| EncoderError::Damaged { path: path.to_owned(), detail: error.to_string() })?;
        // Published tokenisers pad or cut to a length of their own.
        tokenizer.with_padding(None);
        Ok(Pieces { tokenizer, most })
    }

    /// Makes the tokeniser of BERT from a `vocab.txt`: a piece on each line.
    pub(super) fn from_vocabulary(
        text: &str,
        is_lower_case: bool,
        path: &Path,
        most: usize,
    ) -> Result<Pieces, EncoderError> {
        let words: BTreeMap<&str, u32> = text.lines().zip(0..).collect();
        let special = |word: &'static str| match words.get(word) {
            Some(&number) => Ok((word, number)),
            None => {
                let detail = format!("there is no line `{word}`");
                Err(EncoderError::Damaged { path: path.to_owned(), detail })
            }
        };
        let (start, end) = (special("[CLS]")?, special("[SEP]")?);
        let added = [special("[PAD]")?, special("[UNK]")?, start, end].map(|(content, id)| {
            json!({
                "id": id, "content": content, "special": true,
                "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
            })
        });
        let description = json!({
            "version": "1.0",
            "truncation": null,
            "padding": null,
            "added_tokens": added,
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": is_lower_case,
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "post_processor": { "type": "BertProcessing", "sep": end, "cls": start },
            "decoder": null,
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": words,
            },
        });
        Pieces::from_json(description.to_string().as_bytes(), path, most)
    }

    /// Number of pieces that the tokeniser knows: one more than the greatest number of a piece.
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab(true).values().max().map_or(0, |&greatest| greatest as usize + 1)
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts texts, or pairs of texts, into pieces. Of texts with more than `max_length` pieces the end is left out, of pairs the end of the longer
    /// one.
    pub fn encode(
        &self,
        texts: &[(&str, Option<&str>)],
        max_length: usize,
    ) -> Result<Vec<TextPieces>, EncoderError> {
        if !(LEAST..=self.most).contains(&max_length) {
            return Err(EncoderError::Length { asked: max_length, most: self.most });
        }
        let truncation = TruncationParams {
            direction: TruncationDirection::Right,
            max_length,
            strategy: TruncationStrategy::LongestFirst,
            stride: 0,
        };
        let mut tokenizer = self.tokenizer.clone();
        let failed = |text: &str, detail: String| EncoderError::Text { text: text.to_owned(), detail };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| failed("", error.to_string()))?;
        let one = |&(first, second): &(&str, Option<&str>)| {
            let input = match second {
                Some(second) => EncodeInput::from((first, second)),
                None => EncodeInput::from(first),
            };
            let found = tokenizer.encode(input, true).map_err(|error| failed(first, error.to_string()))?;
            Ok(pieces(&found))
        };
        texts.iter().map(one).collect()
    }
}

fn pieces(found: &Encoding) -> TextPieces {
    let one = |at: usize| {
        let (start, end) = found.get_offsets()[at];
        let is_added = found.get_special_tokens_mask()[at] == 1;
        let text = if is_added { None } else { found.token_to_sequence(at) };
        Piece {
            number: found.get_ids()[at],
            kind: found.get_type_ids()[at],
            place: text.map(|text| (text, start..end)),
        }
    };
    TextPieces { pieces: (0..found.len()).map(one).collect() }
}
