//! The data of a report for its script.

use super::facets::{FacetTable, HeatMap};
use super::findings::Findings;
use super::measures::{MeasureGroup, label};
use super::model::{Report, ReportRun};
use super::questions::{ListedQuestion, ReportQuestion, rounded};
use crate::drawing::ShapePictures;
use serde::Serialize;
use std::collections::BTreeMap;
use touchstone_grade::PairedTest;
use touchstone_grade::statistics::Estimate;
use touchstone_logic::QueryGraph;

/// The data of the page.
#[derive(Serialize)]
pub(crate) struct PageData<'r> {
    runs: Vec<RunData<'r>>,
    /// The measure that the report is about.
    main: &'r str,
    /// The number of the run that others are compared with, and of the one that is shown first.
    reference: usize,
    focus: usize,
    /// Every measure and its name for people, in the order of `m` of a result.
    measures: Vec<(&'r str, String)>,
    /// The measures of breakdowns, as indexes.
    by: Vec<usize>,
    /// The names and the picture of each shape.
    shapes: BTreeMap<&'r str, ShapeData<'r>>,
    facets: Vec<FacetData<'r>>,
    heat: Vec<HeatData<'r>>,
    questions: Vec<ListedQuestion<'r>>,
}

#[derive(Serialize)]
struct RunData<'r> {
    name: &'r str,
    /// Number of questions by gold shape and predicted shape.
    confusion: &'r BTreeMap<String, BTreeMap<String, usize>>,
}

#[derive(Serialize)]
struct ShapeData<'r> {
    name: &'r str,
    title: &'r str,
    /// The number of its symbol, and the size of the picture.
    symbol: usize,
    size: [i64; 2],
}

/// A score: number of questions, mean, interval.
type ScoreData = (usize, f64, f64, f64);

/// A test: difference, interval, corrected p-value.
type TestData = (f64, f64, f64, f64);

#[derive(Serialize)]
struct FacetData<'r> {
    name: &'r str,
    values: Vec<FacetValueData<'r>>,
}

#[derive(Serialize)]
struct FacetValueData<'r> {
    /// The value.
    v: &'r str,
    n: usize,
    /// By measure and run.
    s: Vec<Vec<Option<ScoreData>>>,
    /// By measure and run.
    t: Vec<Vec<Option<TestData>>>,
}

#[derive(Serialize)]
struct HeatData<'r> {
    functions: Vec<&'r str>,
    shapes: Vec<&'r str>,
    /// By shape, function and measure.
    cells: Vec<Vec<Vec<Option<ScoreData>>>>,
}

/// Everything that the data is made of.
pub(crate) struct Analysis<'r> {
    pub(crate) findings: &'r Findings,
    pub(crate) groups: &'r [MeasureGroup],
    pub(crate) facets: &'r [FacetTable<'r>],
    pub(crate) questions: &'r [ReportQuestion<'r>],
    pub(crate) pictures: &'r ShapePictures,
}

impl Analysis<'_> {
    /// The measures in the order in which results list them.
    pub(crate) fn measures(&self) -> Vec<&str> {
        self.groups.iter().flat_map(|group| &group.measures).map(|measure| measure.key.as_str()).collect()
    }
}

fn score_data(score: &Option<Estimate>) -> Option<ScoreData> {
    let Estimate { n, mean, low, high } = (*score)?;
    Some((n, rounded(&mean), rounded(&low), rounded(&high)))
}

fn test_data(test: &Option<PairedTest>) -> Option<TestData> {
    let test = test.as_ref()?;
    let c = &test.comparison;
    Some((rounded(&c.difference), rounded(&c.low), rounded(&c.high), rounded(&test.p_corrected)))
}

impl<'r> PageData<'r> {
    pub(crate) fn of(report: &'r Report, analysis: &'r Analysis<'r>) -> PageData<'r> {
        let Analysis { findings, facets, questions, pictures, .. } = analysis;
        let measures = analysis.measures();
        let by_facet = super::facets::facet_measures(report, &findings.main);
        let shapes = pictures.iter().enumerate().map(|(symbol, (key, name, size))| {
            (key, ShapeData { name: &name.short, title: &name.long, symbol, size })
        });
        PageData {
            runs: report.runs.iter().map(RunData::of).collect(),
            main: &findings.main,
            reference: findings.reference,
            focus: findings.focus,
            by: by_facet.iter().filter_map(|by| measures.iter().position(|known| known == by)).collect(),
            shapes: shapes.collect(),
            facets: facets.iter().map(FacetData::of).collect(),
            heat: report.runs.iter().map(|run| HeatData::of(&HeatMap::of(run, &by_facet))).collect(),
            questions: questions
                .iter()
                .map(|question| ListedQuestion::of(question, &findings.main))
                .collect(),
            measures: measures.into_iter().map(|key| (key, label(key))).collect(),
        }
    }
}

impl RunData<'_> {
    fn of(run: &ReportRun) -> RunData<'_> {
        RunData { name: &run.name, confusion: &run.summary.shapes }
    }
}

impl<'r> FacetData<'r> {
    fn of(table: &'r FacetTable<'_>) -> FacetData<'r> {
        let values = table.values.iter().map(|value| FacetValueData {
            v: value.name,
            n: value.n,
            s: value.scores.iter().map(|runs| runs.iter().map(score_data).collect()).collect(),
            t: value.tests.iter().map(|runs| runs.iter().map(test_data).collect()).collect(),
        });
        FacetData { name: table.name, values: values.collect() }
    }
}

impl<'r> HeatData<'r> {
    fn of(map: &HeatMap<'r>) -> HeatData<'r> {
        let cell = |cell: &Vec<Option<Estimate>>| cell.iter().map(score_data).collect();
        let cells = map.cells.iter().map(|row| row.iter().map(cell).collect());
        HeatData { functions: map.functions.clone(), shapes: map.shapes.clone(), cells: cells.collect() }
    }
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
