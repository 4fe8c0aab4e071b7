//! The questions of one kind: sampled for training and for held-out cells, then moved to other entities for i.i.d. evaluation.

use super::candidate::{Candidate, Draft, NotMade, QueryKey};
use super::cell::{Cell, PerCell};
use super::{MakeError, Maker};
use crate::cast;
use crate::recipe::{Outline, Part, QuestionKind, ShapeFunction, Wanted};
use crate::reject::{RejectReason, Rejections};
use crate::sample::filters::reduced;
use crate::sample::relocate::relocate;
use crate::sample::{asking, cycles, shapes};
use hashbrown::HashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use touchstone_benchmark::{Answer, Question, QuestionType, Random};
use touchstone_engine::Found;
use touchstone_kb::{ClassId, Progress};
use touchstone_logic::{Ask, Query, Symbol, Word};

/// The questions of one kind.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) filled: PerCell<Vec<Candidate>>,
    pub(super) targets: PerCell<usize>,
    pub(super) rejections: Rejections,
    /// Why attempts to fill a cell found no query.
    pub(super) reasons: PerCell<Rejections>,
    /// Why queries for a cell did not become questions.
    pub(super) rejected: PerCell<Rejections>,
    /// The properties and qualifier keys of queries that could not be verbalised.
    pub(super) unsayable: BTreeSet<Symbol>,
}

impl Batch {
    fn is_missing(&self, cell: Cell) -> bool {
        self.targets[cell] > self.filled[cell].len()
    }

    /// Counts an attempt that found no query, for all cells that it could have filled.
    fn failed(&mut self, cells: &[Cell], reason: RejectReason) {
        self.rejections.add(reason);
        for &cell in cells {
            self.reasons[cell].add(reason);
        }
    }

    /// Counts a query that did not become a question.
    pub(super) fn reject(&mut self, cell: Cell, reason: RejectReason) {
        self.rejections.add(reason);
        self.rejected[cell].add(reason);
    }

    /// Why a cell is not full: what most of its queries failed for, or if there were none, why none was found.
    pub(super) fn cause(&self, cell: Cell) -> Option<RejectReason> {
        self.rejected[cell].most_frequent().or_else(|| self.reasons[cell].most_frequent())
    }
}

/// Number of consecutive failed attempts to move a training question to other entities before i.i.d. questions are given up.
const IID_PATIENCE: usize = 2000;

/// Weight of a rejected candidate among failed attempts: it takes longer than an attempt that finds no query.
const REJECTED_CANDIDATE: usize = 10;

/// Whether all questions of a kind need all facts: counts and superlatives do.
fn needs_all(kind: &QuestionKind) -> bool {
    match kind {
        QuestionKind::Shape { function, .. } => {
            matches!(function, ShapeFunction::Count | ShapeFunction::Superlative)
        }
        QuestionKind::Asking(kind) => matches!(kind, QuestionType::Count | QuestionType::SelectAmong),
    }
}

/// What the random choices of a batch depend on: training questions and others of the same kind differ.
fn seed_name(wanted: &Wanted) -> String {
    match wanted.part {
        Part::All | Part::Training => wanted.kind.name(),
        Part::Evaluation => format!("{} evaluation", wanted.kind.name()),
    }
}

/// Whether a query has a value.
fn has_values(query: &Query) -> bool {
    let mut found = false;
    query.clone().words_mut(&mut |word| found |= matches!(word, Word::Value(_)));
    found
}

/// Whether a candidate was kept.
enum Taken {
    Kept,
    Rejected(RejectReason),
}

/// How many zero-shot questions may ask for the same class.
#[derive(Default)]
pub(super) struct ClassLimit {
    /// The number of questions for each class that other batches have.
    pub(super) others: BTreeMap<String, usize>,
    /// Maximum number of questions for a class, in all batches.
    pub(super) most: usize,
}

/// The class that a question asks for; none if it asks for values, a number, or yes or no.
pub(super) fn asked_class(question: &Question) -> Option<&str> {
    let is_thing = |answer: &Answer| matches!(answer, Answer::Entity { .. });
    let root = question.graph.vertices.get(question.graph.root)?;
    question.answers.iter().all(is_thing).then_some(root.label.as_str())
}

/// Fills one batch.
pub(super) struct BatchMaker<'m, 'k, 'r> {
    maker: &'m Maker<'k, 'r>,
    wanted: &'m Wanted,
    progress: &'m dyn Progress,
    random: Random,
    batch: Batch,
    /// The queries so far.
    seen: HashSet<QueryKey>,
    limit: ClassLimit,
    /// Failed attempts since the last question.
    barren: usize,
    attempts: usize,
}

impl<'m, 'k, 'r> BatchMaker<'m, 'k, 'r> {
    pub(super) fn new(
        maker: &'m Maker<'k, 'r>,
        wanted: &'m Wanted,
        progress: &'m dyn Progress,
    ) -> BatchMaker<'m, 'k, 'r> {
        let targets = maker.targets(wanted);
        let share = maker.recipe.splits.max_class_share * cast::float(targets[Cell::ZERO_SHOT]);
        BatchMaker {
            maker,
            wanted,
            progress,
            random: Random::new(maker.recipe.seed, &seed_name(wanted)),
            batch: Batch { targets, ..Batch::default() },
            seen: HashSet::new(),
            limit: ClassLimit { most: cast::truncated(share).max(1), ..ClassLimit::default() },
            barren: 0,
            attempts: 0,
        }
    }

    /// Makes zero-shot questions in place of those that a batch lost, for classes that are below the limit.
    pub(super) fn refill(mut self, batch: &mut Batch, limit: ClassLimit) -> Result<(), MakeError> {
        let missing = self.batch.targets[Cell::ZERO_SHOT].saturating_sub(batch.filled[Cell::ZERO_SHOT].len());
        self.batch.targets = PerCell::from_array([0, 0, 0, missing]);
        self.random = Random::new(self.maker.recipe.seed, &format!("{} again", seed_name(self.wanted)));
        self.limit = limit;
        for cell in Cell::ALL {
            self.seen.extend(batch.filled[cell].iter().map(|candidate| candidate.key));
        }
        self.sample()?;
        for mut candidate in std::mem::take(&mut self.batch.filled[Cell::ZERO_SHOT]) {
            candidate.query = None;
            batch.filled[Cell::ZERO_SHOT].push(candidate);
        }
        batch.rejections.merge(&self.batch.rejections);
        batch.reasons[Cell::ZERO_SHOT].merge(&self.batch.reasons[Cell::ZERO_SHOT]);
        batch.rejected[Cell::ZERO_SHOT].merge(&self.batch.rejected[Cell::ZERO_SHOT]);
        batch.unsayable.extend(self.batch.unsayable);
        Ok(())
    }

    pub(super) fn run(mut self) -> Result<Batch, MakeError> {
        let started = Instant::now();
        self.sample()?;
        let sampled = started.elapsed();
        self.relocate_training()?;
        self.share_templates();
        for cell in Cell::ALL {
            self.batch.filled[cell].iter_mut().for_each(|candidate| candidate.query = None);
        }
        tracing::debug!(
            kind = self.wanted.kind.name(),
            wanted = self.wanted.questions,
            made = Cell::ALL.map(|cell| self.batch.filled[cell].len()).iter().sum::<usize>(),
            attempts = self.attempts,
            sampled = sampled.as_secs_f32(),
            all = started.elapsed().as_secs_f32(),
            rejections = ?self.batch.rejections,
        );
        Ok(self.batch)
    }

    fn is_shape(&self) -> bool {
        matches!(self.wanted.kind, QuestionKind::Shape { .. })
    }

    fn stop_if_cancelled(&self) -> Result<(), MakeError> {
        if self.progress.cancelled() { Err(MakeError::Cancelled) } else { Ok(()) }
    }

    /// Samples queries until all cells except i.i.d. are full, or too many consecutive attempts fail.
    fn sample(&mut self) -> Result<(), MakeError> {
        let patience = 2_500 + 40 * self.wanted.questions;
        loop {
            let missing: Vec<Cell> =
                Cell::SAMPLED.into_iter().filter(|&cell| self.batch.is_missing(cell)).collect();
            if missing.is_empty() || self.barren > patience {
                return Ok(());
            }
            self.stop_if_cancelled()?;
            self.barren += 1;
            self.attempts += 1;
            match self.sampled(&missing) {
                Ok(query) if !self.wanted.literals && has_values(&query) => {
                    self.batch.failed(&missing, RejectReason::HasValue);
                }
                Ok(query) => self.take_query(query, &missing)?,
                Err(reason) => self.batch.failed(&missing, reason),
            }
        }
    }

    /// Samples a query of the wanted kind.
    fn sampled(&mut self, missing: &[Cell]) -> Result<Query, RejectReason> {
        let classes = self.classes(missing);
        let maker = self.maker;
        let needs_all = needs_all(&self.wanted.kind);
        let context = maker.complete.as_ref().filter(|_| needs_all).unwrap_or(&maker.context);
        let random = &mut self.random;
        match &self.wanted.kind {
            QuestionKind::Shape { outline: Outline::Tree(tree), function, .. } => {
                shapes::sample(context, random, tree, *function, classes)
            }
            QuestionKind::Shape { outline: Outline::Cyclic(cyclic), function, .. } => {
                cycles::sample(context, random, cyclic, *function, classes)
            }
            QuestionKind::Asking(kind) => {
                let asking = &self.maker.recipe.asking;
                let by_name = cast::truncated(100.0 * (1.0 - asking.described)) as u64;
                asking::sample(
                    context,
                    random,
                    *kind,
                    asking::Depth { depth: asking.depth, by_name },
                    classes,
                )
            }
        }
    }

    /// The classes to start from: if zero-shot questions are missing, often the held-out ones.
    fn classes(&mut self, missing: &[Cell]) -> &'m [ClassId] {
        let Maker { held_classes, seen_classes, .. } = self.maker;
        let from_held =
            missing == [Cell::ZERO_SHOT] || missing.contains(&Cell::ZERO_SHOT) && self.random.percent(40);
        if from_held && !held_classes.is_empty() && self.random.percent(70) {
            held_classes
        } else {
            seen_classes
        }
    }

    /// Makes a question from a query, and others with its template. A query that is rejected because of a redundant constraint is
    /// retried without it if no particular shape is wanted.
    fn take_query(&mut self, query: Query, missing: &[Cell]) -> Result<(), MakeError> {
        let mut next = Some(query);
        while let Some(query) = next.take() {
            let draft = self.draft(query.clone());
            let cell = self.maker.division.cell(&draft.items, draft.template.key());
            if !self.batch.is_missing(cell) {
                missing.iter().for_each(|&cell| self.batch.reasons[cell].add(RejectReason::LevelIsFull));
                return Ok(());
            }
            let template = draft.template.key().to_owned();
            match self.take(draft, cell)? {
                Taken::Kept => {
                    self.barren = 0;
                    if self.is_shape() {
                        self.relocate_query(&query, &template, cell)?;
                    }
                }
                Taken::Rejected(RejectReason::Incomplete | RejectReason::SeveralLimits) => {}
                Taken::Rejected(reason) => {
                    self.barren += REJECTED_CANDIDATE;
                    if reason == RejectReason::RedundantConstraint && !self.is_shape() {
                        next = reduced(&self.maker.context, &query);
                    }
                }
            }
        }
        Ok(())
    }

    /// A query with its schema items. The relation that a question asks for is one of them.
    fn draft(&self, query: Query) -> Draft {
        let context = &self.maker.context;
        let mut draft = Draft::new(query, &context.words);
        if let Ask::Relation { .. } = draft.query.answer
            && let Some(Found::Relations(relations)) = context.run(&draft.query)
        {
            let ids = relations.into_iter().map(|relation| context.kb().relation_id(relation).into());
            draft.items.properties.extend(ids);
        }
        draft
    }

    /// Whether enough zero-shot questions ask for a class already.
    fn is_common(&self, question: &Question) -> bool {
        let Some(asked) = asked_class(question) else { return false };
        let of_class = |candidate: &&Candidate| asked_class(&candidate.question) == Some(asked);
        let own = self.batch.filled[Cell::ZERO_SHOT].iter().filter(of_class).count();
        own + self.limit.others.get(asked).copied().unwrap_or(0) >= self.limit.most
    }

    /// Keeps the question of a query, or counts the reason for its rejection.
    fn take(&mut self, draft: Draft, cell: Cell) -> Result<Taken, MakeError> {
        match self.maker.candidate(&self.wanted.kind, draft, &mut self.seen) {
            Ok(candidate) if cell == Cell::ZERO_SHOT && self.is_common(&candidate.question) => {
                self.batch.reject(cell, RejectReason::CommonAnswerClass);
                Ok(Taken::Rejected(RejectReason::CommonAnswerClass))
            }
            Ok(candidate) => {
                self.batch.filled[cell].push(candidate);
                self.progress.advance(1);
                Ok(Taken::Kept)
            }
            Err(NotMade::Rejected(reason)) => {
                self.batch.reject(cell, reason);
                Ok(Taken::Rejected(reason))
            }
            Err(NotMade::Unsayable(reason, items)) => {
                self.batch.unsayable.extend(items.properties.into_iter().chain(items.qualifiers));
                self.batch.reject(cell, reason);
                Ok(Taken::Rejected(reason))
            }
            Err(NotMade::Disagreement(disagreement)) => Err(MakeError::Disagreement(disagreement)),
        }
    }

    /// Fills a cell with questions that have the template of an accepted one.
    fn relocate_query(&mut self, query: &Query, template: &str, cell: Cell) -> Result<(), MakeError> {
        for _ in 0..self.maker.recipe.splits.moves {
            if self.batch.is_missing(cell)
                && let Some(draft) = self.relocated(query, template)
            {
                self.take(draft, cell)?;
            }
        }
        Ok(())
    }

    /// A query with the same template about other entities and values; `None` if this attempt finds none.
    fn relocated(&mut self, query: &Query, template: &str) -> Option<Draft> {
        let query = relocate(&self.maker.context, &mut self.random, query)?;
        let draft = self.draft(query);
        (draft.template.key() == template).then_some(draft)
    }

    /// Fills i.i.d. with other questions that have templates of training.
    fn relocate_training(&mut self) -> Result<(), MakeError> {
        if self.batch.filled[Cell::Train].is_empty() {
            if self.batch.is_missing(Cell::IID) {
                self.batch.reasons[Cell::IID].add(RejectReason::NoSharedTemplate);
            }
            return Ok(());
        }
        let mut barren = 0;
        while self.batch.is_missing(Cell::IID) && barren < IID_PATIENCE {
            self.stop_if_cancelled()?;
            barren += 1;
            let at = self.random.below(self.batch.filled[Cell::Train].len());
            let Candidate { question, query, can_relocate, .. } = &self.batch.filled[Cell::Train][at];
            let Some(query) = query.clone() else { continue };
            if !can_relocate {
                self.batch.reject(Cell::IID, RejectReason::NothingToReplace);
                continue;
            }
            let template = question.template.clone();
            // Two other things may be related by something that is held out.
            let is_of_training =
                |draft: &Draft| self.maker.division.cell(&draft.items, draft.template.key()) == Cell::Train;
            let Some(draft) = self.relocated(&query, &template).filter(is_of_training) else {
                self.batch.failed(&[Cell::IID], RejectReason::NoOtherEntities);
                continue;
            };
            if let Taken::Kept = self.take(draft, Cell::IID)? {
                barren = 0;
            }
        }
        Ok(())
    }

    /// Fills the rest of i.i.d. with training questions that share their template with another training question.
    fn share_templates(&mut self) {
        let batch = &mut self.batch;
        let mut by_template: BTreeMap<String, usize> = BTreeMap::new();
        for candidate in &batch.filled[Cell::Train] {
            *by_template.entry(candidate.question.template.clone()).or_default() += 1;
        }
        let mut kept = Vec::new();
        for candidate in std::mem::take(&mut batch.filled[Cell::Train]) {
            let left = by_template.entry(candidate.question.template.clone()).or_default();
            if batch.is_missing(Cell::IID) && *left > 1 {
                *left -= 1;
                batch.filled[Cell::IID].push(candidate);
            } else {
                kept.push(candidate);
            }
        }
        batch.filled[Cell::Train] = kept;
    }
}
