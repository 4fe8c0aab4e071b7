//! Opens a [`Prospector`] for any question about a KB.

use crate::generated::{KbTraining, KbTrainingError};
use crate::prospector::Prospector;
use crate::scorer_file::FEATURES;
use std::path::Path;
use touchstone_kb::{Kb, Progress};

/// Number of questions that are generated for a KB without a scorer.
const QUESTIONS: usize = 1500;

impl<'k> Prospector<'k> {
    /// A system that has learned from questions generated from its KB: with a scorer that is shipped for the KB, one in the cache, or one that is
    /// trained now and kept in the cache.
    pub fn for_kb(
        kb: &'k Kb,
        shipped: Option<&[u8]>,
        cache: &Path,
        progress: &dyn Progress,
    ) -> Result<Prospector<'k>, KbTrainingError> {
        // A scorer for another KB or of another version is no use, and no error either.
        if let Some(Ok(prospector)) = shipped.map(|bytes| Prospector::from_bytes(kb, bytes)) {
            return Ok(prospector);
        }
        let fingerprint = &kb.manifest().fingerprint;
        let start = &fingerprint[..fingerprint.len().min(12)];
        let path = cache.join(format!("prospector-kb-{start}-{FEATURES}.scorer"));
        if path.is_file() {
            match Prospector::read_scorer(kb, &path) {
                Ok(prospector) => return Ok(prospector),
                Err(error) => tracing::warn!(%error, "the cached scorer cannot be used; training again"),
            }
        }
        let config = KbTraining { questions: QUESTIONS, ..KbTraining::default() };
        let (prospector, _) = Prospector::train_on_kb(kb, config, progress)?;
        if let Err(error) = prospector.write_scorer(&path, "generated questions", config.seed) {
            tracing::warn!(%error, "what was learned is not kept");
        }
        Ok(prospector)
    }
}
