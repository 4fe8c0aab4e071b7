//! Answers questions by searching for queries and ranking them.

use crate::candidate::{Candidate, Denotation, candidates};
use crate::confidence::{Confidence, Evidence, Shares};
use crate::features::{Features, QuestionView};
use crate::leaves::{Leaf, Question};
use crate::model::{Weights, probabilities};
use crate::schema::SchemaNames;
use crate::search::{Search, SearchLimits};
use hashbrown::HashMap;
use touchstone_benchmark::Mention;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{EmbeddedEngine, Engine, Found, KbContext, PlanRequest, Words};
use touchstone_kb::Kb;
use touchstone_logic::Query;

/// A question-answering system for one KB.
pub struct Prospector<'k> {
    pub(crate) schema: SchemaNames<'k>,
    pub(crate) words: Words<'k>,
    pub(crate) weights: Weights,
    pub(crate) confidence: Confidence,
    pub(crate) limits: SearchLimits,
    pub(crate) learned_from: usize,
    pub(crate) has_lexicon: bool,
}

/// What was understood of a question: its likeliest readings.
#[derive(Debug, Clone)]
pub struct Readings<'k> {
    /// The readings, the likeliest first; each gives different answers.
    pub readings: Vec<RankedReading<'k>>,
    /// The probability that the first reading is right, fitted on questions that were left out of training.
    pub confidence: f32,
    /// What the question says and the first reading does not.
    pub missed: Vec<String>,
    /// What the question names.
    pub leaves: Vec<Leaf>,
    /// Number of sets that were computed.
    pub executions: usize,
    /// Number of queries that were compared.
    pub candidates: usize,
    pub(crate) evidence: Option<Evidence>,
}

/// One way to understand a question.
#[derive(Debug, Clone)]
pub struct RankedReading<'k> {
    /// The likeliest query with these answers.
    pub query: Query,
    /// Its answers.
    pub found: Found<'k>,
    /// The probability of these answers among all that were found, not calibrated.
    pub probability: f32,
}

/// Number of candidates that readings are made of.
const RANKED: usize = 200;

/// Maximum number of operations of a query of a reading.
const OPERATIONS: u64 = 5_000_000;

impl<'k> Prospector<'k> {
    /// A system that has learned nothing yet.
    pub fn new(kb: &'k Kb) -> Prospector<'k> {
        Prospector {
            schema: SchemaNames::new(kb),
            words: Words::new(kb),
            weights: Weights::start(),
            confidence: Confidence::default(),
            limits: SearchLimits::default(),
            learned_from: 0,
            has_lexicon: false,
        }
    }

    /// The same with the phrases of a lexicon.
    #[must_use]
    pub fn with_lexicon(mut self, lexicon: &Lexicon) -> Prospector<'k> {
        self.schema.add_lexicon(lexicon);
        self.has_lexicon = true;
        self
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: SearchLimits) -> Prospector<'k> {
        self.limits = limits;
        self
    }

    /// The KB.
    pub fn kb(&self) -> &'k Kb {
        self.schema.kb
    }

    /// Number of training questions.
    pub fn learned_from(&self) -> usize {
        self.learned_from
    }

    /// The candidates of a search with their scores, best first.
    pub(crate) fn ranked(
        &self,
        search: &mut Search<'_, '_>,
        view: &mut QuestionView<'_, '_>,
    ) -> Vec<(f32, Candidate)> {
        let all = candidates(search);
        let mut features = Features::new();
        let mut ranked: Vec<(f32, Candidate)> = all
            .into_iter()
            .map(|candidate| {
                view.features(search, &candidate, &mut features);
                (self.weights.score(&features), candidate)
            })
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        ranked
    }

    /// The likeliest readings of a question; entities that are `given` are not searched for.
    pub fn read(&self, question: &str, given: Option<&[Mention]>, limit: usize) -> Readings<'k> {
        let read = Question::read(&self.schema, question, given);
        let mut view = QuestionView::new(&read, &self.schema, &self.weights);
        let mut search = Search::run(&self.schema, &self.words, &read, self.limits, &mut view);
        let ranked = self.ranked(&mut search, &mut view);
        let scores: Vec<f32> = ranked.iter().map(|(score, ..)| *score).collect();
        let shares = probabilities(&scores);
        // The best candidate of each denotation, with the sum of the probabilities.
        let mut groups: Vec<(usize, f32)> = Vec::new();
        let mut by_denotation: HashMap<&Denotation, usize> = HashMap::new();
        for (at, (_, candidate)) in ranked.iter().enumerate().take(RANKED) {
            let group = *by_denotation.entry(&candidate.denotation).or_insert_with(|| {
                groups.push((at, 0.0));
                groups.len() - 1
            });
            groups[group].1 += shares[at];
        }
        groups.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let evidence = groups.first().map(|&(at, best)| {
            let mut features = Features::new();
            view.features(&search, &ranked[at].1, &mut features);
            Evidence::of(&features, Shares { best, next: groups.get(1).map_or(0.0, |next| next.1) })
        });
        let missed = groups.first().map_or(0, |&(at, _)| view.missed(&search, &ranked[at].1));
        let mut readings = Vec::new();
        for (at, probability) in groups {
            if readings.len() == limit {
                break;
            }
            let query = ranked[at].1.query(&search);
            if let Some(found) = self.run(&query) {
                readings.push(RankedReading { query, found, probability });
            }
        }
        let (executions, candidates) = (search.executions, ranked.len());
        let confidence = evidence.map_or(0.0, |evidence| self.confidence.probability(&evidence));
        let missed = read.phrases(missed);
        Readings { readings, confidence, missed, leaves: read.leaves, executions, candidates, evidence }
    }

    /// The answers of a query.
    pub(crate) fn run(&self, query: &Query) -> Option<Found<'k>> {
        let plan = Plan::of(query, &self.words).ok()?;
        let limits = Limits { operations: OPERATIONS, ..Limits::default() };
        let context = KbContext::new(self.kb());
        EmbeddedEngine.run_plan(&PlanRequest::new(&plan), &context, &Budget::new(limits)).result.ok()
    }
}

/// The answers of an engine, as candidates have them.
pub(crate) fn denotation(found: &Found<'_>) -> Denotation {
    match found {
        Found::Things { nodes, literals } if literals.is_empty() => Denotation::Nodes(nodes.as_ref().into()),
        Found::Things { literals, .. } => Denotation::Literals(literals.to_vec()),
        Found::Relations(relations) => Denotation::Relations(relations.clone()),
        Found::Count(count) => Denotation::Count(*count),
        Found::Boolean(value) => Denotation::Boolean(*value),
    }
}
