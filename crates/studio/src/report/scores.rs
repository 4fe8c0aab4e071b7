//! The tables of a report that stand on the page as they are: scores, outcomes, cost, sensitivity, regression, and what measures mean.

use super::findings::{Findings, RowIndex, tests_against};
use super::measures::{MeasureGroup, ShownMeasure, label, probability, three};
use super::model::{Report, ReportRun};
use maud::{Markup, html};
use touchstone_benchmark::PredictionOutcome;
use touchstone_grade::PairedTest;
use touchstone_grade::regression::Regression;
use touchstone_grade::sensitivity::SensitivityRow;
use touchstone_grade::statistics::Estimate;
use touchstone_grade::summary::Score;
use touchstone_grade::table::quantity;
use touchstone_kb::counts::{counted, grouped, percent};

/// Number of colours of systems.
const COLOURS: usize = 8;

/// The class with the colour of a run.
pub(crate) fn colour(run: usize) -> String {
    format!("line-{}", run % COLOURS)
}

/// A mean and its interval on the line from 0 to 1; nothing for measures beyond it.
pub(crate) fn interval_bar(score: &Estimate) -> Markup {
    let at = |value: f64| format!("{:.1}%", value.clamp(0.0, 1.0) * 100.0);
    let width = |from: f64, to: f64| at((to.clamp(0.0, 1.0) - from.clamp(0.0, 1.0)).max(0.004));
    let is_share = (0.0..=1.0).contains(&score.mean) && score.low.is_finite() && score.high.is_finite();
    html! {
        @if is_share {
            svg.interval role="img" aria-label={ (three(score.low)) " to " (three(score.high)) } {
                rect.track x="0" y="5" width="100%" height="2" {}
                rect.range x=(at(score.low)) y="2" width=(width(score.low, score.high)) height="8" rx="2" {}
                rect.mean x=(at(score.mean)) y="0" width="3" height="12" rx="1" {}
            }
        }
    }
}

/// The outcomes of a run as one bar.
pub(crate) fn stacked_outcomes(run: &ReportRun) -> Markup {
    let total: usize = run.summary.outcomes.values().sum();
    let counts = PredictionOutcome::ALL
        .map(|outcome| (outcome.word(), run.summary.outcomes.get(outcome.word()).copied().unwrap_or(0)));
    let counts: Vec<(&str, usize)> = counts.into_iter().filter(|(_, n)| *n > 0).collect();
    let text: Vec<String> =
        counts.iter().map(|(word, n)| format!("{} {}", grouped(*n), word.replace('_', " "))).collect();
    let share = |n: usize| 100.0 * crate::cast::float(n as u64) / crate::cast::float(total.max(1) as u64);
    let before = |at: usize| share(counts[..at].iter().map(|(_, n)| n).sum());
    html! {
        svg.stack role="img" aria-label=(text.join(", ")) {
            @for (at, (word, n)) in counts.iter().enumerate() {
                rect.{ "outcome-" (word) } x=(format!("{:.2}%", before(at))) width=(format!("{:.2}%", share(*n))) height="100%" {
                    title { (text[at]) }
                }
            }
        }
    }
}

/// How many questions ended how, for all runs.
pub(crate) fn outcomes(report: &Report) -> Markup {
    let occurs = |outcome: &PredictionOutcome| {
        report.runs.iter().any(|run| run.summary.outcomes.get(outcome.word()).is_some_and(|n| *n > 0))
    };
    let shown: Vec<PredictionOutcome> = PredictionOutcome::ALL.into_iter().filter(occurs).collect();
    html! {
        section #outcomes {
            h2 { "Outcomes" }
            p.soft { "Every question has exactly one outcome. What is not answered scores 0." }
            div.scroll tabindex="0" role="region" aria-label="Outcomes" {
                table.outcomes {
                    thead { tr {
                        th scope="col" { "run" }
                        @for outcome in &shown { th.n scope="col" { i.{ "key outcome-" (outcome.word()) } {} (outcome.word().replace('_', " ")) } }
                    } }
                    tbody {
                        @for run in &report.runs {
                            @let total: usize = run.summary.outcomes.values().sum();
                            tr {
                                th scope="row" { (run.name) (stacked_outcomes(run)) }
                                @for outcome in &shown {
                                    @let n = run.summary.outcomes.get(outcome.word()).copied().unwrap_or(0);
                                    td.n { @if n > 0 { (grouped(n)) small { (percent(n, total.max(1))) } } @else { span.soft { "0" } } }
                                }
                            }
                        }
                    }
                }
            }
            (cost(report))
        }
    }
}

/// What the predictions cost, as far as it is known.
fn cost(report: &Report) -> Markup {
    let rows: Vec<_> = report
        .runs
        .iter()
        .flat_map(|run| {
            run.summary
                .usage
                .iter()
                .flat_map(move |usage| usage.rows().map(move |row| (run, row)).collect::<Vec<_>>())
        })
        .collect();
    html! {
        @if !rows.is_empty() {
            details.more {
                summary { "Time and cost" }
                div.scroll tabindex="0" role="region" aria-label="Time and cost" {
                    table {
                        thead { tr {
                            th scope="col" { "run" } th scope="col" { "for each question" }
                            @for heading in ["mean", "median", "95th percentile", "total", "n"] { th.n scope="col" { (heading) } }
                        } }
                        tbody { @for (run, (name, spread)) in &rows {
                            tr {
                                th scope="row" { (run.name) } td { (name) }
                                @for value in [spread.mean, spread.median, spread.p95, spread.total] { td.n { (quantity(value)) } }
                                td.n { (grouped(spread.n)) }
                            }
                        } }
                    }
                }
            }
        }
    }
}

/// The scores of all runs in all measures, in groups; measures that are rarely needed are folded away.
pub(crate) fn scores(
    report: &Report,
    index: &RowIndex<'_>,
    findings: &Findings,
    groups: &[MeasureGroup],
) -> Markup {
    let measures: Vec<&ShownMeasure> = groups.iter().flat_map(|group| &group.measures).collect();
    let cells: Vec<(&str, &[&str])> =
        measures.iter().map(|measure| (measure.key.as_str(), &index.common[..])).collect();
    let tests = tests_against(index, &findings.compared, &cells);
    let n_tests = tests.iter().flatten().flatten().count();
    let tests: Vec<(&ShownMeasure, Vec<Option<PairedTest>>)> = measures.into_iter().zip(tests).collect();
    let folded: Vec<&(&ShownMeasure, Vec<Option<PairedTest>>)> =
        tests.iter().filter(|(measure, _)| !measure.is_usual).collect();
    let of_group = |group: &MeasureGroup| -> Vec<&(&ShownMeasure, Vec<Option<PairedTest>>)> {
        tests.iter().filter(|(measure, _)| measure.is_usual && group.measures.contains(measure)).collect()
    };
    let head = || {
        html! {
            thead { tr {
                th scope="col" { "measure" }
                @for (at, run) in report.runs.iter().enumerate() { th.(colour(at)) scope="col" { span.swatch aria-hidden="true" {} (run.name) } }
            } }
        }
    };
    html! {
        section #scores {
            h2 { "Scores" }
            p.soft {
                "Means over all questions with 95 % intervals; a measure leads to its definition."
                @if n_tests > 0 {
                    " Differences are from " (report.runs[findings.reference].name) "; " span.chip.bad { "−" } " and " span.chip.good { "+" }
                    " mark those that are significant after correction for the " (n_tests) " comparisons of this table."
                }
            }
            div.scroll tabindex="0" role="region" aria-label="Scores" {
                table.scores {
                    (head())
                    @for group in groups.iter().filter(|group| group.measures.iter().any(|measure| measure.is_usual)) {
                        tbody {
                            tr.group { th scope="rowgroup" colspan=(report.runs.len() + 1) { span { (group.title) } } }
                            @for (measure, tests) in of_group(group) { (score_row(report, measure, tests)) }
                        }
                    }
                }
            }
            @if !folded.is_empty() {
                details.more {
                    summary { (counted(folded.len(), "more measure", "more measures")) }
                    div.scroll tabindex="0" role="region" aria-label="More measures" {
                        table.scores { (head()) tbody { @for (measure, tests) in folded { (score_row(report, measure, tests)) } } }
                    }
                }
            }
        }
    }
}

fn score_row(report: &Report, measure: &ShownMeasure, tests: &[Option<PairedTest>]) -> Markup {
    let scores: Vec<Option<&Score>> =
        report.runs.iter().map(|run| run.summary.measures.get(&measure.key)).collect();
    let most = scores.iter().flatten().map(|score| score.all.n).max().unwrap_or(0);
    html! {
        tr {
            th scope="row" {
                a href={ "#measure-" (measure.key) } title=(measure.formula) { (measure.label) }
                @if measure.label.replace(' ', "_") != measure.key { small { code { (measure.key) } } }
            }
            @for (at, score) in scores.iter().enumerate() {
                td.score.(colour(at)) { @if let Some(score) = score { (score_cell(score, most, tests.get(at).and_then(Option::as_ref))) } }
            }
        }
    }
}

fn score_cell(score: &Score, most: usize, test: Option<&PairedTest>) -> Markup {
    let answered = score.answered.as_ref().filter(|answered| answered.n < score.all.n);
    html! {
        p {
            b { (three(score.all.mean)) }
            @if let Some(test) = test {
                @let difference = test.comparison.difference;
                " "
                span.chip.plain[!test.is_significant()].good[test.is_significant() && difference > 0.0].bad[test.is_significant() && difference < 0.0]
                    title={ (probability(test.p_corrected)) ", 95 % interval " (three(test.comparison.low)) " to " (three(test.comparison.high)) } {
                    (signed(difference))
                }
            }
        }
        (interval_bar(&score.all))
        small {
            (three(score.all.low)) "–" (three(score.all.high))
            @if let Some(answered) = answered { ", if answered " (three(answered.mean)) }
            @if score.all.n < most { ", n " (grouped(score.all.n)) }
        }
    }
}

/// A difference with its sign, as typographers write it.
pub(crate) fn signed(value: f64) -> String {
    format!("{value:+.3}").replace('-', "−")
}

/// What degradations of gold score, and what explains a measure.
pub(crate) fn extras(run: &ReportRun) -> Markup {
    html! {
        @if let Some(rows) = &run.sensitivity { (sensitivity(&run.name, rows)) }
        @if let Some(regression) = &run.regression { (coefficients(&run.name, regression)) }
    }
}

fn sensitivity(name: &str, rows: &[SensitivityRow]) -> Markup {
    let measures: Vec<&str> =
        rows.first().into_iter().flat_map(|row| &row.scores).map(|(name, _)| name.as_str()).collect();
    html! {
        section {
            h2 { "Sensitivity of the measures (" (name) ")" }
            p.soft { "What measures give when a share of the gold queries is damaged in one way." }
            div.scroll tabindex="0" role="region" aria-label="Sensitivity" {
                table {
                    thead { tr {
                        th scope="col" { "measure" }
                        @for row in rows { th.n scope="col" { (row.degradation.name()) " " (format!("{} %", row.share * 100.0)) } }
                    } }
                    tbody { @for (at, measure) in measures.iter().enumerate() {
                        tr { th scope="row" { (label(measure)) } @for row in rows { td.n { (row.scores.get(at).map_or_else(String::new, |score| three(score.1))) } } }
                    } }
                }
            }
        }
    }
}

fn coefficients(name: &str, regression: &Regression) -> Markup {
    let number = |value: f64| if value.is_finite() { format!("{value:.4}") } else { String::new() };
    html! {
        section {
            h2 { "What explains " (label(&regression.measure)) " (" (name) ")" }
            div.scroll tabindex="0" role="region" aria-label="Regression" {
                table {
                    thead { tr { th scope="col" { "property of the question" } @for heading in ["estimate", "standard error", "p", ""] { th.n scope="col" { (heading) } } } }
                    tbody { @for c in &regression.coefficients {
                        tr { th scope="row" { (c.name.replace('_', " ")) } td.n { (number(c.estimate)) } td.n { (number(c.error)) } td.n { (number(c.p)) } td.n { (c.stars) } }
                    } }
                }
            }
        }
    }
}

/// What the measures mean.
pub(crate) fn glossary(groups: &[MeasureGroup]) -> Markup {
    html! {
        section #measures {
            h2 { "What the measures mean" }
            @for group in groups {
                h3 { (group.title) }
                dl.glossary {
                    @for measure in &group.measures {
                        div id={ "measure-" (measure.key) } {
                            dt { (measure.label) " " code { (measure.key) } }
                            dd {
                                @if measure.formula.is_empty() { "A score of an official evaluator, or a product of measures that you defined." } @else { (measure.formula) }
                                @if !measure.odd_cases.is_empty() { br; span.small { (measure.odd_cases) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
