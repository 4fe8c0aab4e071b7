//! One question to the built-in system, with everything that explains its answer: what `touchstone ask` and the ask page show.

use thiserror::Error;
use touchstone_benchmark::{Answer, Forms};
use touchstone_engine::embedded::TraceNode;
use touchstone_engine::plan::PlanError;
use touchstone_forge::{Disagreement, FormPrinter, SamplingContext};
use touchstone_kb::Kb;
use touchstone_run::{Adapted, AskReply, Linked, Nearest};

/// What the built-in system gave for a question.
pub struct NearestAnswer<'k> {
    /// The parts of the question that name something.
    pub links: Vec<Linked>,
    /// The query and its answers; `None` if no similar training question leads to a query with answers.
    pub found: Option<NearestFound<'k>>,
}

/// The query that was found for a question.
pub struct NearestFound<'k> {
    /// The query, and the training question that it comes from.
    pub adapted: Adapted<'k>,
    /// The query in every language that can express it.
    pub forms: Forms,
    /// Its answers.
    pub answers: Vec<Answer>,
    /// Its steps.
    pub trace: Option<TraceNode>,
}

/// Why the built-in system failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskError {
    /// Two forms of the query give different answers.
    #[error(transparent)]
    Forms(#[from] Disagreement),
    /// The query cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Asks the built-in system.
pub fn ask_nearest<'k>(
    system: &Nearest<'k>,
    kb: &'k Kb,
    question: &str,
) -> Result<NearestAnswer<'k>, AskError> {
    let links = system.link(question, None);
    let Some(adapted) = system.answer("", question, &links) else {
        return Ok(NearestAnswer { links, found: None });
    };
    let context = SamplingContext::new(kb, None);
    let forms = FormPrinter::new(kb).forms(&context, &adapted.query, &adapted.found)?.into_forms();
    let answers = adapted.found.answers(kb);
    let trace = system.trace(&adapted.query)?;
    Ok(NearestAnswer { links, found: Some(NearestFound { adapted, forms, answers, trace }) })
}

impl NearestAnswer<'_> {
    /// What `touchstone ask --json` prints.
    pub fn reply<'q>(&'q self, kb: &'q Kb, question: &'q str) -> AskReply<'q> {
        let reply = AskReply::without_answers(kb, question, &self.links);
        match &self.found {
            Some(found) => reply.with_answers(&found.adapted, &found.forms, &found.answers),
            None => reply,
        }
    }
}
