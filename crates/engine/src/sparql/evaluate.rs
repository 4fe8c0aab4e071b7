//! Evaluates queries within a budget.

use super::SparqlError;
use super::admission::{Shape, admit};
use super::dataset::{Account, ViewDataset, expect_halt};
use super::held::{row_bytes, term_bytes};
use super::measures::with_measures;
use super::stoppable::stoppable;
use super::watchdog::{Watch, Watched};
use crate::budget::{Budget, Limits, Stopped};
use oxrdf::{BlankNode, NamedOrBlankNode, Term, Triple, Variable};
use spareval::{QueryEvaluationError, QueryEvaluator, QueryResults};
use spargebra::Query;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use touchstone_kb::rdf::RdfView;

/// Maximum depth for which the caller's stack is sufficient; see the test with the smallest stack.
const SHALLOW: usize = 24;
/// Sufficient for the deepest admitted query.
const DEEP_STACK: usize = 256 << 20;

/// The complete result of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Results {
    /// Of `SELECT`.
    Solutions {
        /// The columns.
        variables: Vec<Variable>,
        /// The rows, each with as many terms as there are columns.
        rows: Vec<Vec<Option<Term>>>,
    },
    /// Of `ASK`.
    Boolean(bool),
    /// Of `CONSTRUCT` and `DESCRIBE`: each triple once, in a reproducible order.
    Graph(Vec<Triple>),
}

/// Evaluates a query on a view of a KB.
///
/// All limits of the budget apply. Memory is also measured for the whole process, because the evaluator's buffers cannot be counted, so
/// allocations of other threads count, too. Stopping requires stack unwinding; with `panic = "abort"` only loops over
/// triples can be stopped.
pub fn evaluate(view: &dyn RdfView, query: &Query, budget: &Budget<'_>) -> Result<Results, SparqlError> {
    let Shape { depth } = admit(query)?;
    if depth <= SHALLOW { evaluate_here(view, query, budget) } else { evaluate_deep(view, query, budget) }
}

/// Evaluates on a separate stack. A budget cannot move between threads, so a new budget gets what is left of it.
fn evaluate_deep(view: &dyn RdfView, query: &Query, budget: &Budget<'_>) -> Result<Results, SparqlError> {
    budget.look()?;
    let (limits, used) = (budget.limits(), budget.cost());
    let left = Limits {
        operations: limits.operations.saturating_sub(used.operations),
        rows: limits.rows.saturating_sub(used.rows),
        memory: limits.memory,
        time: limits.time.saturating_sub(used.time),
    };
    let cancel = budget.canceller();
    let (result, cost) = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, move || {
            let budget = match cancel {
                Some(cancel) => Budget::new(left).stopped_by(cancel),
                None => Budget::new(left),
            };
            let result = evaluate_here(view, query, &budget);
            (result, budget.cost())
        });
        match thread.map_err(SparqlError::Thread)?.join() {
            Ok(outcome) => Ok::<_, SparqlError>(outcome),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    let settled = settle(budget, cost.operations, cost.rows, cost.memory);
    match result {
        // With the figures of the caller's budget.
        Err(SparqlError::Stopped(stopped)) => Err(budget.stopped(stopped.limit).into()),
        Ok(results) => settled.map(|()| results).map_err(SparqlError::from),
        Err(error) => Err(error),
    }
}

fn settle(budget: &Budget<'_>, operations: u64, rows: u64, memory: u64) -> Result<(), Stopped> {
    let spent = budget.spend(operations);
    let counted = budget.add_rows(rows);
    spent.and(counted).and(budget.hold(memory))
}

fn evaluate_here(view: &dyn RdfView, query: &Query, budget: &Budget<'_>) -> Result<Results, SparqlError> {
    budget.look()?;
    let watched = Watched::new(budget);
    let longest_text = usize::try_from(budget.limits().memory / 64).unwrap_or(usize::MAX).min(16 << 20);
    let account = Account { budget, watched: Arc::clone(&watched), longest_text };
    let watch = Watch::begin(Arc::clone(&watched)).map_err(SparqlError::Thread)?;
    // The budget is consistent after every operation; everything else is discarded after a stop.
    let outcome = catch_unwind(AssertUnwindSafe(|| run(view, query, &account)));
    let outcome = outcome.map_err(expect_halt);
    drop(watch);
    // Whatever the evaluator returned: after a stop, there is no answer.
    if let Some(limit) = watched.stop_reason() {
        return Err(budget.stopped(limit).into());
    }
    match outcome {
        Ok(result) => result,
        Err(()) => Err(SparqlError::Evaluation { reason: "it ended without a result".to_owned() }),
    }
}

fn run(view: &dyn RdfView, query: &Query, account: &Account<'_>) -> Result<Results, SparqlError> {
    let query = stoppable(query, account.longest_text);
    let evaluator = QueryEvaluator::new().with_cancellation_token(account.watched.token());
    let evaluator = with_measures(evaluator, &account.watched);
    let results = evaluator.prepare(&query).execute(ViewDataset::new(view, account)).map_err(failed)?;
    match results {
        QueryResults::Boolean(value) => Ok(Results::Boolean(value)),
        QueryResults::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let mut rows = Vec::new();
            for solution in solutions {
                let row = solution.map_err(failed)?.values().to_vec();
                account.keep(row_bytes(&row))?;
                rows.push(row);
            }
            Ok(Results::Solutions { variables, rows })
        }
        QueryResults::Graph(triples) => {
            let mut graph = GraphBuilder::new(view);
            for triple in triples {
                if let Some(bytes) = graph.add(triple.map_err(failed)?) {
                    account.keep(bytes)?;
                } else {
                    account.budget.spend(1)?;
                }
            }
            Ok(Results::Graph(graph.triples))
        }
    }
}

fn failed(error: QueryEvaluationError) -> SparqlError {
    SparqlError::Evaluation { reason: error.to_string() }
}

/// A graph without duplicate triples, whose new blank nodes have reproducible names.
struct GraphBuilder<'v> {
    view: &'v dyn RdfView,
    triples: Vec<Triple>,
    seen: HashSet<Triple>,
    names: HashMap<BlankNode, BlankNode>,
    named: usize,
}

impl<'v> GraphBuilder<'v> {
    fn new(view: &'v dyn RdfView) -> GraphBuilder<'v> {
        GraphBuilder { view, triples: Vec::new(), seen: HashSet::new(), names: HashMap::new(), named: 0 }
    }

    /// Returns the number of bytes added; `None` if the triple is a duplicate.
    fn add(&mut self, triple: Triple) -> Option<u64> {
        let triple = self.rename_in_triple(triple);
        if !self.seen.insert(triple.clone()) {
            return None;
        }
        let bytes = 2 * (term_bytes(&triple.object) + 128);
        self.triples.push(triple);
        Some(bytes)
    }

    fn rename_in_triple(&mut self, triple: Triple) -> Triple {
        let subject = match triple.subject {
            NamedOrBlankNode::BlankNode(blank) => NamedOrBlankNode::BlankNode(self.rename(blank)),
            iri @ NamedOrBlankNode::NamedNode(_) => iri,
        };
        let object = match triple.object {
            Term::BlankNode(blank) => Term::BlankNode(self.rename(blank)),
            Term::Triple(inner) => Term::Triple(Box::new(self.rename_in_triple(*inner))),
            other => other,
        };
        Triple { subject, predicate: triple.predicate, object }
    }

    fn rename(&mut self, blank: BlankNode) -> BlankNode {
        let is_of_kb = |blank: &BlankNode| self.view.encode(&Term::BlankNode(blank.clone())).is_some();
        if is_of_kb(&blank) {
            return blank;
        }
        if let Some(name) = self.names.get(&blank) {
            return name.clone();
        }
        let name = loop {
            let name = BlankNode::new_unchecked(format!("b{}", self.named));
            self.named += 1;
            if !is_of_kb(&name) {
                break name;
            }
        };
        self.names.insert(blank, name.clone());
        name
    }
}
