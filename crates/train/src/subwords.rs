//! Sub-words: byte-pair encoding as SentencePiece does it, with a mark for the beginning of a word.

use crate::cast;
use crate::error::TrainError;
use crate::vocabulary::SPECIAL;
use tokenizers::decoders::metaspace::Metaspace as MetaspaceDecoder;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::{
    AddedToken, DecoderWrapper, ModelWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    TokenizerBuilder, TokenizerImpl,
};

type Pieces =
    TokenizerImpl<ModelWrapper, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// The mark of the beginning of a word.
const MARK: char = '▁';

/// The sub-words of one side: every text is cut into pieces, and joined again. The special words of
/// [`TokenVocabulary`](crate::TokenVocabulary) have the same numbers.
#[derive(Clone)]
pub struct SubWords {
    pieces: Pieces,
    texts: Vec<String>,
}

impl SubWords {
    /// Learns at most `most` pieces from texts. All characters of the texts are covered.
    pub fn learn<'t>(
        texts: impl Iterator<Item = &'t str> + Send,
        most: usize,
    ) -> Result<SubWords, TrainError> {
        let special = SPECIAL.iter().map(|word| AddedToken::from(*word, true)).collect();
        let trainer = BpeTrainer::builder()
            .vocab_size(most)
            .min_frequency(2)
            .show_progress(false)
            .special_tokens(special)
            .build();
        let bpe = BPE::builder().unk_token(SPECIAL[1].to_owned()).build().map_err(TrainError::SubWords)?;
        let metaspace = || Metaspace::new(MARK, PrependScheme::Always, true);
        let mut pieces: Pieces = TokenizerBuilder::new()
            .with_model(ModelWrapper::from(bpe))
            .with_normalizer(None)
            .with_pre_tokenizer(Some(metaspace().into()))
            .with_post_processor(None)
            .with_decoder(Some(MetaspaceDecoder::new(MARK, PrependScheme::Always, true).into()))
            .build()
            .map_err(TrainError::SubWords)?;
        let mut trainer = TrainerWrapper::from(trainer);
        pieces.train(&mut trainer, texts).map_err(TrainError::SubWords)?;
        Ok(SubWords::of(pieces))
    }

    fn of(pieces: Pieces) -> SubWords {
        let n = cast::index32(pieces.get_vocab_size(true));
        let texts = (0..n).map(|number| pieces.id_to_token(number).unwrap_or_default()).collect();
        SubWords { pieces, texts }
    }

    /// Reads what [`SubWords::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<SubWords, TrainError> {
        let pieces = text.parse::<Pieces>().map_err(TrainError::SubWords)?;
        Ok(SubWords::of(pieces))
    }

    /// In the format of `tokenizer.json`.
    pub fn to_json(&self) -> Result<String, TrainError> {
        self.pieces.to_string(false).map_err(TrainError::SubWords)
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are only special pieces.
    pub fn is_empty(&self) -> bool {
        self.texts.len() <= SPECIAL.len()
    }

    /// The numbers of the pieces of a text.
    pub fn numbers(&self, text: &str) -> Vec<u32> {
        self.pieces.encode_fast(text, false).map(|found| found.get_ids().to_vec()).unwrap_or_default()
    }

    /// The text of pieces, words with one blank between them.
    pub fn text(&self, numbers: &[u32]) -> String {
        let piece = |&number: &u32| self.texts.get(number as usize).map_or("", String::as_str);
        let joined: String = numbers.iter().map(piece).collect();
        joined.replace(MARK, " ").trim().to_owned()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::vocabulary::{END, PAD, START, UNKNOWN};

    #[test]
    fn texts_are_cut_and_joined_again() {
        let texts = [
            "SELECT var_x where brack_open var_x dbo_director dbr_Alien brack_close",
            "SELECT var_x where brack_open var_x dbo_director dbr_Aliens brack_close",
        ];
        let learned = SubWords::learn(texts.into_iter(), 60).unwrap();
        assert!(learned.len() <= 60 && !learned.is_empty());
        for text in texts {
            let numbers = learned.numbers(text);
            assert!(numbers.iter().all(|&number| number > END), "{numbers:?}");
            assert_eq!(learned.text(&numbers), text);
        }
        assert!(learned.numbers("€").contains(&UNKNOWN));
        for (number, word) in [PAD, UNKNOWN, START, END].into_iter().zip(SPECIAL) {
            assert_eq!(learned.pieces.token_to_id(word), Some(number));
        }
        let read = SubWords::from_json(&learned.to_json().unwrap()).unwrap();
        assert_eq!(read.numbers(texts[0]), learned.numbers(texts[0]));
        // The same texts give the same pieces.
        let again = SubWords::learn(texts.into_iter(), 60).unwrap();
        assert_eq!(again.to_json().unwrap(), learned.to_json().unwrap());
        assert!(matches!(SubWords::from_json("{}"), Err(TrainError::SubWords(_))));
    }
}
