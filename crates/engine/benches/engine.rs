//! Compares the embedded engine with Oxigraph in memory: the same queries on the same graph in the same process, from the text of a query to
//! rows of RDF terms on both sides.
//!
//! `cargo bench -p touchstone-engine --bench engine` prints one line per kind of query with two ratios: ours from an S-expression, and ours
//! from the same SPARQL text that Oxigraph gets. Both sides answer the same queries for the same number of alternating rounds; the best round
//! of each counts, and queries with different answers are printed and left out. `-- --triples 200000` makes the graph smaller.
//! `-- --growth` measures one hop on graphs of 0.2, 2 and 20 million triples instead, with the number of answers: the graph's hubs
//! grow with it, and so do the answers of queries that lead back from them. `-- --threads` measures only
//! the speed-up by a second thread.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../kb/benches/support/graph.rs"]
mod graph;
#[path = "support/oxigraph.rs"]
mod oxigraph_peer;
#[path = "../../kb/benches/support/turns.rs"]
mod turns;

use graph::{Rng, generate};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::store::Store;
use oxigraph_peer::{loaded_view, rows_ours, rows_peer, texts};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::{Found, Session, Words, embedded, plan::Plan};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::rdf::{DirectView, RdfView};
use touchstone_kb::{
    AttributeId, Comparison, Kb, LiteralKind, NoProgress, NodeId, Property, RelationId, Value,
};
use touchstone_logic::{Ask, Direction, Extreme, Form, Language, Query, Set, Step, Superlative, sexpr};
use turns::{ROUNDS, best_rounds};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A query in both languages.
struct Pair {
    ours: String,
    peer: String,
    /// Whether the SPARQL query gives only one of the answers of the S-expression.
    is_one_of_several: bool,
}

const QUERIES: usize = 200;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let args: Vec<String> = std::env::args().collect();
    let value_of = |name: &str| args.iter().position(|a| a == name).and_then(|at| args.get(at + 1));
    let n_triples: usize = value_of("--triples").map_or(2_000_000, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let nt = dir.path().join("graph.nt");
    if args.iter().any(|arg| arg == "--growth") {
        growth(dir.path(), &nt);
        return;
    }
    generate(&nt, n_triples);
    let kb = imported(&nt, &dir.path().join("kb"));
    let only_threads = args.iter().any(|arg| arg == "--threads");
    println!("generated graph, {n_triples} triples");
    if !only_threads {
        compare(&kb, &loaded_file(&nt));
    }
    threads(&kb);
    drop(kb);
    println!("\nWorld");
    let world = touchstone_world::open(&NoProgress).unwrap();
    if !only_threads {
        compare(&world, &loaded_view(&world));
    }
    threads(&world);
}

fn growth(dir: &Path, nt: &Path) {
    println!("one hop on graphs of growing size");
    for n in [200_000, 2_000_000, 20_000_000] {
        generate(nt, n);
        let kb = imported(nt, &dir.join(format!("kb{n}")));
        let words = Words::new(&kb);
        let mut workload = Workload::new(&kb);
        for (name, queries) in [("forward", workload.one_hop(100)), ("back", workload.one_hop(0))] {
            let [seconds] = best_rounds(
                ROUNDS,
                [&mut || {
                    for query in &queries {
                        black_box(answer_ours(&kb, &words, &query.ours));
                    }
                }],
            );
            let seconds = seconds / queries.len() as f64;
            let answers = |pair: &Pair| {
                let query = Form::parse(&pair.ours, &words).unwrap().to_query().unwrap();
                let plan = Plan::of(&query, &words).unwrap();
                embedded::run(&kb, &plan, &Budget::new(Limits::none())).unwrap().len()
            };
            let mean = queries.iter().map(answers).sum::<usize>() as f64 / queries.len() as f64;
            println!("{n:>12} triples {name:>8} {:>10.2} µs a query, {mean:>8.1} answers", seconds * 1e6);
        }
    }
}

fn imported(nt: &Path, out: &Path) -> Kb {
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![nt.to_path_buf()]);
    import(&request, out, &NoProgress).unwrap();
    Kb::open(out).unwrap()
}

fn loaded_file(nt: &Path) -> Store {
    let store = Store::new().unwrap();
    let mut loader = store.bulk_loader();
    let file = std::fs::File::open(nt).unwrap();
    loader.load_from_reader(RdfParser::from_format(RdfFormat::NTriples), file).unwrap();
    loader.commit().unwrap();
    store
}

fn compare(kb: &Kb, store: &Store) {
    let mut workload = Workload::new(kb);
    let kinds: [(&str, f64, Vec<Pair>); 7] = [
        ("one hop", 10.0, workload.one_hop(50)),
        ("two hops", 10.0, workload.two_hops()),
        ("intersection", 10.0, workload.intersection()),
        ("three hops", 10.0, workload.three_hops()),
        ("count", 10.0, workload.count()),
        ("superlative over a class", 300.0, workload.superlative()),
        ("numeric range filter", 300.0, workload.numeric_filter()),
    ];
    println!(
        "{:<26} {:>10} {:>9} {:>10} {:>9} {:>12}  queries",
        "µs a query", "S-expr.", "ratio", "SPARQL", "ratio", "Oxigraph"
    );
    let session = Session::new(kb);
    for (kind, wanted, queries) in kinds {
        let queries = answered_alike(&session, store, queries);
        let [ours, ours_sparql, peer] = best_rounds(
            ROUNDS,
            [
                &mut || {
                    queries
                        .iter()
                        .for_each(|q| drop(black_box(rows_ours(&session, Language::Sexpr, &q.ours))))
                },
                &mut || {
                    queries
                        .iter()
                        .for_each(|q| drop(black_box(rows_ours(&session, Language::Sparql, &q.peer))))
                },
                &mut || queries.iter().for_each(|q| drop(black_box(rows_peer(store, &q.peer)))),
            ],
        )
        .map(|seconds| seconds / queries.len() as f64);
        println!(
            "{kind:<26} {:>10.2} {:>9.1} {:>10.2} {:>9.1} {:>12.2}  {} (wanted {wanted} from S-expressions)",
            ours * 1e6,
            peer / ours,
            ours_sparql * 1e6,
            peer / ours_sparql,
            peer * 1e6,
            queries.len(),
        );
    }
}

/// A warm-up pass through both systems: as many queries as Oxigraph answers in two seconds, at least 20, all with the same answers.
///
/// Queries for which Oxigraph's sort panics (numbers of several types), and those with different answers, which are printed, are left out on both
/// sides.
fn answered_alike(session: &Session<'_>, store: &Store, queries: Vec<Pair>) -> Vec<Pair> {
    let (mut kept, mut time) = (Vec::new(), Duration::ZERO);
    for query in queries {
        if time > Duration::from_secs(2) && kept.len() >= 20 {
            break;
        }
        let start = Instant::now();
        let Ok(peer) = catch_unwind(AssertUnwindSafe(|| rows_peer(store, &query.peer))) else { continue };
        time += start.elapsed();
        let peer = texts(peer);
        let (sexpr, sparql) = (
            texts(rows_ours(session, Language::Sexpr, &query.ours)),
            texts(rows_ours(session, Language::Sparql, &query.peer)),
        );
        if query.is_one_of_several {
            // `ORDER BY ... LIMIT 1` returns only one of several ties.
            let is_one = |one: &Vec<String>| one.len() == 1 && sexpr.contains(&one[0]);
            if !is_one(&peer) || !is_one(&sparql) {
                println!(
                    "  left out, different answers: {} gives {sexpr:?}, Oxigraph {peer:?}, ours from SPARQL {sparql:?}",
                    query.ours
                );
                continue;
            }
        } else {
            if sexpr != peer || sparql != peer {
                println!(
                    "  left out, different answers: {} has {}, Oxigraph {}, ours from SPARQL {}",
                    query.ours,
                    sexpr.len(),
                    peer.len(),
                    sparql.len()
                );
                continue;
            }
        }
        kept.push(query);
    }
    kept
}

/// One query: from its text to the ids of its answers.
fn answer_ours(kb: &Kb, words: &Words<'_>, text: &str) -> usize {
    let query = Form::parse(text, words).unwrap().to_query().unwrap();
    let plan = Plan::of(&query, words).unwrap();
    let budget = Budget::new(Limits::default());
    match embedded::run(kb, &plan, &budget).unwrap() {
        Found::Things { nodes, .. } => nodes.iter().map(|&node| kb.node_id(NodeId(node)).len()).sum(),
        Found::Count(count) => count as usize,
        other => other.len(),
    }
}

/// How much faster two threads are than one, over a mix of all kinds.
fn threads(kb: &Kb) {
    let mut workload = Workload::new(kb);
    let mut queries = workload.two_hops();
    queries.extend(workload.intersection());
    queries.extend(workload.three_hops());
    queries.extend(workload.numeric_filter());
    let words = Words::new(kb);
    let timed = |n_threads: usize| {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..n_threads {
                let (words, queries) = (&words, &queries);
                scope.spawn(move || {
                    for round in 0..20 {
                        for at in (0..queries.len()).filter(|at| (at + round) % n_threads == thread) {
                            black_box(answer_ours(kb, words, &queries[at].ours));
                        }
                    }
                });
            }
        });
        start.elapsed().as_secs_f64()
    };
    // Alternating: on a shared machine, both sides then get the same conditions.
    let (mut one, mut two) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..15 {
        one = one.min(timed(1));
        two = two.min(timed(2));
    }
    println!("{:<28} {:.2} times one (wanted 1.8)", "two threads", one / two);
}

/// Queries around facts of a KB, so that nearly all of them have answers.
struct Workload<'k> {
    kb: &'k Kb,
    view: DirectView<'k>,
    rng: Rng,
}

impl<'k> Workload<'k> {
    fn new(kb: &'k Kb) -> Workload<'k> {
        Workload { kb, view: DirectView::new(kb), rng: Rng(11) }
    }

    fn below(&mut self, n: usize) -> usize {
        (self.rng.next() % n.max(1) as u64) as usize
    }

    fn node(&self, node: NodeId) -> String {
        self.view.decode(touchstone_kb::rdf::RdfTerm::Node(node)).to_string()
    }

    fn property(&self, property: Property) -> String {
        let term = match property {
            Property::Relation(relation) => touchstone_kb::rdf::RdfTerm::Relation(relation),
            Property::Attribute(attribute) => touchstone_kb::rdf::RdfTerm::Attribute(attribute),
        };
        self.view.decode(term).to_string()
    }

    fn relation(&self, relation: RelationId) -> String {
        self.property(Property::Relation(relation))
    }

    /// A fact that leads somewhere.
    fn edge(&mut self, from: NodeId) -> Option<(RelationId, NodeId)> {
        let facts: Vec<(RelationId, NodeId)> = self
            .kb
            .facts_about(from)
            .filter_map(|fact| match (fact.property, fact.value) {
                (Property::Relation(relation), Value::Node(node)) => Some((relation, node)),
                _ => None,
            })
            .collect();
        if facts.is_empty() { None } else { Some(facts[self.below(facts.len())]) }
    }

    fn entity(&mut self) -> NodeId {
        let n = self.kb.n_entities();
        NodeId(self.below(n) as u32)
    }

    fn collect(&mut self, make: impl Fn(&mut Workload<'k>) -> Option<(Query, String)>) -> Vec<Pair> {
        let mut pairs = Vec::new();
        while pairs.len() < QUERIES {
            if let Some((query, peer)) = make(self) {
                let is_one_of_several = peer.ends_with("LIMIT 1");
                pairs.push(Pair { ours: sexpr::print(&query).unwrap().text, peer, is_one_of_several });
            }
        }
        pairs
    }

    fn entity_set(&self, node: NodeId) -> Set {
        Set::Entity(self.kb.node_id(node).into())
    }

    fn step(&self, from: Set, relation: RelationId, direction: Direction) -> Set {
        Set::relate(from, self.kb.relation_id(relation), direction)
    }

    /// One hop, forward in this percentage of queries.
    fn one_hop(&mut self, forward: usize) -> Vec<Pair> {
        self.collect(|w| {
            let from = w.entity();
            let (relation, to) = w.edge(from)?;
            let r = w.relation(relation);
            Some(if w.below(100) < forward {
                let set = w.step(w.entity_set(from), relation, Direction::Forward);
                (Query::new(Ask::Members(set)), format!("SELECT ?x WHERE {{ {} {r} ?x }}", w.node(from)))
            } else {
                let set = w.step(w.entity_set(to), relation, Direction::Backward);
                (Query::new(Ask::Members(set)), format!("SELECT ?x WHERE {{ ?x {r} {} }}", w.node(to)))
            })
        })
    }

    fn hops(&mut self, n: usize) -> Vec<Pair> {
        self.collect(|w| {
            let start = w.entity();
            let (mut at, mut set) = (start, w.entity_set(start));
            let mut pattern = String::new();
            let mut subject = w.node(start);
            for hop in 0..n {
                let (relation, next) = w.edge(at)?;
                set = w.step(set, relation, Direction::Forward);
                pattern.push_str(&format!("{subject} {} ?x{hop} . ", w.relation(relation)));
                subject = format!("?x{hop}");
                at = next;
            }
            Some((Query::new(Ask::Members(set)), format!("SELECT DISTINCT ?x{} WHERE {{ {pattern}}}", n - 1)))
        })
    }

    fn two_hops(&mut self) -> Vec<Pair> {
        self.hops(2)
    }

    fn three_hops(&mut self) -> Vec<Pair> {
        self.hops(3)
    }

    fn class_of(&self, node: NodeId) -> Option<(Set, String)> {
        let class = self.kb.classes_of(node).next()?;
        let class = self.kb.class_node(class);
        Some((Set::Class(self.kb.node_id(class).into()), self.node(class)))
    }

    fn intersection(&mut self) -> Vec<Pair> {
        self.collect(|w| {
            let x = w.entity();
            let (first, second) = (w.edge(x)?, w.edge(x)?);
            if first == second {
                return None;
            }
            let (class, class_iri) = w.class_of(x)?;
            let a = w.step(w.entity_set(first.1), first.0, Direction::Backward);
            let b = w.step(w.entity_set(second.1), second.0, Direction::Backward);
            let peer = format!(
                "SELECT DISTINCT ?x WHERE {{ ?x a {class_iri} . ?x {} {} . ?x {} {} }}",
                w.relation(first.0),
                w.node(first.1),
                w.relation(second.0),
                w.node(second.1)
            );
            Some((Query::new(Ask::Members(Set::and([class, a, b]))), peer))
        })
    }

    fn count(&mut self) -> Vec<Pair> {
        self.collect(|w| {
            let x = w.entity();
            let (relation, to) = w.edge(x)?;
            let (class, class_iri) = w.class_of(x)?;
            let set = Set::and([class, w.step(w.entity_set(to), relation, Direction::Backward)]);
            let peer = format!(
                "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ ?x a {class_iri} . ?x {} {} }}",
                w.relation(relation),
                w.node(to)
            );
            Some((Query::new(Ask::Count(set)), peer))
        })
    }

    /// A class, and a numeric attribute that many of its members have, with a value near the top.
    fn class_with_numbers(&mut self) -> Option<(Set, String, AttributeId, String)> {
        let attributes: Vec<AttributeId> = self.kb.attributes().collect();
        let attribute = attributes[self.below(attributes.len())];
        let column = self.kb.facts_by_value(attribute);
        // Only plain numbers: the peer's sort panics on values of several types.
        let unit = self.kb.attribute_unit(attribute);
        let plain = |at: usize| {
            let literal = self.kb.literal(column.value(at));
            literal.kind() == LiteralKind::Quantity && literal.unit() == unit
        };
        if column.len() < 1000 || !plain(0) || !plain(column.len() - 1) {
            return None;
        }
        let at = column.len() - 1 - self.below(column.len() / 10);
        let literal = self.kb.literal(column.value(at));
        let (class, class_iri) = self.class_of(NodeId(column.subjects[at]))?;
        Some((class, class_iri, attribute, literal.text().to_owned()))
    }

    fn superlative(&mut self) -> Vec<Pair> {
        self.collect(|w| {
            let (class, class_iri, attribute, _) = w.class_with_numbers()?;
            let max = w.below(2) == 0;
            let path =
                vec![Step { property: w.kb.attribute_id(attribute).into(), direction: Direction::Forward }];
            let extreme = if max { Extreme::Max } else { Extreme::Min };
            let set = Set::Superlative(Box::new(Superlative { of: class, path, extreme, start: None }));
            let order = if max { "DESC(?v)" } else { "?v" };
            let name = w.property(Property::Attribute(attribute));
            let peer =
                format!("SELECT ?x WHERE {{ ?x a {class_iri} . ?x {name} ?v }} ORDER BY {order} LIMIT 1");
            Some((Query::new(Ask::Members(set)), peer))
        })
    }

    fn numeric_filter(&mut self) -> Vec<Pair> {
        self.collect(|w| {
            let (class, class_iri, attribute, bound) = w.class_with_numbers()?;
            let unit = w.kb.attribute_unit(attribute);
            let values = Set::Values(
                Comparison::Greater,
                Box::new(touchstone_logic::Value::quantity(bound.clone(), unit)),
            );
            let filter = Set::relate(values, w.kb.attribute_id(attribute), Direction::Backward);
            let name = w.property(Property::Attribute(attribute));
            let peer = format!(
                "SELECT DISTINCT ?x WHERE {{ ?x a {class_iri} . ?x {name} ?v . FILTER(?v > {bound}) }}"
            );
            Some((Query::new(Ask::Members(Set::and([class, filter]))), peer))
        })
    }
}
