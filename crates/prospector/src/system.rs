//! [`Prospector`] as a system under test.

use crate::generated::{KbTraining, KbTrainingError, generated, with_queries};
use crate::prospector::Prospector;
use crate::regime::{Regime, UnknownRegime};
use crate::scorer_folder::{ScorerFileError, is_scorer_folder, scorer_header};
use crate::training::Cancelled;
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Gives, Prediction};
use touchstone_kb::Progress;
use touchstone_run::{System, SystemContext, SystemError, SystemFactory, SystemInput, Worker};

/// Number of readings that a prediction reports.
const READINGS: usize = 5;

/// The seed of training.
const SEED: u64 = 1;

/// A trained [`Prospector`] that answers every question of a benchmark.
pub struct ProspectorSystem<'k> {
    prospector: Prospector<'k>,
    trained_on: String,
}

impl<'k> ProspectorSystem<'k> {
    /// A system that answers with what was learned from this.
    pub fn new(prospector: Prospector<'k>, trained_on: &str) -> ProspectorSystem<'k> {
        ProspectorSystem { prospector, trained_on: trained_on.to_owned() }
    }
}

impl ProspectorSystem<'_> {
    fn predict(&self, input: &SystemInput) -> Prediction {
        let readings = self.prospector.read(&input.question, input.entities.as_deref(), READINGS);
        let mut prediction = Prediction { id: input.id.clone(), ..Prediction::default() };
        let Some((best, others)) = readings.readings.split_first() else { return prediction };
        prediction.answers = Some(best.found.answers(self.prospector.kb()));
        prediction.confidence = Some(f64::from(readings.confidence));
        if let Some((language, text)) = self.prospector.printed(&best.query) {
            prediction.logical_form = Some(text);
            prediction.language = Some(language);
        }
        prediction.alternatives = others
            .iter()
            .filter_map(|other| self.prospector.printed(&other.query))
            .map(|(language, text)| (text, Some(language)))
            .collect();
        prediction.trace =
            Some(json!({ "executions": readings.executions, "candidates": readings.candidates }));
        prediction
    }
}

impl System for ProspectorSystem<'_> {
    fn name(&self) -> String {
        format!("prospector {}", env!("CARGO_PKG_VERSION"))
    }

    fn gives(&self) -> Option<Gives> {
        Some(Gives::Both)
    }

    fn trained_on(&self) -> Option<String> {
        Some(self.trained_on.clone())
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Asking(self))
    }
}

struct Asking<'s, 'k>(&'s ProspectorSystem<'k>);

impl Worker for Asking<'_, '_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        Ok(self.0.predict(input))
    }
}

/// Opens `prospector` and `prospector:REGIME`: trains it on the training questions of the benchmark, or reads what it learned from them before.
pub struct ProspectorFactory {
    cache: PathBuf,
    progress: Box<dyn Progress>,
}

/// Why `prospector` cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProspectorError {
    /// There is no KB.
    #[error("`prospector` needs the KB of the benchmark; give it with --kb")]
    NoKb,
    /// There are no training questions.
    #[error(
        "`prospector` learns from the training split, and this benchmark has none with a query; `prospector:Z1` also learns from questions generated from the KB"
    )]
    NoTraining,
    /// What it learned was learned with the lexicon of the KB.
    #[error(
        "{}: this scorer learned from the lexicon that may have worded the benchmark; --regime Z2 runs it anyway, and run.json says so", path.display()
    )]
    LexiconScorer {
        /// The folder of the model.
        path: PathBuf,
    },
    /// The regime is unknown.
    #[error(transparent)]
    Regime(#[from] UnknownRegime),
    /// Questions could not be generated.
    #[error(transparent)]
    Generate(#[from] KbTrainingError),
    /// The training was interrupted.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A scorer cannot be read or written.
    #[error(transparent)]
    File(#[from] ScorerFileError),
}

impl ProspectorFactory {
    /// A factory that keeps what was learned in a cache folder and reports training.
    pub fn new(cache: PathBuf, progress: Box<dyn Progress>) -> ProspectorFactory {
        ProspectorFactory { cache, progress }
    }

    /// The system for a benchmark, and what it learned from.
    pub fn prospector<'c>(
        &self,
        regime: Regime,
        context: &SystemContext<'c>,
    ) -> Result<(Prospector<'c>, String), ProspectorError> {
        let opened = context.benchmark;
        let kb = opened.kb.as_ref().ok_or(ProspectorError::NoKb)?;
        let training = opened.training();
        let ids: Vec<&str> = training.iter().map(|question| question.id.as_str()).collect();
        let key = format!(
            "{} {} {regime} {SEED} {}",
            opened.benchmark.identity,
            kb.manifest().fingerprint,
            ids.join("\n")
        );
        let name = format!(
            "prospector-{:016x}-{}.scorer",
            crate::feature_names::hash(&key, SEED),
            crate::scorer_file::FEATURES
        );
        let path = self.cache.join(name);
        let trained_on = format!(
            "regime {regime}: {} of {}, seed {SEED}",
            regime.description(),
            opened.benchmark.manifest.name
        );
        if path.is_file() {
            match Prospector::read_scorer(kb, &path) {
                Ok(prospector) => return Ok((prospector, trained_on)),
                Err(error) => tracing::warn!(%error, "the cached scorer cannot be used; training again"),
            }
        }
        let mut questions: Vec<_> = training
            .into_iter()
            .filter_map(|question| Some((question, question.query(context.knowledge)?)))
            .collect();
        let with_lexicon = regime == Regime::Lexicon;
        let more = match regime {
            Regime::TrainingSplit => Vec::new(),
            _ => generated(kb, KbTraining { with_lexicon, ..KbTraining::default() }, &*self.progress)?,
        };
        questions.extend(with_queries(kb, &more));
        if questions.is_empty() {
            return Err(ProspectorError::NoTraining);
        }
        let mut prospector = Prospector::new(kb);
        if with_lexicon {
            prospector = prospector.with_lexicon(&Lexicon::of(kb));
        }
        prospector.learn(&questions, SEED, &*self.progress)?;
        if let Err(error) = prospector.write_scorer(&path, &trained_on, SEED) {
            tracing::warn!(%error, "what was learned is not kept");
        }
        Ok((prospector, trained_on))
    }
}

impl SystemFactory for ProspectorFactory {
    fn kind(&self) -> &str {
        "prospector"
    }

    fn example(&self) -> &str {
        "prospector"
    }

    fn is_harmless(&self) -> bool {
        true
    }

    fn open<'c>(
        &self,
        argument: &str,
        context: &SystemContext<'c>,
    ) -> Result<Box<dyn System + 'c>, Box<dyn Error + Send + Sync>> {
        let regime = if argument.is_empty() { Regime::default() } else { argument.parse()? };
        let (prospector, trained_on) = self.prospector(regime, context)?;
        Ok(Box::new(ProspectorSystem { prospector, trained_on }))
    }
}

/// Opens `model:DIR` where the folder holds a trained [`Prospector`], and leaves other folders to another factory.
pub struct ModelOrProspector<F> {
    models: F,
    directory: Option<PathBuf>,
    allows_lexicon: bool,
}

impl<F: SystemFactory> ModelOrProspector<F> {
    /// A factory. Relative paths are resolved against `directory`, or else the current one. A scorer that learned from a lexicon is opened only
    /// if that is allowed.
    pub fn new(models: F, directory: Option<PathBuf>, allows_lexicon: bool) -> ModelOrProspector<F> {
        ModelOrProspector { models, directory, allows_lexicon }
    }
}

impl<F: SystemFactory> SystemFactory for ModelOrProspector<F> {
    fn kind(&self) -> &str {
        self.models.kind()
    }

    fn example(&self) -> &str {
        self.models.example()
    }

    fn is_harmless(&self) -> bool {
        self.models.is_harmless()
    }

    fn open<'c>(
        &self,
        argument: &str,
        context: &SystemContext<'c>,
    ) -> Result<Box<dyn System + 'c>, Box<dyn Error + Send + Sync>> {
        let folder =
            self.directory.as_deref().map_or_else(|| PathBuf::from(argument), |base| base.join(argument));
        if argument.is_empty() || !is_scorer_folder(&folder) {
            return self.models.open(argument, context);
        }
        Ok(Box::new(open_folder(&folder, self.allows_lexicon, context)?))
    }
}

fn open_folder<'c>(
    folder: &Path,
    allows_lexicon: bool,
    context: &SystemContext<'c>,
) -> Result<ProspectorSystem<'c>, ProspectorError> {
    let header = scorer_header(folder)?;
    let is_test = !context.questions.is_empty();
    if header.lexicon && is_test && !allows_lexicon {
        return Err(ProspectorError::LexiconScorer { path: folder.to_owned() });
    }
    let kb = context.benchmark.kb.as_ref().ok_or(ProspectorError::NoKb)?;
    let prospector = Prospector::read_folder(kb, folder)?;
    Ok(ProspectorSystem { prospector, trained_on: header.trained_on })
}
