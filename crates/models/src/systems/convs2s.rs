//! `convs2s`.

use super::{GROUNDED, NO_LIMIT, about, adam, decoding, development, neural_data, of, sgd, training};
use crate::forms::FormCodec;
use crate::networks::{ConvS2s, ConvS2sSizes};
use crate::seq2seq_settings::{Seq2SeqSettings, wrong};
use crate::seq2seq_system::{Architecture, Seq2SeqSystem, Words};
use crate::side::SequenceUnits;
use touchstone_train::settings::ModelScale;
use touchstone_train::{FormKind, TrainError, device};

pub(crate) struct ConvS2sArchitecture;

impl Architecture for ConvS2sArchitecture {
    type Sizes = ConvS2sSizes;
    type Network = ConvS2s;
    const TABLES: [&str; 2] = ["encoder.words.weight", "decoder.words.weight"];

    fn network(sizes: &ConvS2sSizes, words: Words, seed: u64) -> ConvS2s {
        ConvS2s::new(sizes, words.source, words.target, seed, &device())
    }

    fn parameters(sizes: &ConvS2sSizes, words: Words) -> usize {
        let ConvS2sSizes { embedding, hidden, blocks, kernel, positions, .. } = *sizes;
        let linear = |input: usize, output: usize| output * (input + 1);
        let both = linear(embedding, hidden) + linear(hidden, embedding);
        let stack = positions * embedding + both + blocks * linear(kernel * hidden, 2 * hidden);
        let vectors = embedding * (words.source + words.target);
        vectors + 2 * stack + both + linear(embedding, words.target)
    }

    fn dropout(sizes: &ConvS2sSizes) -> f64 {
        sizes.dropout
    }

    fn check(system: &str, sizes: &ConvS2sSizes, max_length: usize) -> Result<(), TrainError> {
        let ConvS2sSizes { embedding, hidden, blocks, kernel, positions, .. } = *sizes;
        if embedding.min(hidden).min(blocks) == 0 {
            return Err(wrong(system, "network", "embedding, hidden and blocks must be at least 1"));
        }
        if kernel % 2 == 0 {
            return Err(wrong(system, "network.kernel", format!("{kernel} is not an odd number")));
        }
        enough_positions(system, positions, max_length)
    }
}

/// Training sequences need a position for each word and one for the start.
pub(super) fn enough_positions(system: &str, positions: usize, max_length: usize) -> Result<(), TrainError> {
    if positions > max_length {
        return Ok(());
    }
    let problem =
        format!("{positions} is not enough for sequences of data.max_length = {max_length} and the start");
    Err(wrong(system, "network.positions", problem))
}

pub(super) fn system() -> Seq2SeqSystem<ConvS2sArchitecture> {
    let description = "convolutional sequence to sequence, on sub-words";
    Seq2SeqSystem {
        about: about("convs2s", description, GROUNDED, FormKind::Sparql),
        codec: FormCodec::Neural,
        settings,
        time: |scale| {
            of(scale, [("10 s", 500), ("3 min", 2000), ("weeks on two cores (10 epochs of DBNQA)", 32_000)])
        },
    }
}

#[rustfmt::skip]
fn settings(scale: ModelScale) -> Seq2SeqSettings<ConvS2sSizes> {
    Seq2SeqSettings {
        //                                                             smoke                    small                  paper
        data: neural_data(SequenceUnits::Pieces, of(scale,            [500,                     4000,                  32_000]), of(scale, [100, 140, 99])),
        network: ConvS2sSizes {
            embedding: of(scale,                                      [32,                      128,                   256]),
            hidden: of(scale,                                         [32,                      128,                   512]),
            blocks: of(scale,                                         [2,                       3,                     10]),
            kernel: 3,
            dropout: of(scale,                                        [0.0,                     0.1,                   0.25]),
            pad_value: of(scale,                                      [0.0,                     0.0,                   1.0]),
            positions: of(scale,                                      [128,                     160,                   100]),
        },
        optimiser: of(scale,                                          [adam(3e-3, 1.0, 0),      adam(1e-3, 1.0, 50),   sgd(0.075, 0.99, 0.1)]),
        training: training(scale, of(scale,                           [16,                      32,                    128]), of(scale, [60, 1400, NO_LIMIT]), of(scale, [NO_LIMIT, NO_LIMIT, 10])),
        development: development(scale, "bleu"),
        decoding: decoding(scale,                                     [100,                     140,                   100]),
    }
}
