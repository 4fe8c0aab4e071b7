//! The SPARQL evaluator `spareval` behind the trait.

use super::run_plan_as_sparql;
use crate::budget::Budget;
use crate::context::KbContext;
use crate::engine::{Engine, EngineError, EngineReply, PlanRequest, SparqlAnswers};
use crate::found::Found;
use crate::shortcut::View;
use crate::sparql;
use crate::sparql_request::SparqlRequest;

/// The SPARQL evaluator on the RDF views of the KB. Plans are run as exactly equivalent SPARQL.
#[derive(Debug, Clone, Copy, Default)]
pub struct SparevalEngine;

const NAME: &str = "spareval";

impl Engine for SparevalEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run_plan<'kb>(
        &self,
        request: &PlanRequest<'_>,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<Found<'kb>> {
        let views = match &request.view {
            Some(view) => std::slice::from_ref(view),
            None => &[View::Direct, View::KqaPro],
        };
        run_plan_as_sparql(NAME, request.plan, views, context, |text, view| {
            let parsed = touchstone_logic::sparql::parse(text)
                .map_err(|error| EngineError::Printer { error: Box::new(error) })?;
            Ok(sparql::evaluate(context.rdf(view), &parsed.query, budget)?)
        })
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
        let results = sparql::evaluate(context.rdf(request.view), &request.query, budget);
        EngineReply::of_run(NAME, results.map(SparqlAnswers::Results).map_err(EngineError::from))
    }
}
