//! Grades five predictions for one question, from the gold query to none at all, and prints their mean with its interval.
//!
//!     cargo run -p touchstone-grade --example grade_run
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_benchmark::Prediction;
use touchstone_benchmark::Question;
use touchstone_engine::{Session, Words};
use touchstone_grade::summary::Collector;
use touchstone_grade::{Grader, Measure};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Knowledge;
use touchstone_logic::sparql::Namespaces;

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

const FORMS: [Option<&str>; 5] = [
    Some("Find(Marie Curie) > Relate(discoverer, backward) > What()"),
    Some("(JOIN http://example.org/discoverer http://example.org/marie)"),
    Some("Find(Marie Curie) > Relate(discoverer, backward) > FilterNum(group, 10, >) > What()"),
    Some("Find(Marie Curie) > Relate(discoverer, back"),
    None,
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("elements.ttl");
    std::fs::write(&file, ELEMENTS)?;
    let store = folder.path().join("kb");
    import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &store, &NoProgress)?;
    let kb = Kb::open(&store)?;

    // 1. A grader. With a session it runs the forms; without one it compares them only.
    let words = Words::new(&kb);
    let knowledge = Knowledge { lookup: &kb, names: &words, namespaces: Namespaces::of(&kb) };
    let grader = Grader { session: Some(Session::new(&kb)), ..Grader::new(knowledge, &kb) };

    // 2. Every prediction has one outcome and a value for each measure.
    let question: Question = serde_json::from_str(QUESTION)?;
    let mut collector = Collector::new(FORMS.len(), &grader.products, &[], &[]);
    for (at, form) in FORMS.iter().enumerate() {
        let prediction =
            form.map(|form| Prediction { logical_form: Some(form.to_owned()), ..Prediction::default() });
        let grade = grader.grade(&question, prediction.as_ref());
        let shown = |measure| grade.values.get(measure).map_or("-".to_owned(), |value| format!("{value:.3}"));
        println!("{}", form.unwrap_or("(no prediction)"));
        println!(
            "    {}, exact match {}, f1 {}",
            grade.outcome.word(),
            shown(Measure::EmCanonical),
            shown(Measure::F1)
        );
        collector.add(at, &grade, &question.shape, &[]);
    }

    // 3. The scores of a run: means with 95 % intervals.
    let summary = collector.summary("example", 0, 0);
    let f1 = &summary.measures["f1"].all;
    println!("f1 {:.3} ({:.3} to {:.3}) over {} predictions", f1.mean, f1.low, f1.high, f1.n);
    Ok(())
}
