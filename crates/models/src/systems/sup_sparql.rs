//! `sup-sparql`.

use super::{KQAPRO, NO_LIMIT, NO_MAX_LENGTH, about, adam, decoding, development, kqapro_data, of, training};
use crate::forms::FormCodec;
use crate::networks::{SupSparql, SupSparqlSizes};
use crate::seq2seq_settings::{Seq2SeqSettings, wrong};
use crate::seq2seq_system::{Architecture, Seq2SeqSystem, Words};
use touchstone_train::optimise::OptimiserSettings;
use touchstone_train::settings::ModelScale;
use touchstone_train::{FormKind, TrainError, device};

pub(crate) struct SupSparqlArchitecture;

impl Architecture for SupSparqlArchitecture {
    type Sizes = SupSparqlSizes;
    type Network = SupSparql;
    const TABLES: [&str; 2] = ["source.weight", "target.weight"];

    fn network(sizes: &SupSparqlSizes, words: Words, seed: u64) -> SupSparql {
        SupSparql::new(sizes, words.source, words.target, seed, &device())
    }

    fn parameters(sizes: &SupSparqlSizes, words: Words) -> usize {
        let SupSparqlSizes { embedding, hidden, layers, .. } = *sizes;
        let layer = |input: usize| 3 * hidden * (input + hidden + 2);
        let stack = layer(embedding) + (layers - 1) * layer(hidden);
        let vectors = embedding * (words.source + words.target);
        vectors + 2 * stack + hidden * (hidden + 1) + words.target * (hidden + 1)
    }

    fn dropout(sizes: &SupSparqlSizes) -> f64 {
        sizes.dropout
    }

    fn check(system: &str, sizes: &SupSparqlSizes, _: usize) -> Result<(), TrainError> {
        match sizes.layers.min(sizes.hidden).min(sizes.embedding) {
            0 => Err(wrong(system, "network", "embedding, hidden and layers must be at least 1")),
            _ => Ok(()),
        }
    }
}

/// Adam as KQA Pro's baselines have it.
pub(super) fn kqapro_adam() -> OptimiserSettings {
    OptimiserSettings { weight_decay: 1e-5, decay: 0.1, decay_after: vec![5, 50], ..adam(1e-3, 0.0, 0) }
}

pub(super) fn system() -> Seq2SeqSystem<SupSparqlArchitecture> {
    let description = "GRU encoder and decoder with dot attention, to SPARQL";
    Seq2SeqSystem {
        about: about("sup-sparql", description, KQAPRO, FormKind::SparqlKqapro),
        codec: FormCodec::KqaPro,
        settings,
        time: |scale| {
            of(scale, [("10 s", 500), ("3 min", 2000), ("weeks on two cores (100 epochs)", 45_693)])
        },
    }
}

#[rustfmt::skip]
fn settings(scale: ModelScale) -> Seq2SeqSettings<SupSparqlSizes> {
    Seq2SeqSettings {
        //                                                             smoke                    small                  paper
        data: kqapro_data(of(scale,                                   [80,                      120,                   NO_MAX_LENGTH])),
        network: SupSparqlSizes {
            embedding: of(scale,                                      [32,                      128,                   300]),
            hidden: of(scale,                                         [48,                      192,                   1024]),
            layers: of(scale,                                         [1,                       1,                     2]),
            dropout: of(scale,                                        [0.0,                     0.2,                   0.3]),
            masks_source: of(scale,                                   [true,                    true,                  false]),
        },
        optimiser: of(scale,                                          [adam(5e-3, 5.0, 0),      adam(2e-3, 5.0, 0),    kqapro_adam()]),
        training: training(scale, of(scale,                           [16,                      32,                    64]), of(scale, [60, 1100, NO_LIMIT]), of(scale, [NO_LIMIT, NO_LIMIT, 100])),
        development: development(scale, "em_string"),
        decoding: decoding(scale,                                     [80,                      120,                   100]),
    }
}
