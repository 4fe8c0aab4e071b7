//! The store against Oxigraph in memory, on the same generated graph, in the same run.
//!
//! `cargo bench -p touchstone-kb` prints one line per figure with the ratio. `-- --triples 200000` makes it
//! smaller; `-- --keep DIR` keeps the generated graph and the store.
//!
//! Both sides take turns, and the best round of each counts. A line with a ratio starts from the same input (IRIs) and ends with the same
//! output (owned triples) on both sides. Oxigraph has no public look-up by id, so that line of ours has no ratio.
//!
//! Memory is measured in child processes, one per system, so that neither inherits the other's. Ours counts every byte of the store as
//! resident, whether or not a look-up reads it.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/graph.rs"]
mod graph;
#[path = "support/turns.rs"]
mod turns;

use graph::{Rng, generate};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{NamedNode, Quad, TermRef, Triple};
use oxigraph::store::Store;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::rdf::{DirectView, RdfTerm, RdfView};
use touchstone_kb::{Kb, NoProgress, NodeId, RelationId};
use turns::{ROUNDS, best_rounds};

fn import_ours(nt: &Path, out: &Path) {
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![nt.to_path_buf()]);
    import(&request, out, &NoProgress).unwrap();
}

fn load_oxigraph(nt: &Path) -> Store {
    let store = Store::new().unwrap();
    let mut loader = store.bulk_loader();
    loader.load_from_reader(RdfParser::from_format(RdfFormat::NTriples), File::open(nt).unwrap()).unwrap();
    loader.commit().unwrap();
    store
}

/// The resident memory of this process in kilobytes.
fn resident_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}

/// The size of all files of a store in kilobytes.
fn store_kb(dir: &Path) -> u64 {
    let size = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().metadata().unwrap().len();
    fs::read_dir(dir).unwrap().map(size).sum::<u64>() >> 10
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

fn report(what: &str, ours: String, peer: String, ratio: f64, wanted: &str) {
    println!("{what:<34} ours {ours:>12}   oxigraph {peer:>12}   ratio {ratio:>8.1}   wanted {wanted}");
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|a| a == "--memory-of") {
        let path = Path::new(&args[at + 2]);
        if args[at + 1] == "ours" {
            // Opening maps the files; what is read of them becomes resident. The whole store is added to what the process has
            // before it reads anything, which is at least what it has after reading everything.
            let kb = black_box(Kb::open(path).unwrap());
            println!("{}", resident_kb() + store_kb(path));
            drop(kb);
        } else {
            let store = load_oxigraph(path);
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

    let mut store = None;
    let [ours, peer] = best_rounds(
        3,
        [&mut || import_ours(&nt, &kb_dir), &mut || {
            drop(store.take());
            store = Some(load_oxigraph(&nt));
        }],
    );
    let store = store.unwrap();
    report("import", format!("{ours:.2} s"), format!("{peer:.2} s"), peer / ours, ">= 1");

    let (ours, peer) = (memory_of("ours", &kb_dir), memory_of("oxigraph", &nt));
    let megabytes = |kb: u64| format!("{:.0} MB", kb as f64 / 1024.0);
    report(
        "memory, all of the store resident",
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
        let ids = || -> usize {
            let neighbours = |&(node, relation): &(NodeId, RelationId)| match forwards {
                true => kb.objects(node, relation),
                false => kb.subjects(relation, node),
            };
            queries.iter().map(|q| neighbours(q).iter().map(|&v| v as usize & 1 | 2).sum::<usize>() / 2).sum()
        };
        // From IRIs to owned triples on both sides.
        let ours = |(node, relation): &(NamedNode, NamedNode)| -> Vec<Triple> {
            let term = view.encode(&node.clone().into());
            let predicate = view.encode(&relation.clone().into());
            let (subject, object): (Option<RdfTerm>, Option<RdfTerm>) =
                if forwards { (term, None) } else { (None, term) };
            view.matching(subject, predicate, object).filter_map(|found| view.decode_triple(found)).collect()
        };
        let peer = |(node, relation): &(NamedNode, NamedNode)| -> Vec<Quad> {
            let subject = forwards.then_some(node.as_ref().into());
            let object = (!forwards).then_some(TermRef::from(node.as_ref()));
            store
                .quads_for_pattern(subject, Some(relation.as_ref()), object, None)
                .map(Result::unwrap)
                .collect()
        };
        for query in &terms {
            let mut found: Vec<String> = ours(query).iter().map(ToString::to_string).collect();
            let triple = |quad: Quad| Triple::from(quad).to_string();
            let mut expected: Vec<String> = peer(query).into_iter().map(triple).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "both systems find the same triples");
        }
        let [by_id, by_iri, theirs] = best_rounds(
            ROUNDS,
            [
                &mut || {
                    black_box(ids());
                },
                &mut || terms.iter().for_each(|query| drop(black_box(ours(query)))),
                &mut || terms.iter().for_each(|query| drop(black_box(peer(query)))),
            ],
        )
        .map(|seconds| seconds / n as f64);
        println!("{:<34} ours {:>12}", format!("neighbours from ids, {direction}"), nanoseconds(by_id));
        report(
            &format!("triples from IRIs, {direction}"),
            nanoseconds(by_iri),
            nanoseconds(theirs),
            theirs / by_iri,
            ">= 1",
        );
    }
}

/// Names as users type them; there is no comparison.
fn names(kb: &Kb) {
    for query in ["Entity 77", "entity 1234 of kind", "entiti 1234 of kynd 3", "Entity 54321 of kind 1"] {
        let mut found = 0;
        let [seconds] = best_rounds(ROUNDS, [&mut || found = black_box(kb.find_names(query, 10).len())]);
        println!("{:<34} ours {:>9.2} ms   ({found} hits)", format!("find \"{query}\""), seconds * 1e3);
    }
}
