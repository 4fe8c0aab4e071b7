//! Random KBs in KQA Pro's format, full of what executors disagree about: repeated records, ties, several units under a key, shared
//! names, concepts as objects, records at one end only, keys with values of several types, objects that are not described.

use super::random::Random;
use serde_json::{Map, Value, json};

const NAMES: &[&str] =
    &["Ada", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "it's \"x\"", "Ärö", "person", "town"];
const RELATIONS: &[&str] = &["knows", "likes", "lives in", "part of"];
const UNITS: &[&str] = &["1", "metre", "mile"];

/// Keys and the types of their values; `any` is for keys with several.
const KEYS: &[(&str, &str)] = &[
    ("height", "quantity"),
    ("weight", "quantity"),
    ("born", "time"),
    ("colour", "string"),
    ("note", "any"),
    ("when", "time"),
    ("rank", "quantity"),
    ("role", "string"),
];
/// The keys that are used for qualifiers; some are used for both.
const QUALIFIERS: &[(&str, &str)] =
    &[("when", "time"), ("rank", "quantity"), ("role", "string"), ("note", "any"), ("until", "time")];

fn value(random: &mut Random, kind: &str) -> Value {
    match kind {
        "quantity" => {
            let numbers =
                [json!(1), json!(2), json!(2.0), json!(-2.5), json!(3.25), json!(2.000001), json!(1e22)];
            let unit = if random.percent(60) { UNITS[0] } else { random.choose(UNITS) };
            json!({"type": "quantity", "value": random.choose(&numbers), "unit": unit})
        }
        "time" if random.percent(50) => {
            json!({"type": "year", "value": random.choose(&[-500, 1990, 1991, 2000])})
        }
        "time" => {
            let dates = ["1990-05-06", "1990/05/07", "1991-01-01", "2000-02-29", "1990"];
            json!({"type": "date", "value": random.choose(&dates)})
        }
        "string" => json!({"type": "string", "value": random.choose(&["red", "blue", "Red", "no"])}),
        _ => {
            let kind = *random.choose(&["quantity", "time", "string"]);
            value(random, kind)
        }
    }
}

fn qualifiers(random: &mut Random) -> Value {
    let mut all = Map::new();
    for _ in 0..random.below(3) {
        let (key, kind) = *random.choose(QUALIFIERS);
        let n = 1 + random.below(3);
        all.insert(key.to_owned(), (0..n).map(|_| value(random, kind)).collect());
    }
    Value::Object(all)
}

/// A KB with this number of entities, as JSON.
pub fn random_kb(seed: u64, n_entities: usize) -> Value {
    let mut random = Random::new(seed);
    let n_concepts = 6;
    // The order of ids differs from that of the file.
    let concept = |i: usize| format!("C{}", (i * 5 + 3) % n_concepts);
    let entity = |i: usize| format!("E{:03}", (i * 7 + 2) % n_entities);
    let mut concepts = Map::new();
    for i in 0..n_concepts {
        let parents: Vec<String> = (0..i).filter(|_| random.percent(40)).map(concept).collect();
        let name = ["thing", "person", "town", "Ada", "empty", "town"][i];
        concepts.insert(concept(i), json!({"name": name, "subclassOf": parents}));
    }
    let mut relations: Vec<Vec<Value>> = vec![Vec::new(); n_entities];
    for subject in 0..n_entities {
        for _ in 0..random.below(6) {
            let relation = *random.choose(RELATIONS);
            let qualifiers = qualifiers(&mut random);
            let record = |direction: &str, object: String| json!({"relation": relation, "direction": direction, "object": object, "qualifiers": qualifiers});
            if random.percent(20) {
                let direction = *random.choose(&["forward", "backward"]);
                let record = record(direction, concept(random.below(n_concepts)));
                for _ in 0..1 + random.below(2) {
                    relations[subject].push(record.clone());
                }
            } else if random.percent(3) {
                relations[subject].push(record("forward", "E999".to_owned()));
            } else {
                let object = random.below(n_entities);
                relations[subject].push(record("forward", entity(object)));
                if random.percent(80) {
                    relations[object].push(record("backward", entity(subject)));
                }
                if random.percent(20) {
                    relations[subject].push(record("forward", entity(object)));
                }
            }
        }
    }
    let mut entities = Map::new();
    for (i, relations) in relations.into_iter().enumerate() {
        let mut attributes = Vec::new();
        for _ in 0..random.below(8) {
            let (key, kind) = *random.choose(KEYS);
            let record =
                json!({"key": key, "value": value(&mut random, kind), "qualifiers": qualifiers(&mut random)});
            for _ in 0..1 + usize::from(random.percent(15)) {
                attributes.push(record.clone());
            }
        }
        // The concept "empty" has no entities.
        let classes: Vec<String> = (0..random.below(3)).map(|_| concept(random.below(4))).collect();
        let name =
            if random.percent(50) { (*random.choose(NAMES)).to_owned() } else { format!("entity {i}") };
        entities.insert(
            entity(i),
            json!({"name": name, "instanceOf": classes, "attributes": attributes, "relations": relations}),
        );
    }
    json!({"concepts": concepts, "entities": entities})
}
