//! All engines give the same answers: the embedded one, `spareval` on both views, and real servers where there are some.
//!
//! `TOUCHSTONE_QUERIES=10000 cargo test --release -p touchstone-engine engines -- --nocapture` asks more; `TOUCHSTONE_QUERY_SECONDS` is how long
//! each may take. Servers are told by
//! `TOUCHSTONE_TEST_VIRTUOSO` and `TOUCHSTONE_TEST_OXIGRAPH` (World's direct view without qualifiers) and
//! `TOUCHSTONE_TEST_VIRTUOSO_KQAPRO` (KQA Pro's graph of World); see `tools/servers`.

use crate::support::random::RandomQueries;
use crate::support::statistics::answer_kind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::endpoint::{self, Credentials, Endpoint, EndpointError};
use touchstone_engine::exact::{self, ExactAnswer, ExactPrinter};
use touchstone_engine::plan::Plan;
use touchstone_engine::sparql::{Results, SparqlError, evaluate};
use touchstone_engine::{Found, View, Words, embedded};
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};
use touchstone_kb::{Kb, LiteralId, NoProgress, NodeId};
use touchstone_logic::{Query, QueryGraph};

type Asked<'k> = dyn Fn(&str, &Budget<'_>) -> Run + Sync + 'k;

/// Somebody who answers SPARQL.
struct Peer<'k> {
    name: &'static str,
    printer: ExactPrinter<'k>,
    run: Box<Asked<'k>>,
    /// Whether it knows RDF 1.2.
    has_qualifiers: bool,
}

enum Run {
    Results(exact::Results),
    OverBudget,
    Failed(String),
}

fn as_run(results: Result<Results, SparqlError>) -> Run {
    match results {
        Ok(Results::Solutions { rows, .. }) => Run::Results(exact::Results::Rows(rows)),
        Ok(Results::Boolean(value)) => Run::Results(exact::Results::Boolean(value)),
        Ok(Results::Graph(_)) => Run::Failed("triples".to_owned()),
        Err(SparqlError::Stopped(_)) => Run::OverBudget,
        Err(error) => Run::Failed(error.to_string()),
    }
}

fn by_spareval<'k>(kb: &'k Kb, view: View) -> Peer<'k> {
    let (name, triples): (_, Box<dyn RdfView + 'k>) = match view {
        View::Direct => ("spareval, direct", Box::new(DirectView::new(kb))),
        View::KqaPro => ("spareval, kqapro", Box::new(KqaProView::new(kb))),
    };
    let run = move |text: &str, budget: &Budget<'_>| match touchstone_logic::sparql::parse(text) {
        Ok(parsed) => as_run(evaluate(triples.as_ref(), &parsed.query, budget)),
        // There are exact texts that are longer than the parser takes.
        Err(error) if error.to_string().contains("more than 2000 operators") => Run::OverBudget,
        Err(error) => Run::Failed(error.to_string()),
    };
    Peer { name, printer: ExactPrinter::new(kb, view), run: Box::new(run), has_qualifiers: true }
}

fn by_server<'k>(kb: &'k Kb, name: &'static str, variable: &str, view: View) -> Option<Peer<'k>> {
    let url = touchstone_testing::variable(variable)?.into_string().expect("an address");
    let graph = name.starts_with("Virtuoso").then(|| "urn:touchstone:test".to_owned());
    let settings = endpoint::Settings { default_graph: graph, ..Default::default() };
    let endpoint = Endpoint::with_credentials(&url, settings, Credentials::default()).expect("an address");
    let run = move |text: &str, budget: &Budget<'_>| match endpoint.query(text, budget) {
        Ok(endpoint::Results::Table(table)) => Run::Results(exact::Results::Rows(table.rows)),
        Ok(endpoint::Results::Boolean(value)) => Run::Results(exact::Results::Boolean(value)),
        Ok(endpoint::Results::Graph(_)) => Run::Failed("triples".to_owned()),
        Err(EndpointError::Stopped(_) | EndpointError::Timeout { .. }) => Run::OverBudget,
        Err(error) => Run::Failed(error.to_string()),
    };
    let has_qualifiers = view == View::KqaPro;
    Some(Peer { name, printer: ExactPrinter::new(kb, view), run: Box::new(run), has_qualifiers })
}

fn expected(kb: &Kb, plan: &Plan) -> Option<BTreeSet<ExactAnswer>> {
    let limits = Limits { rows: 5000, ..Limits::default() };
    let found = embedded::run(kb, plan, &Budget::new(limits)).ok()?;
    Some(match &found {
        Found::Things { nodes, literals } => {
            let nodes = nodes.iter().map(|&node| ExactAnswer::Node(NodeId(node)));
            nodes.chain(literals.iter().map(|&id| ExactAnswer::Literal(LiteralId(id)))).collect()
        }
        Found::Relations(relations) => relations.iter().map(|&r| ExactAnswer::Relation(r)).collect(),
        Found::Count(count) => [ExactAnswer::Count(*count)].into(),
        Found::Boolean(value) => [ExactAnswer::Boolean(*value)].into(),
    })
}

#[derive(Default)]
struct Tally {
    agree: usize,
    inexpressible: BTreeMap<&'static str, usize>,
    without_qualifiers: usize,
    over_budget: usize,
    wrong: Vec<String>,
    kinds: BTreeMap<&'static str, usize>,
    shapes: BTreeSet<String>,
}

/// How long a query may take. Ours is done in microseconds; there are queries that general engines need minutes for.
fn seconds() -> f64 {
    std::env::var("TOUCHSTONE_QUERY_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(3.0)
}

fn check(
    peer: &Peer<'_>,
    query: &Query,
    plan: &Plan,
    expected: &BTreeSet<ExactAnswer>,
    tally: &Mutex<Tally>,
) {
    let printed = match peer.printer.print(plan) {
        Ok(printed) => printed,
        Err(error) => {
            *tally.lock().unwrap().inexpressible.entry(error.what).or_default() += 1;
            return;
        }
    };
    if !peer.has_qualifiers && printed.text.contains("#reifies>") {
        tally.lock().unwrap().without_qualifiers += 1;
        return;
    }
    let limits = Limits { time: Duration::from_secs_f64(seconds()), ..Limits::none() };
    let run = (peer.run)(&printed.text, &Budget::new(limits));
    let got = match run {
        Run::OverBudget => {
            tally.lock().unwrap().over_budget += 1;
            return;
        }
        Run::Failed(error) => Err(error),
        Run::Results(results) => peer.printer.read(&printed, &results).map_err(|error| error.to_string()),
    };
    let expected: BTreeSet<ExactAnswer> =
        expected.iter().map(|&answer| peer.printer.canonical(answer)).collect();
    let mut tally = tally.lock().unwrap();
    if got.as_ref().is_ok_and(|got| got.iter().copied().collect::<BTreeSet<_>>() == expected) {
        tally.agree += 1;
        *tally.kinds.entry(answer_kind(query)).or_default() += 1;
        tally.shapes.insert(QueryGraph::of(query).shape().plain);
    } else {
        let cut = |set: &mut dyn Iterator<Item = &ExactAnswer>| set.take(5).copied().collect::<Vec<_>>();
        let got = got.map(|got| (got.len(), cut(&mut got.iter())));
        tally.wrong.push(format!(
            "{}: {query:?}\n{}\n expected {} {:?}\n got {got:?}",
            peer.name,
            printed.text,
            expected.len(),
            cut(&mut expected.iter())
        ));
    }
}

#[test]
fn engines_agree_on_world() {
    let kb = touchstone_world::open(&NoProgress).expect("World");
    let words = Words::new(&kb);
    let n: usize = std::env::var("TOUCHSTONE_QUERIES").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let mut peers = vec![by_spareval(&kb, View::Direct), by_spareval(&kb, View::KqaPro)];
    peers.extend(by_server(&kb, "Virtuoso, kqapro", "TOUCHSTONE_TEST_VIRTUOSO_KQAPRO", View::KqaPro));
    peers.extend(by_server(&kb, "Virtuoso, direct", "TOUCHSTONE_TEST_VIRTUOSO", View::Direct));
    peers.extend(by_server(&kb, "Oxigraph server, direct", "TOUCHSTONE_TEST_OXIGRAPH", View::Direct));
    let mut queries = RandomQueries::new(&kb, 7);
    let queries: Vec<Query> = (0..n).map(|_| queries.query()).collect();
    let tallies: Vec<Mutex<Tally>> = peers.iter().map(|_| Mutex::default()).collect();
    let (skipped, next) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(query) = queries.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    // What makes no sense, and what has more answers than anybody wants to compare.
                    let plan = Plan::of(query, &words).ok();
                    let found = plan.as_ref().and_then(|plan| expected(&kb, plan));
                    let (Some(plan), Some(expected)) = (plan, found) else {
                        skipped.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        continue;
                    };
                    for (peer, tally) in peers.iter().zip(&tallies) {
                        check(peer, query, &plan, &expected, tally);
                    }
                }
            });
        }
    });
    eprintln!("{n} queries, {} of them without a plan or with over 5,000 answers", skipped.into_inner());
    let mut wrong = Vec::new();
    for (peer, tally) in peers.iter().zip(tallies) {
        let tally = tally.into_inner().unwrap();
        eprintln!(
            "{}: {} agree ({} shapes, {:?}), {} over budget, {} need qualifiers, inexpressible {:?}, {} differ",
            peer.name,
            tally.agree,
            tally.shapes.len(),
            tally.kinds,
            tally.over_budget,
            tally.without_qualifiers,
            tally.inexpressible,
            tally.wrong.len()
        );
        wrong.extend(tally.wrong);
        assert!(tally.agree * 2 > n, "{}: only {} of {n} were compared", peer.name, tally.agree);
    }
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(4)].join("\n\n"));
}
