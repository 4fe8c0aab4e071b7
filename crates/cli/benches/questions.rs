//! The SPARQL of a benchmark on World: the embedded engine compared with Oxigraph in memory, the same texts in the same process, from the text of a
//! query to rows of RDF terms on both sides.
//!
//! `cargo bench -p touchstone --bench questions` builds 400 questions by the recipe `kqapro` (`-- --recipe hard` for another) and prints the
//! mean time of a query on both sides. Both answer the same queries for the same number of alternating rounds; the best round of each counts.
//! Queries that Oxigraph cannot answer in 5 seconds, and those with other answers there, are counted and left out on both sides.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../engine/benches/support/oxigraph.rs"]
mod oxigraph_peer;
#[path = "../../kb/benches/support/turns.rs"]
mod turns;

use oxigraph_peer::{loaded_view, rows_ours, rows_peer, texts};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use touchstone_engine::Session;
use touchstone_forge::{Recipe, load_lexicon, make};
use touchstone_kb::NoProgress;
use touchstone_logic::Language;
use turns::{ROUNDS, best_rounds};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const QUESTIONS: usize = 400;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let args: Vec<String> = std::env::args().collect();
    let name = args.iter().position(|arg| arg == "--recipe").and_then(|at| args.get(at + 1));
    let name = name.map_or("kqapro", String::as_str);
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let recipe = Recipe { questions: QUESTIONS, ..Recipe::parse(Recipe::text(name).unwrap()).unwrap() };
    let benchmark = make(&kb, &recipe, &load_lexicon(None, &kb).unwrap(), &NoProgress).unwrap();
    let forms = benchmark.questions.iter().filter_map(|question| question.forms.sparql.clone());
    // Yes/no questions have no rows.
    let queries: Vec<String> = forms.filter(|text| text.contains("SELECT")).collect();
    let (session, store) = (Session::new(&kb), loaded_view(&kb));
    let (mut kept, mut slow, mut different) = (Vec::new(), 0, 0);
    for text in queries {
        let start = Instant::now();
        let peer = catch_unwind(AssertUnwindSafe(|| texts(rows_peer(&store, &text))));
        let Ok(peer) = peer else {
            different += 1;
            continue;
        };
        if start.elapsed() > Duration::from_secs(5) {
            slow += 1;
        } else if peer != texts(rows_ours(&session, Language::Sparql, &text)) {
            different += 1;
        } else {
            kept.push(text);
        }
    }
    let [ours, peer] = best_rounds(
        ROUNDS,
        [
            &mut || kept.iter().for_each(|q| drop(black_box(rows_ours(&session, Language::Sparql, q)))),
            &mut || kept.iter().for_each(|q| drop(black_box(rows_peer(&store, q)))),
        ],
    )
    .map(|seconds| seconds * 1e6 / kept.len() as f64);
    println!("{} SPARQL queries of {name} on World, µs a query", kept.len());
    println!("embedded {ours:.1}, Oxigraph {peer:.1}, ratio {:.1} (wanted 4)", peer / ours);
    println!("left out: {slow} slow in Oxigraph, {different} with other answers or none there");
}
