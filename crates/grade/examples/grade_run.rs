//! Grades a file of predictions: a benchmark, its KB and the predictions in, scores with their intervals out.
//!
//!     cargo run -p touchstone-grade --example grade_run
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use touchstone_benchmark::{Benchmark, KbSource, QuestionSource, Selection};
use touchstone_grade::{GradeConfig, GradeOptions, PredictionSource, grade_run, read_rows};
use touchstone_kb::NoProgress;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};

const ELEMENTS: &str = r#"
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:discoverer rdfs:label "discoverer"@en .
:group rdfs:label "group"@en .
:radium rdfs:label "radium"@en ; :discoverer :marie ; :group 2 .
:polonium rdfs:label "polonium"@en ; :discoverer :marie ; :group 16 .
:germanium rdfs:label "germanium"@en ; :discoverer :clemens ; :group 14 .
:marie rdfs:label "Marie Curie"@en .
:clemens rdfs:label "Clemens Winkler"@en .
"#;

/// A line of `questions.jsonl`, as `docs/benchmark-format.md` describes it.
const QUESTION: &str = r#"{"id": "q1", "split": "test", "level": "", "question": "What did Marie Curie discover?",
    "forms": {"program": "Find(Marie Curie) > Relate(discoverer, backward) > What()"},
    "graph": {"root": 0, "vertices": [], "edges": []}, "shape": "T1:(())", "alias": "Iso-0", "function": "none",
    "type": "QueryName", "categories": [], "choices": [], "template": "", "schema_items": [], "entities": [],
    "proof": [], "source": "example", "answers": [
        {"type": "entity", "id": "http://example.org/polonium", "label": "polonium"},
        {"type": "entity", "id": "http://example.org/radium", "label": "radium"}]}"#;

const MANIFEST: &str = r#"{"touchstone_benchmark": 1, "name": "elements", "description": "", "tool_version": "",
    "kb": {"name": "", "fingerprint": ""}, "recipe": null, "license": "", "held_out": [], "counts": {},
    "rejections": {}, "unfilled": [], "verified": 0}"#;

const PREDICTIONS: &str = r#"{"id": "q1", "logical_form": "Find(Marie Curie) > Relate(discoverer, backward) > FilterNum(group, 10, >) > What()", "lang": "kopl"}
"#;

/// Writes a KB, a benchmark and predictions into a folder.
fn prepare(folder: &Path) -> Result<(), Box<dyn Error>> {
    let file = folder.join("elements.ttl");
    std::fs::write(&file, ELEMENTS)?;
    import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &folder.join("kb"), &NoProgress)?;
    let questions = vec![serde_json::from_str(QUESTION)?];
    Benchmark::new(serde_json::from_str(MANIFEST)?, questions).write(&folder.join("benchmark"))?;
    Ok(std::fs::write(folder.join("predictions.jsonl"), PREDICTIONS)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    prepare(folder.path())?;

    let selection = Selection {
        questions: Some(QuestionSource::Folder(path("benchmark"))),
        kb: KbSource::Folder(path("kb")),
        ..Selection::default()
    };
    let mut options = GradeOptions::new(PredictionSource::Path(path("predictions.jsonl")));
    options.out = Some(path("grades"));
    let graded = grade_run(&GradeConfig { selection, options }, &NoProgress)?;
    for name in ["em_canonical", "exec", "precision", "recall", "f1"] {
        let score = &graded.summary.measures[name].all;
        println!("{name:<13} {:.3} ({:.3} to {:.3}), n = {}", score.mean, score.low, score.high, score.n);
    }
    for row in read_rows(&path("grades"))? {
        let row = row?;
        println!("{}: {}, answers: {}", row.id, row.outcome, row.answers.join(", "));
    }
    Ok(())
}
