//! Published questions on published data give their published answers.

use crate::support::{freebase_mini, shared_data};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use touchstone_engine::budget::{Budget, Cancel, Limits};
use touchstone_engine::endpoint::{self, Credentials, Endpoint};
use touchstone_engine::{Answers, Engine, Found, Outcome, Session, Settings, Words, embedded, plan::Plan};
use touchstone_logic::sparql::{Dialect, print};
use touchstone_logic::{Form, Language, Query, Spelling};

fn run(words: &Words<'_>, query: &Query) -> BTreeSet<String> {
    let plan = Plan::of(query, words).unwrap();
    let found = embedded::run(words.kb(), &plan, &Budget::new(Limits::default())).unwrap();
    match &found {
        Found::Things { .. } => {
            let answers = found.answers(words.kb());
            answers
                .iter()
                .map(|answer| answer.id().map_or_else(|| answer.to_string(), str::to_owned))
                .collect()
        }
        other => BTreeSet::from([format!("{other:?}")]),
    }
}

fn gold(item: &Json) -> BTreeSet<String> {
    let answers = item["answer"].as_array().unwrap().iter();
    answers.map(|answer| answer["answer_argument"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn grailqa_one_edge_questions_give_their_gold_answers() {
    let (Some(kb), Some(path)) = (freebase_mini(), shared_data("grailqa/dev.json")) else { return };
    let items: Vec<Json> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let words = Words::new(&kb);
    let mut n = 0;
    let mut wrong = Vec::new();
    for item in items.iter().filter(|item| item["num_edge"] == 1 && item["function"] == "none") {
        let text = item["s_expression"].as_str().unwrap();
        let query = Form::parse(text, &Spelling).unwrap().to_query().unwrap();
        n += 1;
        let (got, gold) = (run(&words, &query), gold(item));
        if got != gold {
            wrong.push(format!("{text}\n  got {got:?}\n  gold {gold:?}"));
        }
    }
    eprintln!("{n} questions, {} wrong", wrong.len());
    assert_eq!(n, 4032);
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(5)].join("\n"));
}

/// The same questions as SPARQL: by `spareval`, by the fast way, and by Virtuoso if one holds the triples (`TOUCHSTONE_TEST_VIRTUOSO_FREEBASE`).
#[test]
fn grailqa_one_edge_questions_give_their_gold_answers_as_sparql() {
    let (Some(kb), Some(path)) = (freebase_mini(), shared_data("grailqa/dev.json")) else { return };
    let items: Vec<Json> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let session = Session::new(&kb);
    let mut engines = vec![Engine::Spareval, Engine::Auto];
    if let Some(url) = touchstone_testing::variable("TOUCHSTONE_TEST_VIRTUOSO_FREEBASE") {
        let settings = endpoint::Settings {
            default_graph: Some("urn:touchstone:test".to_owned()),
            ..Default::default()
        };
        let url = url.into_string().unwrap();
        let server = Endpoint::with_credentials(&url, settings, Credentials::default()).unwrap();
        engines.push(Engine::Endpoint(std::sync::Arc::new(server)));
    }
    for engine in engines {
        let settings = Settings { engine: engine.clone(), ..Settings::default() };
        let (mut n, mut quick, mut wrong) = (0, 0, Vec::new());
        for item in items.iter().filter(|item| item["num_edge"] == 1 && item["function"] == "none") {
            let form = item["s_expression"].as_str().unwrap();
            let query = Form::parse(form, &Spelling).unwrap().to_query().unwrap();
            n += 1;
            // The dataset's dialect; but its dates have the time zone of another dump, so these are written for the KB at hand.
            let printed = print(&query, &Dialect::Freebase).unwrap().text;
            let (language, text) = match printed.contains("-08:00") {
                true => (Language::Sexpr, form.to_owned()),
                false => (Language::Sparql, printed),
            };
            let reply = session.run(language, &text, &settings, &Cancel::default());
            quick += usize::from(reply.engine == Some("embedded"));
            let got: BTreeSet<String> = match &reply.outcome {
                Outcome::Answered(Answers::List { answers, .. }) => answers
                    .iter()
                    .map(|answer| answer.id().map_or_else(|| answer.to_string(), str::to_owned))
                    .collect(),
                other => BTreeSet::from([format!("{other:?}")]),
            };
            if got != gold(item) {
                wrong.push(format!("{text}\n  got {got:?}\n  gold {:?}", gold(item)));
            }
        }
        eprintln!("{}: {n} questions, {quick} by the embedded engine, {} wrong", engine.word(), wrong.len());
        assert_eq!(n, 4032);
        assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(5)].join("\n"));
    }
}

/// Questions of ComplexWebQuestions that the part of Freebase can answer. The file has one gold name for each, also where there are several
/// answers: it must be among them.
#[test]
fn complex_web_questions_give_their_gold_names() {
    let (Some(kb), Some(path)) = (freebase_mini(), shared_data("cwq/executable_on_mini_1000.json")) else {
        return;
    };
    let items: Vec<Json> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let session = Session::new(&kb);
    let (mut only, mut among, mut nothing) = (0, 0, 0);
    for item in &items {
        let text = item["sparql"].as_str().unwrap();
        let reply = session.run(Language::Sparql, text, &Settings::default(), &Cancel::default());
        let Outcome::Answered(Answers::List { answers, .. }) = &reply.outcome else { continue };
        let gold = item["answer"].as_str().unwrap();
        let is_gold = answers.iter().any(|answer| answer.to_string() == gold);
        among += usize::from(is_gold);
        only += usize::from(is_gold && answers.len() == 1);
        nothing += usize::from(answers.is_empty());
    }
    eprintln!(
        "of {} questions {among} have the gold name among their answers ({only} as the only one), {nothing} have no answer on this part",
        items.len()
    );
    assert!(among >= 730, "{among}");
}
