//! `nspm`, `nspm-att1`, `nspm-att2`.

use super::{GROUNDED, NO_LIMIT, about, adam, decoding, development, neural_data, of, sgd, training};
use crate::forms::FormCodec;
use crate::networks::{Nspm, NspmAttention, NspmSizes};
use crate::seq2seq_settings::{Seq2SeqSettings, wrong};
use crate::seq2seq_system::{Architecture, Seq2SeqSystem, Words};
use crate::side::SequenceUnits;
use touchstone_train::settings::ModelScale;
use touchstone_train::{FormKind, TrainError, device};

pub(crate) struct NspmArchitecture;

impl Architecture for NspmArchitecture {
    type Sizes = NspmSizes;
    type Network = Nspm;
    const TABLES: [&str; 2] = ["source.weight", "target.weight"];

    fn network(sizes: &NspmSizes, words: Words, seed: u64) -> Nspm {
        Nspm::new(sizes, words.source, words.target, seed, &device())
    }

    fn parameters(sizes: &NspmSizes, words: Words) -> usize {
        let NspmSizes { units, layers, attention, .. } = *sizes;
        let layer = |input: usize| 4 * units * (input + units + 2);
        let (input, looking) = match attention {
            NspmAttention::None => (units, 0),
            NspmAttention::ScaledLuong => (2 * units, 3 * units * units + 1),
            NspmAttention::NormedBahdanau => (2 * units, 4 * units * units + 2 * units + 1),
        };
        let vectors = units * (words.source + 2 * words.target);
        vectors + looking + layer(units) + layer(input) + 2 * (layers - 1) * layer(units)
    }

    fn dropout(sizes: &NspmSizes) -> f64 {
        sizes.dropout
    }

    fn check(system: &str, sizes: &NspmSizes, _: usize) -> Result<(), TrainError> {
        match sizes.layers.min(sizes.units) {
            0 => Err(wrong(system, "network", "layers and units must be at least 1")),
            _ => Ok(()),
        }
    }
}

pub(super) fn system(
    name: &'static str,
    description: &'static str,
    settings: fn(ModelScale) -> Seq2SeqSettings<NspmSizes>,
) -> Seq2SeqSystem<NspmArchitecture> {
    Seq2SeqSystem {
        about: about(name, description, GROUNDED, FormKind::Sparql),
        codec: FormCodec::Neural,
        settings,
        time: |scale| {
            of(scale, [("10 s", 500), ("3 min", 2000), ("a day on two cores (50,000 steps)", 30_000)])
        },
    }
}

#[rustfmt::skip]
pub(super) fn settings(scale: ModelScale, attention: NspmAttention) -> Seq2SeqSettings<NspmSizes> {
    // The same computing time for all: attention makes steps slower.
    let max_steps = match attention {
        NspmAttention::None => of(scale, [60, 1800, 50_000]),
        NspmAttention::NormedBahdanau => of(scale, [60, 950, 50_000]),
        NspmAttention::ScaledLuong => of(scale, [60, 1200, 50_000]),
    };
    Seq2SeqSettings {
        //                                                             smoke                    small                  paper
        data: neural_data(SequenceUnits::Words, 0, of(scale,          [50,                      100,                   50])),
        network: NspmSizes {
            units: of(scale,                                          [32,                      128,                   128]),
            layers: 2,
            dropout: of(scale,                                        [0.0,                     0.2,                   0.2]),
            attention,
        },
        optimiser: of(scale,                                          [adam(5e-3, 5.0, 0),      adam(2e-3, 5.0, 0),    sgd(1.0, 0.0, 5.0)]),
        training: training(scale, of(scale,                           [16,                      32,                    128]), max_steps, NO_LIMIT),
        development: development(scale, "bleu"),
        decoding: decoding(scale,                                     [50,                      100,                   0]),
    }
}
