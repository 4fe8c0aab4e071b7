//! Answers as the package holds them: objects with a type, an id and a label, or a value.

use serde_json::{Value as Json, json};

pub(crate) fn field<'j>(answer: &'j Json, name: &str) -> &'j str {
    answer.get(name).and_then(Json::as_str).unwrap_or_default()
}

pub(crate) fn is(answer: &Json, kind: &str) -> bool {
    field(answer, "type") == kind
}

/// The text of an answer, as KQA Pro writes it.
pub(crate) fn text(answer: &Json) -> String {
    match field(answer, "type") {
        "entity" | "class" | "relation" => match field(answer, "label") {
            "" => field(answer, "id").to_owned(),
            label => label.to_owned(),
        },
        "quantity" if !field(answer, "unit").is_empty() => {
            format!("{} {}", field(answer, "value"), field(answer, "unit"))
        }
        "boolean" => if answer["value"] == json!(true) { "yes" } else { "no" }.to_owned(),
        "number" => answer["value"].to_string(),
        _ => field(answer, "value").to_owned(),
    }
}

/// Whether two lists hold the same answers: by id where all of them have one, by their text otherwise.
pub(crate) fn are_same(left: &[Json], right: &[Json]) -> bool {
    let by_id = left.iter().chain(right).all(|answer| !field(answer, "id").is_empty());
    let key = |answer: &Json| if by_id { field(answer, "id").to_owned() } else { text(answer) };
    let sorted = |answers: &[Json]| {
        let mut keys: Vec<String> = answers.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    sorted(left) == sorted(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_by_what_they_have() {
        let entity = |id: &str, label: &str| json!({ "type": "entity", "id": id, "label": label });
        let named = |label: &str| json!({ "type": "entity", "label": label });
        let value = |value: &str| json!({ "type": "text", "value": value });
        assert!(are_same(&[entity("Q1", "A"), entity("Q2", "B")], &[entity("Q2", "b"), entity("Q1", "A")]));
        assert!(!are_same(&[entity("Q1", "A")], &[entity("Q2", "A")]));
        assert!(are_same(&[named("A")], &[entity("Q1", "A")]));
        assert!(!are_same(&[named("A")], &[entity("Q1", "B")]));
        assert!(are_same(
            &[value("3 metre")],
            &[json!({ "type": "quantity", "value": "3", "unit": "metre" })]
        ));
        assert!(are_same(&[value("A")], &[entity("Q1", "A")]));
        assert!(!are_same(&[value("3")], &[]));
    }
}
