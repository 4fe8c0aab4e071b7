//! From a sampled query to a checked question.

use super::Maker;
use super::cell::Cell;
use crate::choices::{check_relation, choices};
use crate::complete::{Caveats, caveats, check_function};
use crate::english::{VerbalisedQuestion, Wording, noisy, verbalise};
use crate::forms::Disagreement;
use crate::proof::proof;
use crate::recipe::QuestionKind;
use crate::reject::RejectReason;
use crate::sample::distractors::{check_class, check_distractors};
use crate::sample::filters::{checked, gives_away};
use hashbrown::HashSet;
use touchstone_benchmark::{Function, Question, QuestionParts, QuestionType, Random};
use touchstone_engine::{Found, Words};
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::SchemaItems;
use touchstone_logic::{Query, QueryGraph};

/// A query with the data that decides which cell it fits.
pub(super) struct Draft {
    pub(super) query: Query,
    pub(super) template: Canonical,
    pub(super) items: SchemaItems,
}

impl Draft {
    pub(super) fn new(query: Query, words: &Words<'_>) -> Draft {
        Draft { template: Canonical::template(&query, words), items: SchemaItems::of(&query), query }
    }
}

/// A question that passed all checks of its own; checks against other questions follow.
pub(super) struct Candidate {
    pub(super) question: Question,
    /// Kept until all questions of its kind are made: others with its template may follow.
    pub(super) query: Option<Query>,
    pub(super) items: SchemaItems,
    pub(super) key: QueryKey,
    /// Whether it names entities or values that can be replaced by others.
    pub(super) can_relocate: bool,
    /// Number of SPARQL forms that the general evaluator confirmed.
    pub(super) verified: usize,
    /// The phrases of the lexicon in the question.
    pub(super) phrases: Vec<String>,
}

/// The hash of the canonical form, equal for queries that ask the same.
pub(super) type QueryKey = [u8; 16];

/// Why a query did not become a candidate.
pub(super) enum NotMade {
    /// It does not make a good question.
    Rejected(RejectReason),
    /// It cannot be verbalised; with its schema items.
    Unsayable(RejectReason, SchemaItems),
    /// The forms of the query contradict each other: a bug in this program.
    Disagreement(Box<Disagreement>),
}

impl From<RejectReason> for NotMade {
    fn from(reason: RejectReason) -> NotMade {
        NotMade::Rejected(reason)
    }
}

impl From<Disagreement> for NotMade {
    fn from(disagreement: Disagreement) -> NotMade {
        NotMade::Disagreement(Box::new(disagreement))
    }
}

impl Maker<'_, '_> {
    /// Checks a query and verbalises it. `seen` holds the earlier queries of this kind.
    pub(super) fn candidate(
        &self,
        kind: &QuestionKind,
        draft: Draft,
        seen: &mut HashSet<QueryKey>,
    ) -> Result<Candidate, NotMade> {
        let Draft { query, template, items } = draft;
        let kb = self.context.kb();
        if self.recipe.wording.limits {
            check_function(kb, &query, &items)?;
        }
        let graph = QueryGraph::of(&query);
        let found = self.found(kind, &query, &graph)?;
        check_relation(kb, &found)?;
        check_class(&self.context, &found, self.recipe.filters.min_class)?;
        let canonical = Canonical::of(&query, &self.context.words);
        let mut key = QueryKey::default();
        key.copy_from_slice(&blake3::hash(canonical.key().as_bytes()).as_bytes()[..16]);
        if !seen.insert(key) {
            return Err(RejectReason::Duplicate.into());
        }
        let seed = Random::new(self.recipe.seed, canonical.key()).number();
        let wording_keys = &self.recipe.wording;
        let words_seed = match wording_keys.per_template {
            true => Random::new(self.recipe.seed, template.key()).number(),
            false => seed,
        };
        let new_words = self.division.cell(&items, template.key()) == Cell::ZERO_SHOT;
        let wording = Wording { many: found.len() > 1, seed: words_seed, new_words };
        let caveats = match wording_keys.limits {
            true => caveats(kb, self.lexicon, &query, &graph, &items, &found)?,
            false => Caveats::default(),
        };
        let verbalised = match verbalise(&query, &self.context.words, self.lexicon, wording) {
            Ok(verbalised) => verbalised,
            Err(reason) => return Err(NotMade::Unsayable(reason, items)),
        };
        let verbalised = self.with_noise(caveats.add_to(verbalised, words_seed), seed)?;
        if gives_away(&verbalised.text, &query, &found, kb) {
            return Err(RejectReason::GivesAnswerAway.into());
        }
        let forms = self.printer.forms(&self.context, &query, &found)?;
        let proof = proof(kb, &query, &found).ok_or(RejectReason::NoProof)?;
        if self.recipe.filters.distractors {
            check_distractors(&self.context, &query, &found, &proof)?;
        }
        let answers = found.answers(kb);
        let mut random = Random::new(seed, "choices");
        let is_in_sample = random.below(1_000_000) < self.verified_per_million;
        // Every form is run: the general evaluator must confirm forms that no other reader can run.
        let n_verified = if is_in_sample { 2 } else { usize::from(!forms.is_read) };
        let verified = self.printer.verify(&query, &forms, &found, n_verified)?;
        if !forms.is_read && verified == 0 {
            return Err(RejectReason::NoRunnableForm.into());
        }
        let parts = QuestionParts {
            function: Function::of(&query),
            kind: QuestionType::of(&query),
            graph: &graph,
            items: &items,
            template: template.key(),
            program: forms.program(),
        };
        let about = Question::about(&parts);
        let question = Question {
            forms: forms.into_forms(),
            question: verbalised.text,
            choices: choices(&self.context, &mut random, &query, &answers),
            answers,
            entities: verbalised.mentions,
            proof,
            source: kind.source().to_owned(),
            new_words: verbalised.new_words,
            ..about
        };
        let can_relocate = canonical.key() != template.key();
        let phrases = verbalised.phrases;
        Ok(Candidate { question, query: Some(query), items, key, can_relocate, verified, phrases })
    }

    /// The question, with mistakes in the share that the recipe wants; rejected if it is too long.
    fn with_noise(
        &self,
        question: VerbalisedQuestion,
        seed: u64,
    ) -> Result<VerbalisedQuestion, RejectReason> {
        let mut noise = Random::new(seed, "noise");
        let question = match noise.share() < self.recipe.wording.noise {
            true => noisy(question, &mut noise),
            false => question,
        };
        if question.text.split(' ').count() > self.recipe.filters.max_words {
            return Err(RejectReason::TooManyWords);
        }
        Ok(question)
    }

    /// The answers of a query, if it has the wanted shape and makes a good question.
    fn found<'s>(
        &'s self,
        kind: &QuestionKind,
        query: &Query,
        graph: &QueryGraph,
    ) -> Result<Found<'s>, RejectReason> {
        if let QuestionKind::Shape { outline, .. } = kind
            && !outline.fits(&graph.shape())
        {
            return Err(RejectReason::OtherShape);
        }
        let found = checked(&self.context, query, self.recipe.filters.max_answers)?;
        match kind {
            QuestionKind::Asking(_) if found.len() != 1 => Err(RejectReason::AmbiguousAnswer),
            _ => Ok(found),
        }
    }
}
