//! The trainable systems, with the settings of each scale in one table.

mod convs2s;
mod nspm;
mod sup_program;
mod sup_sparql;
mod transformer;

use crate::english::QuestionWords;
use crate::seq2seq_settings::{DataSettings, DecodingSettings, MAX_PIECES};
use crate::side::SequenceUnits;
use touchstone_benchmark::Gives;
use touchstone_train::optimise::{OptimiserKind, OptimiserSettings};
use touchstone_train::settings::ModelScale;
use touchstone_train::{DevelopmentSettings, FormKind, LoopSettings, Needs, SystemAbout, Trainable};

/// All trainable systems.
pub fn systems() -> Vec<Box<dyn Trainable>> {
    use crate::networks::NspmAttention::{None, NormedBahdanau, ScaledLuong};
    vec![
        Box::new(nspm::system("nspm", "LSTM encoder and decoder without attention", |scale| {
            nspm::settings(scale, None)
        })),
        Box::new(nspm::system("nspm-att1", "the same with normed Bahdanau attention", |scale| {
            nspm::settings(scale, NormedBahdanau)
        })),
        Box::new(nspm::system("nspm-att2", "the same with scaled Luong attention", |scale| {
            nspm::settings(scale, ScaledLuong)
        })),
        Box::new(convs2s::system()),
        Box::new(transformer::system()),
        Box::new(sup_sparql::system()),
        Box::new(sup_program::system()),
    ]
}

/// The value of a scale in a row `[smoke, small, paper]` of a table.
fn of<T>(scale: ModelScale, row: [T; 3]) -> T {
    let [smoke, small, paper] = row;
    match scale {
        ModelScale::Smoke => smoke,
        ModelScale::Small => small,
        ModelScale::Paper => paper,
    }
}

/// The paper of the neural SPARQL systems.
const GROUNDED: &str = "Neural SPARQL machines on DBNQA*; paper 001 (grounded measures, GEK)";
/// The paper of the supervised systems.
const KQAPRO: &str = "KQA Pro (Cao et al., ACL 2022); paper 002";

fn about(name: &'static str, description: &'static str, paper: &'static str, form: FormKind) -> SystemAbout {
    let needs = Needs { form: Some(form), choices: false, gold_entities: false, kb: false };
    SystemAbout { name, description, paper, needs, gives: Gives::Forms }
}

/// The data of the neural SPARQL study.
fn neural_data(units: SequenceUnits, pieces: usize, max_length: usize) -> DataSettings {
    DataSettings {
        question_words: QuestionWords::Blanks,
        lower_case: true,
        units,
        min_count: 1,
        pieces: if units == SequenceUnits::Pieces { pieces } else { MAX_PIECES },
        max_length,
        vectors: String::new(),
        blind: false,
    }
}

/// The data of KQA Pro's baselines.
fn kqapro_data(max_length: usize) -> DataSettings {
    DataSettings {
        question_words: QuestionWords::Tokens,
        lower_case: true,
        units: SequenceUnits::Words,
        min_count: 1,
        pieces: MAX_PIECES,
        max_length,
        vectors: String::new(),
        blind: false,
    }
}

/// The loop: batch, and maximum numbers of steps and epochs.
fn training(scale: ModelScale, batch: usize, max_steps: u64, max_epochs: u64) -> LoopSettings {
    LoopSettings {
        batch,
        accumulate: 1,
        max_steps,
        max_epochs,
        evaluate_every: match scale {
            ModelScale::Paper => 1000,
            _ => (max_steps / 6).max(1),
        },
        patience: 0,
        save_every: of(scale, [20, 100, 500]),
        parts: 2,
    }
}

/// `measure`: what the network that is kept is best at. The systems of paper 001 keep the network of the best BLEU, as their published code does;
/// exact match is 0 for every network where no template of the development questions is in training.
fn development(scale: ModelScale, measure: &str) -> DevelopmentSettings {
    DevelopmentSettings { measure: measure.to_owned(), questions: of(scale, [10, 50, 500]) }
}

fn adam(learning_rate: f64, clip: f64, warm_up: u64) -> OptimiserSettings {
    OptimiserSettings { clip, warm_up, ..OptimiserSettings::adam(learning_rate) }
}

fn sgd(learning_rate: f64, momentum: f64, clip: f64) -> OptimiserSettings {
    OptimiserSettings { optimiser: OptimiserKind::Sgd, momentum, ..adam(learning_rate, clip, 0) }
}

fn decoding(scale: ModelScale, max_length: [usize; 3]) -> DecodingSettings {
    // The published systems decode greedily.
    DecodingSettings { beam: of(scale, [2, 4, 1]), max_length: of(scale, max_length) }
}

/// No limit of epochs: steps limit training.
const NO_LIMIT: u64 = 1_000_000;

/// No limit of the lengths of questions and forms.
const NO_MAX_LENGTH: usize = 1_000_000;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_settings_are_valid() {
        let all = systems();
        let names: BTreeSet<&str> = all.iter().map(|system| system.about().name).collect();
        assert_eq!(names.len(), 7);
        for system in &all {
            for scale in ModelScale::ALL {
                let settings = system.settings(scale);
                system.check(&settings).unwrap();
                assert!(settings.contains_key("development"));
                assert!(system.cost(scale).parameters > 1000);
            }
            // The paper's sizes are greater.
            let [smoke, small, paper] = ModelScale::ALL.map(|scale| system.cost(scale).parameters);
            assert!(smoke < small && small < paper);
        }
    }
}
