//! Records each step of a query: number of things, time, operations.

use crate::budget::Budget;
use crate::cast::micros;
use crate::plan::{Extremes, Plan, PlanSet, PlannedAsk, QualifiersOf, RelateTo, SetKind, Test};
use serde::Serialize;
use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};
use touchstone_kb::{Kb, NodeId, Property};
use touchstone_logic::{Direction, Extreme};

/// How a set was evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It was computed.
    Evaluated,
    /// It was only probed for the members of another set.
    Asked,
    /// It was not needed, because the answer was already known.
    NotNeeded,
}

/// A step, with the steps that it needed.
#[derive(Debug, Clone, Serialize)]
pub struct TraceNode {
    /// Its number; 0 for the question itself.
    pub step: usize,
    /// What it does, in words.
    pub operation: String,
    /// How it was evaluated.
    pub how: How,
    /// Expected number of things; absent if there is no estimate.
    pub estimate: Option<u64>,
    /// Actual number of things; absent for everything, and for sets that were not needed.
    pub rows: Option<u64>,
    /// Time in microseconds, including the steps below.
    pub micros: f64,
    /// Operations, including the steps below.
    pub operations: u64,
    /// The steps that it needed.
    pub children: Vec<TraceNode>,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    how: How,
    rows: Option<usize>,
    time: Duration,
    operations: u64,
}

/// Records steps if asked to.
pub(crate) struct Recorder(Option<RefCell<Vec<Option<Record>>>>);

impl Recorder {
    pub(super) fn new(enabled: bool, n_steps: usize) -> Recorder {
        Recorder(enabled.then(|| RefCell::new(vec![None; n_steps + 1])))
    }

    /// Before a step.
    #[inline]
    pub(super) fn start(&self, budget: &Budget<'_>) -> Option<(Instant, u64)> {
        self.0.as_ref().map(|_| (Instant::now(), budget.cost().operations))
    }

    /// After it.
    #[inline]
    pub(super) fn finish(
        &self,
        step: usize,
        how: How,
        rows: Option<usize>,
        started: Option<(Instant, u64)>,
        budget: &Budget<'_>,
    ) {
        if let (Some(records), Some(started)) = (&self.0, started) {
            Recorder::note(records, step, how, rows, started, budget);
        }
    }

    #[cold]
    fn note(
        records: &RefCell<Vec<Option<Record>>>,
        step: usize,
        how: How,
        rows: Option<usize>,
        (instant, operations): (Instant, u64),
        budget: &Budget<'_>,
    ) {
        let record = &mut records.borrow_mut()[step];
        // A step may serve several others; it counts once for each.
        let before = record.map_or((Duration::ZERO, 0), |record| (record.time, record.operations));
        let time = before.0 + instant.elapsed();
        let operations = before.1 + budget.cost().operations - operations;
        *record = Some(Record { how, rows, time, operations });
    }

    /// The recorded steps as a tree.
    pub(super) fn tree(
        &self,
        kb: &Kb,
        plan: &Plan,
        rows: u64,
        budget: &Budget<'_>,
        estimate: &dyn Fn(&PlanSet) -> usize,
    ) -> Option<TraceNode> {
        let records = self.0.as_ref()?.borrow();
        fn node(
            set: &PlanSet,
            kb: &Kb,
            records: &[Option<Record>],
            estimate: &dyn Fn(&PlanSet) -> usize,
        ) -> TraceNode {
            let record = records[set.step];
            let expected = estimate(set);
            TraceNode {
                step: set.step,
                operation: describe(set, kb),
                how: record.map_or(How::NotNeeded, |record| record.how),
                estimate: (expected != usize::MAX).then_some(expected as u64),
                rows: record.and_then(|record| record.rows).map(|rows| rows as u64),
                micros: record.map_or(0.0, |record| micros(record.time)),
                operations: record.map_or(0, |record| record.operations),
                children: set.children().iter().map(|child| node(child, kb, records, estimate)).collect(),
            }
        }
        let cost = budget.cost();
        Some(TraceNode {
            step: 0,
            operation: question(&plan.ask, kb),
            how: How::Evaluated,
            estimate: None,
            rows: Some(rows),
            micros: micros(cost.time),
            operations: cost.operations,
            children: plan.sets().into_iter().map(|set| node(set, kb, &records, estimate)).collect(),
        })
    }
}

fn question(ask: &PlannedAsk, kb: &Kb) -> String {
    match ask {
        PlannedAsk::Members(_) => "the members of".to_owned(),
        PlannedAsk::Count(_) => "the number of".to_owned(),
        PlannedAsk::Exists(_) => "whether there is something in".to_owned(),
        PlannedAsk::Relations { .. } => "the relations from, to".to_owned(),
        PlannedAsk::Qualifiers(of) => {
            let QualifiersOf { properties, keys, .. } = &**of;
            let keys: Vec<&str> = keys.iter().map(|&key| kb.qualifier_label(key)).collect();
            format!("`{}` of the facts `{}` from, to", keys.join("` or `"), names(properties, kb))
        }
    }
}

fn names(properties: &[Property], kb: &Kb) -> String {
    let names: Vec<&str> = properties.iter().map(|&property| kb.property_label(property)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join("` or `") }
}

/// A set in words.
pub(crate) fn describe(set: &PlanSet, kb: &Kb) -> String {
    match &set.kind {
        SetKind::All => "everything".to_owned(),
        SetKind::Nodes(nodes) => match nodes.as_slice() {
            [] => "nothing: an unknown name or id".to_owned(),
            [only] => format!("{} ({})", kb.label(NodeId(*only)), kb.node_id(NodeId(*only))),
            [first, ..] => format!("{} things named {}", nodes.len(), kb.label(NodeId(*first))),
        },
        SetKind::Classes(classes) => match classes.first() {
            Some(&class) => format!("class {}", kb.label(kb.class_node(class))),
            None => "nothing: an unknown class".to_owned(),
        },
        SetKind::Values(test) => format!("values {} {}", test.comparison, test.value),
        SetKind::Relate(relate) => describe_step(relate, kb),
        SetKind::And(_) => "all of".to_owned(),
        SetKind::Or(_) => "one of".to_owned(),
        SetKind::Superlative(extremes) => describe_extremes(extremes, kb),
        SetKind::During(_) => "what held during a period".to_owned(),
        SetKind::Marked(mark, _) => format!("remembered as #{mark}"),
        SetKind::Same(mark) => format!("the same as #{mark}"),
    }
}

fn describe_step(relate: &RelateTo, kb: &Kb) -> String {
    let condition = |test: &Test| {
        let keys: Vec<&str> = test.keys.iter().map(|&key| kb.qualifier_label(key)).collect();
        format!(" with `{}` {} {}", keys.join("` or `"), test.comparison, test.value)
    };
    let conditions: String = relate.conditions.iter().map(condition).collect();
    match relate.direction {
        Direction::Forward => format!("what `{}` leads to{conditions}, from", names(&relate.properties, kb)),
        Direction::Backward => format!("what has `{}`{conditions}, in", names(&relate.properties, kb)),
    }
}

fn describe_extremes(extremes: &Extremes, kb: &Kb) -> String {
    let which = if extremes.extreme == Extreme::Max { "greatest" } else { "smallest" };
    let path: Vec<String> = extremes.path.iter().map(|(properties, _)| names(properties, kb)).collect();
    format!("the {which} `{}` of", path.join("` of `"))
}

impl fmt::Display for TraceNode {
    /// A tree, with figures in columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn lines(node: &TraceNode, prefix: &str, branch: &str, out: &mut Vec<(String, String)>) {
            let count = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
            let figures = match node.how {
                How::NotNeeded => "not needed".to_owned(),
                how => {
                    let asked = if how == How::Asked { " (asked)" } else { "" };
                    format!(
                        "{:>9} {:>9} {:>10.1} {:>11}{asked}",
                        count(node.rows),
                        count(node.estimate),
                        node.micros,
                        node.operations
                    )
                }
            };
            out.push((format!("{prefix}{branch}{}", node.operation), figures));
            let below = match branch {
                "" => prefix.to_owned(),
                "└─ " => format!("{prefix}   "),
                _ => format!("{prefix}│  "),
            };
            for (i, child) in node.children.iter().enumerate() {
                let last = i + 1 == node.children.len();
                lines(child, &below, if last { "└─ " } else { "├─ " }, out);
            }
        }
        let mut out = Vec::new();
        lines(self, "", "", &mut out);
        let width = out.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0).clamp(4, 100);
        let head = format!("{:>9} {:>9} {:>10} {:>11}", "rows", "expected", "µs", "operations");
        writeln!(f, "{:width$}  {head}", "step")?;
        for (text, figures) in out {
            writeln!(f, "{text:width$}  {}", figures.trim_end())?;
        }
        Ok(())
    }
}
