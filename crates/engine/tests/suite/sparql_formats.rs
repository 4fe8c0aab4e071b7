//! Formats of results: names, negotiation, writing.

use oxrdf::{BlankNode, Literal, NamedNode, Term, Triple, Variable};
use oxrdfio::{RdfFormat, RdfParser};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};
use touchstone_engine::sparql::{
    FormatError, GraphFormat, ReplyFormat, ResultFormat, Results, negotiate, write,
};

const JSON: Option<ReplyFormat> = Some(ReplyFormat::Results(ResultFormat::Json));
const XML: Option<ReplyFormat> = Some(ReplyFormat::Results(ResultFormat::Xml));
const CSV: Option<ReplyFormat> = Some(ReplyFormat::Results(ResultFormat::Csv));
const TSV: Option<ReplyFormat> = Some(ReplyFormat::Results(ResultFormat::Tsv));
const TTL: Option<ReplyFormat> = Some(ReplyFormat::Graph(GraphFormat::Turtle));
const NT: Option<ReplyFormat> = Some(ReplyFormat::Graph(GraphFormat::NTriples));
const RDF_XML: Option<ReplyFormat> = Some(ReplyFormat::Graph(GraphFormat::RdfXml));
const JSON_LD: Option<ReplyFormat> = Some(ReplyFormat::Graph(GraphFormat::JsonLd));
const N3: Option<ReplyFormat> = Some(ReplyFormat::Graph(GraphFormat::N3));

#[test]
fn names() {
    for format in ReplyFormat::all() {
        assert_eq!(format.name().parse::<ReplyFormat>().unwrap(), format);
    }
    assert_eq!("TTL".parse::<ReplyFormat>().unwrap(), TTL.unwrap());
    assert_eq!(
        "xlsx".parse::<ReplyFormat>().unwrap_err().to_string(),
        "there is no format `xlsx`; choose from sparql-json, sparql-xml, csv, tsv, ttl, nt, rdfxml, jsonld, n3"
    );
}

#[test]
fn negotiation() {
    let cases: [(&str, Option<ReplyFormat>, Option<ReplyFormat>); 21] = [
        ("", JSON, TTL),
        ("*/*", JSON, TTL),
        ("text/csv", CSV, None),
        ("application/sparql-results+xml", XML, None),
        ("application/json", JSON, JSON_LD),
        ("text/turtle", None, TTL),
        ("application/n-triples, text/turtle;q=0.9", None, NT),
        ("application/xml", XML, RDF_XML),
        ("text/csv;q=0.4, text/tab-separated-values;q=0.6", TSV, None),
        ("text/*", CSV, TTL),
        ("text/xml", XML, RDF_XML),
        ("text/n3", None, N3),
        ("application/ld+json", None, JSON_LD),
        ("application/sparql-results+json;q=0, */*;q=0.1", XML, TTL),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", XML, RDF_XML),
        ("APPLICATION/JSON; Charset=utf-8 ; Q=0.5 , text/csv ; q = 0.2", JSON, JSON_LD),
        ("image/png", None, None),
        ("*/*;q=0", None, None),
        ("nonsense, ;;;, text/csv;q=x, text/tab-separated-values", TSV, None),
        ("text/csv;q=7", CSV, None),
        ("text/csv;q=NaN, text/tab-separated-values;q=0.001", TSV, None),
    ];
    for (accept, table, graph) in cases {
        assert_eq!(negotiate(accept, false), table, "{accept}");
        assert_eq!(negotiate(accept, true), graph, "{accept}");
    }
}

fn terms() -> Vec<Term> {
    let iri = |text: &str| NamedNode::new_unchecked(text);
    let inner =
        Triple::new(iri("http://e/s"), iri("http://e/p"), Literal::new_simple_literal("a \"b\", <c> & d"));
    let outer = Triple::new(BlankNode::new_unchecked("x"), iri("http://e/q"), inner.clone());
    vec![
        iri("http://e/a,b").into(),
        BlankNode::new_unchecked("fact7").into(),
        Literal::new_simple_literal("tab\there, \"quotes\"\nand lines\r & <tags> é東").into(),
        Literal::new_language_tagged_literal_unchecked("chat", "fr").into(),
        Literal::new_typed_literal("007", iri("http://www.w3.org/2001/XMLSchema#integer")).into(),
        Literal::new_typed_literal("1.5", iri("http://e/unit#metre")).into(),
        Literal::new_simple_literal("").into(),
        inner.into(),
        outer.into(),
    ]
}

fn written(results: &Results, format: ReplyFormat) -> Result<String, FormatError> {
    let mut out = Vec::new();
    write(results, format, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn table() -> Results {
    let variables = vec![Variable::new("x").unwrap(), Variable::new("y").unwrap()];
    let mut rows: Vec<Vec<Option<Term>>> = terms().into_iter().map(|term| vec![Some(term), None]).collect();
    rows.push(vec![None, None]);
    rows.push(vec![None, Some(Literal::from(true).into())]);
    Results::Solutions { variables, rows }
}

/// Output can be read back, including triple terms.
#[test]
fn tables_are_read_back() {
    let Results::Solutions { variables, rows } = table() else { panic!("a table") };
    let formats = [
        (ResultFormat::Json, QueryResultsFormat::Json),
        (ResultFormat::Xml, QueryResultsFormat::Xml),
        (ResultFormat::Tsv, QueryResultsFormat::Tsv),
    ];
    for (format, parsed_as) in formats {
        let text = written(&table(), ReplyFormat::Results(format)).unwrap();
        let parser = QueryResultsParser::from_format(parsed_as);
        let Ok(SliceQueryResultsParserOutput::Solutions(solutions)) = parser.for_slice(text.as_bytes())
        else {
            panic!("{text}")
        };
        assert_eq!(solutions.variables(), variables);
        let read: Vec<Vec<Option<Term>>> = solutions.map(|s| s.unwrap().values().to_vec()).collect();
        assert_eq!(read, rows, "{text}");
        for value in [true, false] {
            let text = written(&Results::Boolean(value), ReplyFormat::Results(format)).unwrap();
            assert!(text.contains(&value.to_string()), "{text}");
        }
    }
}

#[test]
fn csv_is_quoted() {
    let text = written(&table(), CSV.unwrap()).unwrap();
    assert!(
        text.starts_with("x,y\r\n\"http://e/a,b\",\r\n_:fact7,\r\n\"tab\there, \"\"quotes\"\"\nand"),
        "{text}"
    );
    assert!(text.ends_with(",\r\n,\r\n,true\r\n"), "{text}");
}

fn graph() -> Vec<Triple> {
    let subject = NamedNode::new_unchecked("http://e/s");
    let predicate = NamedNode::new_unchecked("http://e/p#says");
    terms().into_iter().map(|term| Triple::new(subject.clone(), predicate.clone(), term)).collect()
}

#[test]
fn graphs_are_read_back() {
    let formats = [
        (GraphFormat::NTriples, RdfFormat::NTriples),
        (GraphFormat::Turtle, RdfFormat::Turtle),
        (GraphFormat::RdfXml, RdfFormat::RdfXml),
    ];
    for (format, parsed_as) in formats {
        let text = written(&Results::Graph(graph()), ReplyFormat::Graph(format)).unwrap();
        let read: Vec<String> = RdfParser::from_format(parsed_as)
            .for_slice(text.as_bytes())
            .map(|quad| quad.unwrap_or_else(|error| panic!("{error}: {text}")).to_string())
            .collect();
        // Readers rename blank nodes.
        let anonymous = |text: &str| {
            let words = text.split(' ').map(|word| if word.starts_with("_:") { "_:" } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        let mut read: Vec<String> = read.iter().map(|text| anonymous(text)).collect();
        let mut expected: Vec<String> = graph().iter().map(|t| anonymous(&t.to_string())).collect();
        read.sort();
        expected.sort();
        // XML reads a carriage return as a new line.
        let normal =
            |texts: Vec<String>| texts.into_iter().map(|t| t.replace("\\r", "\\n")).collect::<Vec<_>>();
        assert_eq!(normal(read), normal(expected), "{text}");
    }
}

#[test]
fn what_cannot_be_written() {
    let wrong = written(&Results::Graph(graph()), JSON.unwrap()).unwrap_err().to_string();
    assert_eq!(wrong, "a graph cannot be written as sparql-json");
    let wrong = written(&Results::Boolean(true), TTL.unwrap()).unwrap_err().to_string();
    assert_eq!(wrong, "a table or a truth value cannot be written as ttl");
    let control = Literal::new_simple_literal("bell \u{7}");
    let variables = vec![Variable::new("x").unwrap()];
    let rows = vec![vec![Some(control.into())]];
    let results = Results::Solutions { variables, rows };
    let error = written(&results, XML.unwrap()).unwrap_err().to_string();
    assert_eq!(error, "the character U+0007 of \"bell \\u{7}\" cannot be written in XML");
    assert!(written(&results, JSON.unwrap()).unwrap().contains("\\u0007"));
    let odd = Triple::new(
        NamedNode::new_unchecked("http://e/s"),
        NamedNode::new_unchecked("http://e/123"),
        NamedNode::new_unchecked("http://e/o"),
    );
    let error = written(&Results::Graph(vec![odd]), RDF_XML.unwrap()).unwrap_err().to_string();
    assert_eq!(error, "the predicate <http://e/123> cannot be written in RDF/XML: it does not end in a name");
}
