//! The meaning of queries: evaluating a description on a small graph gives what its SPARQL gives in a real engine, in both directions.
#![allow(missing_docs, clippy::unwrap_used)]

use oxigraph::model::{GraphName, Literal, NamedNode, Quad, Term};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};
use std::collections::{BTreeMap, BTreeSet};
use touchstone_kb::Comparison;
use touchstone_logic::sparql::{Dialect, Namespaces, parse, recognise};
use touchstone_logic::{
    Ask, Direction, Extreme, Form, Mark, Operand, Query, Set, Spelling, Step, Superlative, Value, sexpr,
    sparql,
};

const ENTITIES: usize = 6;
const NUMBERS: usize = 4;
const RELATIONS: usize = 3;
const CLASSES: usize = 2;

fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Entities come first, then the numbers.
type Thing = usize;

/// A small KB: facts between entities, numbers of entities, members of classes.
#[derive(Debug, Clone)]
struct World {
    facts: BTreeSet<(Thing, usize, Thing)>,
    numbers: BTreeSet<(Thing, Thing)>,
    members: BTreeSet<(Thing, usize)>,
}

fn world() -> impl Strategy<Value = World> {
    let facts = prop::collection::btree_set((0..ENTITIES, 0..RELATIONS, 0..ENTITIES), 4..24);
    let numbers = prop::collection::btree_set((0..ENTITIES, ENTITIES..ENTITIES + NUMBERS), 0..8);
    let members = prop::collection::btree_set((0..ENTITIES, 0..CLASSES), 2..9);
    (facts, numbers, members).prop_map(|(facts, numbers, members)| World { facts, numbers, members })
}

fn entity(thing: Thing) -> String {
    format!("http://dbpedia.org/resource/E{thing}")
}

fn relation(number: usize) -> String {
    format!("http://p/r{number}")
}

fn class(number: usize) -> String {
    format!("http://p/C{number}")
}

const NUMBER: &str = "http://p/number";

fn number(thing: Thing) -> i64 {
    (thing - ENTITIES) as i64
}

impl World {
    fn store(&self) -> Store {
        let store = Store::new().unwrap();
        let node = |iri: &str| NamedNode::new(iri).unwrap();
        let add = |s: &str, p: &str, o: Term| {
            store.insert(&Quad::new(node(s), node(p), o, GraphName::DefaultGraph)).unwrap();
        };
        for &(s, p, o) in &self.facts {
            add(&entity(s), &relation(p), node(&entity(o)).into());
        }
        for &(s, o) in &self.numbers {
            add(&entity(s), NUMBER, Literal::from(number(o)).into());
        }
        for &(s, c) in &self.members {
            add(&entity(s), "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", node(&class(c)).into());
        }
        store
    }

    fn has(&self, s: Thing, property: &str, o: Thing) -> bool {
        if property == NUMBER {
            return self.numbers.contains(&(s, o));
        }
        (0..RELATIONS).any(|r| relation(r) == property && self.facts.contains(&(s, r, o)))
    }

    fn things(&self) -> std::ops::Range<Thing> {
        0..ENTITIES + NUMBERS
    }

    /// The choices of marks with which a thing is in a set.
    fn ways(
        &self,
        set: &Set,
        thing: Thing,
        marks: &BTreeMap<Mark, Thing>,
    ) -> BTreeSet<BTreeMap<Mark, Thing>> {
        let only_if = |holds: bool| if holds { BTreeSet::from([marks.clone()]) } else { BTreeSet::new() };
        match set {
            Set::All => only_if(true),
            Set::Entity(id) => only_if(thing < ENTITIES && entity(thing) == *id),
            Set::Class(id) => {
                only_if((0..CLASSES).any(|c| class(c) == *id && self.members.contains(&(thing, c))))
            }
            Set::Values(comparison, value) => {
                let wanted: i64 = value.text.parse().unwrap();
                let holds = |found: i64| match comparison {
                    Comparison::Equal => found == wanted,
                    Comparison::NotEqual => found != wanted,
                    Comparison::Less => found < wanted,
                    Comparison::Greater => found > wanted,
                    Comparison::LessOrEqual => found <= wanted,
                    Comparison::GreaterOrEqual => found >= wanted,
                };
                only_if(thing >= ENTITIES && holds(number(thing)))
            }
            Set::Relate(relate) => {
                let linked = |other: Thing| match relate.direction {
                    Direction::Forward => self.has(other, &relate.property, thing),
                    Direction::Backward => self.has(thing, &relate.property, other),
                };
                self.things()
                    .filter(|&other| linked(other))
                    .flat_map(|other| self.ways(&relate.from, other, marks))
                    .collect()
            }
            Set::And(parts) => parts.iter().fold(BTreeSet::from([marks.clone()]), |ways, part| {
                ways.iter().flat_map(|marks| self.ways(part, thing, marks)).collect()
            }),
            Set::Or(parts) => parts.iter().flat_map(|part| self.ways(part, thing, marks)).collect(),
            Set::Marked(mark, inner) => {
                let mut marks = marks.clone();
                marks.insert(*mark, thing);
                self.ways(inner, thing, &marks)
            }
            Set::Same(mark) => only_if(marks.get(mark) == Some(&thing)),
            Set::Superlative(superlative) => {
                let best = self
                    .things()
                    .flat_map(|candidate| self.reached(superlative, candidate))
                    .map(|(value, _)| value);
                let best = match superlative.extreme {
                    Extreme::Max => best.max(),
                    Extreme::Min => best.min(),
                };
                self.reached(superlative, thing)
                    .into_iter()
                    .filter(|(value, _)| Some(*value) == best)
                    .map(|(_, marks)| marks)
                    .collect()
            }
            Set::Named(_) | Set::During(_) => unreachable!("not generated"),
        }
    }

    /// The values that a candidate of a superlative reaches.
    fn reached(&self, superlative: &Superlative, candidate: Thing) -> Vec<(i64, BTreeMap<Mark, Thing>)> {
        let mut found = Vec::new();
        for marks in self.ways(&superlative.of, candidate, &BTreeMap::new()) {
            let start = superlative.start.map_or(candidate, |mark| marks[&mark]);
            let mut ends = BTreeSet::from([start]);
            for Step { property, direction } in &superlative.path {
                let linked = |from: Thing, to: Thing| match direction {
                    Direction::Forward => self.has(from, property, to),
                    Direction::Backward => self.has(to, property, from),
                };
                ends = self.things().filter(|&to| ends.iter().any(|&from| linked(from, to))).collect();
            }
            found.extend(
                ends.into_iter().filter(|&end| end >= ENTITIES).map(|end| (number(end), marks.clone())),
            );
        }
        found
    }

    /// The answer as text: members, their number, or yes and no.
    fn answer(&self, query: &Query) -> BTreeSet<String> {
        let members = |set: &Set| -> BTreeSet<String> {
            let allowed = |thing: Thing, marks: &BTreeMap<Mark, Thing>| {
                let value = |operand: &Operand| match operand {
                    Operand::Answer => shown(thing),
                    Operand::Marked(mark) => shown(marks[mark]),
                    Operand::Entity(id) => id.to_string(),
                };
                query.rules.different.iter().all(|(a, b)| value(a) != value(b))
            };
            // The extreme is taken among those that satisfy the side conditions.
            if let Set::Superlative(superlative) = set {
                let left = |thing: Thing| {
                    let reached = self.reached(superlative, thing).into_iter();
                    reached
                        .filter(|(_, marks)| allowed(thing, marks))
                        .map(|(value, _)| value)
                        .collect::<Vec<i64>>()
                };
                let all = self.things().flat_map(left);
                let best = if superlative.extreme == Extreme::Max { all.max() } else { all.min() };
                return self
                    .things()
                    .filter(|&thing| left(thing).iter().any(|value| Some(*value) == best))
                    .map(shown)
                    .collect();
            }
            let ways = |thing: Thing| self.ways(set, thing, &BTreeMap::new());
            self.things()
                .filter(|&thing| ways(thing).iter().any(|marks| allowed(thing, marks)))
                .map(shown)
                .collect()
        };
        match &query.answer {
            Ask::Members(set) => members(set),
            Ask::Count(set) => BTreeSet::from([members(set).len().to_string()]),
            Ask::Exists(set) => BTreeSet::from([(!members(set).is_empty()).to_string()]),
            other => unreachable!("{other:?} is not generated"),
        }
    }
}

fn shown(thing: Thing) -> String {
    if thing < ENTITIES { entity(thing) } else { number(thing).to_string() }
}

/// The answer of a SPARQL engine.
fn answered(store: &Store, text: &str) -> BTreeSet<String> {
    let results = SparqlEvaluator::new()
        .parse_query(text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .on_store(store)
        .execute()
        .unwrap();
    match results {
        QueryResults::Boolean(yes) => BTreeSet::from([yes.to_string()]),
        QueryResults::Solutions(solutions) => solutions
            .map(|solution| match solution.unwrap().get(0).unwrap() {
                Term::NamedNode(node) => node.as_str().to_owned(),
                Term::Literal(literal) => literal.value().to_owned(),
                other => other.to_string(),
            })
            .collect(),
        QueryResults::Graph(_) => unreachable!("no graphs are asked for"),
    }
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Forward, Direction::Backward])
}

fn set() -> impl Strategy<Value = Set> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let comparison = prop::sample::select(vec![Equal, NotEqual, Less, Greater, LessOrEqual, GreaterOrEqual]);
    let value = (comparison, 0..NUMBERS).prop_map(|(comparison, n)| {
        Set::relate(
            Set::Values(comparison, Box::new(Value::xsd(n.to_string(), "integer"))),
            NUMBER,
            Direction::Backward,
        )
    });
    let leaf = prop_oneof![
        (0..ENTITIES).prop_map(|thing| Set::Entity(entity(thing).into())),
        (0..CLASSES).prop_map(|c| Set::Class(class(c).into())),
        value
    ];
    leaf.prop_recursive(4, 10, 3, |inner| {
        prop_oneof![
            4 => (inner.clone(), 0..RELATIONS, direction()).prop_map(|(from, r, direction)| Set::relate(from, relation(r), direction)),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(Set::and),
            1 => prop::collection::vec(inner.clone(), 2..3).prop_map(Set::or),
            1 => (inner, prop::collection::vec((0..RELATIONS, direction()), 0..2), any::<bool>()).prop_map(|(of, steps, max)| {
                let mut path: Vec<Step> =
                    steps.into_iter().map(|(r, direction)| Step { property: relation(r).into(), direction }).collect();
                path.push(Step { property: NUMBER.to_owned().into(), direction: Direction::Forward });
                let extreme = if max { Extreme::Max } else { Extreme::Min };
                Set::Superlative(Box::new(Superlative { of, path, extreme, start: None }))
            }),
        ]
    })
}

fn query() -> impl Strategy<Value = Query> {
    (set(), 0..3u8).prop_map(|(set, kind)| {
        Query::new(match kind {
            0 => Ask::Members(set),
            1 => Ask::Count(set),
            _ => Ask::Exists(set),
        })
    })
}

proptest! {
    #![proptest_config(config(4000))]

    /// From the algebra to SPARQL, and through S-expressions.
    #[test]
    fn printed_queries_mean_the_same(world in world(), query in query()) {
        let gold = world.answer(&query);
        if let Ok(printed) = sparql::print(&query, &Dialect::Plain { base: "http://example.org/".to_owned() }) {
            prop_assert_eq!(&answered(&world.store(), &printed.text), &gold, "{}", printed.text);
        }
        if let Ok(printed) = sexpr::print(&query) {
            let again = Form::parse(&printed.text, &Spelling).unwrap().to_query().unwrap();
            prop_assert_eq!(&world.answer(&again), &gold, "{}", printed.text);
        }
    }
}

/// Patterns with cycles, constants, classes, comparisons, inequalities, unions and superlatives, as text.
fn text() -> impl Strategy<Value = String> {
    let triples =
        prop::collection::vec((any::<prop::sample::Index>(), 0..RELATIONS, 0..5usize, any::<bool>()), 1..6);
    let extras = prop::collection::vec((0..6u8, any::<prop::sample::Index>(), 0..ENTITIES), 0..4);
    (triples, extras, 0..4u8).prop_map(|(triples, extras, kind)| {
        let mut variables = vec![0usize];
        let mut body = String::new();
        for (from, r, to, forward) in triples {
            let from = variables[from.index(variables.len())];
            let (s, o) = if forward { (from, to) } else { (to, from) };
            body.push_str(&format!("?v{s} <{}> ?v{o} . ", relation(r)));
            if !variables.contains(&to) {
                variables.push(to);
            }
        }
        for (i, (extra, at, n)) in extras.into_iter().enumerate() {
            let at = variables[at.index(variables.len())];
            body.push_str(&match extra {
                0 => format!("?v{at} <{}> <{}> . ", relation(n % RELATIONS), entity(n)),
                1 => format!("?v{at} a <{}> . ", class(n % CLASSES)),
                2 => format!("?v{at} <{NUMBER}> ?n{i} . FILTER (?n{i} > {}) ", n % NUMBERS),
                3 => format!("FILTER (?v{at} != <{}>) ", entity(n)),
                4 if at != 0 => format!("FILTER (?v0 != ?v{at}) "),
                _ => format!("{{ ?v{at} <{}> ?a{i} . }} UNION {{ <{}> <{}> ?v{at} . }} ", relation(n % RELATIONS), entity(n), relation(0)),
            });
        }
        match kind {
            0 => format!("SELECT DISTINCT ?v0 WHERE {{ {body}}}"),
            1 => format!("SELECT (COUNT(DISTINCT ?v0) AS ?n) WHERE {{ {body}}}"),
            2 => format!("ASK {{ {body}}}"),
            _ => {
                let last = variables[variables.len() - 1];
                let inner = format!("{body}?v{last} <{NUMBER}> ?value . ");
                format!("SELECT DISTINCT ?v0 WHERE {{ {inner} {{ SELECT ?value WHERE {{ {inner} }} ORDER BY DESC(?value) LIMIT 1 }} }}")
            }
        }
    })
}

proptest! {
    #![proptest_config(config(4000))]

    /// From SPARQL to the algebra, and back to SPARQL.
    #[test]
    fn recognised_queries_mean_the_same(world in world(), text in text()) {
        let parsed = parse(&text).unwrap();
        // Losses are reported.
        if let Ok(recognised) = recognise(&parsed.query, &Namespaces::default())
            && recognised.lost.is_empty()
        {
            let store = world.store();
            let gold = answered(&store, &text);
            prop_assert_eq!(&world.answer(&recognised.query), &gold, "{}\n{:?}", text, recognised.query);
            if let Ok(printed) = sparql::print(&recognised.query, &recognised.dialect) {
                prop_assert_eq!(&answered(&store, &printed.text), &gold, "{}\n{}", text, printed.text);
            }
        }
    }
}
