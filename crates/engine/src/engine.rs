//! The trait of all engines that run queries on a KB.
//!
//! An engine gets a request and a budget, and returns answers, notes and a trace. The budget holds the cost of the run,
//! even if there is no answer. [`Session`](crate::Session) parses logical forms and chooses the view; engines never parse text.

use crate::budget::{Budget, Stopped};
use crate::context::KbContext;
use crate::embedded::TraceNode;
use crate::exact::{NoExactForm, Unreadable};
use crate::found::Found;
use crate::plan::{Plan, PlanError};
use crate::shortcut::View;
use crate::sparql::{Results, SparqlError};
use crate::sparql_request::SparqlRequest;
use std::fmt;
use touchstone_logic::SyntaxError;
use touchstone_logic::sparql::NotRecognised;

/// Runs queries on a KB: the embedded engine, `spareval`, a SPARQL server.
///
/// ```no_run
/// use touchstone_engine::budget::{Budget, Limits};
/// use touchstone_engine::{AutoEngine, Engine, KbContext, PlanRequest, plan::Plan};
/// use touchstone_logic::Program;
/// # fn run(kb: &touchstone_kb::Kb, program: &Program) -> Result<(), Box<dyn std::error::Error>> {
/// let context = KbContext::new(kb);
/// let plan = Plan::of_program(program, context.words())?;
/// let budget = Budget::new(Limits::default());
/// let found = AutoEngine.run_plan(&PlanRequest::new(&plan), &context, &budget).result?;
/// println!("{} answers for {} operations", found.len(), budget.cost().operations);
/// # Ok(())
/// # }
/// ```
pub trait Engine: fmt::Debug + Send + Sync {
    /// One word for reports, such as `embedded`.
    fn name(&self) -> &'static str;

    /// Runs a plan: a query of any language with its names looked up.
    fn run_plan<'kb>(
        &self,
        request: &PlanRequest<'_>,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<Found<'kb>>;

    /// Runs a SPARQL query with the semantics of SPARQL.
    fn run_sparql<'kb>(
        &self,
        request: &SparqlRequest,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<SparqlAnswers<'kb>>;
}

/// A plan to run.
#[derive(Debug, Clone, Copy)]
pub struct PlanRequest<'r> {
    /// The plan.
    pub plan: &'r Plan,
    /// For engines that run SPARQL: the graph to query; if absent, the engine chooses.
    pub view: Option<View>,
    /// Whether to record every step, if the engine can.
    pub trace: bool,
}

impl<'r> PlanRequest<'r> {
    /// A request without a trace, on any view.
    pub fn new(plan: &'r Plan) -> PlanRequest<'r> {
        PlanRequest { plan, view: None, trace: false }
    }
}

/// The result of an engine, with notes and a trace.
#[derive(Debug)]
pub struct EngineReply<T> {
    /// The answers, or why there are none.
    pub result: Result<T, EngineError>,
    /// The name of the engine that ran the query, even if it did not finish; none if the query was rejected before it ran.
    pub ran_by: Option<&'static str>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The trace of each step, including those before a limit was reached, if requested and supported.
    pub trace: Option<TraceNode>,
}

impl<T> EngineReply<T> {
    /// The result of a run without notes and trace.
    pub fn of_run(engine: &'static str, result: Result<T, EngineError>) -> EngineReply<T> {
        EngineReply { result, ran_by: Some(engine), notes: Vec::new(), trace: None }
    }

    /// A query that was rejected before it ran.
    pub fn refused(error: impl Into<EngineError>) -> EngineReply<T> {
        EngineReply { result: Err(error.into()), ran_by: None, notes: Vec::new(), trace: None }
    }

    /// The same with another result.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> EngineReply<U> {
        EngineReply {
            result: self.result.map(change),
            ran_by: self.ran_by,
            notes: self.notes,
            trace: self.trace,
        }
    }
}

/// The answers to a SPARQL query.
#[derive(Debug)]
pub enum SparqlAnswers<'kb> {
    /// Things of the KB.
    Found(Found<'kb>),
    /// RDF results.
    Results(Results),
}

/// Why a query has no answers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A limit was reached.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A SPARQL query has a relative IRI and no base.
    #[error(
        "the IRI <{iri}> is relative, and the query has no BASE; write the whole IRI, or begin with BASE <...>"
    )]
    RelativeIri {
        /// The IRI as it is in the query.
        iri: String,
    },
    /// The query is invalid for every KB.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The embedded engine was asked to run SPARQL that is outside the algebra.
    #[error("the embedded engine cannot run this query ({0}); use --engine auto or spareval")]
    NotRecognised(NotRecognised),
    /// No view can express the plan.
    #[error(transparent)]
    NoExactForm(#[from] NoExactForm),
    /// A plan was to be run as SPARQL without any view.
    #[error("no RDF view is available for this query")]
    NoView,
    /// A plan was printed as SPARQL that cannot be parsed.
    #[error("internal error in the printer: {error}")]
    Printer {
        /// The parser's message.
        error: Box<SyntaxError>,
    },
    /// The results do not match the query or the KB.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The evaluation failed.
    #[error(transparent)]
    Sparql(SparqlError),
    /// An engine of another crate failed.
    #[error(transparent)]
    External(Box<dyn std::error::Error + Send + Sync>),
}

impl From<SparqlError> for EngineError {
    fn from(error: SparqlError) -> EngineError {
        match error {
            SparqlError::Stopped(stopped) => EngineError::Stopped(stopped),
            other => EngineError::Sparql(other),
        }
    }
}
