//! A KB in KQA Pro's format with KQA Pro's proportions, and programs that have answers on it. The same seed gives the same bytes.
#![allow(dead_code, unreachable_pub)]

#[path = "../../tests/suite/programs/random.rs"]
mod random;

use random::Random;
use serde::Serialize;
use std::collections::BTreeMap;
use touchstone_logic::Program;
use touchstone_logic::kopl::KoplFunction;

const N_CONCEPTS: usize = 794;
const N_RELATIONS: usize = 363;
const N_KEYS: usize = 846;
const ATTRIBUTES_PER_ENTITY: usize = 10;
/// Each is written at both ends, so an entity has twice as many records.
const RELATIONS_PER_ENTITY: usize = 12;
const UNITS: [&str; 6] = ["1", "metre", "square kilometre", "kilogram", "minute", "United States dollar"];
const QUALIFIERS: [(&str, Kind); 6] = [
    ("point in time", Kind::Date),
    ("start time", Kind::Date),
    ("end time", Kind::Year),
    ("determination method", Kind::Text),
    ("series ordinal", Kind::Number),
    ("subject has role", Kind::Text),
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number,
    Year,
    Date,
}

/// A value object of the format.
#[derive(Clone, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Literal {
    String { value: String },
    Quantity { value: f64, unit: &'static str },
    Year { value: i64 },
    Date { value: String },
}

impl Literal {
    fn random(random: &mut Random, kind: Kind, unit: &'static str) -> Literal {
        let year = 1850 + random.below(170) as i64;
        match kind {
            Kind::Text => Literal::String { value: format!("value {}", random.below(4000)) },
            Kind::Number => {
                // Small numbers are frequent, so that there are ties.
                let size = 10f64.powi(1 + random.below(6) as i32);
                let number = random.below(size as usize) as f64;
                let value =
                    if random.percent(30) { number + random.below(100) as f64 / 100.0 } else { number };
                Literal::Quantity { value, unit }
            }
            Kind::Year => Literal::Year { value: year },
            Kind::Date => {
                let (month, day) = (1 + random.below(12), 1 + random.below(28));
                Literal::Date { value: format!("{year}/{month:02}/{day:02}") }
            }
        }
    }

    /// The value in the notation of programs.
    fn text(&self) -> String {
        match self {
            Literal::String { value } => value.clone(),
            Literal::Quantity { value, unit: "1" } => value.to_string(),
            Literal::Quantity { value, unit } => format!("{value} {unit}"),
            Literal::Year { value } => value.to_string(),
            Literal::Date { value } => value.replace('/', "-"),
        }
    }

    fn year(&self) -> Option<i64> {
        match self {
            Literal::Year { value } => Some(*value),
            Literal::Date { value } => value.get(..4).and_then(|year| year.parse().ok()),
            Literal::String { .. } | Literal::Quantity { .. } => None,
        }
    }
}

type Qualifiers = BTreeMap<&'static str, Vec<Literal>>;

#[derive(Serialize)]
struct Concept {
    name: String,
    #[serde(rename = "subclassOf")]
    parents: Vec<String>,
}

#[derive(Serialize)]
struct Entity {
    name: String,
    #[serde(rename = "instanceOf")]
    concepts: Vec<String>,
    attributes: Vec<Attribute>,
    relations: Vec<Relation>,
    #[serde(skip)]
    concept: usize,
}

#[derive(Serialize)]
struct Attribute {
    key: String,
    value: Literal,
    qualifiers: Qualifiers,
}

#[derive(Serialize)]
struct Relation {
    relation: String,
    direction: &'static str,
    object: String,
    qualifiers: Qualifiers,
    #[serde(skip)]
    other: usize,
}

impl Relation {
    /// The direction of the record at its other end.
    fn inverse(&self) -> &'static str {
        if self.direction == "forward" { "backward" } else { "forward" }
    }
}

/// Small numbers are more frequent, as in real data: Zipf's law with the exponent `1 - 1 / power`.
fn skewed(random: &mut Random, n: usize, power: i32) -> usize {
    let uniform = random.below(1 << 30) as f64 / (1u64 << 30) as f64;
    let top = ((n + 1) as f64).powf(1.0 / f64::from(power));
    ((1.0 + uniform * (top - 1.0)).powi(power) as usize).clamp(1, n) - 1
}

fn qualifiers(random: &mut Random, chance: u64) -> Qualifiers {
    let mut all = Qualifiers::new();
    while random.percent(chance) && all.len() < 3 {
        let (key, kind) = *random.choose(&QUALIFIERS);
        all.entry(key).or_default().push(Literal::random(random, kind, "1"));
    }
    all
}

fn kind_of_key(key: usize) -> Kind {
    match key % 10 {
        0..=3 => Kind::Number,
        4 => Kind::Year,
        5 => Kind::Date,
        _ => Kind::Text,
    }
}

fn concept_id(i: usize) -> String {
    format!("QC{i}")
}

fn entity_id(i: usize) -> String {
    // The order of ids differs from that of the file, as in the original.
    format!("Q{}", (i * 7919 + 13) % 1_000_003)
}

struct World {
    concepts: Vec<Concept>,
    entities: Vec<Entity>,
}

impl World {
    fn new(random: &mut Random, n_entities: usize) -> World {
        let concepts = (0..N_CONCEPTS).map(|i| Concept {
            name: format!("concept {i}"),
            parents: if i < 12 { vec![] } else { vec![concept_id(random.below(i))] },
        });
        let concepts = concepts.collect();
        let mut entities: Vec<Entity> = Vec::with_capacity(n_entities);
        for i in 0..n_entities {
            let concept = skewed(random, N_CONCEPTS, 10);
            // One name in five is taken already.
            let name = if i > 0 && random.percent(20) {
                entities[random.below(i)].name.clone()
            } else {
                format!("Entity number {i}")
            };
            let attributes = (0..random.below(2 * ATTRIBUTES_PER_ENTITY + 1)).map(|_| {
                let key = skewed(random, N_KEYS, 5);
                let value = Literal::random(random, kind_of_key(key), UNITS[key / 10 % UNITS.len()]);
                Attribute { key: format!("attribute {key}"), value, qualifiers: qualifiers(random, 25) }
            });
            let attributes = attributes.collect();
            let concepts = vec![concept_id(concept)];
            entities.push(Entity { name, concepts, attributes, relations: vec![], concept });
        }
        for subject in 0..n_entities {
            for _ in 0..random.below(2 * RELATIONS_PER_ENTITY + 1) {
                let object = skewed(random, n_entities, 4);
                let relation = format!("relation {}", skewed(random, N_RELATIONS, 10));
                let qualifiers = qualifiers(random, 40);
                for (at, direction, other) in [(subject, "forward", object), (object, "backward", subject)] {
                    entities[at].relations.push(Relation {
                        relation: relation.clone(),
                        direction,
                        object: entity_id(other),
                        qualifiers: qualifiers.clone(),
                        other,
                    });
                }
            }
        }
        World { concepts, entities }
    }

    fn json(&self) -> String {
        let concepts = object(self.concepts.iter().enumerate().map(|(i, concept)| (concept_id(i), concept)));
        let entities = object(self.entities.iter().enumerate().map(|(i, entity)| (entity_id(i), entity)));
        format!("{{\"concepts\": {concepts},\n\"entities\": {entities}}}\n")
    }

    fn concept_of(&self, entity: usize) -> String {
        self.concepts[self.entities[entity].concept].name.clone()
    }

    /// A program of a kind, built around an entity that satisfies it; `None` if the entity is not suitable.
    fn program(&self, random: &mut Random, kind: ProgramKind) -> Option<Program> {
        use KoplFunction::*;
        let at = random.below(self.entities.len());
        let entity = &self.entities[at];
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let find = |entity: &Entity| (Find, vec![entity.name.clone()]);
        let relate = |relation: &Relation, direction: &str| (Relate, words(&[&relation.relation, direction]));
        let one = |random: &mut Random, relations: &[Relation]| {
            (!relations.is_empty()).then(|| random.below(relations.len()))
        };
        let steps = match kind {
            ProgramKind::RelateConceptWhat => {
                let record = &entity.relations[one(random, &entity.relations)?];
                vec![
                    find(entity),
                    relate(record, record.direction),
                    (FilterConcept, vec![self.concept_of(record.other)]),
                    (What, vec![]),
                ]
            }
            ProgramKind::TwoHopsWhat => {
                let first = &entity.relations[one(random, &entity.relations)?];
                let middle = &self.entities[first.other];
                let second = &middle.relations[one(random, &middle.relations)?];
                vec![
                    find(entity),
                    relate(first, first.direction),
                    (FilterConcept, vec![self.concept_of(first.other)]),
                    relate(second, second.direction),
                    (FilterConcept, vec![self.concept_of(second.other)]),
                    (What, vec![]),
                ]
            }
            ProgramKind::NumberConceptCount => {
                let (key, value, unit) = numbers(entity).next()?;
                let (op, limit) = if random.percent(50) { ("<", value + 1.0) } else { (">", value - 1.0) };
                let limit = Literal::Quantity { value: limit, unit }.text();
                vec![
                    (FindAll, vec![]),
                    (FilterNum, words(&[key, &limit, op])),
                    (FilterConcept, vec![self.concept_of(at)]),
                    (Count, vec![]),
                ]
            }
            ProgramKind::YearConceptSelect => {
                let (key, year) = entity.attributes.iter().find_map(|a| Some((&a.key, a.value.year()?)))?;
                let (number, _, _) = numbers(entity).next()?;
                let (op, limit) = if random.percent(50) { ("<", year + 1) } else { (">", year - 1) };
                let extreme = *random.choose(&["smallest", "largest"]);
                vec![
                    (FindAll, vec![]),
                    (FilterYear, words(&[key, &limit.to_string(), op])),
                    (FilterConcept, vec![self.concept_of(at)]),
                    (SelectAmong, words(&[number, extreme])),
                ]
            }
            ProgramKind::AttributeUnderCondition => {
                let record = entity.attributes.iter().find(|a| !a.qualifiers.is_empty())?;
                let (qualifier, values) = record.qualifiers.iter().next()?;
                let condition = words(&[&record.key, qualifier, &values.first()?.text()]);
                vec![find(entity), (QueryAttrUnderCondition, condition)]
            }
            ProgramKind::RelationQualifier => {
                let qualified = |r: &&Relation| r.direction == "forward" && !r.qualifiers.is_empty();
                let record = entity.relations.iter().find(qualified)?;
                let qualifier = record.qualifiers.keys().next()?;
                let object = &self.entities[record.other];
                let inputs = words(&[&record.relation, qualifier]);
                vec![find(entity), find(object), (QueryRelationQualifier, inputs)]
            }
            ProgramKind::AndWhat | ProgramKind::OrCount => {
                let branches = [one(random, &entity.relations)?, one(random, &entity.relations)?];
                let tail = if kind == ProgramKind::AndWhat { [And, What] } else { [Or, Count] };
                let branches = branches.into_iter().flat_map(|record| {
                    let record = &entity.relations[record];
                    let concept = (FilterConcept, vec![self.concept_of(at)]);
                    [find(&self.entities[record.other]), relate(record, record.inverse()), concept]
                });
                branches.chain(tail.map(|function| (function, vec![]))).collect()
            }
        };
        Program::from_sequence(steps).ok()
    }
}

/// The quantities of an entity.
fn numbers(entity: &Entity) -> impl Iterator<Item = (&str, f64, &'static str)> {
    entity.attributes.iter().filter_map(|attribute| match attribute.value {
        Literal::Quantity { value, unit } => Some((attribute.key.as_str(), value, unit)),
        _ => None,
    })
}

#[derive(Clone, Copy, PartialEq)]
enum ProgramKind {
    RelateConceptWhat,
    NumberConceptCount,
    YearConceptSelect,
    AttributeUnderCondition,
    RelationQualifier,
    AndWhat,
    OrCount,
    TwoHopsWhat,
}

const KINDS: [(&str, ProgramKind); 8] = [
    ("find-relate-concept-what", ProgramKind::RelateConceptWhat),
    ("findall-num-concept-count", ProgramKind::NumberConceptCount),
    ("findall-year-concept-selectamong", ProgramKind::YearConceptSelect),
    ("find-attribute-under-condition", ProgramKind::AttributeUnderCondition),
    ("find-find-relation-qualifier", ProgramKind::RelationQualifier),
    ("concepts-and-what", ProgramKind::AndWhat),
    ("concepts-or-count", ProgramKind::OrCount),
    ("two-hops-concepts-what", ProgramKind::TwoHopsWhat),
];

/// A JSON object with a line for each entry.
fn object<T: Serialize>(entries: impl Iterator<Item = (String, T)>) -> String {
    let lines = entries.map(|(id, entry)| {
        let entry = serde_json::to_string(&entry).expect("plain data");
        format!("\n\"{id}\": {entry}")
    });
    format!("{{{}}}", lines.collect::<Vec<_>>().join(","))
}

/// A KB with this number of entities in KQA Pro's format, and this number of programs of each kind. KQA Pro has 16,960 entities.
pub fn generate_kqapro(
    seed: u64,
    n_entities: usize,
    n_programs: usize,
) -> (String, BTreeMap<&'static str, Vec<Program>>) {
    let mut random = Random::new(seed);
    let world = World::new(&mut random, n_entities);
    let mut programs = BTreeMap::new();
    for (name, kind) in KINDS {
        let mut of_kind = Vec::with_capacity(n_programs);
        while of_kind.len() < n_programs {
            of_kind.extend(world.program(&mut random, kind));
        }
        programs.insert(name, of_kind);
    }
    (world.json(), programs)
}
