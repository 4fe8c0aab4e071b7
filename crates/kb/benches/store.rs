//! The store against Oxigraph in memory, on the same generated graph, in the same run.
//!
//! `cargo bench -p touchstone-kb` prints one line per figure with the ratio. `-- --triples 200000` makes it
//! smaller; `-- --keep DIR` keeps the generated graph and the store.
//!
//! Memory is measured in child processes, one per system, so that neither inherits the other's.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/graph.rs"]
mod graph;

use graph::{Rng, generate};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{NamedNode, NamedNodeRef, TermRef};
use oxigraph::store::Store;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::rdf::{DirectView, RdfTerm, RdfView};
use touchstone_kb::{Kb, NoProgress, NodeId, RelationId, Value};

fn import_ours(nt: &Path, out: &Path) -> Duration {
    let start = Instant::now();
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![nt.to_path_buf()]);
    import(&request, out, &NoProgress).unwrap();
    start.elapsed()
}

fn load_oxigraph(nt: &Path) -> (Store, Duration) {
    let start = Instant::now();
    let store = Store::new().unwrap();
    let mut loader = store.bulk_loader();
    loader.load_from_reader(RdfParser::from_format(RdfFormat::NTriples), File::open(nt).unwrap()).unwrap();
    loader.commit().unwrap();
    (store, start.elapsed())
}

/// The resident memory of this process in kilobytes.
fn resident_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}

/// Reads everything there is, so that all of it is resident.
fn touch_ours(kb: &Kb) -> u64 {
    let mut n = 0;
    for node in kb.nodes() {
        n += kb.node_id(node).len() + kb.label(node).len();
        n += kb.classes_of(node).len();
        for fact in kb.facts_about(node) {
            if let Value::Literal(literal) = fact.value {
                n += kb.literal(literal).text().len();
            }
            n += kb.fact_qualifiers(fact.id).len();
        }
        n += kb.facts_to(node).count();
    }
    for attribute in kb.attributes() {
        let facts = kb.facts_by_value(attribute);
        n += facts.subjects.iter().map(|&s| s as usize & 1).sum::<usize>();
    }
    for class in kb.classes() {
        n +=
            kb.members(class).len() + kb.direct_members(class).iter().map(|&m| m as usize & 1).sum::<usize>();
    }
    for name in ["Entity", "kind", "Entity 1 of"] {
        n += kb.find_names(name, 10).len();
    }
    n as u64
}

fn touch_oxigraph(store: &Store) -> u64 {
    store.iter().map(|quad| quad.unwrap().to_string().len() as u64).sum()
}

/// Runs this program again for one system and reads the resident memory it prints.
fn memory_of(system: &str, path: &Path) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--memory-of", system])
        .arg(path)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

/// The median time of an operation over several passes of `n` operations.
fn per_operation(n: usize, mut pass: impl FnMut() -> usize) -> (f64, usize) {
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..5 {
        let start = Instant::now();
        found = black_box(pass());
        times.push(start.elapsed().as_secs_f64() / n as f64);
    }
    times.sort_by(f64::total_cmp);
    (times[2], found)
}

fn report(what: &str, ours: String, peer: String, ratio: f64, wanted: &str) {
    println!("{what:<34} ours {ours:>12}   oxigraph {peer:>12}   ratio {ratio:>8.1}   wanted {wanted}");
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|a| a == "--memory-of") {
        let path = Path::new(&args[at + 2]);
        if args[at + 1] == "ours" {
            let kb = Kb::open(path).unwrap();
            black_box(touch_ours(&kb));
            println!("{}", resident_kb());
        } else {
            let (store, _) = load_oxigraph(path);
            black_box(touch_oxigraph(&store));
            println!("{}", resident_kb());
        }
        return;
    }
    let value_of = |name: &str| args.iter().position(|a| a == name).and_then(|at| args.get(at + 1));
    let n_triples: usize = value_of("--triples").map_or(2_000_000, |n| n.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let dir = value_of("--keep").map_or(temporary.path().to_path_buf(), PathBuf::from);
    fs::create_dir_all(&dir).unwrap();
    let (nt, kb_dir) = (dir.join("graph.nt"), dir.join("kb"));
    let n = generate(&nt, n_triples);
    println!("graph: {n} triples, {} MB", fs::metadata(&nt).unwrap().len() >> 20);

    let mut import_times: Vec<f64> = (0..3).map(|_| import_ours(&nt, &kb_dir).as_secs_f64()).collect();
    let (mut store, mut load_times) = (None, Vec::new());
    for _ in 0..3 {
        drop(store.take());
        let (loaded, time) = load_oxigraph(&nt);
        store = Some(loaded);
        load_times.push(time.as_secs_f64());
    }
    let store = store.unwrap();
    import_times.sort_by(f64::total_cmp);
    load_times.sort_by(f64::total_cmp);
    let (ours, peer) = (import_times[1], load_times[1]);
    report("import (median of 3)", format!("{ours:.2} s"), format!("{peer:.2} s"), peer / ours, ">= 1");

    let (ours, peer) = (memory_of("ours", &kb_dir), memory_of("oxigraph", &nt));
    let megabytes = |kb: u64| format!("{:.0} MB", kb as f64 / 1024.0);
    report(
        "resident memory, all touched",
        megabytes(ours),
        megabytes(peer),
        peer as f64 / ours as f64,
        ">= 5",
    );

    let open = || {
        let start = Instant::now();
        black_box(Kb::open(&kb_dir).unwrap());
        start.elapsed().as_secs_f64() * 1e3
    };
    let mut opening: Vec<f64> = (0..20).map(|_| open()).collect();
    opening.sort_by(f64::total_cmp);
    println!(
        "{:<34} ours {:>9.2} ms   (median of 20; slowest {:.2} ms)   wanted < 10 ms",
        "opening the store", opening[10], opening[19]
    );

    let kb = Kb::open(&kb_dir).unwrap();
    look_ups(&kb, &store);
    names(&kb);
}

/// Neighbours by one relation, forwards and backwards, of random entities.
fn look_ups(kb: &Kb, store: &Store) {
    let rng = &mut Rng(11);
    let queries: Vec<(NodeId, RelationId)> = (0..200_000)
        .map(|_| {
            let node = NodeId((rng.next() % kb.n_entities() as u64) as u32);
            let relations: Vec<_> = kb.relations_to(node).map(|(r, _)| r).collect();
            let relation = match relations.len() {
                0 => RelationId((rng.next() % kb.n_relations() as u64) as u32),
                n => relations[(rng.next() % n as u64) as usize],
            };
            (node, relation)
        })
        .collect();
    let iri = |id: &str| NamedNode::new_unchecked(id);
    let terms: Vec<(NamedNode, NamedNode)> =
        queries.iter().map(|&(n, r)| (iri(kb.node_id(n)), iri(kb.relation_id(r)))).collect();
    let n = queries.len();
    let nanoseconds = |seconds: f64| format!("{:.0} ns", seconds * 1e9);

    let view = DirectView::new(kb);
    for forwards in [true, false] {
        let direction = if forwards { "forwards" } else { "backwards" };
        let (ours, found) = per_operation(n, || {
            let neighbours = |&(node, relation): &(NodeId, RelationId)| match forwards {
                true => kb.objects(node, relation),
                false => kb.subjects(relation, node),
            };
            queries.iter().map(|q| neighbours(q).iter().map(|&v| v as usize & 1 | 2).sum::<usize>() / 2).sum()
        });
        let pattern = |node: NamedNodeRef<'_>, relation: NamedNodeRef<'_>| {
            let subject = forwards.then_some(node.into());
            let object = (!forwards).then_some(TermRef::from(node));
            store
                .quads_for_pattern(subject, Some(relation), object, None)
                .map(|q| q.map(|_| 1).unwrap())
                .sum::<usize>()
        };
        let (peer, peer_found) =
            per_operation(n, || terms.iter().map(|(node, r)| pattern(node.as_ref(), r.as_ref())).sum());
        black_box((found, peer_found));
        report(
            &format!("neighbours, {direction}"),
            nanoseconds(ours),
            nanoseconds(peer),
            peer / ours,
            ">= 20",
        );
        // The same through our RDF view, from terms to triples.
        let (viewed, view_found) = per_operation(n, || {
            let count = |(node, relation): &(NamedNode, NamedNode)| {
                let term = view.encode(&node.clone().into());
                let predicate = view.encode(&relation.clone().into());
                let (subject, object): (Option<RdfTerm>, Option<RdfTerm>) =
                    if forwards { (term, None) } else { (None, term) };
                view.matching(subject, predicate, object).count()
            };
            terms.iter().map(count).sum()
        });
        assert_eq!(view_found, peer_found, "both systems find the same");
        report(
            &format!("  the same from IRIs, {direction}"),
            nanoseconds(viewed),
            nanoseconds(peer),
            peer / viewed,
            "-",
        );
    }
}

/// Names as people type them; there is no peer.
fn names(kb: &Kb) {
    for query in ["Entity 77", "entity 1234 of kind", "entiti 1234 of kynd 3", "Entity 54321 of kind 1"] {
        let (time, found) = per_operation(5, || (0..5).map(|_| kb.find_names(query, 10).len()).sum());
        println!("{:<34} ours {:>9.2} ms   ({} hits)", format!("find \"{query}\""), time * 1e3, found / 5);
    }
}
