//! The systems of the ask page. They live as long as the program.

use std::path::Path;
use thiserror::Error;
use touchstone_benchmark::OpenBenchmark;
use touchstone_engine::QueryContext;
use touchstone_kb::{Kb, Progress};
use touchstone_logic::Knowledge;
use touchstone_prospector::{KbTrainingError, Prospector, ProspectorSystem};
use touchstone_run::{
    InvalidSystemSpec, OpenSystemError, System, SystemContext, SystemRegistry, SystemSettings, SystemSpec,
};

/// The name of the built-in system.
pub(super) const PROSPECTOR: &str = "prospector";

/// The systems of the ask page, in the order in which they are offered.
#[derive(Default)]
pub struct AskSystems {
    /// The systems.
    pub systems: Vec<NamedSystem>,
}

/// A system with its name on the page.
pub struct NamedSystem {
    /// The name.
    pub name: String,
    /// The system.
    pub system: &'static dyn System,
}

/// Why the systems cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskSystemsError {
    /// The built-in system cannot learn from the KB.
    #[error(transparent)]
    Prospector(#[from] KbTrainingError),
    /// A system cannot be opened.
    #[error("the system `{name}` cannot be opened: {source}")]
    System {
        /// Its name.
        name: String,
        /// Why.
        source: OpenSystemError,
    },
    /// A system is not written as one.
    #[error("the system `{name}` cannot be opened: {source}")]
    Spec {
        /// Its name.
        name: String,
        /// What is wrong.
        source: InvalidSystemSpec,
    },
    /// Two systems have the same name.
    #[error("there are two systems with the name `{0}`; give each its own")]
    SameName(String),
}

impl AskSystems {
    /// The built-in system, with the scorer that comes with the KB, one in the cache, or one that is trained now.
    pub fn built_in(
        kb: &'static Kb,
        shipped: Option<&[u8]>,
        cache: &Path,
        progress: &dyn Progress,
    ) -> Result<AskSystems, AskSystemsError> {
        let prospector = Prospector::for_kb(kb, shipped, cache, progress)?;
        let system =
            Box::leak(Box::new(ProspectorSystem::new(prospector, "questions generated from the KB")));
        Ok(AskSystems { systems: vec![NamedSystem { name: PROSPECTOR.to_owned(), system }] })
    }

    /// Opens more systems by name and specification, for the questions of a benchmark.
    pub fn open_more(
        &mut self,
        benchmark: OpenBenchmark,
        systems: &[(String, String)],
        registry: &SystemRegistry,
    ) -> Result<(), AskSystemsError> {
        let benchmark: &'static OpenBenchmark = Box::leak(Box::new(benchmark));
        let context =
            QueryContext::new(benchmark.kb.as_ref(), benchmark.ontology.as_ref()).without_suggestions();
        let context: &'static QueryContext<'static> = Box::leak(Box::new(context));
        let knowledge: &'static Knowledge<'static> = Box::leak(Box::new(context.knowledge()));
        let context: SystemContext<'static> = SystemContext { benchmark, questions: &[], knowledge };
        for (name, spec) in systems {
            if self.names().contains(&name.as_str()) {
                return Err(AskSystemsError::SameName(name.clone()));
            }
            let spec = SystemSpec::parse(spec)
                .map_err(|source| AskSystemsError::Spec { name: name.clone(), source })?;
            let system = registry
                .open(&spec, &SystemSettings::default(), &context)
                .map_err(|source| AskSystemsError::System { name: name.clone(), source })?;
            self.systems.push(NamedSystem { name: name.clone(), system: Box::leak(system) });
        }
        Ok(())
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.systems.iter().map(|system| system.name.as_str()).collect()
    }
}
