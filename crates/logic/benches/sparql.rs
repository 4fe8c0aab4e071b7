//! Measures how fast SPARQL is read as people and language models write it, and the longest that a query of 64 KB takes. Run with
//! `cargo bench -p touchstone-logic --bench sparql`.
//!
//! Reading a query parses, simplifies and recognises it. No library does the same, so the lines are rates without a ratio.
//! The queries of 64 KB are built to be expensive: long chains, stars, unions, options, and the like. Each is read, drawn, and
//! compared with itself under other names.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use serde_json::Value as Json;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use touchstone_logic::equal::compare_forms;
use touchstone_logic::{Knowledge, Language, ReadForm, Spelling};

/// The same allocator as in the program: parsers make many small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BYTES: usize = 64 << 10;
const ROUNDS: usize = 5;

fn main() {
    let knowledge = Knowledge::of_spelling();
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/llm-sparql/predictions.jsonl");
    match std::fs::read_to_string(file) {
        Ok(lines) => model_written(&lines, &knowledge),
        Err(_) => println!("the shared data is not there: no model-written queries"),
    }
    hostile(&knowledge);
}

fn model_written(lines: &str, knowledge: &Knowledge<'_>) {
    let item =
        |line: &str| serde_json::from_str::<Json>(line).unwrap()["predicted"].as_str().map(str::to_owned);
    let queries: Vec<String> = lines.lines().filter_map(item).collect();
    let round = || {
        let start = Instant::now();
        for text in &queries {
            black_box(ReadForm::read(Language::Sparql, text, knowledge));
        }
        queries.len() as f64 / start.elapsed().as_secs_f64()
    };
    let best = (0..ROUNDS).map(|_| round()).fold(0.0, f64::max);
    println!("{} model-written queries, read: {best:.0} a second (wanted 30,000)", queries.len());
}

/// Repeats a pattern, with a number for each `#`, until the query has 64 KB.
fn filled(start: &str, pattern: &str, end: &str) -> String {
    let mut text = start.to_owned();
    let mut number = 0;
    while text.len() + pattern.len() + end.len() + 24 < BYTES {
        let next = (number + 1).to_string();
        text.push_str(&pattern.replace("##", &next).replace('#', &number.to_string()));
        number += 1;
    }
    text + end
}

fn hostile(knowledge: &Knowledge<'_>) {
    let select = "SELECT ?x WHERE { ?x <urn:p> ?v0 . ";
    let label = "<http://xmlns.com/foaf/0.1/name>";
    let wikidata = "http://www.wikidata.org/prop";
    let clique: String =
        (0..60).flat_map(|a| (0..60).map(move |b| format!("?v{a} <urn:p> ?v{b} . "))).collect();
    let kinds = [
        ("chain", filled(select, "?v# <urn:p> ?v## . ", "}")),
        ("star", filled(select, "?x <urn:p> ?v# . ", "}")),
        ("clique", format!("{select}{clique} }}")),
        ("options", filled(select, "OPTIONAL { ?x <urn:p#> ?w# } ", "}")),
        ("options that are used", filled(select, "OPTIONAL { ?x <urn:p#> ?w# } FILTER(BOUND(?w#)) ", "}")),
        (
            "unions",
            filled("SELECT ?x WHERE { ", "{ ?x <urn:p#> <urn:a> } UNION ", "{ ?x <urn:p> <urn:b> } }"),
        ),
        ("renamings", filled(select, "BIND(?v# AS ?v##) ", "}")),
        ("VALUES", filled(select, "VALUES ?w# { <urn:a> } ?x <urn:p> ?w# . ", "}")),
        ("filters", filled(select, "FILTER(?v0 != <urn:a#>) ", "}")),
        ("labels", filled(select, &format!("?w# {label} ?l# . ?x <urn:p> ?w# . "), "}")),
        ("names", filled(select, &format!("?w# {label} \"n#\" . ?x <urn:p> ?w# . "), "}")),
        ("paths", filled(select, "?x <urn:p>/<urn:q>* ?w# . ", "}")),
        ("one long path", filled("SELECT ?x WHERE { ?x <urn:p>", "/<urn:p>", " <urn:a> }")),
        (
            "statements",
            filled(select, &format!("?x <{wikidata}/P#> ?s# . ?s# <{wikidata}/statement/P#> ?w# . "), "}"),
        ),
        ("MINUS", filled(select, "MINUS { ?x <urn:p#> ?w# } ", "}")),
        ("NOT EXISTS", filled(select, "FILTER NOT EXISTS { ?x <urn:p#> ?w# } ", "}")),
    ];
    let mut worst = 0.0_f64;
    println!("\nqueries of 64 KB: milliseconds to read, to draw, and to compare with itself");
    for (name, text) in &kinds {
        let renamed = text.replace("?w", "?u").replace("?x", "?yy");
        let mut best = [f64::MAX; 3];
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let form = ReadForm::read(Language::Sparql, text, knowledge);
            let read = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let _ = black_box(form.graph().map(|graph| graph.shape()));
            let drawn = start.elapsed().as_secs_f64();
            let other = ReadForm::read(Language::Sparql, &renamed, knowledge);
            let start = Instant::now();
            let _ = black_box(compare_forms(&form, &other, &Spelling));
            let compared = start.elapsed().as_secs_f64();
            for (best, seconds) in best.iter_mut().zip([read, drawn, compared]) {
                *best = best.min(seconds * 1e3);
            }
        }
        worst = best.iter().copied().fold(worst, f64::max);
        let [read, drawn, compared] = best;
        println!("{name:<24} {read:>8.1} {drawn:>8.1} {compared:>8.1}");
    }
    println!("worst {worst:.1} ms (wanted at most 100)");
}
