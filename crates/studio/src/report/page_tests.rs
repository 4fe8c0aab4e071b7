//! What the page says and holds.

use super::model::{Report, ReportRun};
use super::report_page;
use proptest::prelude::*;
use touchstone_benchmark::{
    Answer, GradeRow, Graph, GraphEdge, GraphVertex, PredictionOutcome, RunHeader, RunManifest,
};

fn html(runs: Vec<ReportRun>) -> String {
    report_page(&Report { title: "A title".to_owned(), runs, ..Report::default() }).expect("a page")
}

fn run(name: &str, grades: Vec<GradeRow>) -> ReportRun {
    ReportRun { name: name.to_owned(), grades, ..ReportRun::default() }
}

fn row(id: &str, f1: f64) -> GradeRow {
    GradeRow {
        id: id.to_owned(),
        question: format!("Question {id}?"),
        outcome: PredictionOutcome::Answered,
        measures: [("f1".to_owned(), f1)].into_iter().collect(),
        ..GradeRow::default()
    }
}

/// A run of 60 questions of two levels with the scores that a function gives them.
fn scored(name: &str, f1: impl Fn(usize) -> f64) -> ReportRun {
    let facets = |i: usize| {
        let level = if i.is_multiple_of(3) { "zero-shot" } else { "i.i.d." };
        [("level".to_owned(), vec![level.to_owned()])].into_iter().collect()
    };
    run(name, (0..60).map(|i| GradeRow { facets: facets(i), ..row(&format!("q{i:02}"), f1(i)) }).collect())
}

fn manifest(system: &str) -> RunManifest {
    let header = RunHeader { trained_on: Some("the training split".to_owned()), ..RunHeader::new(system) };
    RunManifest {
        header,
        arguments: Vec::new(),
        directory: String::new(),
        started: "2026-11-19T20:00:00Z".to_owned(),
        ended: None,
    }
}

/// The text of the page without its data and scripts, with single spaces.
fn text(page: &str) -> String {
    let body = page.split("<script").next().unwrap_or_default();
    let body = body.split("<body>").nth(1).unwrap_or_default();
    let mut text = String::new();
    for part in body.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_better_system_comes_first() {
    let page =
        html(vec![scored("weak", |i| f64::from(i % 4 == 0)), scored("strong", |i| f64::from(i % 4 != 0))]);
    let text = text(&page);
    assert!(text.contains("strong is better than weak: F1 0.750 against 0.250."), "{text}");
    assert!(text.contains("The difference is 0.500 (95 % interval 0."), "{text}");
    assert!(text.contains("): significant."), "{text}");
}

#[test]
fn a_difference_that_may_be_chance_is_no_verdict() {
    let page = html(vec![
        scored("one", |i| f64::from(i % 2 == 1)),
        scored("two", |i| if i == 7 { 0.5 } else { f64::from(i % 2 == 1) }),
    ]);
    let text = text(&page);
    assert!(text.contains("one and two cannot be told apart: F1 0.500 and 0.492."), "{text}");
    assert!(text.contains("not significant"), "{text}");
    let page = html(vec![scored("one", |_| 1.0), scored("two", |_| 1.0)]);
    assert!(self::text(&page).contains("are equally good: F1 1.000."));
}

#[test]
fn nobody_is_compared_with_an_oracle() {
    let oracle = ReportRun { manifest: Some(manifest("oracle")), ..scored("oracle", |_| 1.0) };
    let mine = ReportRun { manifest: Some(manifest("http:")), ..scored("mine", |i| f64::from(i % 3 != 0)) };
    let three = html(vec![oracle.clone(), mine.clone(), scored("bad", |_| 0.0)]);
    assert!(self::text(&three).contains("mine is better than bad") && !three.contains("corrected for 2"));
    let page = html(vec![oracle, mine]);
    let text = text(&page);
    assert!(text.contains("mine reaches F1 0.667."), "{text}");
    assert!(
        text.contains("Where mine fails") && text.contains("zero-shot: F1 0.000 on 20 questions"),
        "{text}"
    );
    assert!(text.contains("repeats gold") && !text.contains("Where oracle fails"), "{text}");
    assert!(text.contains("Training: the training split") && text.contains("2026-11-19"), "{text}");
    assert!(page.contains(r#""reference":1,"focus":1"#));
}

#[test]
fn confidence_has_a_curve() {
    let confident = |name: &str| {
        let run = scored(name, |i| f64::from(i < 30));
        let grades = run.grades.into_iter().enumerate();
        let grades =
            grades.map(|(i, row)| GradeRow { confidence: Some(if i < 30 { 0.9 } else { 0.2 }), ..row });
        ReportRun { grades: grades.collect(), ..ReportRun::default() }
    };
    let text = text(&html(vec![confident("mine")]));
    assert!(
        text.contains(
            "states a confidence for 60 of 60 questions. Area under the risk-coverage curve: 0.250"
        ),
        "{text}"
    );
    assert!(text.contains("At least 90 % are right up to 50 % answered."), "{text}");
    assert!(!self::text(&html(vec![scored("mine", |_| 1.0)])).contains("Confidence"));
}

#[test]
fn a_page_without_runs_or_measures() {
    assert!(text(&html(Vec::new())).contains("There are no runs."));
    let page = html(vec![run("empty", vec![GradeRow { id: "a".to_owned(), ..GradeRow::default() }])]);
    assert!(text(&page).contains("No measure was computed for all runs."));
}

#[test]
fn right_answers_have_the_text_of_gold() {
    let grade = GradeRow {
        gold_answers: vec![Answer::Boolean { value: true }],
        answers: vec!["yes".to_owned()],
        ..row("1", 1.0)
    };
    let page = html(vec![run("mine", vec![grade])]);
    assert_eq!(page.matches(r#""a":["yes"]"#).count(), 2, "gold and prediction");
}

#[test]
fn runs_stand_side_by_side() {
    let page =
        html(vec![run("one", vec![row("a", 1.0), row("b", 0.0)]), run("two", vec![row("b", 0.123456)])]);
    assert!(page.contains(r#""measures":[["f1","F1"]]"#));
    assert!(page.contains(r#"{"i":"a","q":"Question a?","f":{},"r":[["answered",1.0],null]}"#), "{page}");
    assert!(page.contains(r#""r":[["answered",0.0],["answered",0.1235]]"#));
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
    let grade =
        |id: &str| GradeRow { shape: "T1:(())".to_owned(), graph: Some(graph.clone()), ..row(id, 0.0) };
    let page = html(vec![run("mine", vec![grade("a"), grade("b")])]);
    assert_eq!(page.matches("<symbol").count(), 1);
    assert!(page.contains(r#""name":"Iso-0","title":"Iso-0 (T1:(())): one hop""#), "{page}");
}

#[test]
fn nothing_is_loaded_and_nothing_is_styled_in_place() {
    let page = html(vec![scored("one", |i| f64::from(i % 2 == 1)), scored("two", |_| 0.5)]);
    let markup = page.replace("http\" + \"://www.w3.org/", "");
    for foreign in ["http://", "https://", "<link", "@import", "url(", " style="] {
        assert!(!markup.contains(foreign), "{foreign}");
    }
}

proptest! {
    /// Names, questions, facets, forms and answers never become markup.
    #[test]
    fn texts_stay_texts(
        text in prop_oneof![any::<String>(), "[<>&\"'a/!\\[\\]-]{1,20}"],
        known in prop::sample::select(vec!["</script><script>alert(1)</script>", "<!--<script>", "\"><img src=x onerror=alert(1)>", "]]>", "</title><b>", "javascript:alert(1)", "\u{2028}", "&lt;b&gt;"]),
    ) {
        let page = |text: &str| {
            let text = format!("x{text}");
            let grade = |id: String, f1: f64| GradeRow {
                question: text.clone(),
                facets: [("level".to_owned(), vec![format!("{text}{}", id.len() % 2)]), (text.clone(), vec![text.clone()])].into_iter().collect(),
                gold: Some(text.clone()),
                predicted: Some(format!("{text}.")),
                answers: vec![text.clone()],
                cause: Some(text.clone()),
                trace: Some(serde_json::Value::String(text.clone())),
                ..row(&id, f1)
            };
            let grades = (0..30).map(|i| grade(format!("{i}{text}"), f64::from(i % 2 == 1))).collect();
            let mut manifest = manifest(&text);
            manifest.header.trained_on = Some(text.clone());
            let run = ReportRun { manifest: Some(manifest), ..run(&text, grades) };
            report_page(&Report { title: text.clone(), runs: vec![run], ..Report::default() }).expect("a page")
        };
        let count = |page: &str| (page.matches('<').count(), page.matches("</script>").count());
        let plain = count(&page(""));
        prop_assert_eq!(count(&page(&text)), plain);
        prop_assert_eq!(count(&page(known)), plain);
    }
}
