//! An endpoint as an engine: it runs a session's queries on the server's copy of the KB.

use super::{Endpoint, EndpointError};
use touchstone_engine::budget::Budget;
use touchstone_engine::sparql::Results;
use touchstone_engine::{
    Engine, EngineError, EngineReply, Found, KbContext, PlanRequest, SparqlAnswers, SparqlRequest, View,
    run_plan_as_sparql,
};

const NAME: &str = "endpoint";

impl Engine for Endpoint {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Plans are run as SPARQL with exactly the same meaning. If no view is chosen, the server is assumed to hold plain triples.
    fn run_plan<'kb>(
        &self,
        request: &PlanRequest<'_>,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<Found<'kb>> {
        let view = request.view.unwrap_or(View::Direct);
        run_plan_as_sparql(NAME, request.plan, &[view], context, |text, _| self.results(text, budget))
    }

    fn run_sparql<'kb>(
        &self,
        request: &SparqlRequest,
        _: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<SparqlAnswers<'kb>> {
        EngineReply::of_run(NAME, self.results(&request.text, budget).map(SparqlAnswers::Results))
    }
}

impl Endpoint {
    fn results(&self, text: &str, budget: &Budget<'_>) -> Result<Results, EngineError> {
        self.query(text, budget).map_err(|error| match error {
            EndpointError::Stopped(stopped) => EngineError::Stopped(stopped),
            other => EngineError::External(Box::new(other)),
        })
    }
}
