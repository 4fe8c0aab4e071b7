//! The manifests of the W3C's SPARQL tests.

use oxrdf::{Graph, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Term, TermRef};
use oxrdfio::{RdfFormat, RdfParser};
use std::path::{Path, PathBuf};

const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const QT: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// What a test checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The answers to a query.
    Evaluation,
    /// Whether a text is a query.
    Syntax { is_query: bool },
}

/// One test.
#[derive(Debug, Clone)]
pub struct Test {
    pub iri: String,
    pub kind: Kind,
    pub query: PathBuf,
    pub data: Vec<PathBuf>,
    /// It needs named graphs, other servers or entailment.
    pub needs: Option<&'static str>,
    pub result: Option<PathBuf>,
    /// `REDUCED` may leave repeated rows out or not.
    pub lax: bool,
}

/// The tests of one suite (`sparql10` or `sparql11`), in the order of their folders.
pub fn tests(suite: &Path) -> Vec<Test> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(suite).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let manifests = folders.iter().map(|folder| folder.join("manifest.ttl")).filter(|path| path.is_file());
    manifests.flat_map(|manifest| read(&manifest)).collect()
}

/// A file as a graph.
pub fn graph(path: &Path) -> Graph {
    let format = match path.extension().and_then(|ending| ending.to_str()) {
        Some("rdf") => RdfFormat::RdfXml,
        Some("nt") => RdfFormat::NTriples,
        _ => RdfFormat::Turtle,
    };
    let bytes = std::fs::read(path).unwrap();
    let parser = RdfParser::from_format(format).with_base_iri(url(path)).unwrap().rename_blank_nodes();
    parser.for_slice(&bytes).map(|quad| oxrdf::Triple::from(quad.unwrap())).collect()
}

/// The address of a file.
pub fn url(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn path_of(term: TermRef<'_>) -> Option<PathBuf> {
    match term {
        TermRef::NamedNode(iri) => iri.as_str().strip_prefix("file://").map(PathBuf::from),
        _ => None,
    }
}

/// The value of a property.
fn value<'g>(
    graph: &'g Graph,
    subject: NamedOrBlankNodeRef<'_>,
    namespace: &str,
    name: &str,
) -> Option<TermRef<'g>> {
    values(graph, subject, namespace, name).into_iter().next()
}

fn values<'g>(
    graph: &'g Graph,
    subject: NamedOrBlankNodeRef<'_>,
    namespace: &str,
    name: &str,
) -> Vec<TermRef<'g>> {
    let iri = format!("{namespace}{name}");
    graph.objects_for_subject_predicate(subject, NamedNodeRef::new_unchecked(&iri)).collect()
}

pub fn resource(term: TermRef<'_>) -> Option<NamedOrBlankNode> {
    match term.into_owned() {
        Term::NamedNode(node) => Some(node.into()),
        Term::BlankNode(node) => Some(node.into()),
        Term::Literal(_) | Term::Triple(_) => None,
    }
}

fn read(manifest: &Path) -> Vec<Test> {
    let graph = graph(manifest);
    let iri = format!("{MF}entries");
    let mut tests = Vec::new();
    for triple in graph.triples_for_predicate(NamedNodeRef::new_unchecked(&iri)) {
        let mut list = resource(triple.object);
        while let Some(here) = list {
            if let Some(entry) = value(&graph, here.as_ref(), RDF, "first").and_then(resource) {
                tests.extend(test(&graph, &entry));
            }
            list = value(&graph, here.as_ref(), RDF, "rest").and_then(resource);
        }
    }
    tests
}

fn test(graph: &Graph, entry: &NamedOrBlankNode) -> Option<Test> {
    let NamedOrBlankNode::NamedNode(iri) = entry else { return None };
    let kinds = values(graph, entry.as_ref(), RDF, "type");
    let kind = kinds.iter().find_map(|kind| {
        match kind.to_string().trim_matches(['<', '>']).strip_prefix(MF)? {
            "QueryEvaluationTest" | "CSVResultFormatTest" => Some(Kind::Evaluation),
            "PositiveSyntaxTest" | "PositiveSyntaxTest11" => Some(Kind::Syntax { is_query: true }),
            "NegativeSyntaxTest" | "NegativeSyntaxTest11" => Some(Kind::Syntax { is_query: false }),
            _ => None,
        }
    })?;
    let action = value(graph, entry.as_ref(), MF, "action")?;
    let mut test = Test {
        iri: iri.as_str().to_owned(),
        kind,
        query: PathBuf::new(),
        data: Vec::new(),
        needs: None,
        result: value(graph, entry.as_ref(), MF, "result").and_then(path_of),
        lax: value(graph, entry.as_ref(), MF, "resultCardinality").is_some(),
    };
    if let Some(query) = path_of(action) {
        test.query = query;
        return Some(test);
    }
    let action = resource(action)?;
    test.query = value(graph, action.as_ref(), QT, "query").and_then(path_of)?;
    test.data = values(graph, action.as_ref(), QT, "data").into_iter().filter_map(path_of).collect();
    test.data.sort();
    let regime = "http://www.w3.org/ns/sparql-service-description#";
    test.needs = if !values(graph, action.as_ref(), QT, "graphData").is_empty() {
        Some("named graphs")
    } else if !values(graph, action.as_ref(), QT, "serviceData").is_empty() {
        Some("another server")
    } else if !values(graph, action.as_ref(), regime, "entailmentRegime").is_empty() {
        Some("entailment")
    } else {
        None
    };
    Some(test)
}
