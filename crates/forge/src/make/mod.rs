//! Follows a recipe: samples queries, checks them, verbalises them, and divides the questions into splits.

mod assemble;
mod batch;
mod candidate;
mod cell;
mod class_share;

pub(crate) use cell::Cell;

use crate::cast;
use crate::context::SamplingContext;
use crate::division::{Division, UnknownDomain};
use crate::forms::{Disagreement, FormPrinter};
use crate::recipe::{Part, QuestionKind, Recipe, RecipeError, Wanted, apportioned};
use crate::recipe_keys;
use batch::{Batch, BatchMaker};
use cell::PerCell;
use rayon::prelude::*;
use touchstone_benchmark::Benchmark;
use touchstone_benchmark::english::Lexicon;
use touchstone_kb::{ClassId, Kb, Progress};

/// Why a benchmark could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    /// The recipe cannot be followed.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The recipe holds out a domain that the schema does not have.
    #[error(transparent)]
    Domain(#[from] UnknownDomain),
    /// Two forms of one question give different answers.
    #[error(transparent)]
    Disagreement(#[from] Box<Disagreement>),
    /// The user stopped it.
    #[error("stopped; nothing was written")]
    Cancelled,
}

struct Maker<'k, 'r> {
    context: SamplingContext<'k>,
    /// The same without properties that the KB does not have all facts of, if there are any.
    complete: Option<SamplingContext<'k>>,
    recipe: &'r Recipe,
    lexicon: &'r Lexicon,
    printer: FormPrinter<'k>,
    division: Division,
    /// Classes to start from that may occur in training.
    seen_classes: Vec<ClassId>,
    /// Classes to start from that are held out of training.
    held_classes: Vec<ClassId>,
    /// Number of questions per million whose SPARQL is also run by the general evaluator.
    verified_per_million: usize,
}

/// Makes a benchmark in memory: the same bytes for the same KB, recipe and lexicon.
pub fn make(
    kb: &Kb,
    recipe: &Recipe,
    lexicon: &Lexicon,
    progress: &dyn Progress,
) -> Result<Benchmark, MakeError> {
    let wanted = recipe.wanted()?;
    recipe_keys::check_illegal(kb, recipe.filters.illegal.as_deref().unwrap_or_default())?;
    let training = recipe.training()?;
    let divided = training.as_ref().unwrap_or(recipe);
    let division = Division::new(kb, &divided.splits, divided.seed)?;
    let context = SamplingContext::new(kb, recipe.filters.illegal.as_deref());
    let class_id = |class: &ClassId| kb.node_id(kb.class_node(*class));
    let is_large = |class: &&ClassId| kb.members(**class).len() >= recipe.filters.min_class;
    let (held_classes, seen_classes) =
        context.classes.iter().filter(is_large).partition(|&class| division.keeps_out(class_id(class)));
    let maker = Maker {
        printer: FormPrinter::new(kb),
        complete: context.complete().filter(|_| recipe.wording.limits),
        context,
        recipe,
        lexicon,
        division,
        seen_classes,
        held_classes,
        verified_per_million: cast::truncated(recipe.filters.verify * 1e6),
    };
    progress.stage("sampling questions", Some(recipe.questions as u64));
    // The longest first, so that no thread runs alone at the end.
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&at| {
        (matches!(wanted[at].kind, QuestionKind::Shape { .. }), std::cmp::Reverse(wanted[at].questions))
    });
    let batch = |&at: &usize| Ok((at, BatchMaker::new(&maker, &wanted[at], progress).run()?));
    let batches = order.par_iter().with_max_len(1).map(batch);
    let mut batches: Vec<(usize, Batch)> = batches.collect::<Result<_, MakeError>>()?;
    batches.sort_by_key(|(at, _)| *at);
    let mut batches: Vec<Batch> = batches.into_iter().map(|(_, batch)| batch).collect();
    maker.limit_classes(&wanted, &mut batches, progress)?;
    if progress.cancelled() {
        return Err(MakeError::Cancelled);
    }
    progress.stage("dividing questions", None);
    Ok(maker.assemble(&wanted, batches))
}

impl Maker<'_, '_> {
    /// The number of questions for each cell. The share of i.i.d. questions that cannot exist goes to the other levels.
    fn targets(&self, wanted: &Wanted) -> PerCell<usize> {
        let questions = wanted.questions;
        let splits = &self.recipe.splits;
        let [mut iid, compositional, zero_shot] = splits.level_weights();
        if wanted.kind.names_nothing() && compositional + zero_shot > 0.0 {
            iid = 0.0;
        }
        let all = splits.train + splits.dev + splits.test;
        let levels = iid + compositional + zero_shot;
        let train = match wanted.part {
            Part::All if levels > 0.0 => splits.train / all,
            Part::All | Part::Training => 1.0,
            Part::Evaluation => 0.0,
        };
        let share = |weight: f64| if levels > 0.0 { (1.0 - train) * weight / levels } else { 0.0 };
        let numbers = apportioned(questions, &[train, share(iid), share(compositional), share(zero_shot)]);
        PerCell::from_array([numbers[0], numbers[1], numbers[2], numbers[3]])
    }
}
