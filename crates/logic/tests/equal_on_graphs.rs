//! Simplified SPARQL has the answers of the original, and equal forms have equal answers: on small random graphs, by `spareval`.
//!
//! The graphs are made from the words of the queries, and hold what simplification takes for granted: everything has a name, and statements
//! of Wikidata have their direct triple. Queries with a limit may give any of their answers and are left out, and so are those that name in an
//! optional part what another optional part may not have found.
#![allow(missing_docs, clippy::unwrap_used)]

use oxrdf::{Dataset, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use spareval::{QueryEvaluator, QueryResults};
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TermPattern};
use std::collections::BTreeSet;
use touchstone_logic::equal::compare_forms;
use touchstone_logic::sparql::{Simplified, StatementTerm, Statements, parse};
use touchstone_logic::{Knowledge, Language, ReadForm};
use touchstone_testing::shared_data;

const LABELS: [&str; 10] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "http://schema.org/description",
    "http://dbpedia.org/ontology/abstract",
    "http://rdf.freebase.com/ns/type.object.name",
    "http://rdf.freebase.com/ns/common.topic.description",
];
const STATEMENT: &str = "http://www.wikidata.org/prop/";

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n.max(1) as u64).unwrap()
    }

    fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The words that graphs for some queries are made of.
#[derive(Default)]
struct Words {
    predicates: BTreeSet<String>,
    nodes: BTreeSet<String>,
}

impl Words {
    fn of(queries: &[&Query]) -> Words {
        let mut words = Words::default();
        for query in queries {
            let statements = Statements::of(query);
            for [subject, predicate, object] in &statements.patterns {
                if let StatementTerm::Fixed(iri) = predicate
                    && NamedNode::new(iri.as_ref()).is_ok()
                {
                    words.predicates.insert(iri.to_string());
                }
                for end in [subject, object] {
                    if let StatementTerm::Fixed(iri) = end
                        && iri.contains(':')
                        && NamedNode::new(iri.as_ref()).is_ok()
                    {
                        words.nodes.insert(iri.to_string());
                    }
                }
            }
            // Those of paths and conditions: as predicates and as nodes.
            for iri in &statements.iris {
                if NamedNode::new(iri.as_ref()).is_ok() && words.nodes.len() < 12 {
                    words.predicates.insert(iri.to_string());
                    words.nodes.insert(iri.to_string());
                }
            }
        }
        words
    }

    fn graph(&self, random: &mut Random) -> Dataset {
        let mut nodes: Vec<Term> = self.nodes.iter().take(12).map(|iri| iri_term(iri)).collect();
        nodes.extend((0..3).map(|n| iri_term(&format!("urn:node:{n}"))));
        let subjects: Vec<NamedOrBlankNode> = nodes.iter().filter_map(subject).collect();
        let mut objects = nodes.clone();
        // A literal has no name, so a query for names would not find it.
        let asks_for_names = LABELS.iter().any(|label| self.predicates.contains(*label));
        let literals = [
            Term::from(Literal::from(2)),
            Literal::new_language_tagged_literal("name", "en").unwrap().into(),
            Literal::new_typed_literal("1994-03-02", oxrdf::vocab::xsd::DATE).into(),
            Literal::new_typed_literal("2001-03-02T00:00:00Z", oxrdf::vocab::xsd::DATE_TIME).into(),
        ];
        if !asks_for_names {
            objects.extend(literals);
        }
        let mut graph = Dataset::new();
        let mut add = |subject: &NamedOrBlankNode, predicate: &str, object: &Term| {
            let predicate = NamedNode::new_unchecked(predicate);
            let quad = Quad::new(subject.clone(), predicate, object.clone(), GraphName::DefaultGraph);
            graph.insert(quad.as_ref());
        };
        for predicate in self.predicates.iter().take(24) {
            if LABELS.contains(&predicate.as_str()) {
                continue;
            }
            let id = predicate.strip_prefix(STATEMENT);
            for _ in 0..3 + random.below(6) {
                let (from, to) = (random.one(&subjects).clone(), random.one(&objects).clone());
                match id.and_then(|id| id.rsplit('/').next()) {
                    Some(id) if id.starts_with('P') => {
                        let node = iri_term(&format!("urn:statement:{id}:{}", random.below(1_000_000)));
                        add(&from, &format!("{STATEMENT}{id}"), &node);
                        add(&from, &format!("{STATEMENT}direct/{id}"), &to);
                        add(&subject(&node).unwrap(), &format!("{STATEMENT}statement/{id}"), &to);
                    }
                    _ => add(&from, predicate, &to),
                }
            }
        }
        let all: BTreeSet<String> = subjects.iter().map(ToString::to_string).collect();
        for (subject, name) in subjects.iter().zip(all) {
            for label in LABELS {
                let name = Literal::new_language_tagged_literal(&name, "en").unwrap();
                add(subject, label, &name.into());
            }
        }
        graph
    }
}

fn iri_term(iri: &str) -> Term {
    NamedNode::new_unchecked(iri).into()
}

fn subject(term: &Term) -> Option<NamedOrBlankNode> {
    match term {
        Term::NamedNode(iri) => Some(iri.clone().into()),
        _ => None,
    }
}

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
    let thing = |cell: String| match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix("\"@en")) {
        Some(name) => name.to_owned(),
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

#[test]
fn equal_forms_have_equal_answers() {
    let Some(path) = shared_data("llm-sparql/predictions.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let knowledge = Knowledge::of_spelling();
    let (mut n_equal, mut n_checked, mut n_answered) = (0, 0, 0);
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
        let (Some(one), Some(other)) = (gold_form.sparql_form(), predicted_form.sparql_form()) else {
            continue;
        };
        // Side conditions of data sets are not compared.
        if is_left_out(gold) || is_left_out(predicted) || gold.contains("!=") != predicted.contains("!=") {
            continue;
        }
        n_checked += 1;
        let (one, other) = (one.simplified(), other.simplified());
        let words = Words::of(&[one, other]);
        let mut random = Random(number as u64);
        for _ in 0..100 {
            let graph = words.graph(&mut random);
            let (Some(a), Some(b)) = (rows(one, &graph, None), rows(other, &graph, None)) else { break };
            assert!(same_rows(&a, &b), "{gold}\n{predicted}\n{one}\n{other}\n{a:?}\n{b:?}");
            n_answered += usize::from(!a.is_empty());
        }
    }
    assert!(n_equal > 1_500 && n_checked > 500 && n_answered > 5_000, "{n_equal} {n_checked} {n_answered}");
}
