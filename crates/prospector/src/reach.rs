//! Whether a search reaches a gold query, and how high it is ranked.

use crate::features::QuestionView;
use crate::leaves::Question;
use crate::prospector::{Prospector, denotation};
use crate::search::Search;
use touchstone_benchmark::Mention;
use touchstone_logic::equal::Canonical;
use touchstone_logic::{Query, with_ids};

/// How a search for a gold query went.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldRank {
    /// The place of the first candidate that is equal to gold, counted from 0.
    pub equal: Option<usize>,
    /// The place of the first candidate with the gold answers, counted from 0.
    pub answers: Option<usize>,
    /// The first candidate with the gold answers.
    pub answering: Option<Query>,
    /// Number of sets that were computed.
    pub executions: usize,
    /// Number of queries that were compared.
    pub candidates: usize,
}

impl Prospector<'_> {
    /// Searches as for an answer, and finds gold among the candidates.
    pub fn gold_rank(&self, question: &str, given: Option<&[Mention]>, gold: &Query) -> GoldRank {
        let read = Question::read(&self.schema, question, given);
        let mut view = QuestionView::new(&read, &self.schema, &self.weights);
        let mut search = Search::run(&self.schema, &self.words, &read, self.limits, &mut view);
        let ranked = self.ranked(&mut search, &mut view);
        let gold_denotation = self.run(gold).map(|found| denotation(&found));
        let gold_form = Canonical::of(&with_ids(gold.clone(), self.kb()), &self.words);
        let answering =
            |candidate: &crate::candidate::Candidate| Some(&candidate.denotation) == gold_denotation.as_ref();
        let is_equal = |candidate: &crate::candidate::Candidate| {
            Canonical::of(&candidate.query(&search), &self.words).key() == gold_form.key()
        };
        let first = ranked.iter().position(|(_, candidate)| answering(candidate));
        GoldRank {
            equal: ranked.iter().position(|(_, candidate)| answering(candidate) && is_equal(candidate)),
            answers: first,
            answering: first.map(|at| ranked[at].1.query(&search)),
            executions: search.executions,
            candidates: ranked.len(),
        }
    }
}
