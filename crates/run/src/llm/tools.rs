//! Tools that a model may use before it answers: look up names, and run queries within a budget. They are read-only.

use serde_json::{Value as Json, json};
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_logic::Language;

/// The tool descriptions, as chat endpoints expect them.
pub(super) fn described(language: Language) -> Json {
    let tool = |name: &str, description: String, argument: &str| {
        let parameters = json!({
            "type": "object", "properties": { argument: { "type": "string" } }, "required": [argument],
        });
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": parameters } })
    };
    json!([
        tool("search_names", "Finds entities and classes of the knowledge base by name".to_owned(), "name"),
        tool(
            "run_query",
            format!("Runs a query in {} and returns its first answers", language.word()),
            "query"
        ),
    ])
}

/// Maximum number of names or answers to show.
const SHOWN: usize = 10;

/// The result of a tool call.
pub(super) fn use_tool(session: &Session<'_>, language: Language, name: &str, arguments: &str) -> String {
    let arguments: Json = match serde_json::from_str(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return format!("the arguments are not JSON: {error}"),
    };
    let argument = |name: &str| arguments.get(name).and_then(Json::as_str);
    match (name, argument("name"), argument("query")) {
        ("search_names", Some(name), _) => found_names(session, name),
        ("run_query", _, Some(query)) => found_answers(session, language, query),
        ("search_names" | "run_query", _, _) => "an argument is missing".to_owned(),
        _ => format!("there is no tool `{name}`; choose from search_names and run_query"),
    }
}

fn found_names(session: &Session<'_>, name: &str) -> String {
    let kb = session.kb();
    let mut lines = Vec::new();
    for hit in kb.find_names(name, SHOWN) {
        let classes: Vec<&str> =
            kb.classes_of(hit.node).map(|class| kb.label(kb.class_node(class))).collect();
        let about = kb.description(hit.node).unwrap_or_default();
        lines.push(format!(
            "{} [{}] ({}) {about}",
            kb.label(hit.node),
            kb.node_id(hit.node),
            classes.join(", ")
        ));
    }
    if lines.is_empty() { "no entity or class has this name".to_owned() } else { lines.join("\n") }
}

fn found_answers(session: &Session<'_>, language: Language, query: &str) -> String {
    let limits = Limits { operations: 2_000_000, ..Limits::default() };
    let reply = session.run(language, query, &Settings { limits, ..Settings::default() }, &Cancel::default());
    let mut text = match reply.outcome {
        Outcome::Answered(Answers::List { answers, .. }) => {
            let n = answers.len();
            let mut lines: Vec<String> = answers.iter().take(SHOWN).map(ToString::to_string).collect();
            lines.insert(0, format!("{n} answers"));
            lines.join("\n")
        }
        Outcome::Answered(other) => format!("{} rows", other.len()),
        Outcome::Unparsable(message) | Outcome::Failed(message) => message,
        Outcome::OverBudget(stopped) => stopped.to_string(),
    };
    for note in reply.notes {
        text.push('\n');
        text.push_str(&note.to_string());
    }
    text
}
