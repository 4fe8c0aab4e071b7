//! What a report is about, and the same as data for its script.

use crate::drawing::{GraphPlan, ShapePictures};
use hashbrown::HashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use touchstone_benchmark::{Answer, GradeRow, Graph, NamedValues, PredictionOutcome};
use touchstone_grade::regression::{Coefficient, Regression};
use touchstone_grade::sensitivity::SensitivityRow;
use touchstone_grade::statistics::Estimate;
use touchstone_grade::summary::{Score, Summary};
use touchstone_logic::QueryGraph;

/// What a report shows.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Its heading.
    pub title: String,
    /// The runs, side by side.
    pub runs: Vec<ReportRun>,
}

/// A graded run.
#[derive(Debug, Clone, Default)]
pub struct ReportRun {
    /// Its name.
    pub name: String,
    /// `summary.json`.
    pub summary: Summary,
    /// `grades.jsonl`.
    pub grades: Vec<GradeRow>,
    /// `sensitivity.json`, if there is one.
    pub sensitivity: Option<Vec<SensitivityRow>>,
    /// `regression.json`, if there is one.
    pub regression: Option<Regression>,
}

/// Maximum number of characters of a trace to show.
const MAX_TRACE: usize = 4000;

/// Maximum number of answers of a question to show.
const MAX_ANSWERS: usize = 20;

/// The data of the page.
#[derive(Serialize)]
pub(crate) struct PageData<'r> {
    benchmark: &'r str,
    runs: Vec<RunData<'r>>,
    measures: Vec<&'r str>,
    /// The names and the picture of each shape.
    shapes: BTreeMap<&'r str, ShapeData<'r>>,
    questions: Vec<QuestionData<'r>>,
}

#[derive(Serialize)]
struct RunData<'r> {
    name: &'r str,
    summary: SummaryData<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<Vec<SensitivityData<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regression: Option<RegressionData<'r>>,
}

/// What the page shows of a summary.
#[derive(Serialize)]
struct SummaryData<'r> {
    outcomes: &'r BTreeMap<String, usize>,
    measures: BTreeMap<&'r str, ScoreData>,
}

#[derive(Serialize)]
struct ScoreData {
    n: usize,
    /// Over all questions.
    #[serde(flatten)]
    all: IntervalData,
    /// Over the questions that were answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<IntervalData>,
}

#[derive(Serialize)]
struct IntervalData {
    mean: f64,
    low: f64,
    high: f64,
}

/// What the page shows of a degradation.
#[derive(Serialize)]
struct SensitivityData<'r> {
    degradation: &'static str,
    share: f64,
    scores: &'r [(String, f64)],
}

/// What the page shows of a regression.
#[derive(Serialize)]
struct RegressionData<'r> {
    measure: &'r str,
    coefficients: &'r [Coefficient],
}

#[derive(Serialize)]
struct ShapeData<'r> {
    name: &'r str,
    title: &'r str,
    /// The number of its symbol, and the size of the picture.
    symbol: usize,
    size: [i64; 2],
}

/// A question with its results. Names are short: there are thousands.
#[derive(Serialize)]
struct QuestionData<'r> {
    /// Its id.
    i: &'r str,
    /// Its text.
    q: &'r str,
    /// The shape of gold.
    s: &'r str,
    /// The values of facets.
    f: &'r NamedValues<Vec<String>>,
    /// The gold form.
    g: Option<&'r str>,
    /// The gold graph.
    #[serde(rename = "G")]
    graph: Option<GraphPlan>,
    /// The first gold answers.
    a: Vec<Cow<'r, str>>,
    /// The number of gold answers.
    n: usize,
    /// The result of each run.
    r: Vec<Option<ResultData<'r>>>,
}

#[derive(Serialize)]
struct ResultData<'r> {
    /// The outcome.
    o: &'r str,
    /// The measures.
    m: Vec<Option<f64>>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<&'r str>,
    /// The predicted form and its graph, unless it is the gold form.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<&'r str>,
    #[serde(rename = "P", skip_serializing_if = "Option::is_none")]
    graph: Option<GraphPlan>,
    /// Whether it is the gold form.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    same: bool,
    /// The first predicted answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<&'r [String]>,
    /// The trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<String>,
    /// The predicted shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'r str>,
}

/// The pictures of all shapes in a report.
pub(crate) fn shape_pictures(report: &Report) -> ShapePictures {
    let mut pictures = ShapePictures::default();
    for row in report.runs.iter().flat_map(|run| &run.grades) {
        let predicted = row.predicted_shape.as_deref().zip(row.predicted_graph.as_ref());
        let gold = row.graph.as_ref().map(|graph| (row.shape.as_str(), graph));
        for (shape, graph) in gold.into_iter().chain(predicted) {
            pictures.add(shape, || QueryGraph::from(graph));
        }
    }
    pictures
}

impl<'r> PageData<'r> {
    pub(crate) fn of(report: &'r Report, pictures: &'r ShapePictures) -> PageData<'r> {
        let measures = measure_names(report);
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut questions: Vec<(&GradeRow, Vec<Option<&GradeRow>>)> = Vec::new();
        for (number, run) in report.runs.iter().enumerate() {
            for row in &run.grades {
                let at = *places.entry(&row.id).or_insert_with(|| {
                    questions.push((row, vec![None; report.runs.len()]));
                    questions.len() - 1
                });
                questions[at].1[number] = Some(row);
            }
        }
        let runs = report.runs.iter().map(|run| RunData {
            name: &run.name,
            summary: SummaryData::of(&run.summary),
            sensitivity: run.sensitivity.as_ref().map(|rows| rows.iter().map(SensitivityData::of).collect()),
            regression: run.regression.as_ref().map(RegressionData::of),
        });
        let shapes = pictures.iter().enumerate().map(|(symbol, (key, name, size))| {
            (key, ShapeData { name: &name.short, title: &name.long, symbol, size })
        });
        PageData {
            benchmark: report.runs.first().map_or("", |run| &run.summary.about.benchmark),
            runs: runs.collect(),
            shapes: shapes.collect(),
            questions: questions.iter().map(|(gold, rows)| QuestionData::of(gold, rows, &measures)).collect(),
            measures,
        }
    }
}

impl SummaryData<'_> {
    fn of(summary: &Summary) -> SummaryData<'_> {
        let measures = summary.measures.iter().map(|(name, score)| (name.as_str(), ScoreData::of(score)));
        SummaryData { outcomes: &summary.outcomes, measures: measures.collect() }
    }
}

impl ScoreData {
    fn of(score: &Score) -> ScoreData {
        ScoreData {
            n: score.all.n,
            all: IntervalData::of(&score.all),
            answered: score.answered.as_ref().map(IntervalData::of),
        }
    }
}

impl IntervalData {
    fn of(estimate: &Estimate) -> IntervalData {
        IntervalData { mean: estimate.mean, low: estimate.low, high: estimate.high }
    }
}

impl SensitivityData<'_> {
    fn of(row: &SensitivityRow) -> SensitivityData<'_> {
        SensitivityData { degradation: row.degradation.name(), share: row.share, scores: &row.scores }
    }
}

impl RegressionData<'_> {
    fn of(regression: &Regression) -> RegressionData<'_> {
        RegressionData { measure: &regression.measure, coefficients: &regression.coefficients }
    }
}

/// The names of the measures, those of the first rows first.
fn measure_names(report: &Report) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in report.runs.iter().flat_map(|run| run.grades.iter().take(1000)) {
        let own: BTreeSet<&str> = row.measures.iter().map(|(name, _)| name).collect();
        let new = own.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>();
        names.extend(new);
    }
    names
}

/// The graph of a form that is not the gold form.
fn other_graph(row: &GradeRow) -> Option<&Graph> {
    let is_other = row.predicted.is_some() && row.predicted != row.gold;
    row.predicted_graph.as_ref().filter(|_| is_other)
}

impl<'r> QuestionData<'r> {
    fn of(gold: &'r GradeRow, rows: &[Option<&'r GradeRow>], measures: &[&str]) -> QuestionData<'r> {
        let graph = gold.graph.as_ref().map(QueryGraph::from);
        let other = rows.iter().flatten().find_map(|row| other_graph(row)).map(QueryGraph::from);
        QuestionData {
            i: &gold.id,
            q: &gold.question,
            s: &gold.shape,
            f: &gold.facets,
            g: gold.gold.as_deref(),
            a: gold.gold_answers.iter().take(MAX_ANSWERS).map(Answer::text).collect(),
            n: gold.gold_answers.len(),
            r: rows.iter().map(|row| Some(ResultData::of((*row)?, graph.as_ref(), measures))).collect(),
            graph: graph.map(|graph| GraphPlan::of(&graph, other.as_ref())),
        }
    }
}

impl<'r> ResultData<'r> {
    fn of(row: &'r GradeRow, gold: Option<&QueryGraph>, measures: &[&str]) -> ResultData<'r> {
        // Four digits are enough to look at, and make the file half as long.
        let rounded = |value: &f64| (value * 1e4).round() / 1e4;
        let is_gold = row.predicted.is_some() && row.predicted == row.gold;
        let trace = row.trace.as_ref().map(|trace| serde_json::to_string_pretty(trace).unwrap_or_default());
        ResultData {
            o: row.outcome.word(),
            m: measures.iter().map(|name| row.measures.get(name).map(rounded)).collect(),
            c: row.cause.as_deref(),
            p: row.predicted.as_deref().filter(|_| !is_gold),
            graph: other_graph(row).map(|graph| GraphPlan::of(&QueryGraph::from(graph), gold)),
            same: is_gold,
            a: (row.outcome == PredictionOutcome::Answered)
                .then(|| &row.answers[..row.answers.len().min(MAX_ANSWERS)]),
            t: trace.map(|trace| trace.chars().take(MAX_TRACE).collect()),
            s: row.predicted_shape.as_deref(),
        }
    }
}
