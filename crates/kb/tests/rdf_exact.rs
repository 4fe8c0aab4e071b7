//! RDF in is RDF out: the *direct* view and the export of an RDF file hold exactly its triples.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use oxrdf::{BaseDirection, BlankNode, Graph, Literal, NamedNode, NamedOrBlankNode, Term, Triple};
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParser};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::{Rng, check_view};
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export_to};
use touchstone_kb::import::{ImportReport, ImportRequest, Profile, Source, import};
use touchstone_kb::rdf::{DirectView, MODEL_GRAPH, RdfView};
use touchstone_kb::{Kb, NoProgress};
use touchstone_testing::shared_data;

fn request(profile: Profile, file: &Path, lang: &str) -> ImportRequest {
    let mut request = ImportRequest::new(Source::Rdf(profile), vec![file.to_path_buf()]);
    request.lang = lang.to_owned();
    request
}

fn imported(request: &ImportRequest, out: &Path) -> (ImportReport, Kb) {
    let report = import(request, out, &NoProgress).unwrap();
    (report, Kb::open(out).unwrap())
}

fn kb_of(text: &str, dir: &Path, lang: &str) -> (ImportReport, Kb) {
    let file = dir.join("file.ttl");
    std::fs::write(&file, text).unwrap();
    imported(&request(Profile::Rdfs, &file, lang), &dir.join("kb"))
}

fn shown(kb: &Kb) -> BTreeSet<String> {
    let view = DirectView::new(kb);
    view.triples().map(|triple| view.decode_triple(triple).unwrap().to_string()).collect()
}

fn exported(kb: &Kb, format: ExportFormat, file: &Path) -> Graph {
    let request = ExportRequest { format, view: ExportView::Direct, qualifiers: true };
    let report = export_to(kb, &request, file, &NoProgress).unwrap();
    assert_eq!(report.lost, [], "RDF holds all of it");
    let format = if format == ExportFormat::Turtle { RdfFormat::Turtle } else { RdfFormat::NTriples };
    let bytes = std::fs::read(file).unwrap();
    let graph: Graph =
        RdfParser::from_format(format).for_slice(&bytes).map(|q| Triple::from(q.unwrap())).collect();
    assert_eq!(graph.len() as u64, report.n_records, "each triple once");
    graph
}

const PREDICATES: &[&str] = &[
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#first",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2000/01/rdf-schema#subClassOf",
    "http://www.w3.org/2000/01/rdf-schema#domain",
    "http://www.w3.org/2000/01/rdf-schema#range",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://www.w3.org/2004/02/skos/core#definition",
    "http://www.w3.org/2002/07/owl#inverseOf",
    "http://www.w3.org/2002/07/owl#sameAs",
    "http://www.w3.org/2002/07/owl#onProperty",
    "http://schema.org/description",
    "http://xmlns.com/foaf/0.1/name",
    "http://dbpedia.org/ontology/abstract",
    "http://dbpedia.org/ontology/wikiPageRedirects",
    "urn:touchstone:schema:unit",
    "urn:touchstone:schema:group",
    "urn:touchstone:schema:inverseLabel",
    "http://e/p",
    "http://e/q",
    "http://e/r",
    "http://e/C",
];

const NODES: &[&str] = &[
    "http://e/a",
    "http://e/b",
    "http://e/p",
    "http://e/q",
    "http://e/C",
    "http://e/D",
    "http://www.w3.org/2002/07/owl#Class",
    "http://www.w3.org/2000/01/rdf-schema#Class",
    "http://www.w3.org/2002/07/owl#Restriction",
    "http://www.w3.org/2002/07/owl#ObjectProperty",
    "http://www.w3.org/2002/07/owl#DatatypeProperty",
    "http://www.w3.org/2002/07/owl#SymmetricProperty",
    "http://www.w3.org/2002/07/owl#TransitiveProperty",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#Property",
    "http://www.w3.org/2001/XMLSchema#string",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.wikidata.org/entity/Q1",
    "urn:touchstone:schema:Qualifier",
    "urn:touchstone:model",
];

const LITERALS: &[(&str, &str)] = &[
    ("1", "integer"),
    ("01", "integer"),
    ("+1", "integer"),
    ("1.0", "decimal"),
    ("1.0e0", "double"),
    ("INF", "double"),
    ("x", "integer"),
    ("0", "boolean"),
    ("false", "boolean"),
    ("1", "boolean"),
    ("true", "boolean"),
    ("yes", "boolean"),
    ("44", "gYear"),
    ("0044", "gYear"),
    ("-0044", "gYear"),
    ("1990", "gYear"),
    ("1990Z", "gYear"),
    ("1990-05", "gYearMonth"),
    ("1990-05-06", "date"),
    ("1990/05/06", "date"),
    ("1990-05-06T00:00:00.000Z", "dateTime"),
    ("1990-05-06T00:00:00Z", "dateTime"),
    ("P1Y", "duration"),
    ("", "string"),
    ("text", "string"),
    ("metre", "string"),
];

fn iri(text: &str) -> NamedNode {
    NamedNode::new_unchecked(text)
}

fn random_literal(rng: &mut Rng) -> Literal {
    let texts = ["Paris", "", "x\ty\n\"z\"", "é東"];
    let text = texts[rng.below(texts.len())];
    match rng.below(6) {
        0 => {
            let tags = ["en", "en-gb", "de", "fr"];
            Literal::new_language_tagged_literal_unchecked(text, tags[rng.below(tags.len())])
        }
        1 => Literal::new_directional_language_tagged_literal_unchecked(
            text,
            "en",
            if rng.below(2) == 0 { BaseDirection::Ltr } else { BaseDirection::Rtl },
        ),
        2 => {
            let datatypes = [
                "urn:touchstone:unit:metre",
                "urn:touchstone:unit:1",
                "urn:touchstone:unit:a%3ab",
                "urn:touchstone:unit:%41",
                "http://dbpedia.org/datatype/minute",
                "http://e/datatype",
            ];
            let number = ["5", "5.50", "many"][rng.below(3)];
            Literal::new_typed_literal(number, iri(datatypes[rng.below(datatypes.len())]))
        }
        _ => {
            let (text, datatype) = LITERALS[rng.below(LITERALS.len())];
            Literal::new_typed_literal(text, iri(&format!("http://www.w3.org/2001/XMLSchema#{datatype}")))
        }
    }
}

fn random_subject(rng: &mut Rng) -> NamedOrBlankNode {
    match rng.below(4) {
        0 => BlankNode::new_unchecked(["x", "y", "genid-0", "fact0"][rng.below(4)]).into(),
        _ => iri(NODES[rng.below(NODES.len())]).into(),
    }
}

fn random_triple(rng: &mut Rng, depth: usize) -> Triple {
    let predicate = iri(PREDICATES[rng.below(PREDICATES.len())]);
    let quotes = predicate.as_str().ends_with("#reifies");
    let object: Term = match rng.below(10) {
        n if depth < 2 && (quotes && n < 8 || n == 0) => {
            Term::Triple(Box::new(random_triple(rng, depth + 1)))
        }
        1..=5 => random_literal(rng).into(),
        _ => random_subject(rng).into(),
    };
    Triple { subject: random_subject(rng), predicate, object }
}

/// A graph; most reified triples are also asserted.
fn random_graph(seed: u64, size: usize) -> BTreeSet<String> {
    let rng = &mut Rng::new(seed);
    let mut graph = BTreeSet::new();
    for _ in 0..size {
        let triple = random_triple(rng, 0);
        if let (Term::Triple(inner), true) = (&triple.object, rng.below(3) > 0) {
            graph.insert(inner.to_string());
        }
        graph.insert(triple.to_string());
    }
    graph
}

proptest! {
    #![proptest_config(support::cases(60))]

    #[test]
    fn a_file_is_its_triples(seed in 0u64..1_000_000, size in 0usize..60) {
        let graph = random_graph(seed, size);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file.nt");
        let mut lines: Vec<String> = graph.iter().map(|triple| format!("{triple} .\n")).collect();
        let mut fingerprints = BTreeSet::new();
        for (profile, lang, memory) in
            [(Profile::Rdfs, "en", 1 << 20), (Profile::Rdfs, "en", 64), (Profile::Rdfs, "any", 1 << 20), (Profile::Dbpedia, "de", 1 << 20)]
        {
            Rng::new(seed ^ memory as u64).shuffle(&mut lines);
            std::fs::write(&file, lines.concat()).unwrap();
            let mut request = request(profile, &file, lang);
            request.memory = memory;
            let (report, kb) = imported(&request, &dir.path().join("kb"));
            prop_assert_eq!(report.n_records(), lines.len() as u64);
            prop_assert_eq!(report.skipped.total(), 0, "{:?}", report.skipped);
            prop_assert_eq!(&shown(&kb), &graph);
            check_view(&DirectView::new(&kb), seed);
            if profile == Profile::Rdfs && lang == "en" {
                fingerprints.insert(kb.manifest().fingerprint.clone());
            }
            for (format, name) in [(ExportFormat::NTriples, "again.nt"), (ExportFormat::Turtle, "again.ttl")] {
                let again = dir.path().join(name);
                let exported = exported(&kb, format, &again);
                let exported: BTreeSet<String> = exported.iter().map(|triple| triple.to_string()).collect();
                prop_assert_eq!(&exported, &graph);
                request.inputs = vec![again];
                let (_, again) = imported(&request, &dir.path().join("again"));
                prop_assert_eq!(&again.manifest().fingerprint, &kb.manifest().fingerprint);
            }
        }
        prop_assert_eq!(fingerprints.len(), 1, "neither the order of lines nor memory matters");
    }
}

/// The triples of real files, as an independent parser reads them, up to the names of blank nodes.
#[test]
fn real_files_are_their_triples() {
    let Some(folder) = shared_data("rdf") else { return };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let format = match file.extension().and_then(|ending| ending.to_str()) {
            Some("ttl") => RdfFormat::Turtle,
            Some("owl" | "rdf") => RdfFormat::RdfXml,
            Some("jsonld") => RdfFormat::JsonLd { profile: JsonLdProfileSet::default() },
            _ => continue,
        };
        let bytes = std::fs::read(&file).unwrap();
        let base = format!("file://{}", file.canonicalize().unwrap().display());
        let parser = RdfParser::from_format(format).with_base_iri(base).unwrap();
        let parsed: Result<Graph, _> = parser.for_slice(&bytes).map(|quad| quad.map(Triple::from)).collect();
        let Ok(mut expected) = parsed else {
            eprintln!("{}: not readable by itself", file.display());
            continue;
        };
        let dir = tempfile::tempdir().unwrap();
        let (report, kb) =
            imported(&request(Profile::Rdfs, &file.canonicalize().unwrap(), "en"), &dir.path().join("kb"));
        let mut found = exported(&kb, ExportFormat::NTriples, &dir.path().join("out.nt"));
        eprintln!(
            "{}: {} triples in the file, {} exported, {} of them not facts",
            file.file_name().unwrap().to_string_lossy(),
            expected.len(),
            found.len(),
            kb.n_asserted()
        );
        assert_eq!(report.skipped.total(), 0);
        expected.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
        found.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
        assert!(expected == found, "{} is not what was imported", file.display());
    }
}

/// Names, definitions and types keep their predicates, and nothing is added.
#[test]
fn predicates_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let text = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        <http://e/s> skos:prefLabel \"star\"@en , \"Stern\"@de ; skos:definition \"a ball of gas\"@en ; <http://e/p> 1 .
        <http://e/C> a owl:Class .";
    let (report, kb) = kb_of(text, dir.path(), "en");
    let skos = |name: &str| format!("<http://www.w3.org/2004/02/skos/core#{name}>");
    let expected = [
        format!("<http://e/s> {} \"star\"@en", skos("prefLabel")),
        format!("<http://e/s> {} \"Stern\"@de", skos("prefLabel")),
        format!("<http://e/s> {} \"a ball of gas\"@en", skos("definition")),
        "<http://e/s> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>".to_owned(),
        "<http://e/C> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class>"
            .to_owned(),
    ];
    assert_eq!(shown(&kb), expected.into());
    assert_eq!(kb.label(kb.node("http://e/s").unwrap()), "star", "the model knows the name");
    assert_eq!(report.graph_only.0, [("name or description in another language (see --lang)", 1)]);
    // The triples of the model are only in its own graph.
    let view = DirectView::new(&kb);
    let model: BTreeSet<String> = view
        .matching_in_model(None, None, None)
        .unwrap()
        .map(|triple| view.decode_triple(triple).unwrap().to_string())
        .collect();
    let label = "<http://e/s> <http://www.w3.org/2000/01/rdf-schema#label> \"star\"@en";
    let kind = "<http://e/p> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#DatatypeProperty>";
    assert!(model.contains(label) && model.contains(kind), "{MODEL_GRAPH}: {model:?}");
}

/// Of names in several languages the English one is shown, then one without a language; all of them stay in the graph.
#[test]
fn any_language_prefers_english() {
    let dir = tempfile::tempdir().unwrap();
    let text = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <http://e/a> rdfs:label \"Conjunto\"@es , \"Dataset\"@en , \"Aaa\" ; rdfs:comment \"a\"@es , \"z\"@en .
        <http://e/b> rdfs:label \"Conjunto\"@es , \"Zzz\" . <http://e/c> rdfs:label \"x\"@fr , \"y\"@de ; <http://e/p> 1 .
        <http://e/p> rdfs:label \"a\"@es , \"z\"@en .";
    let (_, kb) = kb_of(text, dir.path(), "any");
    let node = |name: &str| kb.node(&format!("http://e/{name}")).unwrap();
    assert_eq!(["a", "b", "c"].map(|name| kb.label(node(name))), ["Dataset", "Zzz", "y"]);
    assert_eq!(kb.description(node("a")), Some("z"));
    let property = kb.attribute("http://e/p").unwrap();
    assert_eq!(kb.literal(kb.attribute_label_literal(property).unwrap()).text(), "z");
    assert_eq!(shown(&kb).len(), 12);
}

/// An empty graph is a KB without triples; a file in which nothing could be read is an error.
#[test]
fn an_empty_graph_is_a_kb() {
    let dir = tempfile::tempdir().unwrap();
    let (report, kb) = kb_of("@prefix e: <http://e/> .\n", dir.path(), "en");
    assert_eq!((report.n_records(), kb.n_nodes(), shown(&kb).len()), (0, 0, 0));
    check_view(&DirectView::new(&kb), 1);
    let file = dir.path().join("bad.nt");
    std::fs::write(&file, "this is not RDF\n").unwrap();
    assert!(import(&request(Profile::Rdfs, &file, "en"), &dir.path().join("bad"), &NoProgress).is_err());
    assert!(!dir.path().join("bad").exists());
}

/// A reifier whose triple is not asserted stays in the graph and is not a fact.
#[test]
fn reifiers_without_assertion() {
    let dir = tempfile::tempdir().unwrap();
    let (report, kb) = kb_of("PREFIX : <http://e/> <<:a :b :c>> :q :z .", dir.path(), "en");
    assert_eq!((kb.n_facts(), shown(&kb).len()), (0, 2));
    assert_eq!(report.compiled.left_out, [("triple that is quoted but not asserted", 1)]);
    assert!(report.compiled.is_exact_rdf);
}

/// Profiles that rewrite statements report what is not kept.
#[test]
fn what_is_not_kept_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file.nt");
    let skos = "http://www.w3.org/2004/02/skos/core#prefLabel";
    let text = format!(
        "<http://rdf.freebase.com/ns/m.1> <{skos}> \"a\"@en .\n<http://rdf.freebase.com/ns/m.1> <{skos}> \"b\"@de .\n"
    );
    std::fs::write(&file, text).unwrap();
    let (report, kb) = imported(&request(Profile::Freebase, &file, "en"), &dir.path().join("kb"));
    assert_eq!(report.skipped.0, [("name or description in another language (see --lang)", 1)]);
    assert_eq!(report.notes.get("names and descriptions whose predicate is not kept"), 1);
    assert!(report.graph_only.0.is_empty() && !kb.is_exact_rdf());
}
