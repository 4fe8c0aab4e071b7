//! Imports a Turtle file and prints a page about every entity: names, classes, facts and qualifiers.
//!
//!     cargo run -p touchstone-kb --example read_kb [FILE.ttl]
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress, NodeId, Value};

/// The data to import if no file is given.
const EXAMPLE: &str = r#"
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Mathematician rdfs:label "mathematician"@en .
:ada a :Mathematician ; rdfs:label "Ada Lovelace"@en ; :born "1815-12-10"^^xsd:date ;
  :works_with :charles {| :since "1833"^^xsd:gYear |} .
:charles a :Mathematician ; rdfs:label "Charles Babbage"@en .
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = match std::env::args_os().nth(1) {
        Some(file) => PathBuf::from(file),
        None => {
            let file = folder.path().join("example.ttl");
            std::fs::write(&file, EXAMPLE)?;
            file
        }
    };

    // 1. Compile the file into a store. The report accounts for every record.
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]);
    let store = folder.path().join("kb");
    let report = import(&request, &store, &NoProgress)?;
    println!("{} records read, {} could not be parsed", report.n_records(), report.n_problems);

    // 2. Open the store: it is memory-mapped, nothing is parsed.
    let kb = Kb::open(&store)?;
    for node in kb.nodes() {
        print_page(&kb, node);
    }
    Ok(())
}

fn print_page(kb: &Kb, node: NodeId) {
    let classes: Vec<&str> = kb.classes_of(node).map(|class| kb.label(kb.class_node(class))).collect();
    println!("\n{} ({})", kb.label(node), classes.join(", "));
    for fact in kb.facts_about(node) {
        println!("  {}: {}", kb.property_label(fact.property), text(kb, fact.value));
        for qualifier in kb.fact_qualifiers(fact.id) {
            println!("    {}: {}", kb.qualifier_label(qualifier.key), text(kb, qualifier.value));
        }
    }
}

fn text(kb: &Kb, value: Value) -> String {
    match value {
        Value::Node(node) => kb.label(node).to_owned(),
        Value::Literal(literal) => kb.literal(literal).to_string(),
    }
}
