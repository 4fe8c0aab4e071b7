//! Plans for engines that run SPARQL.

use crate::context::KbContext;
use crate::engine::{EngineError, EngineReply};
use crate::exact::{ExactAnswer, Holds};
use crate::found::Found;
use crate::plan::Plan;
use crate::shortcut::View;
use crate::sparql::Results;

/// Runs a plan as exactly equivalent SPARQL, on the first of the views that can express it. `ask` runs the text; `engine` is
/// the name of the engine that does.
pub fn run_plan_as_sparql<'kb>(
    engine: &'static str,
    plan: &Plan,
    views: &[View],
    context: &KbContext<'kb>,
    ask: impl Fn(&str, View) -> Result<Results, EngineError>,
) -> EngineReply<Found<'kb>> {
    let mut refused = None;
    for &view in views {
        let printer = context.printer(view);
        let query = match printer.print(plan) {
            Ok(query) => query,
            Err(error) => {
                refused.get_or_insert(error);
                continue;
            }
        };
        let found = ask(&query.text, view).and_then(|results| {
            let answers = printer.read(&query, &results)?;
            Ok(found(&query.holds, answers))
        });
        return EngineReply::of_run(engine, found);
    }
    match refused {
        Some(error) => EngineReply::refused(error),
        None => EngineReply::refused(EngineError::NoView),
    }
}

/// Sorted answers as ids of the KB.
fn found(holds: &Holds, answers: Vec<ExactAnswer>) -> Found<'static> {
    let (mut nodes, mut literals, mut relations) = (Vec::new(), Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            ExactAnswer::Node(node) => nodes.push(node.0),
            ExactAnswer::Literal(literal) => literals.push(literal.0),
            ExactAnswer::Relation(relation) => relations.push(relation),
            ExactAnswer::Count(count) => return Found::Count(count),
            ExactAnswer::Boolean(value) => return Found::Boolean(value),
        }
    }
    match holds {
        Holds::Relations => Found::Relations(relations),
        _ => Found::things(nodes.into(), literals.into()),
    }
}
