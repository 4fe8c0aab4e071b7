//! Keeps each class below its share of the zero-shot questions of all kinds together.

use super::batch::{Batch, BatchMaker, ClassLimit, asked_class};
use super::candidate::Candidate;
use super::cell::Cell;
use super::{MakeError, Maker};
use crate::cast;
use crate::recipe::Wanted;
use crate::reject::RejectReason;
use std::collections::BTreeMap;
use touchstone_benchmark::Random;
use touchstone_kb::Progress;

/// Where the KB has few classes, a class may have this many times its even share.
const EVEN_SHARES: f64 = 1.5;

impl Maker<'_, '_> {
    /// Removes the zero-shot questions beyond the share of their class, replaces them by questions for other classes, and removes again what
    /// is beyond the share if too few could be replaced. A batch alone is too small to keep the share.
    pub(super) fn limit_classes(
        &self,
        wanted: &[Wanted],
        batches: &mut [Batch],
        progress: &dyn Progress,
    ) -> Result<(), MakeError> {
        let n_before: Vec<usize> = batches.iter().map(|batch| batch.filled[Cell::ZERO_SHOT].len()).collect();
        let counts = classes(batches.iter());
        // Few classes cannot have small shares.
        let even = 1.0 / cast::float(counts.len().max(1));
        let share = self.recipe.splits.max_class_share.max(EVEN_SHARES * even);
        let most = limit(share, counts.values().sum());
        self.remove_common(batches, share);
        for (at, wanted) in wanted.iter().enumerate() {
            if batches[at].filled[Cell::ZERO_SHOT].len() == n_before[at] {
                continue;
            }
            // The refill counts only its own new questions itself.
            let others = classes(batches.iter());
            BatchMaker::new(self, wanted, progress).refill(&mut batches[at], ClassLimit { others, most })?;
        }
        self.remove_common(batches, share);
        Ok(())
    }

    /// Removes questions, chosen at random, until no class is beyond its share of those that are left.
    fn remove_common(&self, batches: &mut [Batch], share: f64) {
        loop {
            let counts = classes(batches.iter());
            let most = limit(share, counts.values().sum());
            let surplus = counts.into_iter().find(|(_, n)| *n > most);
            let Some((class, n)) = surplus else { return };
            let of_class = |candidate: &Candidate| asked_class(&candidate.question) == Some(&*class);
            let mut places: Vec<(usize, usize)> = Vec::new();
            for (number, batch) in batches.iter().enumerate() {
                let own = batch.filled[Cell::ZERO_SHOT].iter().enumerate();
                places.extend(own.filter(|(_, one)| of_class(one)).map(|(at, _)| (number, at)));
            }
            Random::new(self.recipe.seed, &class).shuffle(&mut places);
            places.truncate(n - most);
            // From the end, so that the other places stay valid.
            places.sort_unstable_by(|one, other| other.cmp(one));
            for (number, at) in places {
                let batch = &mut batches[number];
                batch.filled[Cell::ZERO_SHOT].remove(at);
                batch.reject(Cell::ZERO_SHOT, RejectReason::CommonAnswerClass);
            }
        }
    }
}

/// The maximum number of questions for a class among some questions.
fn limit(share: f64, questions: usize) -> usize {
    cast::truncated(share * cast::float(questions)).max(1)
}

/// The number of zero-shot questions for each class.
fn classes<'b>(batches: impl Iterator<Item = &'b Batch>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for candidate in batches.flat_map(|batch| &batch.filled[Cell::ZERO_SHOT]) {
        if let Some(class) = asked_class(&candidate.question) {
            *counts.entry(class.to_owned()).or_default() += 1;
        }
    }
    counts
}
