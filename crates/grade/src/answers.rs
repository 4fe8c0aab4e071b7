//! Answers of predictions and of gold, compared by id where both have one, else by text.

use crate::sets::Overlap;
use hashbrown::{HashMap, HashSet};
use serde_json::Value as Json;
use std::borrow::Cow;
use touchstone_engine::Answer;

/// An answer in the ways in which it can be written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Its text: a name, or a value with its unit.
    pub text: String,
    /// Its value without the unit, if it has one.
    pub value: Option<String>,
}

impl Known {
    /// As benchmarks and predictions write it: an object with type, id and label or value, or a bare text, number or boolean.
    pub fn of_json(json: &Json) -> Known {
        let plain = |text: String| Known { id: None, text, value: None };
        match json {
            Json::String(text) => plain(text.clone()),
            Json::Bool(value) => plain(if *value { "yes" } else { "no" }.to_owned()),
            Json::Number(number) => plain(number.to_string()),
            Json::Object(fields) => {
                let field =
                    |name: &str| fields.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
                let id = field("id").map(str::to_owned);
                match (field("label"), fields.get("value")) {
                    (Some(label), _) => Known { id, text: label.to_owned(), value: None },
                    (None, Some(value)) => {
                        let value = Known::of_json(value).text;
                        match field("unit") {
                            Some(unit) => Known { id, text: format!("{value} {unit}"), value: Some(value) },
                            None => Known { id, text: value, value: None },
                        }
                    }
                    _ => Known { text: id.clone().unwrap_or_default(), id, value: None },
                }
            }
            other => plain(other.to_string()),
        }
    }

    /// As an engine gives it.
    pub fn of_engine(answer: &Answer) -> Known {
        let value = match answer {
            Answer::Quantity { value, unit } if !unit.is_empty() => Some(value.clone()),
            _ => None,
        };
        Known { id: answer.id().map(str::to_owned), text: answer.text().into_owned(), value }
    }
}

/// The text as it is compared: numbers by value, with their unit. A name may begin with a number: it stays the same.
fn compared(text: &str) -> Cow<'_, str> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Cow::Owned(format!("{number} {unit}")),
        _ => Cow::Borrowed(text),
    }
}

/// How predicted answers meet gold ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meeting {
    /// As sets.
    pub overlap: Overlap,
    /// The place of the first right one, counted from 1.
    pub first_right: Option<usize>,
}

/// Compares answers; both are sets, so what is said twice counts once. The order matters for the first right one only. Answers are the same
/// by id if both have one; a bare text may be the id or the text.
pub fn meet(predicted: &[Known], gold: &[Known]) -> Meeting {
    let mut found: Vec<bool> = Vec::with_capacity(gold.len());
    let mut by_id: HashMap<&str, usize> = HashMap::with_capacity(gold.len());
    let mut by_text: HashMap<Cow<'_, str>, Vec<usize>> = HashMap::with_capacity(gold.len());
    for answer in gold {
        let text = compared(&answer.text);
        let at = found.len();
        let is_new = match &answer.id {
            Some(id) => by_id.insert(id, at).is_none(),
            None => !by_text.contains_key(&text),
        };
        if is_new {
            by_text.entry(text).or_default().push(at);
            found.push(false);
        }
    }
    let mut others: HashSet<(bool, Cow<'_, str>)> = HashSet::new();
    let mut first_right = None;
    for (place, answer) in predicted.iter().enumerate() {
        let of_text = || by_text.get(&compared(&answer.text)).map_or(&[][..], Vec::as_slice);
        let one;
        let places: &[usize] = match &answer.id {
            Some(id) => match by_id.get(id.as_str()) {
                Some(&at) => {
                    one = [at];
                    &one
                }
                // Gold without ids is compared by text.
                None if by_id.is_empty() => of_text(),
                None => &[],
            },
            None => match by_id.get(answer.text.as_str()) {
                Some(&at) => {
                    one = [at];
                    &one
                }
                None => of_text(),
            },
        };
        if places.is_empty() {
            let key = answer.id.as_deref().map(Cow::Borrowed).unwrap_or_else(|| compared(&answer.text));
            others.insert((answer.id.is_some(), key));
            continue;
        }
        first_right = first_right.or(Some(place + 1));
        // One text may be the name of several gold answers: it stands for one of them that is left.
        if let Some(&at) = places.iter().find(|&&at| !found[at]) {
            found[at] = true;
        }
    }
    let common = found.iter().filter(|found| **found).count();
    let overlap = Overlap { common, predicted: common + others.len(), gold: found.len() };
    Meeting { overlap, first_right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known(list: Json) -> Vec<Known> {
        list.as_array().expect("a list").iter().map(Known::of_json).collect()
    }

    #[test]
    fn answers_meet() {
        let meet = |predicted: Json, gold: Json| {
            let Meeting { overlap, first_right } = meet(&known(predicted), &known(gold));
            (overlap.common, overlap.predicted, overlap.gold, first_right)
        };
        let gold = json!([
            { "type": "entity", "id": "Q1", "label": "Paris" },
            { "type": "entity", "id": "Q2", "label": "Rome" }
        ]);
        assert_eq!(meet(json!(["Rome", "x", "x"]), gold.clone()), (1, 2, 2, Some(1)));
        assert_eq!(meet(json!(["x", "Q1"]), gold.clone()), (1, 2, 2, Some(2)));
        assert_eq!(meet(json!([{ "id": "Q3", "label": "Paris" }]), gold.clone()), (0, 1, 2, None));
        assert_eq!(meet(json!([]), gold), (0, 0, 2, None));
        assert_eq!(meet(json!([]), json!([])), (0, 0, 0, None));
        let metres = json!([{ "type": "quantity", "value": "206", "unit": "centimetre" }]);
        assert_eq!(meet(json!(["206.0 centimetre"]), metres.clone()), (1, 1, 1, Some(1)));
        assert_eq!(meet(json!(["206"]), metres), (0, 1, 1, None), "the unit is missing");
        // Two things with one name, and the name said once or twice.
        let twins = json!([{ "id": "Q1", "label": "X" }, { "id": "Q2", "label": "X" }]);
        assert_eq!(meet(json!(["X"]), twins.clone()), (1, 1, 2, Some(1)));
        assert_eq!(meet(json!(["X", "X"]), twins), (2, 2, 2, Some(1)));
        assert_eq!(meet(json!([true]), json!([{ "type": "boolean", "value": true }])), (1, 1, 1, Some(1)));
    }
}
