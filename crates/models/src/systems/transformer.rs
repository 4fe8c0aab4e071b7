//! `transformer`.

use super::convs2s::enough_positions;
use super::{GROUNDED, NO_LIMIT, about, adam, decoding, development, neural_data, of, training};
use crate::forms::FormCodec;
use crate::networks::{Transformer, TransformerSizes};
use crate::seq2seq_settings::{Seq2SeqSettings, wrong};
use crate::seq2seq_system::{Architecture, Seq2SeqSystem, Words};
use crate::side::SequenceUnits;
use touchstone_train::settings::ModelScale;
use touchstone_train::{FormKind, TrainError, device};

pub(crate) struct TransformerArchitecture;

impl Architecture for TransformerArchitecture {
    type Sizes = TransformerSizes;
    type Network = Transformer;
    const TABLES: [&str; 2] = ["source.words.weight", "target.words.weight"];

    fn network(sizes: &TransformerSizes, words: Words, seed: u64) -> Transformer {
        Transformer::new(sizes, words.source, words.target, seed, &device())
    }

    fn parameters(sizes: &TransformerSizes, words: Words) -> usize {
        let TransformerSizes { size, layers, feed_forward, positions, .. } = *sizes;
        let heads = 4 * size * (size + 1);
        let feed = feed_forward * (size + 1) + size * (feed_forward + 1);
        let norm = 2 * size;
        let layer = heads + feed + 2 * norm;
        let vectors = size * (words.source + words.target + 2 * positions);
        vectors + layers * (2 * layer + heads + norm) + words.target * (size + 1)
    }

    fn dropout(sizes: &TransformerSizes) -> f64 {
        sizes.dropout
    }

    fn check(system: &str, sizes: &TransformerSizes, max_length: usize) -> Result<(), TrainError> {
        let TransformerSizes { size, layers, heads, feed_forward, positions, .. } = *sizes;
        if layers.min(heads).min(feed_forward).min(size) == 0 {
            return Err(wrong(system, "network", "size, layers, heads and feed_forward must be at least 1"));
        }
        if size % heads != 0 {
            let problem = format!("{heads} heads do not divide network.size = {size}");
            return Err(wrong(system, "network.heads", problem));
        }
        enough_positions(system, positions, max_length)
    }
}

pub(super) fn system() -> Seq2SeqSystem<TransformerArchitecture> {
    Seq2SeqSystem {
        about: about("transformer", "Transformer, on sub-words", GROUNDED, FormKind::Sparql),
        codec: FormCodec::Neural,
        settings,
        time: |scale| {
            of(scale, [("10 s", 500), ("3 min", 2000), ("a week on two cores (10 epochs of DBNQA)", 32_000)])
        },
    }
}

#[rustfmt::skip]
fn settings(scale: ModelScale) -> Seq2SeqSettings<TransformerSizes> {
    Seq2SeqSettings {
        //                                                             smoke                    small                  paper
        data: neural_data(SequenceUnits::Pieces, of(scale,            [500,                     4000,                  32_000]), of(scale, [100, 140, 99])),
        network: TransformerSizes {
            size: of(scale,                                           [32,                      128,                   256]),
            layers: of(scale,                                         [1,                       2,                     3]),
            heads: of(scale,                                          [4,                       4,                     8]),
            feed_forward: of(scale,                                   [64,                      256,                   512]),
            dropout: of(scale,                                        [0.0,                     0.1,                   0.1]),
            positions: of(scale,                                      [128,                     160,                   100]),
        },
        optimiser: of(scale,                                          [adam(3e-3, 1.0, 10),     adam(1e-3, 1.0, 100),  adam(5e-4, 1.0, 0)]),
        training: training(scale, of(scale,                           [16,                      32,                    128]), of(scale, [60, 1500, NO_LIMIT]), of(scale, [NO_LIMIT, NO_LIMIT, 10])),
        development: development(scale, "bleu"),
        decoding: decoding(scale,                                     [100,                     140,                   100]),
    }
}
