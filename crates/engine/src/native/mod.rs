//! SPARQL on the codes of the views: most queries, with exactly SPARQL's answers.
//!
//! [`evaluate`] compiles a parsed query (`compile.rs`, `compile_expression.rs`) to a tree of operators (`tree.rs`) on rows of small codes
//! (`cells.rs`), chooses an order for the patterns of each group (`plan.rs`), and runs it depth first (`run.rs`, `rows.rs`, `nodes.rs`, `paths.rs`,
//! `aggregate.rs`, `expression.rs`, `values.rs`). Queries of which it is not certain that they are run exactly are left to
//! [`sparql::evaluate`](crate::sparql::evaluate).

mod aggregate;
mod cells;
mod compile;
mod compile_expression;
mod expression;
mod nodes;
mod paths;
mod plan;
mod rows;
mod run;
mod tree;
mod values;

use crate::budget::Budget;
use crate::sparql::{Results, SparqlError, is_shallow, row_bytes};
use cells::Terms;
use plan::Goal;
use run::{Flow, Halt, Runner};
use spargebra::Query;
use touchstone_kb::rdf::RdfView;

/// Evaluates a query on a view of a KB; `None` if it is to be evaluated in another way. The limits of the budget hold.
pub fn evaluate(
    view: &dyn RdfView,
    query: &Query,
    budget: &Budget<'_>,
) -> Option<Result<Results, SparqlError>> {
    if !is_shallow(query) {
        return None;
    }
    let mut terms = Terms::new(view);
    let compiled = compile::compile(query, &mut terms)?;
    let mut runner = Runner::new(terms, budget, &compiled);
    let outcome = match &compiled.columns {
        None => {
            let mut found = false;
            let outcome = runner.node(&compiled.root, Goal::Exists, None, &mut |_, _| {
                found = true;
                Ok(Flow::Enough)
            });
            outcome.map(|_| Results::Boolean(found))
        }
        Some(columns) => {
            let mut rows = Vec::new();
            let outcome = runner.node(&compiled.root, Goal::Bag, None, &mut |runner, row| {
                let terms: Vec<_> = columns.iter().map(|&(_, slot)| runner.terms.term(row[slot])).collect();
                budget.spend(1)?;
                budget.add_rows(1)?;
                budget.hold(row_bytes(&terms))?;
                rows.push(terms);
                Ok(Flow::More)
            });
            let variables = columns.iter().map(|(variable, _)| variable.clone()).collect();
            outcome.map(|_| Results::Solutions { variables, rows })
        }
    };
    runner.release();
    match outcome {
        Ok(results) => Some(Ok(results)),
        Err(Halt::Stopped(stopped)) => Some(Err(SparqlError::Stopped(stopped))),
        Err(Halt::GiveUp) => None,
    }
}
