//! Published questions on published data give their published answers, on every engine.

use crate::support::{freebase_mini, shared_data};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Answers, AutoEngine, Engine, Outcome, Session, Settings, SparevalEngine};
use touchstone_logic::sparql::{Dialect, print};
use touchstone_logic::{Form, Language, Spelling};
use touchstone_protocol::endpoint::{Credentials, Endpoint, EndpointSettings};

fn gold(item: &Json) -> BTreeSet<String> {
    let answers = item["answer"].as_array().unwrap().iter();
    answers.map(|answer| answer["answer_argument"].as_str().unwrap().to_owned()).collect()
}

/// GrailQA's questions with one edge as SPARQL: by `spareval`, by the embedded engine where it may, and by Virtuoso if one holds the triples (`TOUCHSTONE_TEST_VIRTUOSO_FREEBASE`).
#[test]
fn grailqa_one_edge_questions_give_their_gold_answers_as_sparql() {
    let (Some(kb), Some(path)) = (freebase_mini(), shared_data("grailqa/dev.json")) else { return };
    let items: Vec<Json> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let session = Session::new(&kb);
    let mut engines: Vec<Arc<dyn Engine>> = vec![Arc::new(SparevalEngine), Arc::new(AutoEngine)];
    if let Some(url) = touchstone_testing::variable("TOUCHSTONE_TEST_VIRTUOSO_FREEBASE") {
        let settings =
            EndpointSettings { default_graph: Some("urn:touchstone:test".to_owned()), ..Default::default() };
        let url = url.into_string().unwrap();
        let server = Endpoint::with_credentials(&url, settings, Credentials::default()).unwrap();
        engines.push(Arc::new(server));
    }
    for engine in engines {
        let settings = Settings { engine: engine.clone(), ..Settings::default() };
        let (mut n, mut quick, mut wrong) = (0, 0, Vec::new());
        for item in items.iter().filter(|item| item["num_edge"] == 1 && item["function"] == "none") {
            let form = item["s_expression"].as_str().unwrap();
            let query = Form::parse(form, &Spelling).unwrap().to_query().unwrap();
            n += 1;
            // The dataset's dialect; but its dates have the time zone of another dump, so these are written for this KB.
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
        eprintln!("{}: {n} questions, {quick} by the embedded engine, {} wrong", engine.name(), wrong.len());
        assert_eq!(n, 4032);
        assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(5)].join("\n"));
    }
}
