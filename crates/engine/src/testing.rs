//! Small KBs for tests.

use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{Kb, NoProgress};

/// A KB from KB lines. Its folder lives as long as the process.
pub(crate) fn kb_of(lines: &str) -> Kb {
    let dir = tempfile::tempdir().expect("a folder").keep();
    let file = dir.join("kb.jsonl");
    std::fs::write(&file, lines).expect("written");
    let mut request = ImportRequest::new(Source::Lines, vec![file]);
    request.strict = true;
    let store = dir.join("store");
    import(&request, &store, &NoProgress).expect("imported");
    let kb = Kb::open(&store).expect("opened");
    // The columns are mapped, so the files can be deleted.
    let _ = std::fs::remove_dir_all(&dir);
    kb
}

/// A KB with every kind of literal.
pub(crate) fn values_kb() -> Kb {
    let values = [
        r#"["1"]"#,
        r#"["2","1","integer"]"#,
        r#"["2.0","1","double"]"#,
        r#"["-3.5"]"#,
        r#"["2","metre"]"#,
        r#"["7","metre"]"#,
        r#"["7.0","metre","double"]"#,
        r#"["9","foot"]"#,
        r#"{"year":1990}"#,
        r#"{"year":1991}"#,
        r#"{"year":-44}"#,
        r#"{"month":"1990-05"}"#,
        r#"{"month":"1990-06"}"#,
        r#"{"date":"1990-05-06"}"#,
        r#"{"date":"1990-05-07"}"#,
        r#"{"date":"1990-06-01"}"#,
        r#"{"date":"1989-12-31"}"#,
        r#"{"datetime":"1990-05-06T00:00:00Z"}"#,
        r#"{"datetime":"1990-05-06T10:00:00Z"}"#,
        r#"{"bool":true}"#,
        r#"{"bool":false}"#,
        r#""red""#,
        r#""blue""#,
        r#"{"text":"red","lang":"en"}"#,
        r#"{"text":"red","lang":"fr"}"#,
        r#"{"text":"P1Y","datatype":"http://www.w3.org/2001/XMLSchema#duration"}"#,
    ];
    let facts: Vec<String> = values.iter().map(|value| format!(r#"["value",{value}]"#)).collect();
    kb_of(&format!(
        "{{\"touchstone_kb\":1,\"name\":\"values\"}}\n{{\"attribute\":\"value\"}}\n{{\"entity\":\"a\",\"label\":\"A\",\"attributes\":[{}]}}\n",
        facts.join(",")
    ))
}
