//! Answers in the formats of the data sets about Freebase.

use crate::questions::entity;
use serde_json::Value as Json;
use touchstone_benchmark::Function;
use touchstone_logic::Answer;

/// GrailQA's and WebQSP's objects, ComplexWebQuestions' objects, or a plain text.
pub(crate) fn answer(answer: &Json, function: Function) -> Answer {
    let get = |keys: [&str; 2]| keys.iter().find_map(|key| answer.get(key)).and_then(Json::as_str);
    if let Some(argument) = get(["answer_argument", "AnswerArgument"]).or(get(["answer_id", "id"])) {
        let name = get(["entity_name", "EntityName"]).or(get(["answer", "name"])).unwrap_or_default();
        let kind = get(["answer_type", "AnswerType"]).unwrap_or_default();
        if kind == "Entity" || is_mid(argument) {
            return entity(argument, name);
        }
        return match argument.parse::<u64>() {
            Ok(value) if function == Function::Count => Answer::count(value),
            _ => Answer::plain(argument),
        };
    }
    match answer.as_str() {
        Some(id) if is_mid(id) => entity(id, ""),
        Some(text) => entity("", text),
        None => Answer::plain(answer.to_string()),
    }
}

/// The answers of a list.
pub(crate) fn answers(list: Option<&Json>, function: Function) -> Vec<Answer> {
    let list = list.and_then(Json::as_array).into_iter().flatten();
    list.map(|one| answer(one, function)).collect()
}

fn is_mid(text: &str) -> bool {
    (text.starts_with("m.") || text.starts_with("g.")) && text.len() > 3
}
