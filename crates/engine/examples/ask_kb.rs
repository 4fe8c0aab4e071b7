//! Asks a small KB questions in three languages, prints every step, and stops a query that is too expensive.
//!
//!     cargo run -p touchstone-engine --example ask_kb
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Language;

const FILMS: &str = r#"
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label "film"@en .
:director rdfs:label "director"@en .
:duration rdfs:label "duration"@en .
:m a :Film ; rdfs:label "M"@en ; :director :lang ; :duration 117 .
:metropolis a :Film ; rdfs:label "Metropolis"@en ; :director :lang ; :duration 153 .
:nosferatu a :Film ; rdfs:label "Nosferatu"@en ; :director :murnau ; :duration 94 .
:lang rdfs:label "Fritz Lang"@en .
:murnau rdfs:label "F. W. Murnau"@en .
"#;

const QUERIES: [&str; 3] = [
    "Find(Fritz Lang) > Relate(director, backward) > FilterConcept(film) > SelectAmong(duration, largest)",
    "(COUNT (JOIN http://example.org/director http://example.org/lang))",
    "SELECT ?film WHERE { ?film <http://example.org/duration> ?d . FILTER(?d < 120) }",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("films.ttl");
    std::fs::write(&file, FILMS)?;
    let store = folder.path().join("kb");
    import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &store, &NoProgress)?;
    let kb = Kb::open(&store)?;

    // 1. A session looks up names and chooses the engine. Threads can share it.
    let session = Session::new(&kb);
    let settings = Settings { trace: true, ..Settings::default() };
    for text in QUERIES {
        let reply = session.run(Language::guess(text), text, &settings, &Cancel::default());
        println!("{text}\n{}", shown(&reply.outcome));
        println!("{} operations on the engine {}", reply.cost.operations, reply.engine.unwrap_or("(none)"));
        if let Some(trace) = reply.trace {
            println!("{trace}");
        }
        println!();
    }

    // 2. A budget: a query that exceeds it ends with an outcome, never with partial answers.
    let settings = Settings { limits: Limits { operations: 1, ..Limits::default() }, ..Settings::default() };
    let reply = session.run(Language::Kopl, QUERIES[0], &settings, &Cancel::default());
    println!("with a budget of one operation: {}", shown(&reply.outcome));
    Ok(())
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answered(Answers::List { answers, .. }) => {
            let texts: Vec<String> = answers.iter().map(|answer| answer.text().to_string()).collect();
            texts.join(", ")
        }
        Outcome::Answered(other) => format!("{} rows or triples", other.len()),
        Outcome::Unparsable(reason) | Outcome::Failed(reason) => format!("no answer: {reason}"),
        Outcome::OverBudget(stopped) => format!("no answer: {stopped}"),
    }
}
