//! The report of files as `touchstone grade`, `sensitivity --json` and `regress --write` write them.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs::write;
use touchstone_kb::NoProgress;
use touchstone_studio::{ReportConfig, report};

/// The page holds what its script reads of the files, and nothing else.
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
    assert_eq!(written.title, "Touchstone: b");
    let page = std::fs::read_to_string(path("report.html")).unwrap();
    assert_eq!(page.len(), written.bytes);
    for data in [
        r#""summary":{"outcomes":{"answered":1},"measures":{"f1":{"n":1,"mean":0.5,"low":null,"high":1.0,"answered":{"mean":0.5,"low":0.5,"high":0.5}}}}"#,
        r#""sensitivity":[{"degradation":"T2","share":0.1,"scores":[["f1",0.9],["exec",null]]}]"#,
        r#""regression":{"measure":"f1","coefficients":[{"name":"words","estimate":-0.5,"error":0.25,"p":null,"stars":"*"}]}"#,
    ] {
        assert!(page.contains(data), "{data} is not in {page}");
    }
}
