//! Logical forms with their expected results, as data in `tests/cases`: add a line `>>> form` to a file, run with `COMPLETE=1`, and read what was added.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use touchstone_logic::equal::{Canonical, compare_forms};
use touchstone_logic::level::SchemaItems;
use touchstone_logic::sparql::{Dialect, Namespaces};
use touchstone_logic::{
    Inexpressible, Knowledge, Language, Ontology, Printed, QueryGraph, ReadError, ReadForm, Reading,
    Spelling, Vocabulary, kopl, read_text, sexpr, sparql,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// A few names of Freebase.
fn ontology() -> Ontology {
    Ontology::from_parts(
        [
            ("film.film", "film.film.directed_by", "film.director"),
            ("film.director", "film.director.film", "film.film"),
            ("film.film", "film.film.initial_release_date", "type.datetime"),
            ("people.person", "people.person.spouse_s", "people.marriage"),
        ],
        [("film.film", "common.topic"), ("film.director", "common.topic")],
        [("film.film.directed_by", "film.director.film"), ("film.director.film", "film.film.directed_by")],
    )
}

fn knowledge(words: &dyn Vocabulary) -> Knowledge<'_> {
    Knowledge::new(words, Namespaces::default())
}

fn read(text: &str, words: &dyn Vocabulary) -> Result<Reading, ReadError> {
    read_text(Language::guess(text), text, &knowledge(words))
}

fn printed(out: &mut String, what: &str, result: Result<Printed, Inexpressible>) {
    match result {
        Ok(printed) => {
            writeln!(out, "{what}: {}", printed.text.replace('\n', " ")).unwrap();
            for loss in printed.lost {
                writeln!(out, "  not the same: {loss}").unwrap();
            }
        }
        Err(error) => writeln!(out, "{what}: none, {error}").unwrap(),
    }
}

/// Everything that can be derived from a form.
fn described(text: &str) -> String {
    let mut out = String::new();
    let reading = match read(text, &Spelling) {
        Ok(reading) => reading,
        Err(error) => return format!("error: {error}\n"),
    };
    for repair in &reading.repairs {
        writeln!(out, "repaired: {repair}").unwrap();
    }
    for loss in &reading.lost {
        writeln!(out, "not the same: {loss}").unwrap();
    }
    printed(&mut out, "sexpr", sexpr::print(&reading.query));
    printed(&mut out, "kopl", kopl::print(&reading.query, &()));
    printed(&mut out, "freebase", sparql::print(&reading.query, &Dialect::Freebase));
    printed(&mut out, "kqapro", sparql::print(&reading.query, &Dialect::KqaPro));
    let shape = QueryGraph::of(&reading.query).shape();
    writeln!(
        out,
        "shape: {} {}",
        shape.code,
        shape.alias.map_or_else(String::new, |alias| alias.to_string())
    )
    .unwrap();
    let items = SchemaItems::of(&reading.query);
    let words: Vec<String> =
        items.classes.into_iter().chain(items.properties).chain(items.qualifiers).map(String::from).collect();
    writeln!(out, "items: {}", words.join(", ")).unwrap();
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The result of our equivalence for two forms, with `=` or `!=` and the reason.
fn compared(text: &str) -> String {
    let ontology = ontology();
    let (gold, predicted) = text.split_once(" ||| ").expect("two forms with ||| between them");
    let canonical = |text: &str| {
        let reading = read(text, &Spelling).unwrap_or_else(|error| panic!("{error}: {text}"));
        Canonical::of(&reading.query, &ontology)
    };
    let verdict = canonical(gold).compare(&canonical(predicted));
    match verdict.why {
        None if verdict.equal => "equal\n".to_owned(),
        why => format!("different: {}\n", why.unwrap_or_default()),
    }
}

/// The prefixes of the queries in `same.txt`.
const PREFIXES: &str = "PREFIX : <urn:k:> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> \
    PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX wd: <http://www.wikidata.org/entity/> \
    PREFIX wdt: <http://www.wikidata.org/prop/direct/> PREFIX ns: <http://rdf.freebase.com/ns/> ";

/// Whether two forms ask the same, in both directions.
fn same(text: &str) -> String {
    let (gold, predicted) = text.split_once(" ||| ").expect("two forms with ||| between them");
    let read = |text: &str| {
        let language = Language::guess(text);
        let text = if language == Language::Sparql { format!("{PREFIXES}{text}") } else { text.to_owned() };
        ReadForm::read(language, &text, &knowledge(&Spelling))
    };
    let (gold, predicted) = (read(gold), read(predicted));
    let verdict = compare_forms(&gold, &predicted, &Spelling).unwrap();
    assert_eq!(verdict.equal, compare_forms(&predicted, &gold, &Spelling).unwrap().equal, "{text}");
    match verdict.why {
        None => "equal\n".to_owned(),
        Some(why) => format!("different: {why}\n"),
    }
}

/// The message of a parser with an ontology for a wrong form.
fn refused(text: &str) -> String {
    let ontology = ontology();
    match read(text, &ontology) {
        Ok(_) => "accepted\n".to_owned(),
        Err(error) => format!("error: {error}\n"),
    }
}

fn play(file: &str, answer: fn(&str) -> String) {
    let path = folder().join(file);
    let written = fs::read_to_string(&path).unwrap();
    let mut complete = String::new();
    for line in written.lines() {
        if let Some(form) = line.strip_prefix(">>> ") {
            let form = form.replace("\\n", "\n");
            writeln!(complete, "{line}\n{}", answer(&form)).unwrap();
        } else if line.starts_with('#') {
            writeln!(complete, "{line}").unwrap();
        }
    }
    let complete = format!("{}\n", complete.trim_end());
    if std::env::var_os("COMPLETE").is_some() {
        fs::write(&path, complete).unwrap();
        return;
    }
    for (number, (expected, found)) in written.lines().zip(complete.lines()).enumerate() {
        assert_eq!(found, expected, "{file}, line {}; COMPLETE=1 rewrites the file", number + 1);
    }
    assert_eq!(
        complete.len(),
        written.len(),
        "{file} has missing or additional lines; COMPLETE=1 rewrites it"
    );
}

#[test]
fn s_expressions() {
    play("sexpr.txt", described);
}

#[test]
fn programs() {
    play("kopl.txt", described);
}

#[test]
fn sparql_queries() {
    play("sparql.txt", described);
}

#[test]
fn equivalence() {
    play("equal.txt", compared);
}

#[test]
fn sparql_as_people_write_it() {
    play("same.txt", same);
}

#[test]
fn wrong_forms() {
    play("wrong.txt", refused);
}
