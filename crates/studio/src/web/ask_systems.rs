//! The systems of the ask page. They live as long as the program.

use thiserror::Error;
use touchstone_benchmark::OpenBenchmark;
use touchstone_engine::QueryContext;
use touchstone_logic::Knowledge;
use touchstone_run::{
    InvalidSystemSpec, Nearest, OpenSystemError, System, SystemContext, SystemRegistry, SystemSettings,
    SystemSpec, open_nearest,
};

/// The name of the built-in system.
pub(super) const NEAREST: &str = "nearest";

/// The systems of the ask page, in the order in which they are offered.
pub struct AskSystems {
    /// The built-in one, which explains its answers.
    pub nearest: Option<&'static Nearest<'static>>,
    /// Those that the studio was started with.
    pub others: Vec<NamedSystem>,
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
    /// The built-in system cannot be opened.
    #[error(transparent)]
    Nearest(#[from] OpenSystemError),
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
    /// No systems.
    pub fn none() -> AskSystems {
        AskSystems { nearest: None, others: Vec::new() }
    }

    /// Opens the built-in system, which learns from the training questions of a benchmark, and others by name and specification.
    pub fn open(
        benchmark: OpenBenchmark,
        systems: &[(String, String)],
        registry: &SystemRegistry,
    ) -> Result<AskSystems, AskSystemsError> {
        let benchmark: &'static OpenBenchmark = Box::leak(Box::new(benchmark));
        let context =
            QueryContext::new(benchmark.kb.as_ref(), benchmark.ontology.as_ref()).without_suggestions();
        let context: &'static QueryContext<'static> = Box::leak(Box::new(context));
        let knowledge: &'static Knowledge<'static> = Box::leak(Box::new(context.knowledge()));
        let context: SystemContext<'static> = SystemContext { benchmark, questions: &[], knowledge };
        let nearest: &'static Nearest<'static> = Box::leak(Box::new(open_nearest(&context)?));
        let mut opened = AskSystems { nearest: Some(nearest), others: Vec::new() };
        for (name, spec) in systems {
            if opened.names().contains(&name.as_str()) {
                return Err(AskSystemsError::SameName(name.clone()));
            }
            let spec = SystemSpec::parse(spec)
                .map_err(|source| AskSystemsError::Spec { name: name.clone(), source })?;
            let system = registry
                .open(&spec, &SystemSettings::default(), &context)
                .map_err(|source| AskSystemsError::System { name: name.clone(), source })?;
            opened.others.push(NamedSystem { name: name.clone(), system: Box::leak(system) });
        }
        Ok(opened)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        let nearest = self.nearest.map(|_| NEAREST);
        nearest.into_iter().chain(self.others.iter().map(|other| other.name.as_str())).collect()
    }
}
