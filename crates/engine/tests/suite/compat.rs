//! The published executors, on a small KB made for the purpose: `compat/differences.txt` holds the cases.

use crate::programs::{cases, import_kqapro};
use std::path::{Path, PathBuf};
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::compat::{Compat, CompatAnswer, CompatError, CompatProcess, run};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Words, embedded};
use touchstone_kb::Kb;
use touchstone_logic::Program;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn budget() -> Budget<'static> {
    Budget::new(Limits::default())
}

fn shown(outcome: &Result<CompatAnswer, CompatError>) -> String {
    match outcome {
        Ok(answer) => answer.to_string(),
        Err(CompatError::Raised { exception, .. }) => format!("raises {exception}"),
        Err(error) => format!("stopped: {error}"),
    }
}

fn check(kb: &Kb, text: &str) {
    let mut wrong = Vec::new();
    let mut sessions = Compat::ALL.map(|compat| CompatProcess::new(kb, compat));
    for case in cases(text) {
        let program = Program::parse(case.fields[0]).unwrap_or_else(|e| panic!("line {}: {e}", case.number));
        let (executor, again) = match case.fields[1].strip_suffix(" again") {
            Some(executor) => (executor, true),
            None => (case.fields[1], false),
        };
        let mut n_run = 0;
        for (session, compat) in sessions.iter_mut().zip(Compat::ALL) {
            if executor != "both" && executor != compat.name() {
                continue;
            }
            if !again {
                *session = CompatProcess::new(kb, compat);
            }
            n_run += 1;
            let got = shown(&session.run(&program, &budget()));
            if got != case.fields[2] {
                wrong.push(format!("line {}: {}\n  {compat} gives {got}", case.number, case.line));
            }
        }
        assert!(n_run > 0, "line {}: no executor is called `{executor}`", case.number);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_differences_that_are_known() {
    let dir = tempfile::tempdir().expect("a folder");
    let kb = import_kqapro(&data("compat/towns.json"), &dir.path().join("kb"));
    let text = std::fs::read_to_string(data("compat/differences.txt")).expect("cases");
    check(&kb, &text);
}

#[test]
fn the_examples_of_the_package() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(json) = crate::programs::shared_data("kqapro/kopl_example_kb.json") else { return };
    let kb = import_kqapro(&json, &dir.path().join("kb"));
    let text = std::fs::read_to_string(data("cases/kopl_examples.txt")).expect("cases");
    check(&kb, &text);
    // In the first two parts, sets give the same.
    let (same, _) = text.split_once("# --- where the package and sets differ").expect("a third part");
    let words = Words::new(&kb);
    let mut wrong = Vec::new();
    let mut functions = std::collections::BTreeSet::new();
    for case in cases(same) {
        let program = Program::parse(case.fields[0]).expect("a program");
        functions.extend(program.steps.iter().map(|step| step.function.name()));
        let plan = Plan::of(&program.to_query(&words).expect("a query"), &words).expect("a plan");
        let mut got: Vec<String> = match embedded::run(&kb, &plan, &budget()) {
            Ok(found) => found.answers(&kb).iter().map(ToString::to_string).collect(),
            Err(error) => panic!("{}: {error}", case.line),
        };
        let mut expected: Vec<String> = match serde_json::from_str(case.fields[2]) {
            Ok(serde_json::Value::Array(list)) => {
                list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
            }
            _ => vec![case.fields[2].to_owned()],
        };
        got.sort();
        expected.sort();
        if got != expected {
            wrong.push(format!("line {}: {}\n  sets give {got:?}", case.number, case.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(functions.len(), 27, "every function has an example: {functions:?}");
}

#[test]
fn predictions_are_what_the_script_writes() {
    let dir = tempfile::tempdir().expect("a folder");
    let kb = import_kqapro(&data("compat/towns.json"), &dir.path().join("kb"));
    for (program, expected) in [
        ("Find(Alpha) > QueryAttr(population)", "200"),
        ("Find(Delta) > QueryAttr(population)", "None"),
        ("Find(Echo) > Find(Beta) > SelectBetween(founded, less)", "no"),
        ("FindAll() > Count()", "12"),
    ] {
        let parsed = Program::parse(program).expect("a program");
        let outcome = run(&kb, &parsed, Compat::Kopl, &budget());
        assert_eq!(prediction(&outcome), Some(expected), "{program}");
    }
    // Our limits are not exceptions of the executor.
    let tight = Budget::new(Limits { operations: 3, ..Limits::default() });
    let all = Program::parse("FindAll() > Count()").expect("a program");
    let outcome = run(&kb, &all, Compat::Kopl, &tight);
    assert!(matches!(outcome, Err(CompatError::Stopped(_))));
    assert_eq!(prediction(&outcome), None);
}

/// A KB from another source has no file order; programs still run.
#[test]
fn other_kbs_are_seen_in_the_order_of_the_store() {
    use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export};
    use touchstone_kb::import::{ImportRequest, Source, import};
    let dir = tempfile::tempdir().expect("a folder");
    let kb = import_kqapro(&data("compat/towns.json"), &dir.path().join("kb"));
    let lines = dir.path().join("towns.jsonl");
    let request = ExportRequest { format: ExportFormat::Lines, view: ExportView::Direct, qualifiers: true };
    let mut bytes = Vec::new();
    export(&kb, &request, &mut bytes, &touchstone_kb::NoProgress).expect("an export");
    std::fs::write(&lines, bytes).expect("written");
    let request = ImportRequest::new(Source::Lines, vec![lines]);
    import(&request, &dir.path().join("other"), &touchstone_kb::NoProgress).expect("a KB");
    let other = Kb::open(&dir.path().join("other")).expect("a store");
    assert!(kb.keeps_file_order() && !other.keeps_file_order());
    check(
        &other,
        "Find(Alpha) > QueryAttr(population) | kopl | [\"100\", \"200\"]
         Find(Alpha) > QueryAttr(nickname) | kopl | [\"A\"]
         Find(Gamma) > Relate(leads to, backward) > What() | kopl | [\"Alpha\"]
         Find(Alpha) > Relate(twin of, forward) > QFilterYear(since, 1990, >) > Count() | rule | 2
         Find(language) > Relate(speaks, backward) > What() | kopl | [\"Alpha\"]
         Find(Alpha) > Find(Beta) > QueryRelationQualifier(partner of, since) | rule | 2010",
    );
}

/// The line that the published prediction script writes for an outcome: the first element of a list, `None` if it is
/// empty, and `no` after an exception. `None` here if one of our limits was reached: the script has no such case.
fn prediction(outcome: &Result<CompatAnswer, CompatError>) -> Option<&str> {
    match outcome {
        Ok(CompatAnswer::Text(text)) => Some(text),
        Ok(CompatAnswer::List(texts)) => Some(texts.first().map_or("None", String::as_str)),
        Err(CompatError::Raised { .. }) => Some("no"),
        Err(_) => None,
    }
}
