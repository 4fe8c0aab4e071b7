//! The benchmarks of an experiment: built, imported or opened. What was made once is used again.

use super::error::ExperimentError;
use super::pairs::import_pairs;
use super::plan::{BenchmarkSource, PlannedBenchmark};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use touchstone_benchmark::{
    ChosenKb, EmbeddedKb, KbIdentity, KbSource, OpenBenchmark, QuestionSource, Selection, Split, choose_kb,
};
use touchstone_engine::Engine;
use touchstone_forge::{BuildConfig, build};
use touchstone_kb::{Kb, KbBuilder, Progress, Workspace};

/// Where benchmarks are made, and what for.
pub(crate) struct BenchmarkMaker<'m> {
    /// The folder of the experiment.
    pub(crate) out: &'m Path,
    /// The KB that this program carries.
    pub(crate) embedded: Option<EmbeddedKb>,
    /// What runs queries about published pairs.
    pub(crate) engine: Option<&'m Arc<dyn Engine>>,
    /// Progress.
    pub(crate) progress: &'m dyn Progress,
}

/// A KB as the experiment names it.
fn kb_source(kb: Option<&str>) -> KbSource {
    match kb {
        None => KbSource::OfBenchmark,
        Some("world") => KbSource::Embedded,
        Some(folder) => KbSource::Folder(PathBuf::from(folder)),
    }
}

impl BenchmarkMaker<'_> {
    /// Opens the test questions of a benchmark with its KB; makes the benchmark first if it is not there.
    pub(crate) fn open(&self, planned: &PlannedBenchmark) -> Result<OpenBenchmark, ExperimentError> {
        let made = self.out.join("benchmarks").join(format!("{}-{}", planned.name, &planned.hash[..8]));
        let is_there = made.join("benchmark.json").is_file();
        let mut kb = kb_source(planned.kb.as_deref());
        let folder = match &planned.source {
            BenchmarkSource::Folder(folder) => folder.clone(),
            BenchmarkSource::Recipe(recipe) => {
                if !is_there {
                    let own = self.kb(planned)?;
                    build(&BuildConfig::new(&own, (**recipe).clone(), &made), self.progress)?;
                }
                made
            }
            BenchmarkSource::Pairs { pairs, division } => {
                let empty = self.empty_kb()?;
                let engine = self.engine.ok_or(ExperimentError::DataWithoutEngine)?;
                if !is_there {
                    let own = Kb::open(&empty)?;
                    import_pairs((pairs, *division), &planned.name, (&own, engine), &made, self.progress)?;
                }
                kb = KbSource::Folder(empty);
                made
            }
        };
        let selection = Selection {
            questions: Some(QuestionSource::Folder(folder)),
            split: Some(Split::Test),
            kb,
            embedded: self.embedded,
            ..Selection::default()
        };
        let open = selection.open()?;
        open.require_kb()?;
        open.questions()?;
        Ok(open)
    }

    /// The KB that a recipe asks about.
    fn kb(&self, planned: &PlannedBenchmark) -> Result<Kb, ExperimentError> {
        let nothing = KbIdentity { name: String::new(), fingerprint: String::new() };
        let source = kb_source(planned.kb.as_deref());
        match choose_kb(&source, &nothing, &[], self.embedded)? {
            ChosenKb::Kb(kb) | ChosenKb::Other { kb, .. } => Ok(*kb),
            ChosenKb::None | ChosenKb::Missing => Err(ExperimentError::NoKb {
                benchmark: planned.name.clone(),
                kb: planned.kb.clone().unwrap_or_default(),
            }),
        }
    }

    /// A KB with nothing in it: a session needs one, also if a server has all facts and names.
    fn empty_kb(&self) -> Result<PathBuf, ExperimentError> {
        const MEMORY: usize = 1 << 20;
        let folder = self.out.join("empty-kb");
        if !folder.join("manifest.json").is_file() {
            let builder = KbBuilder::new(Workspace { dir: self.out.to_owned(), memory: MEMORY });
            builder.compile(&folder, self.progress)?;
        }
        Ok(folder)
    }
}
