//! The settings of systems from sequence to sequence.

use crate::english::QuestionWords;
use crate::side::SequenceUnits;
use burn::nn::Embedding;
use serde::{Deserialize, Serialize};
use std::path::Path;
use touchstone_train::optimise::OptimiserSettings;
use touchstone_train::{
    DevelopmentSettings, LoopSettings, SPECIAL_WORDS, TokenVocabulary, TrainError, WordVectors,
};

/// All settings of a system, by section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seq2SeqSettings<S, D = DecodingSettings> {
    /// What is learned from.
    pub data: DataSettings,
    /// Sizes of the network.
    pub network: S,
    /// The optimiser.
    pub optimiser: OptimiserSettings,
    /// The training loop.
    pub training: LoopSettings,
    /// Early stopping.
    pub development: DevelopmentSettings,
    /// Decoding.
    pub decoding: D,
}

/// What is learned from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSettings {
    /// How questions are cut into words.
    pub question_words: QuestionWords,
    /// Whether questions are read in lower case.
    pub lower_case: bool,
    /// Words or pieces of words, on both sides.
    pub units: SequenceUnits,
    /// Words that occur less often are unknown; for pieces it has no meaning.
    pub min_count: usize,
    /// Maximum number of pieces on each side; for words it has no meaning.
    pub pieces: usize,
    /// Longer questions and forms are cut in training.
    pub max_length: usize,
    /// A file with vectors for the words of questions, in GloVe's text format or as safetensors; empty: they begin at random.
    pub vectors: String,
    /// Whether the output of the encoder is set to zero: shows how much of the score the forms alone explain.
    pub blind: bool,
}

/// How predictions are searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecodingSettings {
    /// Number of hypotheses; 1: the most likely word at each step.
    pub beam: usize,
    /// Maximum number of words or pieces; 0: twice as many as the question has.
    pub max_length: usize,
}

/// A value that cannot be used.
pub(crate) fn wrong(system: &str, key: &str, problem: impl Into<String>) -> TrainError {
    TrainError::Setting { system: system.to_owned(), key: key.to_owned(), problem: problem.into() }
}

impl<S, D> Seq2SeqSettings<S, D> {
    /// Checks what all systems have.
    pub(crate) fn check(&self, system: &str, dropout: f64) -> Result<(), TrainError> {
        let LoopSettings { batch, accumulate, parts, evaluate_every, max_steps, max_epochs, .. } =
            self.training;
        let counts = [
            ("training.batch", batch as u64),
            ("training.accumulate", accumulate as u64),
            ("training.parts", parts as u64),
            ("training.evaluate_every", evaluate_every),
            ("training.max_steps", max_steps),
            ("training.max_epochs", max_epochs),
            ("data.max_length", self.data.max_length as u64),
        ];
        if let Some((key, _)) = counts.into_iter().find(|(_, n)| *n == 0) {
            return Err(wrong(system, key, "it must be at least 1"));
        }
        if !(0.0..1.0).contains(&dropout) {
            return Err(wrong(
                system,
                "network.dropout",
                format!("it must be at least 0 and below 1, not {dropout}"),
            ));
        }
        let OptimiserSettings { learning_rate, clip, momentum, weight_decay, .. } = self.optimiser;
        let amounts = [("clip", clip), ("momentum", momentum), ("weight_decay", weight_decay)];
        if let Some((key, n)) = amounts.into_iter().find(|(_, n)| !(n.is_finite() && *n >= 0.0)) {
            return Err(wrong(system, &format!("optimiser.{key}"), format!("it must be 0 or more, not {n}")));
        }
        if !(learning_rate.is_finite() && learning_rate > 0.0) {
            let problem = format!("it must be above 0, not {learning_rate}");
            return Err(wrong(system, "optimiser.learning_rate", problem));
        }
        if self.data.units == SequenceUnits::Pieces && !(100..=MAX_PIECES).contains(&self.data.pieces) {
            return Err(wrong(system, "data.pieces", format!("it must be from 100 to {MAX_PIECES}")));
        }
        if self.data.units == SequenceUnits::Pieces && !self.data.vectors.is_empty() {
            return Err(wrong(
                system,
                "data.vectors",
                "only systems that read whole words can use word vectors",
            ));
        }
        Ok(())
    }
}

/// The vectors that the settings name for the words of questions, and a note on how many were found.
pub(crate) fn word_vectors(
    data: &DataSettings,
    words: &TokenVocabulary,
    notes: &mut Vec<String>,
) -> Result<Option<WordVectors>, TrainError> {
    if data.vectors.is_empty() {
        return Ok(None);
    }
    let vectors = WordVectors::read(Path::new(&data.vectors), words)?;
    notes.push(format!(
        "{} of {} words of questions have a vector in {}.",
        vectors.found(),
        words.len() - SPECIAL_WORDS,
        data.vectors
    ));
    Ok(Some(vectors))
}

/// A table with pretrained vectors.
pub(crate) fn with_vectors(
    table: Embedding,
    vectors: &WordVectors,
    system: &str,
) -> Result<Embedding, TrainError> {
    let [_, size] = table.weight.dims();
    let found = vectors.size();
    vectors.put(table).ok_or_else(|| {
        let problem = format!("its vectors have {found} numbers, and those of the network have {size}");
        wrong(system, "data.vectors", problem)
    })
}

/// Maximum number of pieces on each side, as in the neural SPARQL study.
pub(crate) const MAX_PIECES: usize = 32_000;
