//! The steps of a query as a table: what was found, what was expected, and where the time went.

use super::layout::bar;
use maud::{Markup, html};
use std::time::Duration;
use touchstone_engine::embedded::{How, TraceNode};
use touchstone_kb::counts::{grouped, short_time};

/// From this factor between expected and found numbers on, a step is marked.
const SURPRISE: u64 = 10;
/// Maximum indentation.
const DEEPEST: usize = 8;

/// The table.
pub(super) fn table(trace: &TraceNode) -> Markup {
    let mut rows = Vec::new();
    collect(trace, 0, &mut rows);
    let whole = trace.micros.max(f64::MIN_POSITIVE);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Steps" {
            table.steps {
                thead { tr {
                    th scope="col" { "step" }
                    th.number scope="col" { "found" }
                    th.number scope="col" { "expected" }
                    th.number scope="col" { "time" }
                    th.number scope="col" { "operations" }
                    th scope="col" { "share of the time" }
                } }
                tbody { @for (depth, node) in &rows { (row(*depth, node, whole)) } }
            }
        }
    }
}

fn collect<'t>(node: &'t TraceNode, depth: usize, rows: &mut Vec<(usize, &'t TraceNode)>) {
    rows.push((depth, node));
    for child in &node.children {
        collect(child, depth + 1, rows);
    }
}

fn row(depth: usize, node: &TraceNode, whole: f64) -> Markup {
    let below: f64 = node.children.iter().map(|child| child.micros).sum();
    let own = (node.micros - below).max(0.0);
    let count = |number: Option<u64>| number.map_or("–".to_owned(), grouped);
    let ran = node.how != How::NotNeeded;
    html! {
        tr class=[(node.rows == Some(0) && ran).then_some("nothing")] {
            th scope="row" class={ "step depth-" (depth.min(DEEPEST)) } { (node.operation) }
            @if ran {
                td.number {
                    (count(node.rows))
                    @if is_surprising(node) {
                        " " span.tag.warn title="Found and expected numbers differ by a factor of ten or more" { "≠" span.visually-hidden { " far from expected" } }
                    }
                }
                td.number { (count(node.estimate)) }
                td.number { (short_time(Duration::from_secs_f64((node.micros / 1e6).max(0.0)))) }
                td.number { (grouped(node.operations)) @if node.how == How::Asked { " " span.muted { "asked" } } }
                td.bar-cell { (bar(own / whole)) }
            } @else {
                td.muted colspan="5" { "not needed" }
            }
        }
    }
}

/// Whether a step found ten times more or less than expected.
fn is_surprising(node: &TraceNode) -> bool {
    let (Some(found), Some(expected)) = (node.rows, node.estimate) else { return false };
    let (less, more) = (found.min(expected).max(1), found.max(expected));
    more / less >= SURPRISE
}

/// The first step that found nothing although it was needed, in the order in which steps run.
pub(super) fn first_empty(trace: &TraceNode) -> Option<&TraceNode> {
    let below = trace.children.iter().find_map(first_empty);
    below
        .or_else(|| (trace.rows == Some(0) && trace.how == How::Evaluated && trace.step > 0).then_some(trace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(rows: u64, estimate: u64, children: Vec<TraceNode>) -> TraceNode {
        TraceNode {
            step: 1,
            operation: format!("{rows} of {estimate}"),
            how: How::Evaluated,
            estimate: Some(estimate),
            rows: Some(rows),
            micros: 1.0,
            operations: 1,
            children,
        }
    }

    #[test]
    fn surprises_are_factors_of_ten() {
        for (rows, estimate, marked) in
            [(1, 9, false), (1, 10, true), (100, 10, true), (0, 5, false), (0, 10, true)]
        {
            assert_eq!(is_surprising(&node(rows, estimate, Vec::new())), marked, "{rows} {estimate}");
        }
    }

    #[test]
    fn the_deepest_empty_step_is_first() {
        let trace = node(0, 1, vec![node(4, 4, Vec::new()), node(0, 2, vec![node(0, 3, Vec::new())])]);
        assert_eq!(first_empty(&trace).map(|step| step.operation.as_str()), Some("0 of 3"));
        assert!(first_empty(&node(1, 1, Vec::new())).is_none());
    }
}
