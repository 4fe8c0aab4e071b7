//! Measures how fast logical forms are compared, shaped and recognised, on one core. Run with `cargo bench -p touchstone-logic`.
//!
//! For SPARQL the peer is `spargebra`, which parses the same texts and does nothing else, in the same number of rounds. For comparing and
//! shaping S-expressions there is no library to measure against: those lines are rates without a ratio, over pairs whose texts differ.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../kb/benches/support/turns.rs"]
mod turns;

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::graph::Coder;
use touchstone_logic::sexpr::GraphQuery;
use touchstone_logic::sparql::{Namespaces, parse, recognise};
use touchstone_logic::{Form, Ontology, Program, QueryGraph, Spelling};
use turns::{ROUNDS, best_rounds};

/// The same allocator as in the program: parsers make many small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path)
}

fn items(path: &str) -> Vec<Json> {
    let bytes = std::fs::read(data(path)).unwrap();
    if path.ends_with(".jsonl") {
        return bytes
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
            .map(|l| serde_json::from_slice(l).unwrap())
            .collect();
    }
    serde_json::from_slice(&bytes).unwrap()
}

fn texts(items: &[Json], key: &str) -> Vec<String> {
    items.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

/// Runs work over all inputs for at least a second and prints the best rate of a round.
fn rate<T>(what: &str, goal: Option<u32>, inputs: &[T], mut work: impl FnMut(&T)) {
    let start = Instant::now();
    let mut best = f64::MAX;
    while start.elapsed().as_secs_f64() < 1.0 {
        let round = Instant::now();
        inputs.iter().for_each(&mut work);
        best = best.min(round.elapsed().as_secs_f64());
    }
    let rate = inputs.len() as f64 / best;
    let goal = goal.map_or_else(String::new, |goal| {
        format!("   {:.1} times the goal of {goal}", rate / f64::from(goal))
    });
    println!("{what:<58} {rate:>12.0} a second{goal}");
}

fn main() {
    if !data("grailqa/dev.json").exists() {
        println!("the shared data is not there: nothing to measure");
        return;
    }
    let ontology = Ontology::load(&data("freebase")).unwrap();
    let dev = items("grailqa/dev.json");
    let gold: BTreeMap<u64, &str> = dev
        .iter()
        .map(|item| (item["qid"].as_u64().unwrap(), item["s_expression"].as_str().unwrap()))
        .collect();
    let ranking = items("grailqa/bert_ranking_1000.jsonl");
    let pairs: Vec<(&str, &str)> = ranking
        .iter()
        .map(|line| (gold[&line["qid"].as_u64().unwrap()], line["logical_form"].as_str().unwrap()))
        .collect();
    // Equal texts are equal without a comparison.
    let pairs: Vec<(&str, &str)> = pairs.into_iter().filter(|(gold, predicted)| gold != predicted).collect();
    println!("{} pairs of a gold and another predicted S-expression", pairs.len());
    for (what, legacy) in [("official exact match", false), ("official exact match, legacy", true)] {
        let mut matcher = OfficialMatcher::new(&ontology).legacy(legacy);
        rate(what, Some(400_000), &pairs, |(gold, predicted)| {
            black_box(matcher.equal(gold, predicted));
        });
    }
    rate("canonical comparison of two S-expressions, parsing included", None, &pairs, |(gold, predicted)| {
        let form = |text: &str| {
            Form::parse(text, &Spelling).ok()?.to_query().ok().map(|query| Canonical::of(&query, &ontology))
        };
        black_box(form(gold).zip(form(predicted)).map(|(gold, predicted)| gold.key() == predicted.key()));
    });

    let expressions = texts(&dev, "s_expression");
    let graphs: Vec<QueryGraph> = dev
        .iter()
        .map(|item| {
            QueryGraph::of_graph_query(
                &serde_json::from_value::<GraphQuery>(item["graph_query"].clone()).unwrap(),
            )
            .unwrap()
        })
        .collect();
    let mut coder = Coder::new();
    rate("shape of a query graph", Some(500_000), &graphs, |graph| {
        black_box(coder.shape(&graph.skeleton()));
    });
    rate("shape of an S-expression, parsing included", Some(500_000), &expressions, |text| {
        let query = Form::parse(text, &Spelling).unwrap().to_query().unwrap();
        black_box(coder.shape(&QueryGraph::of(&query).skeleton()));
    });

    let programs: Vec<String> =
        items("kqapro/train_first100.json").iter().map(|item| item["program"].to_string()).collect();
    rate("KoPL program in JSON to the algebra", None, &programs, |text| {
        black_box(Program::from_json(text).unwrap().to_query(&()).unwrap());
    });
    let sets = [
        ("GrailQA", texts(&items("grailqa/train_sample.json"), "sparql_query")),
        ("ComplexWebQuestions", texts(&items("cwq/test.json"), "sparql")),
        ("KQA Pro", texts(&items("kqapro/train_sparql.jsonl"), "sparql")),
        ("LC-QuAD", texts(&items("lcquad/train.json"), "sparql_query")),
    ];
    let namespaces = Namespaces::default();
    for (name, queries) in &sets {
        // Only texts that need no repair, so that both parse the same.
        let plain = |text: &&String| spargebra::SparqlParser::new().parse_query(text).is_ok();
        let queries: Vec<&String> = queries.iter().filter(plain).collect();
        if queries.is_empty() {
            println!("SPARQL of {name}: every text needs a repair, so there is nothing to compare");
            continue;
        }
        let [ours, peer] = best_rounds(
            ROUNDS,
            [
                &mut || {
                    for text in &queries {
                        let _ = black_box(recognise(&parse(text).unwrap().query, &namespaces));
                    }
                },
                &mut || {
                    for text in &queries {
                        let _ = black_box(spargebra::SparqlParser::new().parse_query(text));
                    }
                },
            ],
        )
        .map(|seconds| queries.len() as f64 / seconds);
        println!(
            "{:<46} {ours:>9.0} a second; spargebra, parsing alone {peer:>9.0}, ratio {:.1} ({} texts)",
            format!("SPARQL of {name}, parsed and recognised"),
            ours / peer,
            queries.len()
        );
    }
}
