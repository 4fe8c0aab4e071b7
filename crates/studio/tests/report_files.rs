//! The report of files as `touchstone grade`, `sensitivity --json` and `regress --write` write them.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs::write;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{GradeRow, KbSource, PredictionOutcome};
use touchstone_grade::{CompareConfig, compare_runs};
use touchstone_kb::NoProgress;
use touchstone_studio::{ReportConfig, report};

/// The page shows the scores of the files; what they lack is not shown.
#[test]
fn pages_hold_the_scores_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(path("grades.jsonl"), "").unwrap();
    // As 0.1 wrote it: without identity, KB and counts that came later.
    let summary = r#"{"touchstone_summary":1,"benchmark":"b","questions":1,"outcomes":{"answered":1},"unknown":0,
        "repeated":0,"measures":{"f1":{"version":1,"n":1,"mean":0.5,"low":null,"high":1.0,
        "answered":{"n":1,"mean":0.5,"low":0.5,"high":0.5}}},"corpus_bleu":null,
        "by":{"level":{"iid":{"n":1,"measures":{}}}},"shapes":{"T1:(())":{"T1:(())":1}}}"#;
    write(path("summary.json"), summary).unwrap();
    let sensitivity =
        r#"[{"degradation":"T2","share":0.1,"changed":0.1,"scores":[["f1",0.9],["exec",null]]}]"#;
    write(path("sensitivity.json"), sensitivity).unwrap();
    let regression = r#"{"measure":"f1","n":9,"r_squared":0.5,"dropped":[["depth","it is constant"]],
        "coefficients":[{"name":"words","estimate":-0.5,"error":0.25,"p":null,"stars":"*"}]}"#;
    write(path("regression.json"), regression).unwrap();
    let config = ReportConfig {
        runs: vec![folder.path().to_owned()],
        out: path("report.html"),
        ..ReportConfig::default()
    };
    let written = report(&config, &NoProgress).unwrap();
    assert_eq!(written.title, folder.path().file_name().unwrap().to_string_lossy().into_owned() + " on b");
    let page = std::fs::read_to_string(path("report.html")).unwrap();
    assert_eq!(page.len(), written.bytes);
    let text = page.split("<script").next().unwrap();
    for shown in ["0.500", ">T2 10 %<", ">0.900<", "What explains F1", ">words<", ">-0.5000<", ">0.2500<"] {
        assert!(text.contains(shown), "{shown} is not in {text}");
    }
    for absent in ["NaN", "null", "inf"] {
        assert!(!text.contains(absent), "{absent} is in {text}");
    }
}

/// Writes the grades of a run: the value of `f1` of each question, and its level.
fn grades(folder: &Path, f1: impl Fn(usize) -> f64) -> PathBuf {
    std::fs::create_dir(folder).unwrap();
    let row = |i: usize| {
        let level = if i.is_multiple_of(3) { "zero-shot" } else { "i.i.d." };
        let row = GradeRow {
            id: format!("q{:03}", (i * 37) % 200),
            measures: [("f1".to_owned(), f1(i))].into_iter().collect(),
            facets: [("level".to_owned(), vec![level.to_owned()])].into_iter().collect(),
            outcome: PredictionOutcome::Answered,
            ..GradeRow::default()
        };
        serde_json::to_string(&row).unwrap() + "\n"
    };
    write(folder.join("grades.jsonl"), (0..200).map(row).collect::<String>()).unwrap();
    folder.to_owned()
}

/// The report and `compare` test the same pairs in the same way.
#[test]
fn tests_are_those_of_compare() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The first is the better one, so both compare with it.
    let better = grades(&path("better"), |i| f64::from(i % 7 != 0));
    let worse = grades(&path("worse"), |i| f64::from(i % 5 != 0) * 0.9);
    let compared = compare_runs(&CompareConfig {
        runs: vec![better.clone(), worse.clone()],
        measures: vec!["f1".to_owned()],
        by: Some("level".to_owned()),
        no_regression: Vec::new(),
    })
    .unwrap();
    let out = path("report.html");
    report(
        &ReportConfig { runs: vec![better, worse], out: out.clone(), ..ReportConfig::default() },
        &NoProgress,
    )
    .unwrap();
    let page = std::fs::read_to_string(out).unwrap();
    let data = page.split(r#"<script id="data" type="application/json">"#).nth(1).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    let levels = data["facets"].as_array().unwrap().iter().find(|facet| facet["name"] == "level").unwrap();
    let (_, expected) = compared.by.unwrap();
    let found = levels["values"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for row in expected {
        let value = found.iter().find(|value| value["v"] == row.value.as_str()).unwrap();
        let c = &row.comparison;
        let numbers =
            [c.difference, c.low, c.high, row.p_corrected].map(|number| (number * 1e4).round() / 1e4);
        assert_eq!(value["t"][0][1], serde_json::json!(numbers), "{}", row.value);
    }
    let test = &compared.comparisons[0];
    let sentence = format!(
        "The difference is {:.3} (95 % interval {:.3} to {:.3}",
        -test.comparison.difference, -test.comparison.high, -test.comparison.low
    );
    assert!(page.contains(&sentence), "{sentence}");
}

#[test]
fn a_kb_that_does_not_exist_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let run = grades(&folder.path().join("mine"), |_| 1.0);
    let config = ReportConfig {
        runs: vec![run],
        out: folder.path().join("report.html"),
        kb: KbSource::Folder(folder.path().join("none")),
        ..ReportConfig::default()
    };
    let error = report(&config, &NoProgress).unwrap_err();
    assert!(error.to_string().starts_with("there is no KB"), "{error}");
    report(&ReportConfig { kb: KbSource::OfBenchmark, ..config }, &NoProgress).unwrap();
}
