//! The risk-coverage curves of runs whose predictions state a confidence.

use super::findings::Findings;
use super::measures::{label, three};
use super::model::{Report, ReportRun};
use super::scores::colour;
use crate::line_chart::{ChartLine, LineChart, chart_key, line_chart};
use maud::{Markup, html};
use touchstone_benchmark::PredictionOutcome;
use touchstone_grade::{RiskCoverage, RiskPoint};
use touchstone_kb::counts::{counted, grouped};

/// With fewer answers a share says nothing.
const MIN_ANSWERS: f64 = 10.0;

/// Maximum number of points of a line.
const MAX_POINTS: usize = 200;

/// Shares of questions that the table shows.
const SHARES: [f64; 6] = [0.1, 0.25, 0.5, 0.75, 0.9, 1.0];

/// The curve of a run: an answer is right if its main measure is 1.
fn curve(run: &ReportRun, main: &str) -> Option<RiskCoverage> {
    let questions = run.grades.iter().map(|row| {
        let confidence = row.confidence.filter(|_| row.outcome == PredictionOutcome::Answered);
        (confidence, row.measures.get(main).is_some_and(|value| *value >= 1.0))
    });
    RiskCoverage::of(&questions.collect::<Vec<_>>())
}

/// How often each system is right if it answers only the questions that it is surest of; nothing if no prediction states a confidence.
pub(crate) fn coverage(report: &Report, findings: &Findings) -> Markup {
    let curves: Vec<(usize, RiskCoverage)> = report
        .runs
        .iter()
        .enumerate()
        .filter_map(|(at, run)| Some((at, curve(run, &findings.main)?)))
        .collect();
    let lines = curves.iter().map(|(run, curve)| ChartLine {
        name: report.runs[*run].name.clone(),
        colour: *run,
        is_published: false,
        points: points(curve),
    });
    let chart = LineChart {
        title: "Right among the answered".to_owned(),
        x: "share of questions answered, the surest first".to_owned(),
        y: "share right".to_owned(),
        lines: lines.collect(),
    };
    html! {
        @if !curves.is_empty() {
            section #confidence {
                h2 { "Confidence" }
                p.soft {
                    "If a system answers only the questions that it is surest of, how many of its answers are right? Right means "
                    (label(&findings.main)) " 1; shares of fewer than 10 answers are left out."
                }
                div.coverage {
                    div.charts { (line_chart(&chart)) @if curves.len() > 1 { (chart_key(std::slice::from_ref(&chart))) } }
                    div { @for (run, curve) in &curves { (in_words(&report.runs[*run], *run, curve)) } (table(report, &curves)) }
                }
            }
        }
    }
}

/// The points to draw.
fn points(curve: &RiskCoverage) -> Vec<(f64, f64)> {
    let n = crate::cast::float(curve.n as u64);
    let enough: Vec<&RiskPoint> =
        curve.points.iter().filter(|point| point.answered * n >= MIN_ANSWERS).collect();
    let step = enough.len().div_ceil(MAX_POINTS).max(1);
    let last = enough.len().saturating_sub(1);
    let kept = enough.iter().enumerate().filter(|(at, _)| at % step == 0 || *at == last);
    kept.map(|(_, point)| (point.answered, point.right)).collect()
}

fn in_words(run: &ReportRun, number: usize, curve: &RiskCoverage) -> Markup {
    let all = curve.points.last().map_or(0.0, |point| point.right);
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    html! {
        p.(colour(number)) {
            span.swatch aria-hidden="true" {} b { (run.name) } " states a confidence for " (grouped(curve.with_confidence)) " of "
            (counted(curve.n, "question", "questions")) ". Area under the risk-coverage curve: " b { (three(curve.area)) }
            " (" (three(1.0 - all)) " if the confidence said nothing; less is better)."
            @if let Some(point) = curve.answered_at(0.9) { " At least 90 % are right up to " (percent(point.answered)) " answered." }
            @else { " At no threshold are 90 % right." }
        }
    }
}

fn table(report: &Report, curves: &[(usize, RiskCoverage)]) -> Markup {
    let at = |curve: &RiskCoverage, share: f64| {
        curve.points.iter().find(|point| point.answered >= share - 1e-9).copied()
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Share right by share answered" {
            table {
                thead { tr { th scope="col" { "answered" } @for (run, _) in curves { th.n scope="col" { (report.runs[*run].name) } } } }
                tbody { @for share in SHARES {
                    tr {
                        th scope="row" { (format!("{:.0} %", share * 100.0)) }
                        @for (_, curve) in curves { td.n { (at(curve, share).map_or_else(|| "–".to_owned(), |point| three(point.right))) } }
                    }
                } }
            }
        }
    }
}
