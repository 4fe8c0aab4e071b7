//! All engines give the same answers: the embedded one, `spareval` on both views, and real servers where there are some.
//!
//! `TOUCHSTONE_QUERIES=10000 cargo test --release -p touchstone-protocol engines -- --nocapture` asks more; `TOUCHSTONE_QUERY_SECONDS` is how long
//! each may take. Servers are named by
//! `TOUCHSTONE_TEST_VIRTUOSO` and `TOUCHSTONE_TEST_OXIGRAPH` (World's direct view without qualifiers) and
//! `TOUCHSTONE_TEST_VIRTUOSO_KQAPRO` (KQA Pro's graph of World); see `tools/servers`.

use crate::support::random::RandomQueries;
use crate::support::statistics::answer_kind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::exact::ExactAnswer;
use touchstone_engine::plan::Plan;
use touchstone_engine::{
    EmbeddedEngine, Engine, EngineError, Found, KbContext, PlanRequest, SparevalEngine, View,
};
use touchstone_kb::{LiteralId, NoProgress, NodeId};
use touchstone_logic::{Query, QueryGraph, SyntaxErrorKind};
use touchstone_protocol::endpoint::{Credentials, Endpoint, EndpointError, EndpointSettings};

/// An engine that is held to the answers of the embedded one, on one view.
struct Peer {
    name: &'static str,
    engine: Box<dyn Engine>,
    view: View,
    /// Whether it supports RDF 1.2.
    has_qualifiers: bool,
}

fn by_spareval(name: &'static str, view: View) -> Peer {
    Peer { name, engine: Box::new(SparevalEngine), view, has_qualifiers: true }
}

fn by_server(name: &'static str, variable: &str, view: View) -> Option<Peer> {
    let url = touchstone_testing::variable(variable)?.into_string().expect("an address");
    let graph = name.starts_with("Virtuoso").then(|| "urn:touchstone:test".to_owned());
    let settings = EndpointSettings { default_graph: graph, ..Default::default() };
    let endpoint = Endpoint::with_credentials(&url, settings, Credentials::default()).expect("an address");
    Some(Peer { name, engine: Box::new(endpoint), view, has_qualifiers: view == View::KqaPro })
}

/// Whether a query took too long, or its exact text is longer than the parser takes.
fn is_over_budget(error: &EngineError) -> bool {
    match error {
        EngineError::Stopped(_) => true,
        EngineError::Printer { error } => matches!(error.kind, SyntaxErrorKind::TooManyOperators { .. }),
        EngineError::External(error) => {
            matches!(error.downcast_ref::<EndpointError>(), Some(EndpointError::Timeout { .. }))
        }
        _ => false,
    }
}

fn exact_answers(found: &Found<'_>) -> BTreeSet<ExactAnswer> {
    match found {
        Found::Things { nodes, literals } => {
            let nodes = nodes.iter().map(|&node| ExactAnswer::Node(NodeId(node)));
            nodes.chain(literals.iter().map(|&id| ExactAnswer::Literal(LiteralId(id)))).collect()
        }
        Found::Relations(relations) => relations.iter().map(|&r| ExactAnswer::Relation(r)).collect(),
        Found::Count(count) => [ExactAnswer::Count(*count)].into(),
        Found::Boolean(value) => [ExactAnswer::Boolean(*value)].into(),
    }
}

fn expected(context: &KbContext<'_>, plan: &Plan) -> Option<BTreeSet<ExactAnswer>> {
    let budget = Budget::new(Limits { rows: 5000, ..Limits::default() });
    let found = EmbeddedEngine.run_plan(&PlanRequest::new(plan), context, &budget).result.ok()?;
    Some(exact_answers(&found))
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
    peer: &Peer,
    context: &KbContext<'_>,
    query: &Query,
    plan: &Plan,
    expected: &BTreeSet<ExactAnswer>,
    tally: &Mutex<Tally>,
) {
    let printer = context.printer(peer.view);
    let printed = match printer.print(plan) {
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
    let request = PlanRequest { plan, view: Some(peer.view), trace: false };
    let got = match peer.engine.run_plan(&request, context, &Budget::new(limits)).result {
        Err(error) if is_over_budget(&error) => {
            tally.lock().unwrap().over_budget += 1;
            return;
        }
        result => result.map(|found| exact_answers(&found)).map_err(|error| error.to_string()),
    };
    let expected: BTreeSet<ExactAnswer> = expected.iter().map(|&answer| printer.canonical(answer)).collect();
    let mut tally = tally.lock().unwrap();
    if got.as_ref() == Ok(&expected) {
        tally.agree += 1;
        *tally.kinds.entry(answer_kind(query)).or_default() += 1;
        tally.shapes.insert(QueryGraph::of(query).shape().plain);
    } else {
        let cut = |set: &BTreeSet<ExactAnswer>| set.iter().take(5).copied().collect::<Vec<_>>();
        let got = got.map(|got| (got.len(), cut(&got)));
        tally.wrong.push(format!(
            "{}: {query:?}\n{}\n expected {} {:?}\n got {got:?}",
            peer.name,
            printed.text,
            expected.len(),
            cut(&expected)
        ));
    }
}

#[test]
fn engines_agree_on_world() {
    let kb = touchstone_world::open(&NoProgress).expect("World");
    let context = KbContext::new(&kb);
    let n: usize = std::env::var("TOUCHSTONE_QUERIES").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let mut peers =
        vec![by_spareval("spareval, direct", View::Direct), by_spareval("spareval, kqapro", View::KqaPro)];
    peers.extend(by_server("Virtuoso, kqapro", "TOUCHSTONE_TEST_VIRTUOSO_KQAPRO", View::KqaPro));
    peers.extend(by_server("Virtuoso, direct", "TOUCHSTONE_TEST_VIRTUOSO", View::Direct));
    peers.extend(by_server("Oxigraph server, direct", "TOUCHSTONE_TEST_OXIGRAPH", View::Direct));
    let mut queries = RandomQueries::new(&kb, 7);
    let queries: Vec<Query> = (0..n).map(|_| queries.query()).collect();
    let tallies: Vec<Mutex<Tally>> = peers.iter().map(|_| Mutex::default()).collect();
    let (skipped, next) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(query) = queries.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    // Queries without a plan, and queries with too many answers to compare.
                    let plan = Plan::of(query, context.words()).ok();
                    let found = plan.as_ref().and_then(|plan| expected(&context, plan));
                    let (Some(plan), Some(expected)) = (plan, found) else {
                        skipped.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        continue;
                    };
                    for (peer, tally) in peers.iter().zip(&tallies) {
                        check(peer, &context, query, &plan, &expected, tally);
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
