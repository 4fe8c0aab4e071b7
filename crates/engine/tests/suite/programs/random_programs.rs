//! Random programs over the names of a KB, nearly always well-typed, and mostly with answers.

use super::random::Random;
use serde_json::Value;
use touchstone_logic::Program;
use touchstone_logic::kopl::KoplFunction;

type Steps = Vec<(KoplFunction, Vec<String>)>;

/// The names of a KB in KQA Pro's format.
pub struct Words {
    names: Vec<String>,
    concepts: Vec<String>,
    relations: Vec<String>,
    /// Attribute keys with a value each, by frequency.
    attributes: Vec<(String, Literal)>,
    qualifiers: Vec<(String, Literal)>,
}

#[derive(Clone)]
struct Literal {
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number,
    Time,
}

impl Literal {
    fn of(value: &Value) -> Literal {
        let plain = match &value["value"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match value["type"].as_str() {
            Some("string") => Literal { kind: Kind::Text, text: plain },
            Some("quantity") => {
                let unit = value["unit"].as_str().unwrap_or("1");
                let text = if unit == "1" { plain } else { format!("{plain} {unit}") };
                Literal { kind: Kind::Number, text }
            }
            _ => Literal { kind: Kind::Time, text: plain },
        }
    }
}

impl Words {
    pub fn of(kb: &Value) -> Words {
        let mut words = Words {
            names: vec!["nobody".to_owned()],
            concepts: vec!["nothing".to_owned()],
            relations: vec!["no relation".to_owned()],
            attributes: vec![("no key".to_owned(), Literal { kind: Kind::Text, text: "x".to_owned() })],
            qualifiers: vec![("no key".to_owned(), Literal { kind: Kind::Time, text: "2000".to_owned() })],
        };
        let nodes =
            |section: &str| kb[section].as_object().into_iter().flatten().map(|(_, node)| node.clone());
        for concept in nodes("concepts") {
            words.concepts.extend(concept["name"].as_str().map(str::to_owned));
        }
        for entity in nodes("entities") {
            words.names.extend(entity["name"].as_str().map(str::to_owned));
            for record in entity["attributes"].as_array().into_iter().flatten() {
                let key = record["key"].as_str().unwrap_or_default().to_owned();
                words.attributes.push((key, Literal::of(&record["value"])));
                words.add_qualifiers(record);
            }
            for record in entity["relations"].as_array().into_iter().flatten() {
                words.relations.extend(record["relation"].as_str().map(str::to_owned));
                words.add_qualifiers(record);
            }
        }
        words
    }

    fn add_qualifiers(&mut self, record: &Value) {
        for (key, values) in record["qualifiers"].as_object().into_iter().flatten() {
            let values = values.as_array().into_iter().flatten();
            self.qualifiers.extend(values.map(|value| (key.clone(), Literal::of(value))));
        }
    }

    /// A random program.
    pub fn program(&self, random: &mut Random) -> Program {
        use KoplFunction::*;
        let mut steps = self.entities(random, 2);
        let attribute = |random: &mut Random| random.choose(&self.attributes).clone();
        match random.below(14) {
            0 | 1 => steps.push((What, vec![])),
            2 => steps.push((Count, vec![])),
            3 => {
                steps.extend(self.entities(random, 1));
                let op = *random.choose(&["less", "greater", "greater", "less", "more"]);
                steps.push((SelectBetween, vec![attribute(random).0, op.to_owned()]));
            }
            4 => {
                let op = *random.choose(&["smallest", "largest", "smallest", "largest", "most"]);
                steps.push((SelectAmong, vec![attribute(random).0, op.to_owned()]));
            }
            5 => steps.push((QueryAttr, vec![attribute(random).0])),
            6 | 7 => {
                let (key, value) = attribute(random);
                steps.push((QueryAttr, vec![key.clone()]));
                let value =
                    if random.percent(30) { attribute(random).1 } else { self.value_of(random, &key, value) };
                steps.push(verify(random, value));
            }
            8 | 9 => {
                let (key, value) = attribute(random);
                let (qualifier, target) = random.choose(&self.qualifiers).clone();
                steps.push((QueryAttrUnderCondition, vec![key, qualifier, target.text]));
                if random.percent(50) {
                    steps.push(verify(random, value));
                }
            }
            10 => {
                steps.extend(self.entities(random, 1));
                steps.push((QueryRelation, vec![]));
            }
            11 | 12 => {
                let (key, value) = attribute(random);
                let qualifier = random.choose(&self.qualifiers).0.clone();
                steps.push((QueryAttrQualifier, vec![key, value.text, qualifier]));
            }
            _ => {
                steps.extend(self.entities(random, 1));
                let qualifier = random.choose(&self.qualifiers).0.clone();
                steps.push((QueryRelationQualifier, vec![random.choose(&self.relations).clone(), qualifier]));
            }
        }
        Program::from_sequence(steps).expect("in order")
    }

    /// Another value under the same key, or the one given.
    fn value_of(&self, random: &mut Random, key: &str, otherwise: Literal) -> Literal {
        let (other, value) = random.choose(&self.attributes);
        if other == key { value.clone() } else { otherwise }
    }

    fn entities(&self, random: &mut Random, depth: usize) -> Steps {
        use KoplFunction::*;
        let mut steps: Steps = if random.percent(45) {
            vec![(FindAll, vec![])]
        } else {
            let names = if random.percent(10) { &self.concepts } else { &self.names };
            vec![(Find, vec![random.choose(names).clone()])]
        };
        let mut has_facts = false;
        for _ in 0..random.below(4) {
            match random.below(if depth > 0 { 9 } else { 7 }) {
                0 => {
                    steps.push((FilterConcept, vec![random.choose(&self.concepts).clone()]));
                    has_facts = false;
                }
                1 | 2 => {
                    let (key, value) = random.choose(&self.attributes).clone();
                    let names = [FilterStr, FilterNum, FilterYear, FilterDate];
                    steps.push(compare(random, names, Some(key), value));
                    has_facts = true;
                }
                3 | 4 if has_facts || random.percent(5) => {
                    let (key, value) = random.choose(&self.qualifiers).clone();
                    let names = [QFilterStr, QFilterNum, QFilterYear, QFilterDate];
                    steps.push(compare(random, names, Some(key), value));
                }
                3..=6 => {
                    let direction = *random.choose(&["forward", "backward"]);
                    steps.push((Relate, vec![random.choose(&self.relations).clone(), direction.to_owned()]));
                    has_facts = true;
                }
                _ => {
                    steps.extend(self.entities(random, depth - 1));
                    steps.push((*random.choose(&[And, Or]), vec![]));
                    has_facts = false;
                }
            }
        }
        steps
    }
}

fn verify(random: &mut Random, value: Literal) -> (KoplFunction, Vec<String>) {
    use KoplFunction::*;
    compare(random, [VerifyStr, VerifyNum, VerifyYear, VerifyDate], None, value)
}

/// One of the four functions that compare, with its inputs.
fn compare(
    random: &mut Random,
    [text, number, year, date]: [KoplFunction; 4],
    key: Option<String>,
    value: Literal,
) -> (KoplFunction, Vec<String>) {
    let op = if random.percent(2) { "<=" } else { random.choose(&["=", "!=", "<", ">"]) };
    let op = op.to_owned();
    let mut inputs: Vec<String> = key.into_iter().collect();
    inputs.push(value.text);
    // Occasionally the function does not match the value.
    let kind =
        if random.percent(4) { *random.choose(&[Kind::Text, Kind::Number, Kind::Time]) } else { value.kind };
    let function = match kind {
        Kind::Text => return (text, inputs),
        Kind::Number => number,
        Kind::Time if random.percent(50) => year,
        Kind::Time => date,
    };
    inputs.push(op);
    (function, inputs)
}
