//! The same answers as Oxigraph, and as the evaluator on a plain list of triples, for generated queries of all kinds.

use crate::sparql_support::generator::Generator;
use crate::sparql_support::{Spelling, small_kb};
use oxigraph::store::Store;
use oxrdf::{Dataset, GraphName, Literal, Quad, Term, Triple};
use spareval::{ExpressionTerm, QueryEvaluator, QueryResults};
use spargebra::{Query, SparqlParser};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::sparql::{Results, SparqlError, evaluate};
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};

/// The result up to the order of rows and the names of new blank nodes.
#[derive(Debug, PartialEq)]
enum Answer {
    Rows(Vec<String>, BTreeMap<Vec<String>, usize>),
    Boolean(bool),
    Graph(BTreeMap<String, usize>),
    Error(String),
}

/// Oxigraph writes every number and every date in one way only.
fn canonical(term: Term) -> Term {
    match term {
        Term::Triple(triple) => {
            let object = canonical(triple.object);
            Term::Triple(Box::new(Triple { subject: triple.subject, predicate: triple.predicate, object }))
        }
        Term::Literal(literal) => {
            let family = |name: &str| literal.datatype().as_str().ends_with(name);
            if family("#integer")
                || family("#decimal")
                || family("#double")
                || family("#float")
                || family("#dateTime")
            {
                Term::from(ExpressionTerm::from(Term::Literal(literal)))
            } else {
                Term::Literal(literal)
            }
        }
        other => other,
    }
}

fn answer(results: Result<Results, SparqlError>, canonically: bool) -> Answer {
    let text = |term: Term| if canonically { canonical(term).to_string() } else { term.to_string() };
    match results {
        Ok(Results::Boolean(value)) => Answer::Boolean(value),
        Ok(Results::Solutions { variables, rows }) => {
            let mut counted = BTreeMap::new();
            for row in rows {
                let row = row.into_iter().map(|term| term.map_or(String::new(), text)).collect();
                *counted.entry(row).or_default() += 1;
            }
            Answer::Rows(variables.iter().map(|v| v.to_string()).collect(), counted)
        }
        Ok(Results::Graph(triples)) => {
            let mut counted = BTreeMap::new();
            for triple in triples {
                *counted.entry(text(Term::Triple(Box::new(triple)))).or_default() += 1;
            }
            assert!(counted.values().all(|&n| n == 1), "every triple once");
            Answer::Graph(counted)
        }
        Err(error) => Answer::Error(error.to_string()),
    }
}

fn materialise(
    results: Result<QueryResults<'_>, spareval::QueryEvaluationError>,
) -> Result<Results, SparqlError> {
    let failed =
        |error: spareval::QueryEvaluationError| SparqlError::Evaluation { reason: error.to_string() };
    Ok(match results.map_err(failed)? {
        QueryResults::Boolean(value) => Results::Boolean(value),
        QueryResults::Solutions(solutions) => Results::Solutions {
            variables: solutions.variables().to_vec(),
            rows: solutions
                .map(|s| s.map(|s| s.values().to_vec()))
                .collect::<Result<_, _>>()
                .map_err(failed)?,
        },
        QueryResults::Graph(triples) => {
            let mut triples: Vec<Triple> = triples.collect::<Result<_, _>>().map_err(failed)?;
            triples.sort_by_key(ToString::to_string);
            triples.dedup();
            Results::Graph(triples)
        }
    })
}

/// Number of queries with an answer, and of those with a non-empty one.
#[derive(Default, Debug)]
struct Tally {
    answered: usize,
    with_content: usize,
    stopped: usize,
    failed: usize,
    panics_of_oxigraph: usize,
}

fn has_content(answer: &Answer) -> bool {
    match answer {
        Answer::Rows(_, rows) => !rows.is_empty(),
        Answer::Boolean(value) => *value,
        Answer::Graph(triples) => !triples.is_empty(),
        Answer::Error(_) => false,
    }
}

/// With LIMIT, ties may be broken in any way.
fn is_limited(text: &str) -> bool {
    text.contains(" LIMIT ")
}

fn compare(view: &dyn RdfView, queries: u64, seed: u64, canonically: bool, tally: &mut Tally) {
    let graph: Vec<Triple> = view.triples().map(|t| view.decode_triple(t).unwrap()).collect();
    let store = Store::new().unwrap();
    let mut dataset = Dataset::new();
    for triple in &graph {
        let quad: Quad = triple.clone().in_graph(GraphName::DefaultGraph);
        store.insert(&quad).unwrap();
        dataset.insert(&quad);
    }
    for number in 0..queries {
        let text = Generator::new(seed * 10_000 + number, &graph).query();
        let query: Query = match SparqlParser::new().parse_query(&text) {
            Ok(query) => query,
            Err(error) => panic!("{text}: {error}"),
        };
        let limits = Limits { operations: 400_000, time: Duration::from_secs(20), ..Limits::default() };
        let ours = evaluate(view, &query, &Budget::new(limits));
        if let Err(SparqlError::Stopped(_)) = ours {
            tally.stopped += 1;
            continue;
        }
        let ours = answer(ours, canonically);
        let theirs = if canonically {
            // Its sorting panics with some mixtures of terms.
            let theirs = catch_unwind(AssertUnwindSafe(|| {
                let evaluator = oxigraph::sparql::SparqlEvaluator::new().for_query(query.clone());
                answer(materialise(evaluator.on_store(&store).execute()), true)
            }));
            let Ok(theirs) = theirs else {
                tally.panics_of_oxigraph += 1;
                continue;
            };
            theirs
        } else {
            answer(materialise(QueryEvaluator::new().prepare(&query).execute(&dataset)), false)
        };
        match (&ours, &theirs) {
            (Answer::Error(error), Answer::Error(_)) => {
                eprintln!("{error}: {text}");
                tally.failed += 1;
            }
            (Answer::Rows(ours, a), Answer::Rows(theirs, b)) if is_limited(&text) => {
                assert_eq!(ours, theirs, "{text}");
                assert_eq!(a.values().sum::<usize>(), b.values().sum::<usize>(), "{text}");
            }
            _ => assert_eq!(ours, theirs, "seed {seed} query {number}: {text}"),
        }
        tally.answered += 1;
        tally.with_content += usize::from(has_content(&ours));
    }
}

fn run(spelling: Spelling) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        let kb = small_kb(&dir.path().join("kb"), seed, spelling);
        let canonically = spelling == Spelling::Canonical;
        compare(&DirectView::new(&kb), 250, seed, canonically, &mut tally);
        compare(&KqaProView::new(&kb), 150, seed + 100, canonically, &mut tally);
    }
    eprintln!("{tally:?}");
    tally
}

#[test]
fn same_answers_as_oxigraph() {
    let tally = run(Spelling::Canonical);
    assert!(tally.answered > 1300 && tally.with_content > 550, "{tally:?}");
}

#[test]
fn same_answers_as_a_plain_list_of_triples() {
    let tally = run(Spelling::Any);
    assert!(tally.answered > 1300 && tally.with_content > 550, "{tally:?}");
}

/// `"01"^^xsd:integer` and `"1"^^xsd:integer` are the same number and different terms.
#[test]
fn terms_are_not_values() {
    let dir = tempfile::tempdir().unwrap();
    let kb = small_kb(&dir.path().join("kb"), 1, Spelling::Any);
    let view = DirectView::new(&kb);
    let ask = |text: &str| {
        let query = SparqlParser::new().parse_query(text).unwrap();
        evaluate(&view, &query, &Budget::new(Limits::default())).unwrap()
    };
    let numbers = ask(
        "SELECT DISTINCT ?n { ?s ?p ?n FILTER(DATATYPE(?n) = <http://www.w3.org/2001/XMLSchema#integer>) }",
    );
    let Results::Solutions { rows, .. } = numbers else { panic!("rows") };
    let literals: Vec<Literal> = rows
        .into_iter()
        .flatten()
        .map(|term| match term {
            Some(Term::Literal(literal)) => literal,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(!literals.is_empty());
    for literal in literals {
        assert_eq!(ask(&format!("ASK {{ ?s ?p {literal} }}")), Results::Boolean(true), "{literal}");
        let other = Literal::new_typed_literal(format!("000{}", literal.value()), literal.datatype());
        assert_eq!(ask(&format!("ASK {{ ?s ?p {other} }}")), Results::Boolean(false), "{other}");
        assert_eq!(
            ask(&format!("ASK {{ ?s ?p ?x FILTER(?x = {other}) }}")),
            Results::Boolean(true),
            "{other}"
        );
        let joined = format!("ASK {{ BIND({} + 0 AS ?x) ?s ?p ?x }}", literal);
        let canonical = Term::from(ExpressionTerm::from(Term::Literal(literal.clone())));
        let present = ask(&format!("ASK {{ ?s ?p {canonical} }}"));
        assert_eq!(ask(&joined), present, "{joined}");
    }
}

/// Blank nodes of a pattern are not part of a solution.
#[test]
fn distinct_solutions_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let kb = small_kb(&dir.path().join("kb"), 1, Spelling::Any);
    let view = DirectView::new(&kb);
    let rows = |text: &str| {
        let query = SparqlParser::new().parse_query(text).unwrap();
        evaluate(&view, &query, &Budget::new(Limits::default())).unwrap()
    };
    let counted = rows("SELECT (COUNT(DISTINCT *) AS ?n) { ?s ?p [] }");
    let listed = rows("SELECT (COUNT(*) AS ?n) { SELECT DISTINCT ?s ?p { ?s ?p ?o } }");
    assert_eq!(counted, listed);
}

/// A limit of the evaluator: a triple term whose parts are all bound, the subject to a literal, is an error there, not a pattern that matches
/// nothing. It is also an error here, never a wrong answer.
#[test]
fn triple_terms_with_literals_as_subjects() {
    let dir = tempfile::tempdir().unwrap();
    let kb = small_kb(&dir.path().join("kb"), 1, Spelling::Any);
    let view = DirectView::new(&kb);
    let reifies = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>";
    let text =
        format!("SELECT * {{ VALUES (?a ?p ?b) {{ (\"text\" <p:x> 1) }} ?r {reifies} <<( ?a ?p ?b )>> }}");
    let query = SparqlParser::new().parse_query(&text).unwrap();
    let result = evaluate(&view, &query, &Budget::new(Limits::default()));
    let Err(SparqlError::Evaluation { reason }) = result else { panic!("{result:?}") };
    assert!(reason.contains("triple term"), "{reason}");
}
