//! Builds a benchmark from a small KB and prints its questions with their queries and answers.
//!
//!     cargo run -p touchstone-forge --example build_benchmark
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write;
use touchstone_benchmark::english::Lexicon;
use touchstone_forge::{Recipe, make};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};

/// The recipe; `docs/recipes.md` documents every key.
const RECIPE: &str = r#"
name = "films"
seed = 7
questions = 12

[shapes]
weight = 1
shapes = { Iso-0 = 2, Iso-1 = 1, Iso-2 = 1 }
functions = { none = 3, count = 1, superlative = 1 }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A KB. Any KB works; the films of this one are numbered.
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("films.ttl");
    std::fs::write(&file, films()?)?;
    let store = folder.path().join("kb");
    import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &store, &NoProgress)?;
    let kb = Kb::open(&store)?;

    // 2. The words: derived from the labels of the KB.
    let lexicon = Lexicon::of(&kb);

    // 3. The benchmark: every form of every question is run, and all agree.
    let benchmark = make(&kb, &Recipe::parse(RECIPE)?, &lexicon, &NoProgress)?;
    for question in &benchmark.questions {
        println!("[{}] {}", question.shape, question.question);
        if let Some(form) = &question.forms.sexpr {
            println!("    {form}");
        }
        println!("    number of answers: {}", question.answers.len());
    }

    // 4. The package: a folder that `touchstone lint`, `run` and `grade` read. It is written completely or not at all.
    benchmark.write(&folder.path().join("bench"))?;
    println!("{} questions", benchmark.questions.len());
    Ok(())
}

/// Forty films by eight directors from four countries.
fn films() -> Result<String, std::fmt::Error> {
    let mut text = String::from(
        r#"@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label "film"@en .
:Director rdfs:label "director"@en .
:Country rdfs:label "country"@en .
:directed_by rdfs:label "directed by"@en .
:made_in rdfs:label "made in"@en .
:duration rdfs:label "duration"@en .
"#,
    );
    for (n, country) in ["France", "Germany", "Italy", "Japan"].iter().enumerate() {
        writeln!(text, ":c{n} a :Country ; rdfs:label \"{country}\"@en .")?;
    }
    for (n, name) in ["Ames", "Bell", "Cole", "Dean", "Ellis", "Ford", "Gray", "Hale"].iter().enumerate() {
        writeln!(text, ":d{n} a :Director ; rdfs:label \"{name}\"@en .")?;
    }
    for n in 0..40 {
        let (director, country, minutes) = (n * 5 % 8, n * 3 % 4, 80 + n * 7 % 60);
        writeln!(
            text,
            ":f{n} a :Film ; rdfs:label \"Film number {n}\"@en ; :directed_by :d{director} ; \
             :made_in :c{country} ; :duration {minutes} ."
        )?;
    }
    Ok(text)
}
