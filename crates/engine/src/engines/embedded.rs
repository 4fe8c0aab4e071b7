//! The embedded engine behind the trait.

use crate::budget::Budget;
use crate::context::KbContext;
use crate::embedded;
use crate::engine::{Engine, EngineError, EngineReply, PlanRequest, SparqlAnswers};
use crate::found::Found;
use crate::native;
use crate::plan::Plan;
use crate::shortcut::{Shortcut, shortcut};
use crate::sparql::Results;
use crate::sparql_request::SparqlRequest;

/// The embedded engine. It runs SPARQL with the semantics of the algebra; notes report where these differ from SPARQL's.
#[derive(Debug, Clone, Copy, Default)]
pub struct EmbeddedEngine;

const NAME: &str = "embedded";

impl Engine for EmbeddedEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run_plan<'kb>(
        &self,
        request: &PlanRequest<'_>,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<Found<'kb>> {
        let (found, trace) = if request.trace {
            embedded::run_traced(context.kb(), request.plan, budget)
        } else {
            (embedded::run(context.kb(), request.plan, budget), None)
        };
        EngineReply { trace, ..EngineReply::of_run(NAME, found.map_err(EngineError::from)) }
    }

    fn run_sparql<'kb>(
        &self,
        request: &SparqlRequest,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<SparqlAnswers<'kb>> {
        if let Err(error) = request.check_iris() {
            return EngineReply::refused(error);
        }
        run_shortcut(request, context, budget)
            .or_else(|| run_native(request, context, budget))
            .unwrap_or_else(|| run_as_algebra(request, context, budget))
    }
}

/// Runs a SPARQL query whose answers are exactly those of a plan; `None` for other queries, and for those that cannot be planned.
pub(super) fn run_shortcut<'kb>(
    request: &SparqlRequest,
    context: &KbContext<'kb>,
    budget: &Budget<'_>,
) -> Option<EngineReply<SparqlAnswers<'kb>>> {
    let recognised = request.recognised.as_ref().ok()?;
    let Shortcut { query, is_one_of_ties } = shortcut(
        recognised,
        &request.iris,
        context.kb(),
        request.view,
        &context.views().direct,
        &context.numbers,
    )?;
    let plan = Plan::of(&query, context.words()).ok()?;
    let reply = run_for_sparql(&plan, request, context, budget);
    let reply = reply.map(|found| if is_one_of_ties { found.first() } else { found });
    Some(reply.map(|found| match found {
        found if !request.terms => SparqlAnswers::Found(found),
        Found::Boolean(value) => SparqlAnswers::Results(Results::Boolean(value)),
        found => {
            let terms = context.views().terms(&plan, request.view, &found);
            let rows = terms.into_iter().map(|term| vec![Some(term)]).collect();
            SparqlAnswers::Results(Results::Solutions { variables: request.projected(), rows })
        }
    }))
}

/// Runs a SPARQL query on the codes of its view; `None` for what cannot be run there.
pub(super) fn run_native<'kb>(
    request: &SparqlRequest,
    context: &KbContext<'kb>,
    budget: &Budget<'_>,
) -> Option<EngineReply<SparqlAnswers<'kb>>> {
    let results = native::evaluate(context.rdf(request.view), &request.query, budget)?;
    Some(EngineReply::of_run(NAME, results.map(SparqlAnswers::Results).map_err(EngineError::from)))
}

/// Runs SPARQL with the semantics of the algebra, even if the algebra is more permissive than SPARQL. Notes report the differences.
fn run_as_algebra<'kb>(
    request: &SparqlRequest,
    context: &KbContext<'kb>,
    budget: &Budget<'_>,
) -> EngineReply<SparqlAnswers<'kb>> {
    let recognised = match &request.recognised {
        Ok(recognised) => recognised,
        Err(error) => return EngineReply::refused(EngineError::NotRecognised(error.clone())),
    };
    let mut notes: Vec<String> =
        recognised.lost.iter().map(|loss| format!("differs from SPARQL: {loss}")).collect();
    if notes.is_empty() {
        let difference = "subclasses, containment of times and units may count, which SPARQL does not know";
        notes.push(format!("differs from SPARQL: {difference}"));
    }
    let plan = match Plan::of(&recognised.query, context.words()) {
        Ok(plan) => plan,
        Err(error) => return EngineReply { notes, ..EngineReply::refused(error) },
    };
    notes.extend(plan.unknown.iter().map(ToString::to_string));
    let reply = run_for_sparql(&plan, request, context, budget);
    EngineReply { notes, ..reply.map(SparqlAnswers::Found) }
}

fn run_for_sparql<'kb>(
    plan: &Plan,
    request: &SparqlRequest,
    context: &KbContext<'kb>,
    budget: &Budget<'_>,
) -> EngineReply<Found<'kb>> {
    let request = PlanRequest { plan, view: Some(request.view), trace: request.trace };
    EmbeddedEngine.run_plan(&request, context, budget)
}
