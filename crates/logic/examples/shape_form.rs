//! Reads logical forms in three languages, draws their query graphs, names their shapes, and translates them.
//!
//!     cargo run -p touchstone-logic --example shape_form
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_logic::equal::Canonical;
use touchstone_logic::graph::draw;
use touchstone_logic::sparql::{self, Namespaces};
use touchstone_logic::{Form, Language, Program, Query, QueryGraph, Spelling, kopl, sexpr};

/// The films by Frank Darabont with Tom Hanks, in two languages; then SPARQL for films with any director and any cast.
const FORMS: [&str; 3] = [
    r#"(AND film (AND (JOIN director "Frank Darabont") (JOIN "cast member" "Tom Hanks")))"#,
    "Find(Frank Darabont) > Relate(director, backward) > FilterConcept(film) > \
     Find(Tom Hanks) > Relate(cast member, backward) > FilterConcept(film) > And() > What()",
    "SELECT DISTINCT ?film WHERE { ?film a <http://example.org/film> ; \
     <http://example.org/director> ?d ; <http://example.org/cast_member> ?c . }",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut queries = Vec::new();
    for text in FORMS {
        let query = read(text)?;

        // 1. The graph: the answer is the root. Its shape is the graph without names.
        let graph = QueryGraph::of(&query);
        println!("{text}\n\n{}", draw(&graph));
        let shape = graph.shape();
        let alias = shape.alias.map_or(String::new(), |alias| format!(" ({alias})"));
        println!("shape {}{alias}, {} relations", shape.code, shape.relations);

        // 2. Translations, each with its losses, or the reason why there is none.
        for printed in [sexpr::print(&query), kopl::print(&query, &())] {
            match printed {
                Ok(printed) => println!("{} ({} differences)", printed.text, printed.lost.len()),
                Err(reason) => println!("no translation: {reason}"),
            }
        }
        println!();
        queries.push(query);
    }

    // 3. Do the first two ask the same?
    let [gold, predicted] = [&queries[0], &queries[1]].map(|query| Canonical::of(query, &()));
    let verdict = gold.compare(&predicted);
    println!("equal: {}", verdict.equal);
    Ok(())
}

/// Reads a form of any language into the algebra.
fn read(text: &str) -> Result<Query, Box<dyn Error>> {
    Ok(match Language::guess(text) {
        Language::Sexpr => Form::parse(text, &Spelling)?.to_query()?,
        Language::Kopl => Program::parse(text)?.to_query(&())?,
        Language::Sparql => {
            let parsed = sparql::parse(text)?;
            sparql::recognise(&parsed.query, &Namespaces::default())?.query
        }
    })
}
