//! The questions of a report as data for its script: what the list needs of all, and what the page of one question needs as a line each.

use super::measures::three;
use super::model::Report;
use crate::drawing::GraphPlan;
use hashbrown::HashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use touchstone_benchmark::{Answer, GradeRow, Graph, PredictionOutcome, Usage};
use touchstone_logic::QueryGraph;

/// Maximum number of characters of a trace to show.
const MAX_TRACE: usize = 4000;

/// Maximum number of answers of a question to show.
const MAX_ANSWERS: usize = 20;

/// A question with the row of each run. Gold is in all rows; the first one is taken.
pub(crate) struct ReportQuestion<'r> {
    gold: &'r GradeRow,
    rows: Vec<Option<&'r GradeRow>>,
}

/// All questions in the order of the runs' files.
pub(crate) fn questions(report: &Report) -> Vec<ReportQuestion<'_>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut questions: Vec<ReportQuestion<'_>> = Vec::new();
    for (number, run) in report.runs.iter().enumerate() {
        for row in &run.grades {
            let at = *places.entry(&row.id).or_insert_with(|| {
                questions.push(ReportQuestion { gold: row, rows: vec![None; report.runs.len()] });
                questions.len() - 1
            });
            questions[at].rows[number] = Some(row);
        }
    }
    questions
}

/// A question in the list. Names are short: there are thousands.
#[derive(Serialize)]
pub(crate) struct ListedQuestion<'r> {
    /// Its id.
    i: &'r str,
    /// Its text.
    q: &'r str,
    /// The shape of gold.
    #[serde(skip_serializing_if = "str::is_empty")]
    s: &'r str,
    /// The values of facets, without the shape.
    f: BTreeMap<&'r str, &'r [String]>,
    /// The outcome and the main measure of each run.
    r: Vec<Option<(&'static str, Option<f64>)>>,
}

impl<'r> ListedQuestion<'r> {
    pub(crate) fn of(question: &ReportQuestion<'r>, main: &str) -> ListedQuestion<'r> {
        let gold = question.gold;
        let result = |row: &GradeRow| (row.outcome.word(), row.measures.get(main).map(rounded));
        let facets = gold.facets.iter().filter(|(name, values)| *name != "shape" && !values.is_empty());
        ListedQuestion {
            i: &gold.id,
            q: &gold.question,
            s: &gold.shape,
            f: facets.map(|(name, values)| (name, values.as_slice())).collect(),
            r: question.rows.iter().map(|row| row.map(result)).collect(),
        }
    }
}

/// What the page of a question shows besides.
#[derive(Serialize)]
pub(crate) struct QuestionDetail<'r> {
    /// The gold form.
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<&'r str>,
    /// The gold graph; each edge knows which runs lack it.
    #[serde(rename = "G", skip_serializing_if = "Option::is_none")]
    graph: Option<GraphPlan>,
    /// The first gold answers.
    a: Vec<Cow<'r, str>>,
    /// The number of gold answers.
    n: usize,
    /// The result of each run.
    r: Vec<Option<ResultDetail<'r>>>,
}

#[derive(Serialize)]
struct ResultDetail<'r> {
    /// The measures.
    m: Vec<Option<f64>>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<&'r str>,
    /// The predicted form, unless it is the gold form.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<&'r str>,
    /// Its graph, unless it is the gold form.
    #[serde(rename = "P", skip_serializing_if = "Option::is_none")]
    graph: Option<GraphPlan>,
    /// Whether it is the gold form.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    same: bool,
    /// The first predicted answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<&'r [String]>,
    /// The number of predicted answers that are known.
    #[serde(skip_serializing_if = "is_zero")]
    n: usize,
    /// The trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<String>,
    /// The predicted shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'r str>,
    /// Whether the answers are right by luck: on neighbours of the KB they are wrong.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    luck: bool,
    /// Confidence, time, tokens, cost.
    #[serde(skip_serializing_if = "str::is_empty")]
    u: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// Four digits are enough to look at, and make the file half as long.
pub(crate) fn rounded(value: &f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The graph of a form that is not the gold form.
fn other_graph(row: &GradeRow) -> Option<&Graph> {
    let is_other = row.predicted.is_some() && row.predicted != row.gold;
    row.predicted_graph.as_ref().filter(|_| is_other)
}

impl<'r> QuestionDetail<'r> {
    pub(crate) fn of(
        question: &ReportQuestion<'r>,
        measures: &[&str],
        names: &BTreeMap<String, String>,
    ) -> QuestionDetail<'r> {
        let ReportQuestion { gold, rows } = question;
        let graph = gold.graph.as_ref().map(QueryGraph::from);
        let others: Vec<Option<QueryGraph>> =
            rows.iter().map(|row| row.and_then(other_graph).map(QueryGraph::from)).collect();
        let results = rows.iter().zip(&others).map(|(row, other)| {
            let plan = other.as_ref().map(|other| GraphPlan::compared(other, &[graph.as_ref()], names));
            Some(ResultDetail::of((*row)?, plan, measures))
        });
        QuestionDetail {
            g: gold.gold.as_deref(),
            a: gold.gold_answers.iter().take(MAX_ANSWERS).map(Answer::text).collect(),
            n: gold.gold_answers.len(),
            r: results.collect(),
            graph: graph.map(|graph| {
                let others: Vec<Option<&QueryGraph>> = others.iter().map(Option::as_ref).collect();
                GraphPlan::compared(&graph, &others, names)
            }),
        }
    }
}

impl<'r> ResultDetail<'r> {
    fn of(row: &'r GradeRow, graph: Option<GraphPlan>, measures: &[&str]) -> ResultDetail<'r> {
        let is_gold = row.predicted.is_some() && row.predicted == row.gold;
        let trace = row.trace.as_ref().map(|trace| serde_json::to_string_pretty(trace).unwrap_or_default());
        let is_answered = row.outcome == PredictionOutcome::Answered;
        ResultDetail {
            m: measures.iter().map(|name| row.measures.get(name).map(rounded)).collect(),
            c: row.cause.as_deref(),
            p: row.predicted.as_deref().filter(|_| !is_gold),
            graph,
            same: is_gold,
            a: is_answered.then(|| &row.answers[..row.answers.len().min(MAX_ANSWERS)]),
            n: row.answers.len().saturating_sub(MAX_ANSWERS),
            t: trace.map(|trace| trace.chars().take(MAX_TRACE).collect()),
            s: row.predicted_shape.as_deref(),
            luck: row.robust == Some(false),
            u: cost(row),
        }
    }
}

/// What is known about a prediction besides its content.
fn cost(row: &GradeRow) -> String {
    let Usage { seconds, tokens_in, tokens_out, cost } = row.usage.unwrap_or_default();
    let parts = [
        row.confidence.map(|confidence| format!("confidence {}", three(confidence))),
        seconds.map(|seconds| format!("{} s", three(seconds))),
        tokens_in.map(|tokens| format!("{tokens:.0} tokens read")),
        tokens_out.map(|tokens| format!("{tokens:.0} tokens written")),
        cost.map(|cost| format!("cost {cost:.5}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
