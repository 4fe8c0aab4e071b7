//! The evaluator on the codes of the views gives the same answers as `spareval`, for generated queries of all sorts.

use crate::sparql_support::generator::Generator;
use crate::sparql_support::{Spelling, small_kb};
use crate::support::random_kb::{Flavour, random_rdf_kb};
use oxrdf::{Term, Triple};
use spareval::ExpressionTerm;
use spargebra::{Query, SparqlParser};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::native;
use touchstone_engine::sparql::{Results, SparqlError, evaluate};
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};

/// How far the answers of a query are determined.
#[derive(Debug, PartialEq, Clone, Copy)]
enum Determined {
    /// How often each row comes up.
    Rows,
    /// The set of rows.
    Set,
    /// The number of rows: there is a limit, and ties may be broken in any way.
    Number,
    /// The rows in their order.
    Order,
}

/// `|` of a path, and not of a filter.
fn has_alternative(text: &str) -> bool {
    text.replace("||", "").contains('|')
}

fn determined(text: &str) -> Determined {
    if text.contains(" LIMIT ") {
        Determined::Number
    } else if text.contains(" REDUCED ") || has_alternative(text) {
        // `spareval` takes an alternative as a set.
        Determined::Set
    } else if text.contains("ORDER BY DESC(STR(?b)) STR(?a)") {
        Determined::Order
    } else {
        Determined::Rows
    }
}

fn listed(rows: &[Vec<Option<Term>>]) -> Vec<Vec<String>> {
    let cell = |term: &Option<Term>| term.as_ref().map_or(String::new(), ToString::to_string);
    rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

fn same(native: &Results, reference: &Results, determined: Determined) -> bool {
    let (Results::Solutions { variables, rows }, Results::Solutions { variables: names, rows: expected }) =
        (native, reference)
    else {
        return native == reference;
    };
    let (rows, expected) = (listed(rows), listed(expected));
    let counted = |rows: &[Vec<String>]| {
        let mut counts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry(row.clone()).or_default() += 1);
        counts
    };
    variables == names
        && match determined {
            Determined::Rows => counted(&rows) == counted(&expected),
            Determined::Set => {
                rows.iter().collect::<BTreeSet<_>>() == expected.iter().collect::<BTreeSet<_>>()
            }
            Determined::Number => rows.len() == expected.len(),
            Determined::Order => rows == expected,
        }
}

#[derive(Default, Debug)]
struct Tally {
    same: usize,
    with_content: usize,
    left_to_spareval: usize,
    stopped: usize,
    failed: usize,
    different: Vec<String>,
}

fn has_content(results: &Results) -> bool {
    match results {
        Results::Solutions { rows, .. } => !rows.is_empty(),
        Results::Boolean(value) => *value,
        Results::Graph(_) => false,
    }
}

fn check(view: &dyn RdfView, text: &str, tally: &mut Tally) {
    let query: Query = SparqlParser::new().parse_query(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let limits = Limits { operations: 400_000, time: Duration::from_secs(20), ..Limits::default() };
    let native = match native::evaluate(view, &query, &Budget::new(limits)) {
        None => {
            tally.left_to_spareval += 1;
            return;
        }
        Some(Ok(results)) => results,
        Some(Err(SparqlError::Stopped(_))) => {
            tally.stopped += 1;
            return;
        }
        Some(Err(error)) => panic!("{text}: {error}"),
    };
    let reference = match evaluate(view, &query, &Budget::new(limits)) {
        Ok(results) => results,
        Err(SparqlError::Stopped(_)) => {
            tally.stopped += 1;
            return;
        }
        Err(error) => {
            eprintln!("{error}: {text}");
            tally.failed += 1;
            return;
        }
    };
    // A path of alternatives that is counted.
    let counts = text.contains("COUNT(*)")
        || text.contains("COUNT(?")
        || text.contains("SUM(")
        || text.contains("AVG(");
    if has_alternative(text) && counts {
        tally.left_to_spareval += 1;
        return;
    }
    let how = determined(text);
    if !same(&native, &reference, how) {
        tally.different.push(format!("{how:?}\n{text}\nnative {native:?}\nspareval {reference:?}"));
        return;
    }
    tally.same += 1;
    tally.with_content += usize::from(has_content(&native));
}

fn compare(view: &dyn RdfView, queries: u64, seed: u64, spelling: Spelling, tally: &mut Tally) {
    let graph: Vec<Triple> = view.triples().map(|t| view.decode_triple(t).unwrap()).collect();
    for number in 0..queries {
        let seed = seed * 10_000 + number;
        for text in [Generator::new(seed, &graph).query(), Generator::new(seed, &graph).nested_query()] {
            // `spareval` writes the numbers within triple terms anew, and does not find them as they are; a triple term whose subject is
            // a literal is an error there, which `EXISTS` takes for a row.
            let is_known = text.contains("<<") && (spelling == Spelling::Any || text.contains("EXISTS"));
            if !is_known {
                check(view, &text, tally);
            }
        }
    }
}

#[test]
fn same_answers_as_spareval() {
    let mut tally = Tally::default();
    for seed in 0..6 {
        let dir = tempfile::tempdir().unwrap();
        let spelling = if seed % 2 == 0 { Spelling::Any } else { Spelling::Canonical };
        let kb = small_kb(&dir.path().join("kb"), seed, spelling);
        compare(&DirectView::new(&kb), 400, seed, spelling, &mut tally);
        compare(&KqaProView::new(&kb), 250, seed + 100, spelling, &mut tally);
    }
    assert!(
        tally.different.is_empty(),
        "{} differ: {}",
        tally.different.len(),
        tally.different.iter().take(6).map(String::as_str).collect::<Vec<_>>().join("\n\n")
    );
    eprintln!("{tally:?}");
    assert!(tally.same > 5000 && tally.with_content > 2000, "{tally:?}");
}

/// The triples of an RDF file as they are.
#[test]
fn same_answers_on_files_of_triples() {
    let mut tally = Tally::default();
    for seed in 0..3 {
        let flavour =
            Flavour { odd_values: seed == 1, homonyms: seed == 2, classes_as_members: seed % 2 == 0 };
        let (kb, _) = random_rdf_kb(seed, flavour);
        compare(&DirectView::new(&kb), 200, seed, Spelling::Any, &mut tally);
    }
    assert!(
        tally.different.is_empty(),
        "{} differ: {}",
        tally.different.len(),
        tally.different.iter().take(6).map(String::as_str).collect::<Vec<_>>().join("\n\n")
    );
    eprintln!("{tally:?}");
    assert!(tally.same > 600, "{tally:?}");
}

/// Values of sort keys come in the order of `spareval`.
#[test]
fn sorted_as_spareval_sorts() {
    let shown = |results: Results| match results {
        Results::Solutions { rows, .. } => rows
            .into_iter()
            .map(|row| match row.into_iter().next().flatten() {
                None => String::new(),
                Some(term) => match ExpressionTerm::from(term.clone()) {
                    ExpressionTerm::IntegerLiteral(n) => i64::from(n).to_string(),
                    ExpressionTerm::DoubleLiteral(n) => f64::from(n).to_string(),
                    ExpressionTerm::DecimalLiteral(n) => n.to_string(),
                    other => Term::from(other).to_string(),
                },
            })
            .collect::<Vec<String>>(),
        other => panic!("{other:?}"),
    };
    for seed in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        let kb = small_kb(&dir.path().join("kb"), seed, Spelling::Canonical);
        let (direct, kqapro) = (DirectView::new(&kb), KqaProView::new(&kb));
        let views: [&dyn RdfView; 2] = [&direct, &kqapro];
        for view in views {
            for text in [
                "SELECT ?o { ?s ?p ?o } ORDER BY ?o",
                "SELECT ?o { ?s ?p ?o } ORDER BY DESC(?o)",
                "SELECT ?o { ?s ?p ?x OPTIONAL { ?x ?q ?o } } ORDER BY ?o LIMIT 20 OFFSET 5",
                "SELECT DISTINCT ?o { ?s ?p ?o FILTER(isLiteral(?o)) } ORDER BY DESC(?o) LIMIT 7",
                "SELECT ?o { ?s ?p ?o FILTER(isNumeric(?o)) } ORDER BY DESC(?o) LIMIT 1",
                "SELECT ?o { ?s ?p ?o FILTER(isNumeric(?o)) } ORDER BY ?o LIMIT 3",
                "SELECT ?o { ?s ?p ?o FILTER(isLiteral(?o)) } ORDER BY ?o LIMIT 2",
            ] {
                let query = SparqlParser::new().parse_query(text).unwrap();
                let budget = || Budget::new(Limits::default());
                let native = native::evaluate(view, &query, &budget()).expect(text).unwrap();
                let reference = evaluate(view, &query, &budget()).unwrap();
                assert_eq!(shown(native), shown(reference), "{text}");
            }
        }
    }
}
