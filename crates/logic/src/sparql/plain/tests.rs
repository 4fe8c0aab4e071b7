//! The plain reader compared with the general parser.

use super::read;
use crate::sparql::parse_any;
use spargebra::Query;

/// Plain queries, as the printers of this program and published datasets write them.
const PLAIN: &str = include_str!("cases.txt");

/// The algebra as text. Aggregates have random names.
fn shown(query: &Query) -> String {
    let text = format!("{query:?}");
    let is_random = |word: &str| word.len() > 24 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = text.split('"').map(|word| if is_random(word) { "random" } else { word });
    words.collect::<Vec<_>>().join("\"")
}

fn check(text: &str) -> bool {
    let Some(read) = read(text) else { return false };
    match parse_any(text) {
        Ok(parsed) => {
            assert_eq!(shown(&read), shown(&parsed.query), "{text}");
            assert_eq!(parsed.repairs, [], "{text}");
        }
        Err(error) => panic!("{text}\n{error}"),
    }
    true
}

#[test]
fn plain_queries_are_read_as_by_the_general_parser() {
    for text in PLAIN.split("\n---\n") {
        assert!(check(text), "not plain: {text}");
    }
}

#[test]
fn others_are_left_to_the_general_parser() {
    for text in [
        "",
        "SELECT",
        "SELECT ?x",
        "SELECT ?x {",
        "ASK { ?x ?y }",
        "ASK { ?x <a/b> ?y }",
        "ASK { [] <urn:b> ?y }",
        "ASK { ?x <urn:a>/<urn:b> ?y }",
        "ASK { ?x <urn:a>* ?y }",
        "ASK { ?x ^<urn:a> ?y }",
        "ASK { ?x ns:a ?y }",
        "ASK { ?x <urn:a> \"x\"@en }",
        "ASK { FILTER(1 + 1 = 2) }",
        "ASK { FILTER(-1 < 2) }",
        "ASK {} LIMIT 1",
        "SELECT ?x { ?x <urn:a> ?y } GROUP BY ?x",
        "SELECT ?x ?x { ?x <urn:a> ?y }",
        "ASK { ?x <http://a/../b> ?y }",
        "SELECT ?y (COUNT(?x) AS ?n) { ?x <urn:a> ?y }",
        "SELECT COUNT(?x) { ?x <urn:a> ?y }",
        "ASK { ?x <urn:a b> ?y }",
        "ASK { ?x <urn:%zz> ?y }",
        "ASK { ?é ?b ?c }",
        "ASK { ?x <urn:a> ?y ?x <urn:b> ?y }",
        "ASK { BIND(1 AS ?x) BIND(2 AS ?x) }",
        "CONSTRUCT { ?a ?b ?c } { ?a ?b ?c }",
        "PREFIX 1: <http://example/> ASK {}",
        "PREFIX _a: <http://example/> ASK { _a:x ?y ?z }",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
    let deep = format!("ASK {}{}", "{".repeat(50), "}".repeat(50));
    let long = format!("ASK {{ FILTER(?x{}) }}", " || ?x".repeat(1000));
    assert!(read(&deep).is_none() && read(&long).is_none());
}

#[test]
fn a_prefix_begins_with_a_letter() {
    for prefix in ["1", "_a", "-a"] {
        let text = format!("PREFIX {prefix}: <http://example/> ASK {{ {prefix}:x ?y ?z }}");
        assert!(crate::sparql::parse(&text).is_err(), "{text}");
    }
    assert!(check("PREFIX a1: <http://example/> ASK { a1:x ?y ?z }"));
    assert!(check("PREFIX : <http://example/> ASK { :x ?y ?z }"));
}

/// Those of the datasets at hand; skipped, with a message, where there are none.
#[test]
#[allow(clippy::print_stderr)]
fn published_queries_are_read_as_by_the_general_parser() {
    for (name, least) in
        [("kqapro/train_sparql.jsonl", 0.6), ("cwq/test.json", 0.02), ("lcquad/train.json", 0.8)]
    {
        let Some(path) = touchstone_testing::shared_data(name) else { continue };
        let text = std::fs::read_to_string(path).expect("text");
        let (mut n, mut n_plain) = (0, 0);
        let mut add = |record: &serde_json::Value| {
            let sparql = record.get("sparql").or_else(|| record.get("sparql_query"));
            if let Some(sparql) = sparql.and_then(serde_json::Value::as_str) {
                (n, n_plain) = (n + 1, n_plain + usize::from(check(sparql)));
            }
        };
        match serde_json::from_str::<Vec<serde_json::Value>>(&text) {
            Ok(records) => records.iter().for_each(add),
            Err(_) => {
                text.lines().take(20_000).filter_map(|l| serde_json::from_str(l).ok()).for_each(|r| add(&r))
            }
        }
        eprintln!("{name}: {n_plain} of {n} are plain");
        assert!(n_plain as f64 >= least * f64::from(n), "{name}: {n_plain} of {n}");
    }
}

/// Whatever is done to a query: what is still plain is read as by the general parser.
#[test]
fn changed_queries_are_read_as_by_the_general_parser() {
    let pieces: Vec<&str> = PLAIN.split_inclusive([' ', '\n', '(', ')', '{', '}', '.', '>', '<']).collect();
    let cases: Vec<Vec<&str>> = PLAIN
        .split("\n---\n")
        .map(|case| case.split_inclusive([' ', '\n', '(', ')', '{', '}', '.', '>', '<']).collect())
        .collect();
    let mut state = 5u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut n_plain = 0;
    for _ in 0..100_000 {
        let mut case = cases[random(cases.len())].clone();
        for _ in 0..1 + random(3) {
            let (at, other) = (random(case.len()), random(case.len()));
            match random(5) {
                0 => _ = case.remove(at),
                1 => case.insert(at, pieces[random(pieces.len())]),
                2 => case[at] = pieces[random(pieces.len())],
                3 => case.swap(at, other),
                _ => case[at] = case[at].trim_end_matches(|c: char| c.is_ascii_punctuation() || c == ' '),
            }
            if case.is_empty() {
                break;
            }
        }
        n_plain += usize::from(check(&case.concat()));
    }
    assert!(n_plain > 10_000, "{n_plain}");
}
