//! The ask page with systems whose answers are known in advance.

use super::client::{Running, encoded, leaked};
use touchstone_benchmark::{Answer, Prediction};
use touchstone_engine::budget::Limits;
use touchstone_kb::NoProgress;
use touchstone_logic::Language;
use touchstone_run::{FixedPredictions, System};
use touchstone_studio::{AskSystems, NamedSystem, OpenSystems};

fn system(name: &str, prediction: Prediction) -> NamedSystem {
    let prediction = Prediction { id: "1".to_owned(), ..prediction };
    let system: &'static dyn System = Box::leak(Box::new(FixedPredictions::new(name, vec![prediction])));
    NamedSystem { name: name.to_owned(), system }
}

fn started() -> Running {
    let open: OpenSystems = Box::new(|| {
        let form = "Find(Christopher Nolan) > Relate(director, backward) > FilterConcept(film) > What()";
        let program = Prediction {
            logical_form: Some(form.to_owned()),
            language: Some(Language::Kopl),
            ..Prediction::default()
        };
        let answers =
            Prediction { answers: Some(vec![Answer::plain("<b>Inception</b>")]), ..Prediction::default() };
        let broken = Prediction {
            logical_form: Some("Find(".to_owned()),
            language: Some(Language::Kopl),
            ..Prediction::default()
        };
        let others = vec![system("program", program), system("answers", answers), system("broken", broken)];
        Ok(AskSystems { systems: others })
    });
    let studio =
        Running::with_systems(leaked(touchstone_world::open(&NoProgress).unwrap()), Limits::default(), open);
    // Systems are opened in the background.
    while studio.get_json("/ask").status == 503 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    studio
}

#[test]
fn several_systems_answer_side_by_side() {
    let studio = started();
    let question = encoded("Which films did Christopher Nolan direct?");
    let address = format!("/ask?q={question}&system=program&system=answers&system=broken");
    let page = studio.get(&address);
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.body.matches("system-panel").count(), 3);
    assert!(
        page.body.contains("Inception</a>") && page.body.contains("<svg class=\"flow\""),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("&lt;b&gt;Inception&lt;/b&gt;") && !page.body.contains("<b>Inception"),
        "{}",
        page.body
    );
    assert!(page.body.contains("The query cannot be run"), "{}", page.body);
    let twin = studio.get_json(&address).json();
    assert_eq!(twin["asked"].as_array().unwrap().len(), 3);
    assert_eq!(twin["asked"][0]["asked"]["reply"]["outcome"], "answered");
    // Without a choice, the first one is asked.
    let first = studio.get_json(&format!("/ask?q={question}")).json();
    assert_eq!(
        (first["asked"].as_array().unwrap().len(), &first["asked"][0]["system"]),
        (1, &"program".into())
    );
}

#[test]
fn only_systems_that_were_named_at_the_start_are_asked() {
    let studio = started();
    for name in ["command:touch /tmp/x", "http://evil.example", "programm"] {
        let response = studio.get_json(&format!("/ask?q=Who&system={}", encoded(name)));
        assert_eq!((response.status, response.json()["field"].as_str().unwrap()), (400, "system"), "{name}");
    }
    assert_eq!(studio.get(&format!("/ask?q={}", "a".repeat(2_000))).status, 400);
}

#[test]
fn feedback_is_stored() {
    let studio = started();
    let sent = studio
        .post("/ask/feedback", "q=Who%3F&system=program&form=What()&lang=kopl&right=no&because=direction");
    assert_eq!((sent.status, sent.header("location")), (303, "/ask?q=Who%3F&system=program&thanks=1"));
    for wrong in
        ["q=&system=program&right=yes", "q=a&system=other&right=yes", "q=a&system=program&right=maybe"]
    {
        assert_eq!(studio.post("/ask/feedback", wrong).status, 400, "{wrong}");
    }
    let stored = std::fs::read_to_string(studio.studio_folder().join("feedback.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        stored.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1, "{stored}");
    assert_eq!((&lines[0]["right"], &lines[0]["because"]), (&false.into(), &"direction".into()));
}
