//! The page of the report: its frame is written here, its tables and lists are filled in by the script in it.

use crate::page::{page, script_data};
use crate::report_data::{PageData, Report, shape_pictures};
use maud::{PreEscaped, html};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The report of graded runs as one HTML page that needs nothing else.
pub fn report_page(report: &Report) -> Result<String, serde_json::Error> {
    let pictures = shape_pictures(report);
    let data = script_data(&PageData::of(report, &pictures))?;
    let body = html! {
        (pictures.symbols())
        header { h1 { (report.title) } p #lead {} }
        main #main {
            section #scores { h2 { "Scores" } div.scroll #scores-body {} }
            section #outcomes { h2 { "Outcomes" } div #outcomes-body {} }
            section #breakdown {
                h2 { "By facet" }
                p.controls {
                    label { "Measure " select #measure {} }
                    label { "Facet " select #facet {} }
                    label #run-label { "Run " select #run {} }
                }
                div.scroll #facet-body {}
                h3 { "Shape and function" }
                div.scroll #heat-body {}
                h3 { "Gold and predicted shape" }
                div.scroll #confusion-body {}
            }
            section #extras {}
            section #questions {
                h2 { "Questions" }
                p.controls {
                    input #search type="search" placeholder="Search questions, forms, ids" aria-label="Search";
                    label { "Show " select #filter {} }
                    span #found aria-live="polite" {}
                }
                ol #list {}
                p { button #more type="button" { "Show more" } }
            }
        }
        noscript { p { "This page fills its tables with a script that is part of it; it loads nothing over the network." } }
        (data)
        script { (PreEscaped(SCRIPT)) }
    };
    Ok(page(&report.title, STYLE, &body))
}

#[cfg(test)]
mod tests {
    use super::report_page;
    use crate::report_data::{Report, ReportRun};
    use touchstone_benchmark::{Answer, GradeRow, Graph, GraphEdge, GraphVertex};

    fn html(title: &str, runs: Vec<ReportRun>) -> String {
        report_page(&Report { title: title.to_owned(), runs }).expect("a page")
    }

    fn run(grades: Vec<GradeRow>) -> ReportRun {
        ReportRun { grades, ..ReportRun::default() }
    }

    #[test]
    fn data_cannot_break_out() {
        let grade = GradeRow {
            id: "1".to_owned(),
            question: "</script><script>alert(1)</script>".to_owned(),
            outcome: touchstone_benchmark::PredictionOutcome::Answered,
            ..GradeRow::default()
        };
        let run = ReportRun { name: "<b>".to_owned(), ..run(vec![grade]) };
        let page = html("<i>", vec![run]);
        assert!(!page.contains("<script>alert") && !page.contains("<i>"));
        assert_eq!(page.matches("</script>").count(), 2, "one with data, one with the script");
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing from outside");
    }

    #[test]
    fn right_answers_have_the_text_of_gold() {
        let grade = GradeRow {
            id: "1".to_owned(),
            outcome: touchstone_benchmark::PredictionOutcome::Answered,
            gold_answers: vec![Answer::Boolean { value: true }],
            answers: vec!["yes".to_owned()],
            ..GradeRow::default()
        };
        let page = html("", vec![run(vec![grade])]);
        assert_eq!(page.matches(r#""a":["yes"]"#).count(), 2, "gold and prediction");
    }

    #[test]
    fn runs_stand_side_by_side() {
        let grade = |id: &str, value: f64| GradeRow {
            id: id.to_owned(),
            outcome: touchstone_benchmark::PredictionOutcome::Answered,
            measures: [("f1".to_owned(), value)].into_iter().collect(),
            ..GradeRow::default()
        };
        let page =
            html("", vec![run(vec![grade("a", 1.0), grade("b", 0.0)]), run(vec![grade("b", 0.123456)])]);
        assert!(page.contains("0.1235") && page.contains("\"measures\":[\"f1\"]"));
        assert!(page.contains(r#""r":[{"o":"answered","m":[1.0],"a":[]},null]"#));
    }

    #[test]
    fn each_shape_has_one_picture() {
        let vertex =
            |label: &str, grounded| GraphVertex { label: label.to_owned(), grounded, note: String::new() };
        let graph = Graph {
            root: 0,
            vertices: vec![vertex("", false), vertex("Paris", true)],
            edges: vec![GraphEdge { from: 0, to: 1, label: "capital".to_owned() }],
        };
        let grade = |id: &str| GradeRow {
            id: id.to_owned(),
            shape: "T1:(())".to_owned(),
            graph: Some(graph.clone()),
            ..GradeRow::default()
        };
        let page = html("", vec![run(vec![grade("a"), grade("b")])]);
        assert_eq!(page.matches("<symbol").count(), 1);
        assert!(page.contains(r#""name":"Iso-0","title":"Iso-0 (T1:(())): one hop""#), "{page}");
    }
}
