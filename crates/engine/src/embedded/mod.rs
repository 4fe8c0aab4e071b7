//! The embedded engine: runs plans on the memory-mapped store.
//!
//! Sets are sorted lists of ids, mostly slices of the store. `evaluate.rs` computes sets bottom-up, `relate.rs` takes one step along
//! facts for a whole set, `probe.rs` tests whether one thing is in a set, `superlative.rs` finds extremes in the columns that are sorted by
//! value, `solutions.rs` handles things that occur twice, `everything.rs` handles descriptions that restrict nothing, `ask.rs` computes the
//! answer, and `trace.rs` records steps.

mod ask;
mod evaluate;
mod everything;
mod probe;
mod relate;
mod solutions;
mod superlative;
mod things;
mod trace;

pub use trace::{How, TraceNode};

use crate::budget::{Budget, Stopped};
use crate::found::Found;
use crate::plan::Plan;
use evaluate::Evaluator;
use touchstone_kb::Kb;
use trace::Recorder;

/// Runs a plan, without an [`Engine`](crate::Engine): for loops that run tens of thousands of small plans.
pub fn run<'k>(kb: &'k Kb, plan: &Plan, budget: &Budget<'_>) -> Result<Found<'k>, Stopped> {
    let recorder = Recorder::new(false, 0);
    Evaluator::new(kb, plan, budget, &recorder).answer()
}

/// Runs a plan and records its steps, including those before a limit was reached.
pub(crate) fn run_traced<'k>(
    kb: &'k Kb,
    plan: &Plan,
    budget: &Budget<'_>,
) -> (Result<Found<'k>, Stopped>, Option<TraceNode>) {
    let recorder = Recorder::new(true, plan.n_steps);
    let evaluator = Evaluator::new(kb, plan, budget, &recorder);
    let found = evaluator.answer();
    let rows = found.as_ref().map_or(0, Found::len) as u64;
    let trace = recorder.tree(kb, plan, rows, budget, &|set| evaluator.estimate(set));
    (found, trace)
}
