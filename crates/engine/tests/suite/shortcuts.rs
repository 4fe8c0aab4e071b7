//! SPARQL on the embedded engine gives exactly what `spareval` gives: random queries in all dialects, on small adversarial KBs and on World.

use crate::support::random::RandomQueries;
use crate::support::random_kb::{Flavour, random_kb, random_rdf_kb};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::sparql::Results;
use touchstone_engine::{Answers, EmbeddedEngine, Engine, Outcome, Session, Settings, SparevalEngine};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Language;
use touchstone_logic::sparql::{Dialect, print};

/// The rows of a reply, in canonical order.
fn rows(answers: &Answers) -> BTreeSet<String> {
    let Answers::Rdf(results) = answers else { panic!("no terms") };
    match results {
        Results::Boolean(value) => BTreeSet::from([value.to_string()]),
        Results::Solutions { rows, .. } => rows.iter().map(|row| format!("{row:?}")).collect(),
        Results::Graph(triples) => triples.iter().map(ToString::to_string).collect(),
    }
}

/// The answers of a query that ends with `ORDER BY DESC(?v) LIMIT 1` that have the first value of the order.
fn tied(session: &Session<'_>, text: &str, settings: &Settings) -> BTreeSet<String> {
    let (rest, order) = text.rsplit_once("ORDER BY").expect("an order");
    let (order, _) = order.rsplit_once("LIMIT 1").expect("a limit");
    let key = order.split(['(', ')', ' ', '\n']).rfind(|part| part.starts_with('?')).expect("a variable");
    let (head, pattern) = rest.split_once("WHERE").expect("a pattern");
    let all = format!("{head} {key} WHERE {pattern} ORDER BY {order}");
    let reply = session.run(Language::Sparql, &all, settings, &Cancel::default());
    let Outcome::Answered(Answers::Rdf(Results::Solutions { rows, .. })) = reply.outcome else {
        panic!("{all}: {:?}", reply.outcome)
    };
    let number = |row: &[Option<oxrdf::Term>]| match row.last() {
        Some(Some(oxrdf::Term::Literal(value))) => value.value().parse::<f64>().ok().ok_or(value.to_string()),
        other => Err(format!("{other:?}")),
    };
    let first = rows.first().map(|row| number(row));
    let tied = rows.iter().filter(|row| Some(number(row)) == first);
    tied.map(|row| format!("{:?}", &row[..row.len() - 1])).collect()
}

/// Number of queries that the embedded engine ran.
fn compare(kb: &Kb, seed: u64, n: usize) -> usize {
    let session = Session::new(kb);
    let base = kb.manifest().base.clone();
    let mut queries = RandomQueries::new(kb, seed);
    let limits = Limits { time: Duration::from_secs(5), ..Limits::default() };
    let settings = |engine: Arc<dyn Engine>| Settings { engine, terms: true, limits, ..Settings::default() };
    let (embedded, spareval) = (settings(Arc::new(EmbeddedEngine)), settings(Arc::new(SparevalEngine)));
    let (mut quick, mut ties) = (0, 0);
    for _ in 0..n {
        let query = queries.query();
        for dialect in [Dialect::Plain { base: base.clone() }, Dialect::KqaPro] {
            let Ok(printed) = print(&query, &dialect) else { continue };
            let fast = session.run(Language::Sparql, &printed.text, &embedded, &Cancel::default());
            // Differences from SPARQL are reported.
            if fast.notes.iter().any(|note| note.starts_with("differs from SPARQL")) {
                continue;
            }
            let Outcome::Answered(fast) = fast.outcome else { continue };
            let slow = session.run(Language::Sparql, &printed.text, &spareval, &Cancel::default());
            match slow.outcome {
                // The first of several things with the same value may be any of them.
                Outcome::Answered(slow) if printed.text.contains("LIMIT") && rows(&fast) != rows(&slow) => {
                    assert!(
                        rows(&fast).is_subset(&tied(&session, &printed.text, &spareval)),
                        "{}",
                        printed.text
                    );
                    ties += 1;
                }
                // `spareval` writes numbers within triple terms anew, and does not find them as they are.
                Outcome::Answered(slow)
                    if printed.text.contains("<<(") && rows(&fast).is_superset(&rows(&slow)) => {}
                Outcome::Answered(slow) => {
                    assert_eq!(rows(&fast), rows(&slow), "{}", printed.text);
                    quick += 1;
                }
                Outcome::OverBudget(_) => {}
                other => panic!("{other:?}: {}", printed.text),
            }
        }
    }
    assert!(ties * 10 <= quick, "{ties} ties, {quick} other queries");
    quick
}

#[test]
fn on_small_kbs() {
    let mut quick = 0;
    for seed in 0..16 {
        let flavour =
            Flavour { odd_values: seed % 2 == 1, homonyms: seed % 4 >= 2, classes_as_members: seed % 8 >= 4 };
        quick += compare(&random_kb(seed, flavour), seed, 500);
    }
    eprintln!("{quick} queries took the fast way on small KBs");
    assert!(quick > 2000, "{quick}");
}

#[test]
fn on_kbs_made_from_rdf() {
    let mut quick = 0;
    for seed in 0..8 {
        let flavour =
            Flavour { odd_values: seed % 2 == 1, homonyms: seed % 4 >= 2, classes_as_members: seed % 8 >= 4 };
        let (kb, file) = random_rdf_kb(seed, flavour);
        quick += compare(&kb, seed, 500);
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
    eprintln!("{quick} queries took the fast way on KBs made from RDF");
    assert!(quick > 500, "{quick}");
}

#[test]
fn on_world() {
    let quick = compare(&touchstone_world::open(&NoProgress).unwrap(), 3, 200);
    eprintln!("{quick} queries took the fast way on World");
    assert!(quick > 50, "{quick}");
}
