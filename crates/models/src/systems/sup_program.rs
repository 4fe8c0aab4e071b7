//! `sup-program`.

use super::sup_sparql::kqapro_adam;
use super::{KQAPRO, NO_LIMIT, NO_MAX_LENGTH, about, adam, development, kqapro_data, of, training};
use crate::networks::{ProgramArguments, SupProgramSizes};
use crate::program_system::{ProgramDecoding, ProgramSettings, ProgramSystem};
use crate::seq2seq_settings::Seq2SeqSettings;
use touchstone_train::FormKind;
use touchstone_train::settings::ModelScale;

pub(super) fn system() -> ProgramSystem {
    let description = "GRU encoder, decoders of functions and arguments of KoPL programs";
    ProgramSystem {
        about: about("sup-program", description, KQAPRO, FormKind::Program),
        settings,
        time: |scale| {
            of(scale, [("10 s", 500), ("3 min", 2000), ("weeks on two cores (100 epochs)", 38_747)])
        },
    }
}

#[rustfmt::skip]
fn settings(scale: ModelScale) -> ProgramSettings {
    Seq2SeqSettings {
        //                                                             smoke                    small                  paper
        data: kqapro_data(of(scale,                                   [80,                      120,                   NO_MAX_LENGTH])),
        network: SupProgramSizes {
            embedding: of(scale,                                      [32,                      128,                   300]),
            hidden: of(scale,                                         [48,                      192,                   1024]),
            layers: of(scale,                                         [1,                       1,                     2]),
            dropout: of(scale,                                        [0.0,                     0.2,                   0.2]),
            arguments: ProgramArguments::Decoder,
            predicts_dependencies: false,
            masks_source: of(scale,                                   [true,                    true,                  false]),
        },
        optimiser: of(scale,                                          [adam(5e-3, 5.0, 0),      adam(2e-3, 5.0, 0),    kqapro_adam()]),
        training: training(scale, of(scale,                           [16,                      32,                    64]), of(scale, [60, 1700, NO_LIMIT]), of(scale, [NO_LIMIT, NO_LIMIT, 100])),
        development: development(scale, "em_string"),
        decoding: ProgramDecoding { max_functions: of(scale,          [20,                      20,                    20]) },
    }
}
