//! The report: a page with all data in it, drawn by a script in it.

use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use touchstone_benchmark::{Answer, GradeRow, Graph};

const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// What a report shows.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Its heading.
    pub title: String,
    /// The runs, side by side.
    pub runs: Vec<Run>,
}

/// A graded run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Its name.
    pub name: String,
    /// `summary.json`.
    pub summary: Json,
    /// `grades.jsonl`.
    pub grades: Vec<GradeRow>,
    /// Tables that other commands made: sensitivity and regression.
    pub extras: BTreeMap<String, Json>,
}

/// Maximum number of characters of a trace to show.
const MAX_TRACE: usize = 4000;

/// Maximum number of gold answers of a question to show.
const MAX_ANSWERS: usize = 20;

/// The page.
pub fn html(report: &Report) -> String {
    let mut names: Vec<String> = Vec::new();
    for grade in report.runs.iter().flat_map(|run| run.grades.iter().take(1000)) {
        let own: BTreeSet<&str> = grade.measures.iter().map(|(name, _)| name).collect();
        for name in own {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut questions: Vec<Json> = Vec::new();
    for (number, run) in report.runs.iter().enumerate() {
        for grade in &run.grades {
            let at = *places.entry(&grade.id).or_insert_with(|| {
                questions.push(question(grade, report.runs.len()));
                questions.len() - 1
            });
            questions[at]["r"][number] = result(grade, &names);
        }
    }
    let runs: Vec<Json> = report
        .runs
        .iter()
        .map(|run| json!({ "name": run.name, "summary": run.summary, "extras": run.extras }))
        .collect();
    let data = json!({ "title": report.title, "runs": runs, "measures": names, "questions": questions });
    // Nothing in the data can end the element that it stands in.
    let data = data
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let title = escaped(&report.title);
    filled(PAGE, &[("title", &title), ("style", STYLE), ("script", SCRIPT), ("data", &data)])
}

/// A page with its `{{name}}`s filled in, once: what is put in is not looked at again.
fn filled(page: &str, parts: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let part = after.split_once("}}").and_then(|(name, after)| {
            parts.iter().find(|(known, _)| *known == name).map(|(_, part)| (*part, after))
        });
        (filled, rest) = match part {
            Some((part, after)) => (filled + part, after),
            None => (filled + "{{", after),
        };
    }
    filled + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn question(grade: &GradeRow, n_runs: usize) -> Json {
    json!({
        "i": grade.id,
        "q": grade.question,
        "s": grade.shape,
        "f": grade.facets,
        "g": grade.gold,
        "G": small_graph(grade.graph.as_ref()),
        "a": grade.gold_answers.iter().take(MAX_ANSWERS).map(Answer::text).collect::<Vec<_>>(),
        "n": grade.gold_answers.len(),
        "r": vec![Json::Null; n_runs],
    })
}

fn result(grade: &GradeRow, names: &[String]) -> Json {
    // Four digits are enough to look at, and make the file half as long.
    let rounded = |value: &f64| (value * 1e4).round() / 1e4;
    let values: Vec<Option<f64>> = names.iter().map(|name| grade.measures.get(name).map(rounded)).collect();
    let mut result = json!({ "o": grade.outcome, "m": values });
    if let Some(cause) = &grade.cause {
        result["c"] = json!(cause);
    }
    if let Some(form) = grade.predicted.as_ref().filter(|form| grade.gold.as_ref() != Some(*form)) {
        result["p"] = json!(form);
        result["P"] = small_graph(grade.predicted_graph.as_ref());
    } else if grade.predicted.is_some() {
        result["same"] = json!(true);
    }
    if grade.outcome == "answered" {
        result["a"] = json!(grade.answers.iter().take(MAX_ANSWERS).collect::<Vec<_>>());
    }
    if let Some(trace) = &grade.trace {
        let trace = serde_json::to_string_pretty(trace).unwrap_or_default();
        result["t"] = json!(trace.chars().take(MAX_TRACE).collect::<String>());
    }
    if let Some(shape) = &grade.predicted_shape {
        result["s"] = json!(shape);
    }
    result
}

/// A graph as short lists: `[root, [[label, grounded, note]...], [[from, to, label]...]]`.
fn small_graph(graph: Option<&Graph>) -> Json {
    let Some(Graph { root, vertices, edges }) = graph else { return Json::Null };
    let vertices: Vec<Json> =
        vertices.iter().map(|v| json!([v.label, u8::from(v.grounded), v.note])).collect();
    let edges: Vec<Json> = edges.iter().map(|e| json!([e.from, e.to, e.label])).collect();
    json!([root, vertices, edges])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_break_out() {
        let grade = GradeRow {
            id: "1".to_owned(),
            question: "</script><script>alert(1)</script>".to_owned(),
            outcome: "answered".to_owned(),
            ..GradeRow::default()
        };
        let run = Run { name: "<b>".to_owned(), grades: vec![grade], ..Run::default() };
        let page = html(&Report { title: "<i>".to_owned(), runs: vec![run] });
        assert!(!page.contains("<script>alert") && !page.contains("<title><i>"));
        assert_eq!(page.matches("</script>").count(), 2, "one with data, one with the script");
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing from outside");
    }

    #[test]
    fn a_title_is_only_a_title() {
        let page = |title: &str| html(&Report { title: title.to_owned(), runs: Vec::new() });
        let plain = page("TITLE");
        assert_eq!(plain.matches("TITLE").count(), 3, "title, heading, data");
        for title in ["{{script}}", "{{data}}", "{{style}}{{title}}", "{{", "}}", "{{other}}"] {
            assert_eq!(page(title), plain.replace("TITLE", title), "{title}");
        }
    }

    #[test]
    fn right_answers_have_the_text_of_gold() {
        let grade = GradeRow {
            id: "1".to_owned(),
            outcome: "answered".to_owned(),
            gold_answers: vec![Answer::Boolean { value: true }],
            answers: vec!["yes".to_owned()],
            ..GradeRow::default()
        };
        let page =
            html(&Report { runs: vec![Run { grades: vec![grade], ..Run::default() }], ..Report::default() });
        assert_eq!(page.matches(r#""a":["yes"]"#).count(), 2, "gold and prediction");
    }

    #[test]
    fn runs_stand_side_by_side() {
        let grade = |id: &str, value: f64| GradeRow {
            id: id.to_owned(),
            outcome: "answered".to_owned(),
            measures: [("f1".to_owned(), value)].into_iter().collect(),
            ..GradeRow::default()
        };
        let run = |values: &[(&str, f64)]| Run {
            grades: values.iter().map(|(id, value)| grade(id, *value)).collect(),
            ..Run::default()
        };
        let report = Report {
            title: "t".to_owned(),
            runs: vec![run(&[("a", 1.0), ("b", 0.0)]), run(&[("b", 0.123456)])],
        };
        let page = html(&report);
        assert!(page.contains("0.1235") && page.contains("\"measures\":[\"f1\"]"));
    }
}
