//! Questions generated from a KB, to learn from.

use crate::prospector::Prospector;
use crate::training::{Cancelled, TrainingReport};
use touchstone_benchmark::Question;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::Words;
use touchstone_forge::{MakeError, Recipe, RecipeError};
use touchstone_kb::{Kb, Progress};
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Knowledge, Query};

/// What is generated.
const RECIPE: &str = include_str!("../recipes/training.toml");

/// How a [`Prospector`] is trained on questions generated from its KB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KbTraining {
    /// Number of questions to generate.
    pub questions: usize,
    /// The seed of the questions and of the training.
    pub seed: u64,
    /// Whether the lexicon of the KB words the questions and names the schema; otherwise the labels do.
    pub with_lexicon: bool,
}

impl Default for KbTraining {
    fn default() -> KbTraining {
        KbTraining { questions: 2000, seed: 1, with_lexicon: true }
    }
}

/// Why a [`Prospector`] cannot be trained on its KB.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KbTrainingError {
    /// The recipe is wrong.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The questions could not be generated.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// No question could be generated.
    #[error(
        "no question could be generated from this KB; `touchstone kb show` lists its classes and relations"
    )]
    NoQuestions,
    /// The training was interrupted.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Generates questions about a KB.
pub(crate) fn generated(
    kb: &Kb,
    config: KbTraining,
    progress: &dyn Progress,
) -> Result<Vec<Question>, KbTrainingError> {
    let mut recipe = Recipe::parse(RECIPE)?;
    recipe.questions = config.questions;
    recipe.seed = config.seed;
    let lexicon = if config.with_lexicon { Lexicon::of(kb) } else { Lexicon::derived(kb) };
    let benchmark = touchstone_forge::make(kb, &recipe, &lexicon, progress)?;
    if benchmark.questions.is_empty() {
        return Err(KbTrainingError::NoQuestions);
    }
    Ok(benchmark.questions)
}

/// Questions with the queries that they ask.
pub(crate) fn with_queries<'q>(kb: &Kb, questions: &'q [Question]) -> Vec<(&'q Question, Query)> {
    let words = Words::new(kb);
    let knowledge = Knowledge::new(&words, Namespaces::of(kb));
    questions.iter().filter_map(|question| Some((question, question.query(&knowledge)?))).collect()
}

impl<'k> Prospector<'k> {
    /// A system that has learned from questions generated from its KB.
    pub fn train_on_kb(
        kb: &'k Kb,
        config: KbTraining,
        progress: &dyn Progress,
    ) -> Result<(Prospector<'k>, TrainingReport), KbTrainingError> {
        let questions = generated(kb, config, progress)?;
        let mut prospector = Prospector::new(kb);
        if config.with_lexicon {
            prospector = prospector.with_lexicon(&Lexicon::of(kb));
        }
        let report = prospector.learn(&with_queries(kb, &questions), config.seed, progress)?;
        Ok((prospector, report))
    }
}
