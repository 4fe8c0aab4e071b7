//! The JSON of a page is what the library functions give, which is what the commands print.

use super::client::{encoded, world};
use serde_json::{Value as Json, json};
use touchstone_benchmark::english::Lexicon;
use touchstone_datasets::convert::{Converter, ProgramStyle, TargetLanguage};
use touchstone_datasets::{DataSet, Record};
use touchstone_engine::budget::Cancel;
use touchstone_engine::{QueryContext, Session, Settings};
use touchstone_forge::english::verbalise_form;
use touchstone_kb::entity_page::{EntityPage, NodeSummary};
use touchstone_kb::info::KbInfo;
use touchstone_logic::{Language, ReadForm};

/// Without what differs from run to run: times.
fn timeless(mut json: Json) -> Json {
    match &mut json {
        Json::Object(map) => {
            map.remove("micros");
            for value in map.values_mut() {
                *value = timeless(value.take());
            }
        }
        Json::Array(list) => list.iter_mut().for_each(|value| *value = timeless(value.take())),
        _ => {}
    }
    json
}

fn value(of: &impl serde::Serialize) -> Json {
    serde_json::to_value(of).unwrap()
}

#[test]
fn kb_info_and_find() {
    let studio = world();
    assert_eq!(studio.get_json("/kb").json(), value(&KbInfo::of(studio.kb, true)));
    for name in ["paris", "nolan", "einstien", "the beatles"] {
        let twin = studio.get_json(&format!("/kb/find?q={}", encoded(name))).json();
        let hits = studio.kb.find_names(name, 25);
        assert_eq!(twin["hits"], value(&NodeSummary::of_hits(studio.kb, &hits)), "{name}");
    }
    // The second page continues the first.
    let hits = studio.kb.find_names("john", 50);
    let twin = studio.get_json("/kb/find?q=john&page=2").json();
    assert_eq!(twin["hits"], value(&NodeSummary::of_hits(studio.kb, &hits[25..])));
}

#[test]
fn show() {
    let studio = world();
    for name in ["Paris", "film", "Marie Curie"] {
        let mut twin = studio.get_json(&format!("/kb/show?id={}", encoded(name))).json();
        twin.as_object_mut().unwrap().remove("profile");
        let nodes = studio.kb.nodes_meant_by(name);
        assert_eq!(twin, value(&EntityPage::of(studio.kb, nodes[0], &nodes[1..])), "{name}");
    }
}

#[test]
fn query() {
    let studio = world();
    let session = Session::new(studio.kb);
    let context = QueryContext::new(Some(studio.kb), None);
    let knowledge = context.knowledge();
    let lexicon = Lexicon::of(studio.kb);
    for (language, text) in [
        (Language::Kopl, "Find(Christopher Nolan) > Relate(director, backward) > What()"),
        (Language::Sexpr, "(COUNT film)"),
        (Language::Sparql, "SELECT ?x WHERE { ?x a <urn:touchstone:world:continent> }"),
    ] {
        let address = format!("/query?lang={}&q={}", language.word(), encoded(text));
        let twin = timeless(studio.get_json(&address).json());
        let settings = Settings { trace: true, ..Settings::default() };
        let reply = session.run(language, text, &settings, &Cancel::default());
        assert_eq!(twin["reply"], timeless(value(&reply)), "{text}");
        let graph = ReadForm::read(language, text, &knowledge).graph().unwrap();
        assert_eq!(twin["shape"], value(&graph.shape()), "{text}");
        let english = verbalise_form(text, studio.kb, &lexicon, true, 1).ok();
        assert_eq!(twin.get("english").cloned().unwrap_or(Json::Null), value(&english), "{text}");
        if language != Language::Kopl {
            let converter = Converter {
                data_set: DataSet::Forms(language),
                target: TargetLanguage::Kopl(ProgramStyle::Readable),
                strict: false,
                knowledge: context.knowledge(),
            };
            let converted = converter.convert(&Record { line: 1, text: text.to_owned(), json: false });
            let translated = twin["translations"]
                .as_array()
                .unwrap()
                .iter()
                .find(|other| other["language"] == "kopl")
                .unwrap();
            assert_eq!(translated["text"], json!(converted.text), "{text}");
        }
    }
}

#[test]
fn steps_of_programs() {
    let studio = world();
    let twin = studio
        .get_json(&format!(
            "/query?q={}",
            encoded("Find(Christopher Nolan) > Relate(director, backward) > Count()")
        ))
        .json();
    let steps = twin["program"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    assert_eq!((steps[0]["found"].as_u64(), &steps[0]["first"]), (Some(1), &json!(["Christopher Nolan"])));
    // Count counts what Relate finds.
    assert_eq!(steps[2]["first"], json!([steps[1]["found"].to_string()]));
}
