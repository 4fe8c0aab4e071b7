//! Published questions on published data give their published answers.

use crate::support::{freebase_mini, shared_data};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use touchstone_engine::budget::{Budget, Cancel, Limits};
use touchstone_engine::{Answers, Found, Outcome, Session, Settings, Words, embedded, plan::Plan};
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

/// Questions of ComplexWebQuestions that the Freebase sample can answer. The file has one gold name for each, even if there are several
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
