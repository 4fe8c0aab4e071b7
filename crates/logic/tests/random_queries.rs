//! Random queries: each language round-trips, and neither numbering nor order matters.
#![allow(missing_docs, clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};
use touchstone_kb::Comparison;
use touchstone_logic::equal::Canonical;
use touchstone_logic::sparql::{Dialect, Namespaces, parse, recognise};
use touchstone_logic::{
    Ask, Condition, Direction, Extreme, Form, Program, Query, QueryGraph, Relate, Set, Spelling, Step,
    Superlative, Value, kopl, sexpr, sparql,
};

fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Names with all characters that have a meaning in some language.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]",
        1 => prop::sample::select(vec!["two words", "a(b)", "say \"x\"", "back\\slash", "a, b", "x > y", "ü/ß", "50%", "a:b", "<a>", "Q5", "a_b"])
            .prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        name().prop_map(Value::text),
        (0..50i32).prop_map(|n| Value::xsd(n.to_string(), "double")),
        (0..50i32, prop::sample::select(vec!["metre", "square mile", "foot (US)"]))
            .prop_map(|(n, unit)| Value::quantity(n.to_string(), unit)),
        (1900..2020i32).prop_map(|y| Value::xsd(y.to_string(), "gYear")),
        (1900..2020i32, 1..13u32).prop_map(|(y, m)| Value::xsd(format!("{y}-{m:02}-05"), "date")),
    ]
}

fn comparison(value: &Value) -> BoxedStrategy<Comparison> {
    if value.datatype.is_empty() {
        return Just(Comparison::Equal).boxed();
    }
    use Comparison::{Equal, Greater, Less, NotEqual};
    prop::sample::select(vec![Equal, Equal, Less, Greater, NotEqual]).boxed()
}

fn compared() -> impl Strategy<Value = (Comparison, Value)> {
    value().prop_flat_map(|value| (comparison(&value), Just(value)))
}

fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    let condition = (name(), compared()).prop_map(|(qualifier, (comparison, value))| Condition {
        qualifier: qualifier.into(),
        comparison,
        value,
    });
    prop_oneof![4 => Just(Vec::new()), 1 => prop::collection::vec(condition, 1..3)]
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Forward, Direction::Backward])
}

fn filter() -> impl Strategy<Value = Set> {
    (compared(), name(), conditions()).prop_map(|((comparison, value), property, conditions)| {
        Set::Relate(Box::new(Relate {
            from: Set::Values(comparison, Box::new(value)),
            property: property.into(),
            direction: Direction::Backward,
            conditions,
        }))
    })
}

fn set() -> impl Strategy<Value = Set> {
    let leaf = prop_oneof![
        name().prop_map(|name| Set::Named(name.into())),
        name().prop_map(|name| Set::Class(name.into())),
        filter()
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            3 => (inner.clone(), name(), direction(), conditions()).prop_map(|(from, property, direction, conditions)| {
                Set::Relate(Box::new(Relate { from, property: property.into(), direction, conditions }))
            }),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(Set::and),
            1 => prop::collection::vec(inner, 2..3).prop_map(Set::or),
        ]
    })
}

fn query() -> impl Strategy<Value = Query> {
    let extreme = prop::sample::select(vec![Extreme::Max, Extreme::Min]);
    let answer = prop_oneof![
        4 => set().prop_map(Ask::Members),
        1 => set().prop_map(Ask::Count),
        1 => (set(), name()).prop_map(|(of, attribute)| Ask::Attribute { of, attribute: attribute.into(), conditions: Vec::new() }),
        1 => (set(), name(), compared()).prop_map(|(of, attribute, (comparison, value))| Ask::Verify {
            of, attribute: attribute.into(), conditions: Vec::new(), comparison, value: Box::new(value),
        }),
        1 => (set(), set()).prop_map(|(from, to)| Ask::Relation { from, to }),
        1 => (set(), name(), set(), name())
            .prop_map(|(from, relation, to, qualifier)| Ask::RelationQualifier { from, relation: relation.into(), to, qualifier: qualifier.into() }),
        1 => (set(), name(), extreme.clone()).prop_map(|(among, attribute, extreme)| Ask::SelectAmong { among, attribute: attribute.into(), extreme }),
        1 => (set(), name(), extreme).prop_map(|(of, property, extreme)| {
            let path = vec![Step { property: property.into(), direction: Direction::Forward }];
            Ask::Members(Set::Superlative(Box::new(Superlative { of, path, extreme, start: None })))
        }),
    ];
    answer.prop_map(Query::new)
}

fn same(gold: &Query, again: &Query) -> Option<String> {
    Canonical::of(gold, &()).compare(&Canonical::of(again, &())).why
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn programs_say_the_same(query in query()) {
        if let Ok((program, lost)) = kopl::from_query(&query, &()) {
            prop_assert_eq!(lost, vec![]);
            let text = program.to_readable().unwrap();
            let again = Program::parse(&text).unwrap().to_query(&()).unwrap();
            prop_assert_eq!(same(&query, &again), None, "{}", text);
        }
    }

    #[test]
    fn s_expressions_say_the_same(query in query()) {
        if let Ok(printed) = sexpr::print(&query) {
            prop_assert_eq!(printed.lost, vec![]);
            let again = Form::parse(&printed.text, &Spelling).unwrap().to_query().unwrap();
            prop_assert_eq!(same(&query, &again), None, "{}", printed.text);
        }
    }

    /// SPARQL over KQA Pro's graph.
    #[test]
    fn sparql_over_facts_says_the_same(query in query()) {
        if let Ok(printed) = sparql::print(&query, &Dialect::KqaPro) {
            let parsed = parse(&printed.text).map_err(|error| TestCaseError::fail(format!("{error}\n{}", printed.text)))?;
            prop_assert!(parsed.repairs.is_empty(), "{:?}", parsed.repairs);
            let again = recognise(&parsed.query, &Namespaces::default())
                .map_err(|error| TestCaseError::fail(format!("{error}\n{}", printed.text)))?;
            prop_assert_eq!(same(&query, &again.query), None, "{}", printed.text);
        }
    }

    /// Whatever names contain, the text is one valid query.
    #[test]
    fn plain_sparql_is_valid(query in query()) {
        for dialect in [Dialect::Freebase, Dialect::Plain { base: "http://example.org/".to_owned() }] {
            if let Ok(printed) = sparql::print(&query, &dialect) {
                let parsed = parse(&printed.text).map_err(|error| TestCaseError::fail(format!("{error}\n{}", printed.text)))?;
                prop_assert!(parsed.repairs.is_empty(), "{:?}", parsed.repairs);
            }
        }
    }

    #[test]
    fn order_does_not_matter(query in query(), seed in any::<u64>()) {
        let mut shuffled = query.clone();
        let mut state = seed;
        shuffle_answer(&mut shuffled.answer, &mut state);
        prop_assert_eq!(same(&query, &shuffled), None);
        let shape = |query: &Query| QueryGraph::of(query).shape().code;
        prop_assert_eq!(shape(&query), shape(&shuffled));
    }
}

fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize
}

fn shuffle_answer(answer: &mut Ask, state: &mut u64) {
    match answer {
        Ask::Members(set) | Ask::Count(set) | Ask::Exists(set) => shuffle(set, state),
        Ask::Attribute { of, .. } | Ask::Verify { of, .. } | Ask::AttributeQualifier { of, .. } => {
            shuffle(of, state)
        }
        Ask::Relation { from, to } | Ask::RelationQualifier { from, to, .. } => {
            shuffle(from, state);
            shuffle(to, state);
        }
        Ask::SelectBetween { left, right, .. } => {
            shuffle(left, state);
            shuffle(right, state);
        }
        Ask::SelectAmong { among, .. } => shuffle(among, state),
    }
}

fn shuffle(set: &mut Set, state: &mut u64) {
    match set {
        Set::And(parts) | Set::Or(parts) => {
            for i in (1..parts.len()).rev() {
                parts.swap(i, next(state) % (i + 1));
            }
            parts.iter_mut().for_each(|part| shuffle(part, state));
        }
        Set::Relate(relate) => {
            relate.conditions.reverse();
            shuffle(&mut relate.from, state);
        }
        Set::Superlative(superlative) => shuffle(&mut superlative.of, state),
        Set::Marked(_, inner) => shuffle(inner, state),
        _ => {}
    }
}

/// A random graph pattern, written twice with different variable names and order of triples.
fn pattern() -> impl Strategy<Value = (Vec<(usize, u8, usize)>, Vec<usize>)> {
    // Each triple connects an existing thing with any thing, so that everything is connected; small numbers close cycles.
    let triples =
        prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, 0..6usize, any::<bool>()), 1..9);
    triples.prop_flat_map(|raw| {
        let mut things = vec![0usize];
        let mut triples = Vec::new();
        for (from, relation, to, forward) in raw {
            let from = things[from.index(things.len())];
            triples.push(if forward { (from, relation, to) } else { (to, relation, from) });
            if !things.contains(&to) {
                things.push(to);
            }
        }
        let order: Vec<usize> = (0..triples.len()).collect();
        (Just(triples), Just(order).prop_shuffle())
    })
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn names_of_variables_and_order_of_triples_do_not_matter((triples, order) in pattern(), shift in 1..6usize) {
        let written = |name: &dyn Fn(usize) -> String, order: &mut dyn Iterator<Item = usize>| {
            let mut text = format!("SELECT DISTINCT {} WHERE {{ ", name(0));
            for i in order {
                let (s, p, o) = triples[i];
                text.push_str(&format!("{} <http://p/{p}> {} . ", name(s), name(o)));
            }
            text + "}"
        };
        // Thing 5 is a constant.
        let constant = |i: usize, name: String| if i == 5 { "<http://dbpedia.org/resource/C>".to_owned() } else { name };
        let one = written(&|i| constant(i, format!("?v{i}")), &mut (0..triples.len()));
        let two = written(&|i| constant(i, format!("?w{}", (i + shift) % 6)), &mut order.iter().copied());
        let read = |text: &str| recognise(&parse(text).unwrap().query, &Namespaces::default()).map(|found| found.query);
        match (read(&one), read(&two)) {
            (Ok(one_query), Ok(two_query)) => {
                prop_assert_eq!(same(&one_query, &two_query), None, "{}\n{}", one, two);
                prop_assert_eq!(QueryGraph::of(&one_query).shape().code, QueryGraph::of(&two_query).shape().code);
                // Also through the printer.
                let printed = sparql::print(&one_query, &Dialect::Freebase).unwrap();
                let again = read(&printed.text).map_err(|error| TestCaseError::fail(format!("{error}\n{}", printed.text)))?;
                prop_assert_eq!(same(&one_query, &again), None, "{}\n{}", one, printed.text);
            }
            (one, two) => prop_assert_eq!(one.is_err(), two.is_err()),
        }
    }
}
