//! Simplified SPARQL has the answers of the original, and equal forms have equal answers: on small random graphs, by `spareval`.
//!
//! The graphs are made from the words of the queries, and hold what simplification takes for granted: everything has a name in English, at
//! most one in each other language, and statements of Wikidata have their direct triple. Forms that are called equal run as they are written, on graphs that hold solutions of both. Queries with a limit may give any of their answers and are left out, and so are those that name in an
//! optional part what another optional part may not have found.
#![allow(missing_docs, clippy::unwrap_used)]

mod graphs;

use graphs::{LABELS, Random, Words};
use oxrdf::{Dataset, Term};
use spareval::{QueryEvaluator, QueryResults};
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TermPattern};
use std::collections::BTreeSet;
use touchstone_logic::equal::compare_forms;
use touchstone_logic::sparql::{Simplified, parse};
use touchstone_logic::{Knowledge, Language, ReadForm};
use touchstone_testing::shared_data;

/// The set of rows; `None` for what `spareval` does not evaluate.
fn rows(query: &Query, graph: &Dataset, columns: Option<&[String]>) -> Option<BTreeSet<Vec<String>>> {
    match QueryEvaluator::new().prepare(query).execute(graph).ok()? {
        QueryResults::Boolean(value) => Some([vec![value.to_string()]].into()),
        QueryResults::Solutions(solutions) => {
            let mut found = BTreeSet::new();
            for solution in solutions {
                let solution = solution.ok()?;
                let shown = |term: Option<&Term>| term.map(ToString::to_string).unwrap_or_default();
                found.insert(match columns {
                    Some(columns) => {
                        columns.iter().map(|column| shown(solution.get(column.as_str()))).collect()
                    }
                    None => solution.values().iter().map(|term| shown(term.as_ref())).collect(),
                });
            }
            Some(found)
        }
        QueryResults::Graph(_) => None,
    }
}

fn columns(query: &Query) -> Vec<String> {
    use spargebra::algebra::GraphPattern as P;
    let Query::Select { pattern, .. } = query else { return Vec::new() };
    let mut pattern = pattern;
    while let P::Distinct { inner } | P::Reduced { inner } | P::Slice { inner, .. } = pattern {
        pattern = inner;
    }
    match pattern {
        P::Project { variables, .. } => variables.iter().map(|v| v.as_str().to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn is_left_out(text: &str) -> bool {
    let text = text.to_uppercase();
    ["LIMIT", "OFFSET", "SERVICE", "SAMPLE", "NOW", "RAND", "SKOS:ALTLABEL"].iter().any(|w| text.contains(w))
}

/// The variables that every solution of a pattern binds.
fn certain(pattern: &GraphPattern) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {
            pattern.on_in_scope_variable(|variable| {
                found.insert(variable.as_str().to_owned());
            });
        }
        GraphPattern::Join { left, right } => {
            found = certain(left);
            found.extend(certain(right));
        }
        GraphPattern::LeftJoin { left, .. } | GraphPattern::Minus { left, .. } => found = certain(left),
        GraphPattern::Filter { inner, .. } => found = certain(inner),
        _ => {}
    }
    found
}

/// Whether an optional part names something that another optional part may not have found. Then SPARQL finds everything that has a name, which
/// no writer means.
fn names_what_may_be_missing(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::LeftJoin { left, right, .. } => {
            let known = certain(left);
            let mut inner = right.as_ref();
            while let GraphPattern::Filter { inner: next, .. } = inner {
                inner = next;
            }
            let loose = match inner {
                GraphPattern::Bgp { patterns } => patterns.iter().all(|triple| {
                    let is_label = matches!(&triple.predicate, NamedNodePattern::NamedNode(p) if LABELS.contains(&p.as_str()));
                    is_label && matches!(&triple.subject, TermPattern::Variable(v) if !known.contains(v.as_str()))
                }),
                _ => false,
            };
            loose || names_what_may_be_missing(left) || names_what_may_be_missing(right)
        }
        GraphPattern::Join { left, right } | GraphPattern::Union { left, right } => {
            names_what_may_be_missing(left) || names_what_may_be_missing(right)
        }
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Group { inner, .. } => names_what_may_be_missing(inner),
        _ => false,
    }
}

/// Rows in which a name is the thing that has it.
fn named_things(rows: BTreeSet<Vec<String>>) -> BTreeSet<Vec<String>> {
    let thing = |cell: String| match cell.strip_prefix('"').and_then(|rest| rest.rsplit_once("\"@")) {
        Some((name, _)) => name.to_owned(),
        None => cell,
    };
    rows.into_iter().map(|row| row.into_iter().map(thing).collect()).collect()
}

/// Compares a query with its simplified form on random graphs. Gives the number of graphs on which it had answers.
fn check_simplified(text: &str, n_graphs: usize, seed: u64) -> usize {
    let Ok(parsed) = parse(text) else { return 0 };
    let (Query::Select { pattern, .. }
    | Query::Ask { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }) = &parsed.query;
    // The order of what GROUP_CONCAT joins is free.
    if names_what_may_be_missing(pattern) || text.to_uppercase().contains("GROUP_CONCAT") {
        return 0;
    }
    let Some(simplified) = Simplified::of(&parsed.query) else { return 0 };
    let words = Words::of(&[&parsed.query, &simplified.query]);
    let shown = columns(&simplified.query);
    let mut random = Random(seed);
    let mut n_answered = 0;
    for _ in 0..n_graphs {
        let graph = words.graph(&mut random);
        let names = matches!(parsed.query, Query::Select { .. }).then_some(&shown[..]);
        let (Some(wanted), Some(found)) =
            (rows(&parsed.query, &graph, names), rows(&simplified.query, &graph, names))
        else {
            return n_answered;
        };
        // A name can be replaced by the thing that it names; in these graphs each name is its thing's IRI.
        let (wanted, found) = (named_things(wanted), named_things(found));
        assert_eq!(wanted, found, "{text}\n{}", simplified.query);
        n_answered += usize::from(!wanted.is_empty());
    }
    n_answered
}

const QUERIES: [&str; 16] = [
    "SELECT ?x ?l { ?x <urn:a> ?y OPTIONAL { ?x <http://www.w3.org/2000/01/rdf-schema#label> ?l FILTER(LANG(?l) = 'en') } }",
    "SELECT ?x { ?x <urn:a>/<urn:b>|^<urn:c> ?y FILTER(?y = <urn:k>) }",
    "SELECT ?x ?z { ?x <urn:a> ?y OPTIONAL { ?x <urn:b> ?z } OPTIONAL { ?x <urn:c> ?u } MINUS { ?x <urn:a> <urn:k> } }",
    "SELECT ?x ?y { ?x <urn:a> ?w OPTIONAL { ?x <urn:b> ?y } ?y <urn:c> ?x }",
    "SELECT ?x ?y ?z { ?x <urn:a> ?w OPTIONAL { ?x <urn:b> ?y } OPTIONAL { ?x <urn:c> ?y ; <urn:a> ?z } }",
    "SELECT ?x { ?x <urn:a> ?w { ?x <urn:b> ?v FILTER(?w != ?v) } }",
    "SELECT ?x ?z { ?x <urn:a> ?y BIND(?y AS ?z) ?z <urn:b> ?u }",
    "SELECT ?x ?n { ?x <urn:a> ?y { SELECT ?x (COUNT(?u) AS ?n) { ?x <urn:b> ?u } GROUP BY ?x } }",
    "SELECT ?x { ?x <urn:a> ?y { SELECT ?y { ?y <urn:b> ?u . ?u <urn:c> ?x } } }",
    "SELECT ?x { VALUES ?k { <urn:k> } ?x <urn:a> ?k FILTER NOT EXISTS { ?x <urn:b> ?k } }",
    "SELECT (COUNT(?x) AS ?n) { <urn:k> <urn:a> ?x }",
    "SELECT ?x (COUNT(DISTINCT ?y) AS ?n) { ?x <urn:a> ?y } GROUP BY ?x HAVING(COUNT(?y) > 1)",
    "SELECT ?x ?y { { ?x <urn:a> ?y } UNION { ?y <urn:b> ?x OPTIONAL { ?x <urn:c> ?z } } FILTER(!BOUND(?z) || ?z != ?x) }",
    "SELECT ?x { ?x <urn:a> ?y MINUS { ?z <urn:b> ?w } MINUS { ?x <urn:c> ?v FILTER(?v = ?y) } }",
    "SELECT ?x ?v { ?x <urn:a> ?y OPTIONAL { ?x <urn:b> ?v FILTER(?v != ?y) } }",
    "ASK { ?x <urn:a>+ ?y . ?y <urn:b>? <urn:k> OPTIONAL { ?y <urn:c> ?z } }",
];

#[test]
fn simplified_queries_have_the_same_answers() {
    let answered: usize =
        QUERIES.iter().enumerate().map(|(n, text)| check_simplified(text, 200, n as u64)).sum();
    assert!(answered > 1_000, "{answered}");
}

#[test]
fn simplified_queries_of_language_models_have_the_same_answers() {
    let Some(path) = shared_data("llm-sparql/predictions.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let (mut n_queries, mut n_answered) = (0, 0);
    for (number, line) in text.lines().enumerate().step_by(3) {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        for side in ["gold", "predicted"] {
            let Some(query) = pair[side].as_str().filter(|query| !is_left_out(query)) else { continue };
            n_queries += 1;
            n_answered += check_simplified(query, 4, number as u64);
        }
    }
    assert!(n_queries > 2_000 && n_answered > 1_000, "{n_queries} {n_answered}");
}

/// Whether any of the columns of one, in some order, are those of the other.
fn same_rows(one: &BTreeSet<Vec<String>>, other: &BTreeSet<Vec<String>>) -> bool {
    let width = |rows: &BTreeSet<Vec<String>>| rows.first().map_or(0, Vec::len);
    if one.len() != other.len() || width(one) != width(other) {
        return false;
    }
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..width(one) {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                (0..width(one))
                    .filter(|at| !order.contains(at))
                    .map(|at| [&order[..], &[at]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    orders.iter().any(|order| {
        let turned = |row: &Vec<String>| order.iter().map(|&at| row[at].clone()).collect::<Vec<_>>();
        one.iter().map(turned).collect::<BTreeSet<_>>() == *other
    })
}

/// The original query of a form with the columns that are compared, if the evaluator can say what it finds.
struct Original<'f> {
    query: &'f Query,
    columns: Option<Vec<String>>,
}

impl<'f> Original<'f> {
    fn of(form: &'f ReadForm) -> Option<Original<'f>> {
        let form = form.sparql_form()?;
        let query = &form.parsed.query;
        let (Query::Select { pattern, .. } | Query::Ask { pattern, .. }) = query else { return None };
        if names_what_may_be_missing(pattern) {
            return None;
        }
        let is_select = matches!(query, Query::Select { .. });
        Some(Original { query, columns: is_select.then(|| columns(form.simplified())) })
    }

    /// The rows of the original query without its decoration, with things in place of their names.
    fn rows(&self, graph: &Dataset) -> Option<BTreeSet<Vec<String>>> {
        Some(named_things(rows(self.query, graph, self.columns.as_deref())?))
    }
}

/// What running two queries on random graphs showed.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    n_graphs: usize,
    /// The graphs on which the first one finds something.
    n_answered: usize,
    /// The graphs on which they find different things.
    n_different: usize,
}

/// Runs two queries as they are written on random graphs that hold solutions of both.
fn run_both(one: &ReadForm, other: &ReadForm, n_graphs: usize, seed: u64) -> Option<Seen> {
    let (one, other) = (Original::of(one)?, Original::of(other)?);
    let words = Words::of(&[one.query, other.query]);
    let mut random = Random(seed);
    let mut seen = Seen::default();
    for _ in 0..n_graphs {
        let graph = words.graph_with_solutions(&mut random, &[one.query, other.query]);
        let (a, b) = (one.rows(&graph)?, other.rows(&graph)?);
        seen.n_graphs += 1;
        seen.n_answered += usize::from(!says_nothing(&a));
        seen.n_different += usize::from(!same_rows(&a, &b));
    }
    Some(seen)
}

/// Whether an answer is empty, `false` or 0.
fn says_nothing(rows: &BTreeSet<Vec<String>>) -> bool {
    let is_nothing = |cell: &String| cell == "false" || cell.starts_with("\"0\"") || cell.is_empty();
    rows.iter().all(|row| row.iter().all(is_nothing))
}

#[test]
fn equal_forms_have_equal_answers() {
    let Some(path) = shared_data("llm-sparql/predictions.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let knowledge = Knowledge::of_spelling();
    let (mut n_equal, mut n_checked, mut n_answered) = (0, 0, 0);
    let mut all = Seen::default();
    for (number, line) in text.lines().enumerate() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let (Some(gold), Some(predicted)) = (pair["gold"].as_str(), pair["predicted"].as_str()) else {
            continue;
        };
        let read = |text| ReadForm::read(Language::Sparql, text, &knowledge);
        let (gold_form, predicted_form) = (read(gold), read(predicted));
        let verdict = compare_forms(&gold_form, &predicted_form, knowledge.words);
        if !verdict.is_ok_and(|verdict| verdict.equal) {
            continue;
        }
        n_equal += 1;
        // Side conditions of data sets are not compared.
        if is_left_out(gold) || is_left_out(predicted) || gold.contains("!=") != predicted.contains("!=") {
            continue;
        }
        let Some(seen) = run_both(&gold_form, &predicted_form, 100, number as u64) else { continue };
        assert_eq!(seen.n_different, 0, "{gold}\n{predicted}");
        n_checked += 1;
        n_answered += usize::from(seen.n_answered > 0);
        all.n_graphs += seen.n_graphs;
        all.n_answered += seen.n_answered;
    }
    assert!(n_equal > 1_500 && n_checked > 1_200, "{n_equal} {n_checked}");
    assert!(
        10 * n_answered > 9 * n_checked && 2 * all.n_answered > all.n_graphs,
        "{n_answered} {n_checked} {all:?}"
    );
}

const PREFIXES: &str = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX : <urn:> \
    PREFIX schema: <http://schema.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";

/// Spellings of the same query, each with one that looks alike and asks something else.
const SPELLINGS: [[&str; 3]; 34] = [
    [
        "SELECT ?x { ?x :p ?y ; rdfs:label ?l FILTER(CONTAINS(?l, 'node')) }",
        "SELECT ?x { ?x :p ?y ; rdfs:label ?l FILTER(CONTAINS(STR(?l), 'node')) }",
        "SELECT ?x { ?x :p ?y FILTER(CONTAINS(STR(?y), 'node')) }",
    ],
    [
        "SELECT ?x { ?x :p ?y ; rdfs:label ?l FILTER(REGEX(LCASE(STR(?l)), 'node')) }",
        "SELECT ?x { ?x :p ?y ; rdfs:label ?l FILTER(CONTAINS(LCASE(?l), 'node')) }",
        "SELECT ?x { ?x :p ?y ; rdfs:label ?l FILTER(LCASE(?l) = 'node') }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z IN (:a, :b)) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z = :b || :a = ?z) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z = :b || ?y = :a) }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z IN (:a, :b)) }",
        "SELECT ?x ?y { VALUES ?z { :b :a :b } ?x :p ?y ; :q ?z }",
        "SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?z } VALUES ?z { :a :b } }",
    ],
    [
        "SELECT (COUNT(?y) AS ?n) { ?x :p ?y ; :q ?z FILTER(?z IN (:a, :b)) }",
        "SELECT (COUNT(?y) AS ?n) { VALUES ?z { :b :a } ?x :p ?y ; :q ?z }",
        "SELECT (COUNT(?y) AS ?n) { VALUES ?z { :b :a :b } ?x :p ?y ; :q ?z }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z IN (2, 3)) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z = 3 || ?z = 2) }",
        // Equal numbers are not always the same term.
        "SELECT ?x ?y { ?x :p ?y ; :q ?z VALUES ?z { 2 3 } }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z NOT IN (:a, :b)) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z != :b && !(?z = :a)) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?z FILTER(?z != :b || ?z != :a) }",
    ],
    ["SELECT ?x { ?x :p+ :k }", "SELECT ?x { ?x :p/:p* :k }", "SELECT ?x { ?x :p* :k }"],
    [
        "SELECT ?x ?y { ?x :p*/:p ?y }",
        "SELECT ?x ?y { ?x :p ?m . ?m :p* ?y }",
        "SELECT ?x ?y { ?x :p ?m . ?y :p* ?m }",
    ],
    [
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p+ ?y . ?y :q :k }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p/:p* ?y . ?y :q :k }",
        "SELECT (COUNT(?x) AS ?n) { ?x :p/:p* ?y . ?y :q :k }",
    ],
    [
        "SELECT (COUNT(?x) AS ?n) { ?x :p+ ?y . ?y :q :k }",
        "SELECT (COUNT(?x) AS ?n) { ?y ^:p+ ?x ; :q :k }",
        "SELECT (COUNT(?x) AS ?n) { ?x :p/:p* ?y . ?y :q :k }",
    ],
    [
        "SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING(COUNT(?y) > 1)",
        "SELECT ?x { { SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x } FILTER(?n > 1) }",
        "SELECT ?x { { SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x } FILTER(?n >= 1) }",
    ],
    [
        "SELECT ?x ?t { ?x :t ?t { SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING(COUNT(?y) > 1) } }",
        "SELECT ?x ?t { { SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x } ?x :t ?t FILTER(?n > 1) }",
        "SELECT ?x ?t { { SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x } ?x :t ?t FILTER(?t > 1) }",
    ],
    [
        "SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING(COUNT(?y) > 1)",
        "SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING(xsd:integer(COUNT(?y)) > xsd:integer('1'))",
        "SELECT ?x { ?x :p ?y } GROUP BY ?x HAVING(SUM(?y) > 1)",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y ; :q ?n FILTER(?n > 2) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?n FILTER(?n > xsd:integer('2')) }",
        // A cast cuts the decimals of 2.5 and reads the text \"9\".
        "SELECT ?x ?y { ?x :p ?y ; :q ?n FILTER(xsd:integer(?n) > 2) }",
    ],
    // Lists of things and relations.
    [
        "SELECT ?x ?y { { ?x :p :a } UNION { ?x :p :b } ?x :q ?y }",
        "SELECT ?x ?y { ?x :p ?v ; :q ?y VALUES ?v { :b :a } }",
        "SELECT ?x ?y { ?x :p ?v ; :q ?y VALUES ?v { :b } }",
    ],
    [
        "SELECT DISTINCT ?x { { ?x :p :a } UNION { ?x :p :b } }",
        "SELECT DISTINCT ?x { ?x :p ?v FILTER(?v IN (:a, :b)) }",
        "SELECT DISTINCT ?x { ?x :p ?v FILTER(?v NOT IN (:a, :b)) }",
    ],
    [
        "SELECT (COUNT(?x) AS ?n) { { ?x :p :a } UNION { ?x :p :b } ?x :q ?y }",
        "SELECT (COUNT(?x) AS ?n) { ?x :p ?v ; :q ?y VALUES ?v { :a :b } }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p ?v ; :q ?y VALUES ?v { :a :b } }",
    ],
    [
        "SELECT ?x ?y { ?x :p|:q ?y }",
        "SELECT ?x ?y { ?x ?r ?y VALUES ?r { :q :p } }",
        "SELECT ?x ?y { ?x ?r ?y VALUES ?r { :q :r } }",
    ],
    // Paths.
    ["SELECT ?x ?y { ?x :p/:p+ ?y }", "SELECT ?x ?y { ?x :p+/:p ?y }", "SELECT ?x ?y { ?x :p+ ?y }"],
    [
        "SELECT ?x ?y { ?x :p/:p+ ?y }",
        "SELECT ?x ?y { ?x :p+ ?m . ?m :p ?y }",
        "SELECT ?x ?y { ?x :p+ ?m . ?y :p ?m }",
    ],
    // What is denied, with values that cannot be compared.
    [
        "SELECT ?x ?y { ?x :p ?y ; :q ?n FILTER(?n >= 3) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?n FILTER(!(?n < 3)) }",
        "SELECT ?x ?y { ?x :p ?y ; :q ?n FILTER(!(?n <= 3)) }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?n } FILTER(?n >= 3) }",
        "SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?n } FILTER(!(?n < 3)) }",
        "SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?n } FILTER(!(COALESCE(?n, 9) < 3)) }",
    ],
    [
        "SELECT ?x ?n { ?x :q ?n FILTER(?n < 3 || ?n > 3) }",
        "SELECT ?x ?n { ?x :q ?n FILTER(!(?n >= 3 && ?n <= 3)) }",
        "SELECT ?x ?n { ?x :q ?n FILTER(?n != 3) }",
    ],
    // What must exist, or must not.
    [
        "SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?x :q ?z } }",
        "SELECT ?x { ?x :p ?y OPTIONAL { ?x :q ?z } FILTER(!BOUND(?z)) }",
        "SELECT ?x { ?x :p ?y OPTIONAL { ?x :q ?z } FILTER(BOUND(?z)) }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y FILTER NOT EXISTS { ?x :q ?z FILTER(?z != ?y) } }",
        "SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?z FILTER(?z != ?y) } FILTER(!BOUND(?z)) }",
        "SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?z } FILTER(!BOUND(?z)) }",
    ],
    [
        "SELECT DISTINCT ?x ?y { ?x :p ?y ; :q ?z }",
        "SELECT DISTINCT ?x ?y { ?x :p ?y FILTER EXISTS { ?x :q ?w } }",
        "SELECT DISTINCT ?x ?y { ?x :p ?y FILTER EXISTS { ?y :q ?w } }",
    ],
    [
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p ?y ; :q ?z }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p ?y FILTER EXISTS { ?x :q ?z } }",
        "SELECT (COUNT(?x) AS ?n) { ?x :p ?y FILTER EXISTS { ?x :q ?z } }",
    ],
    // What must be one thing.
    [
        "SELECT ?v { ?x :p ?v FILTER(?v = :k) }",
        "SELECT ?v { ?x :p ?v VALUES ?v { :k } }",
        "SELECT ?v { ?x :p ?v FILTER(?v != :k) }",
    ],
    [
        "SELECT ?x ?y { ?x :p ?y FILTER(?x = :k) }",
        "SELECT ?x ?y { ?x :p ?y FILTER(STR(?x) = 'urn:k') }",
        "SELECT ?x ?y { ?x :p ?y FILTER(STR(?x) = 'urn:p') }",
    ],
    // A thing has several names, but one in each language.
    [
        "SELECT (COUNT(?x) AS ?n) { :k :p ?x }",
        "SELECT (COUNT(?x) AS ?n) { :k :p ?x . ?x rdfs:label ?l FILTER(LANG(?l) = 'en') }",
        "SELECT (COUNT(?x) AS ?n) { :k :p ?x . ?x rdfs:label ?l }",
    ],
    [
        "SELECT ?k (COUNT(?y) AS ?n) { ?x :p ?k ; :q ?y } GROUP BY ?k",
        "SELECT ?k ?l (COUNT(?y) AS ?n) { ?x :p ?k ; :q ?y . ?k rdfs:label ?l } GROUP BY ?k ?l",
        "SELECT ?k (SAMPLE(?l) AS ?name) (COUNT(?y) AS ?n) { ?x :p ?k ; :q ?y . ?k rdfs:label ?l } GROUP BY ?k",
    ],
    [
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p ?k ; :q ?y }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p ?k ; :q ?y ; rdfs:label ?l }",
        "SELECT (COUNT(?x) AS ?n) { ?x :p ?k ; :q ?y ; rdfs:label ?l }",
    ],
    [
        "SELECT (COUNT(*) AS ?n) { ?x :p :k }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :p :k }",
        "SELECT (COUNT(*) AS ?n) { ?x :p :k ; :q ?y }",
    ],
];

#[test]
fn spellings_are_equal_and_near_misses_are_not() {
    let knowledge = Knowledge::of_spelling();
    let read = |text: &str| ReadForm::read(Language::Sparql, &format!("{PREFIXES}{text}"), &knowledge);
    for (number, texts) in SPELLINGS.iter().enumerate() {
        let [one, other, miss] = texts.map(read);
        let is_equal = |form: &ReadForm| compare_forms(&one, form, knowledge.words).unwrap().equal;
        assert!(is_equal(&other), "{}\n{}", texts[0], texts[1]);
        assert!(!is_equal(&miss), "{}\n{}", texts[0], texts[2]);
        let seen = run_both(&one, &other, 200, number as u64).unwrap();
        assert_eq!(seen.n_different, 0, "{}\n{}", texts[0], texts[1]);
        assert!(seen.n_answered > 50, "{}: {seen:?}", texts[0]);
        let seen = run_both(&one, &miss, 200, number as u64).unwrap();
        assert!(seen.n_different > 0, "{}\n{}", texts[0], texts[2]);
    }
}

/// Under a limit it matters how often a row comes up: queries that differ in nothing else.
const LIMITED: [[&str; 2]; 4] = [
    [
        "SELECT ?x { ?x :p ?y ; rdfs:label ?l } LIMIT 3",
        "SELECT DISTINCT ?x { ?x :p ?y ; rdfs:label ?l } LIMIT 3",
    ],
    ["SELECT ?x ?l { ?x :p ?y ; rdfs:label ?l } LIMIT 3", "SELECT DISTINCT ?x { ?x :p ?y } LIMIT 3"],
    ["SELECT ?x { ?x :p ?y } LIMIT 3", "SELECT DISTINCT ?x { ?x :p ?y } LIMIT 3"],
    [
        "SELECT ?x { ?x :p ?y OPTIONAL { ?x rdfs:label ?l } } LIMIT 3",
        "SELECT DISTINCT ?x { ?x :p ?y } LIMIT 3",
    ],
];

#[test]
fn repeated_rows_count_under_a_limit() {
    let knowledge = Knowledge::of_spelling();
    let read = |text: &str| ReadForm::read(Language::Sparql, &format!("{PREFIXES}{text}"), &knowledge);
    for (number, texts) in LIMITED.iter().enumerate() {
        let [one, other] = texts.map(read);
        assert!(!compare_forms(&one, &other, knowledge.words).unwrap().equal, "{texts:?}");
        let mut fewer = 0;
        let words = Words::of(&[&one.sparql().unwrap().query, &other.sparql().unwrap().query]);
        let mut random = Random(number as u64);
        for _ in 0..200 {
            let graph = words.graph_with_solutions(&mut random, &[&one.sparql().unwrap().query]);
            let things = |form: &ReadForm| {
                let columns = ["x".to_owned()];
                rows(&form.sparql().unwrap().query, &graph, Some(&columns)).unwrap().len()
            };
            fewer += usize::from(things(&one) < things(&other));
        }
        assert!(fewer > 0, "{texts:?}");
    }
    // The first row is the first, however often it comes up.
    let [one, other] = [
        "SELECT ?x ?l { ?x :p ?y ; :n ?n ; rdfs:label ?l } ORDER BY DESC(?n) LIMIT 1",
        "SELECT DISTINCT ?x { ?x :p ?y ; :n ?n } ORDER BY DESC(?n) LIMIT 1",
    ]
    .map(read);
    assert!(compare_forms(&one, &other, knowledge.words).unwrap().equal);
}
