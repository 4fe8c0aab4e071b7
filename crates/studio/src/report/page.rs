//! The page of the report: what stands on it as it is, and places for what its script shows on request.

use super::coverage::coverage;
use super::data::{Analysis, PageData, shape_pictures};
use super::facets::facet_tables;
use super::findings::{Findings, RowIndex};
use super::measures::groups;
use super::model::Report;
use super::opening::{facts, failures, systems, verdict};
use super::questions::{QuestionDetail, questions};
use super::scores::{extras, glossary, outcomes, scores};
use crate::page::{heading, page, script_data, script_lines};
use maud::{Markup, PreEscaped, html};

const STYLE: &str = include_str!("report.css");
const SCRIPTS: [&str; 3] =
    [include_str!("report.js"), include_str!("breakdowns.js"), include_str!("questions.js")];

/// The report of graded runs as one HTML page that needs nothing else.
pub fn report_page(report: &Report) -> Result<String, serde_json::Error> {
    let completed;
    let report = if report.runs.iter().all(super::model::ReportRun::is_complete) {
        report
    } else {
        completed = report.clone().completed();
        &completed
    };
    let pictures = shape_pictures(report);
    let index = RowIndex::of(report);
    let findings = Findings::of(report, &index);
    let groups = groups(report);
    let facets = facet_tables(report, &index, &findings);
    let questions = questions(report);
    let analysis = Analysis {
        findings: &findings,
        groups: &groups,
        facets: &facets,
        questions: &questions,
        pictures: &pictures,
    };
    let data = script_data(&PageData::of(report, &analysis))?;
    let measures = analysis.measures();
    let details = questions.iter().map(|question| QuestionDetail::of(question, &measures, &report.names));
    let details = script_lines("details", details)?;
    let body = html! {
        (pictures.symbols())
        a.skip href="#overview" { "Skip to the report" }
        header {
            (heading("Touchstone report", &report.title))
            (facts(report))
            (navigation(report))
        }
        main {
            div #overview tabindex="-1" {
                section #opening aria-label="Result" {
                    (verdict(report, &findings))
                    (systems(report, &findings))
                }
                (failures(report, &findings, &facets, &pictures))
                (scores(report, &index, &findings, &groups))
                (outcomes(report))
                (coverage(report, &findings))
                (breakdowns(report))
                @for run in &report.runs { (extras(run)) }
                (list(report))
                (glossary(&groups))
            }
            article #question hidden tabindex="-1" {}
        }
        noscript { p.small { "Breakdowns and questions are shown by a script that is part of this page; it loads nothing over the network." } }
        (data)
        (details)
        script { (PreEscaped(SCRIPTS.concat())) }
    };
    Ok(page(&report.title, STYLE, &body))
}

fn navigation(report: &Report) -> Markup {
    let has_confidence = report.runs.iter().any(|run| run.grades.iter().any(|row| row.confidence.is_some()));
    html! {
        nav.sections aria-label="Parts of the report" {
            ul {
                li { a href="#opening" { "Result" } }
                li { a href="#failures" { "Failures" } }
                li { a href="#scores" { "Scores" } }
                li { a href="#outcomes" { "Outcomes" } }
                @if has_confidence { li { a href="#confidence" { "Confidence" } } }
                li { a href="#breakdown" { "Breakdowns" } }
                li { a href="#questions" { "Questions" } }
                li { a href="#measures" { "Measures" } }
            }
        }
    }
}

/// Places for tables by facet, the heat map and the confusion matrix.
fn breakdowns(report: &Report) -> Markup {
    let several = report.runs.len() > 1;
    html! {
        section #breakdown {
            h2 { "Breakdowns" }
            div.controls {
                label { span { "Measure" } select #measure {} }
                label { span { "Questions by" } select #facet {} }
            }
            p.soft #facet-note {}
            div.scroll #facet-body tabindex="0" role="region" aria-label="Scores by facet" {}
        }
        section #heat-map {
            h2 { "Shape and function" }
            div.controls {
                label { span { "Measure" } select #heat-measure {} }
                label hidden[!several] { span { "Run" } select #heat-run {} }
            }
            p.soft #heat-note {}
            div.scroll #heat-body tabindex="0" role="region" aria-label="Scores by shape and function" {}
        }
        section #confusion {
            h2 { "Gold and predicted shape" }
            div.controls hidden[!several] { label { span { "Run" } select #confusion-run {} } }
            p.soft #confusion-note {}
            div.scroll #confusion-body tabindex="0" role="region" aria-label="Gold and predicted shapes" {}
        }
    }
}

/// The place for the list of questions.
fn list(report: &Report) -> Markup {
    let several = report.runs.len() > 1;
    html! {
        section #questions {
            h2 { "Questions" }
            form.controls #filters role="search" aria-label="Questions" {
                label.wide { span { "Search" } input #search type="search" placeholder="words, names, ids, parts of forms" autocomplete="off"; }
                label hidden[!several] { span { "Run" } select #run {} }
                label { span { "Result" } select #result {} }
                label { span { "Outcome" } select #outcome {} }
                span #facet-filters {}
                button #show-all type="reset" { "Show all" }
            }
            p #found.soft aria-live="polite" {}
            ol #list {}
            p { button #more type="button" hidden { "Show more" } }
        }
    }
}
