//! The learning curves of an experiment as plain numbers: scores by the share of the training data, losses by step.

use super::rows::{CellRow, Row};
use super::spec::{Experiment, TableKind};
use crate::cast;
use serde::Serialize;

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// Its lines.
    pub lines: Vec<ChartSeries>,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChartSeries {
    /// What it shows.
    pub name: String,
    /// The number of its colour: lines about the same system have the same one.
    pub colour: usize,
    /// Whether it shows published figures.
    pub is_published: bool,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// All charts of an experiment: first the scores of its tables, then losses and development scores.
pub fn charts(experiment: &Experiment, rows: &[Row]) -> Vec<Chart> {
    let cells: Vec<&CellRow> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Cell(row) => Some(&**row),
            Row::Study(_) => None,
        })
        .collect();
    let mut charts = score_charts(experiment, &cells);
    for benchmark in &experiment.benchmarks {
        let of_benchmark: Vec<&CellRow> =
            cells.iter().copied().filter(|row| row.benchmark == benchmark.name).collect();
        let most = of_benchmark.iter().map(|row| row.fraction).fold(0.0, f64::max);
        let whole: Vec<&CellRow> = of_benchmark.into_iter().filter(|row| row.fraction == most).collect();
        let of =
            |row: &CellRow| row.curve.iter().map(|point| (cast::float_of(point.step), point.loss)).collect();
        charts.push(step_chart(experiment, &whole, &format!("Loss, {}", benchmark.shown()), "loss", &of));
        let of = |row: &CellRow| {
            row.evaluations
                .iter()
                .map(|evaluation| (cast::float_of(evaluation.step), evaluation.score))
                .collect()
        };
        let title = format!("Development score, {}", benchmark.shown());
        charts.push(step_chart(experiment, &whole, &title, "development score", &of));
    }
    charts.retain(|chart| chart.lines.iter().any(|line| !line.points.is_empty()));
    charts
}

/// One chart for each measure of each table of scores.
fn score_charts(experiment: &Experiment, cells: &[&CellRow]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for table in experiment.tables.iter().filter(|table| table.kind == TableKind::Scores) {
        for (at, measure) in table.measures.iter().enumerate() {
            let mut lines = Vec::new();
            for (colour, system) in experiment.systems.iter().enumerate() {
                let own =
                    cells.iter().filter(|row| row.system == system.name && row.benchmark == table.benchmark);
                let points = own.filter_map(|row| Some((row.fraction, *row.scores.get(measure)?)));
                let published = table.published.iter().filter(|row| row.row == system.name);
                let published = published.filter_map(|row| Some((row.fraction?, *row.values.get(at)?)));
                let name = system.shown().to_owned();
                lines.push(line(name.clone(), colour, false, points.collect()));
                lines.push(line(name, colour, true, published.collect()));
            }
            let y = table.headings.get(at).unwrap_or(measure).clone();
            charts.push(Chart { title: y.clone(), x: "share of the training data".to_owned(), y, lines });
        }
    }
    charts
}

/// A line whose points are means of those at the same place.
fn line(name: String, colour: usize, is_published: bool, mut points: Vec<(f64, f64)>) -> ChartSeries {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let means = points.chunk_by(|a, b| a.0 == b.0).map(|chunk| {
        let sum: f64 = chunk.iter().map(|(_, y)| y).sum();
        (chunk[0].0, sum / cast::float(chunk.len()))
    });
    ChartSeries { name, colour, is_published, points: means.collect() }
}

fn step_chart(
    experiment: &Experiment,
    cells: &[&CellRow],
    title: &str,
    y: &str,
    points: &dyn Fn(&CellRow) -> Vec<(f64, f64)>,
) -> Chart {
    let systems = experiment.systems.iter().enumerate();
    let lines = systems.flat_map(|(colour, system)| {
        let own = cells.iter().filter(move |row| row.system == system.name);
        own.map(move |row| line(system.shown().to_owned(), colour, false, points(row)))
    });
    Chart { title: title.to_owned(), x: "step".to_owned(), y: y.to_owned(), lines: lines.collect() }
}
