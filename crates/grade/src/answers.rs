//! Answers of predictions and of gold, compared by id where both have one, else by text.

use crate::sets::Overlap;
use serde_json::Value as Json;
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

    /// Whether a predicted answer is this gold one: by id if both have one; a bare text may be the id or the text.
    pub fn is(&self, predicted: &Known) -> bool {
        match (&self.id, &predicted.id) {
            (Some(gold), Some(predicted)) => gold == predicted,
            (Some(gold), None) => *gold == predicted.text || same_text(&self.text, &predicted.text),
            _ => same_text(&self.text, &predicted.text),
        }
    }
}

/// The same text; numbers by value, with the same unit.
fn same_text(gold: &str, predicted: &str) -> bool {
    if gold == predicted {
        return true;
    }
    let split = |text: &'_ str| -> Option<(f64, String)> {
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        // A name may begin with a number, and a date with a year.
        let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
        Some((number, unit.to_owned()))
    };
    matches!((split(gold), split(predicted)), (Some(a), Some(b)) if a == b)
}

/// How predicted answers meet gold ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meeting {
    /// As sets.
    pub overlap: Overlap,
    /// The place of the first right one, counted from 1.
    pub first_right: Option<usize>,
}

/// Compares answers; both are sets, so what is said twice counts once. The order matters for the first right one only.
pub fn meet(predicted: &[Known], gold: &[Known]) -> Meeting {
    let mut gold_set: Vec<&Known> = Vec::with_capacity(gold.len());
    for answer in gold {
        if !gold_set.iter().any(|known| same(known, answer)) {
            gold_set.push(answer);
        }
    }
    let mut found = vec![false; gold_set.len()];
    let mut others: Vec<&Known> = Vec::new();
    let mut first_right = None;
    for (place, answer) in predicted.iter().enumerate() {
        let mut is_right = false;
        for (at, gold) in gold_set.iter().enumerate() {
            if gold.is(answer) {
                is_right = true;
                // One text may be the name of several gold answers: it stands for one of them that is left.
                if !found[at] {
                    found[at] = true;
                    break;
                }
            }
        }
        if is_right {
            first_right = first_right.or(Some(place + 1));
        } else if !others.iter().any(|known| same(known, answer)) {
            others.push(answer);
        }
    }
    let common = found.iter().filter(|found| **found).count();
    let overlap = Overlap { common, predicted: common + others.len(), gold: gold_set.len() };
    Meeting { overlap, first_right }
}

fn same(a: &Known, b: &Known) -> bool {
    match (&a.id, &b.id) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.text == b.text,
        _ => false,
    }
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
