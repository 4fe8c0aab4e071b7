//! Chooses the embedded engine if it gives exactly the right answers, otherwise `spareval`.

use super::embedded::{run_native, run_shortcut};
use super::{EmbeddedEngine, SparevalEngine};
use crate::budget::Budget;
use crate::context::KbContext;
use crate::engine::{Engine, EngineReply, PlanRequest, SparqlAnswers};
use crate::found::Found;
use crate::sparql_request::SparqlRequest;

/// The embedded engine if it gives exactly the right answers, otherwise `spareval`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AutoEngine;

impl Engine for AutoEngine {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn run_plan<'kb>(
        &self,
        request: &PlanRequest<'_>,
        context: &KbContext<'kb>,
        budget: &Budget<'_>,
    ) -> EngineReply<Found<'kb>> {
        EmbeddedEngine.run_plan(request, context, budget)
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
            .unwrap_or_else(|| SparevalEngine.run_sparql(request, context, budget))
    }
}
