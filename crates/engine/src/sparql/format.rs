//! Formats of results: names for the command line, media types for the web, and writing.

use super::evaluate::Results;
use oxrdf::{Term, Triple, Variable};
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfSerializer};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

/// Formats of the results of `SELECT` and `ASK`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultFormat {
    /// SPARQL 1.2 Query Results JSON.
    Json,
    /// SPARQL 1.2 Query Results XML.
    Xml,
    /// Comma-separated values: texts without types.
    Csv,
    /// Tab-separated values: terms as in Turtle.
    Tsv,
}

/// Formats of the results of `CONSTRUCT` and `DESCRIBE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GraphFormat {
    /// N-Triples.
    NTriples,
    /// Turtle.
    Turtle,
    /// RDF/XML.
    RdfXml,
    /// JSON-LD.
    JsonLd,
    /// Notation3.
    N3,
}

/// Any of the formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReplyFormat {
    /// For `SELECT` and `ASK`.
    Results(ResultFormat),
    /// For `CONSTRUCT` and `DESCRIBE`.
    Graph(GraphFormat),
}

impl ResultFormat {
    /// All formats; the first is the default.
    pub const ALL: [ResultFormat; 4] =
        [ResultFormat::Json, ResultFormat::Xml, ResultFormat::Csv, ResultFormat::Tsv];
}

impl GraphFormat {
    /// All formats; the first is the default.
    pub const ALL: [GraphFormat; 5] = [
        GraphFormat::Turtle,
        GraphFormat::NTriples,
        GraphFormat::RdfXml,
        GraphFormat::JsonLd,
        GraphFormat::N3,
    ];
}

impl ReplyFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = ReplyFormat> {
        let results = ResultFormat::ALL.into_iter().map(ReplyFormat::Results);
        results.chain(GraphFormat::ALL.into_iter().map(ReplyFormat::Graph))
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ReplyFormat::Results(ResultFormat::Json) => "sparql-json",
            ReplyFormat::Results(ResultFormat::Xml) => "sparql-xml",
            ReplyFormat::Results(ResultFormat::Csv) => "csv",
            ReplyFormat::Results(ResultFormat::Tsv) => "tsv",
            ReplyFormat::Graph(GraphFormat::NTriples) => "nt",
            ReplyFormat::Graph(GraphFormat::Turtle) => "ttl",
            ReplyFormat::Graph(GraphFormat::RdfXml) => "rdfxml",
            ReplyFormat::Graph(GraphFormat::JsonLd) => "jsonld",
            ReplyFormat::Graph(GraphFormat::N3) => "n3",
        }
    }

    /// The `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            ReplyFormat::Results(ResultFormat::Json) => "application/sparql-results+json",
            ReplyFormat::Results(ResultFormat::Xml) => "application/sparql-results+xml",
            ReplyFormat::Results(ResultFormat::Csv) => "text/csv; charset=utf-8",
            ReplyFormat::Results(ResultFormat::Tsv) => "text/tab-separated-values; charset=utf-8",
            ReplyFormat::Graph(GraphFormat::NTriples) => "application/n-triples",
            ReplyFormat::Graph(GraphFormat::Turtle) => "text/turtle; charset=utf-8",
            ReplyFormat::Graph(GraphFormat::RdfXml) => "application/rdf+xml",
            ReplyFormat::Graph(GraphFormat::JsonLd) => "application/ld+json",
            ReplyFormat::Graph(GraphFormat::N3) => "text/n3; charset=utf-8",
        }
    }

    /// The media types with which clients can request it, the proper one first.
    fn asked_as(self) -> &'static [&'static str] {
        match self {
            ReplyFormat::Results(ResultFormat::Json) => {
                &["application/sparql-results+json", "application/json"]
            }
            ReplyFormat::Results(ResultFormat::Xml) => {
                &["application/sparql-results+xml", "application/xml", "text/xml"]
            }
            ReplyFormat::Results(ResultFormat::Csv) => &["text/csv"],
            ReplyFormat::Results(ResultFormat::Tsv) => &["text/tab-separated-values"],
            ReplyFormat::Graph(GraphFormat::NTriples) => &["application/n-triples", "text/plain"],
            ReplyFormat::Graph(GraphFormat::Turtle) => &["text/turtle", "application/x-turtle"],
            ReplyFormat::Graph(GraphFormat::RdfXml) => {
                &["application/rdf+xml", "application/xml", "text/xml"]
            }
            ReplyFormat::Graph(GraphFormat::JsonLd) => &["application/ld+json", "application/json"],
            ReplyFormat::Graph(GraphFormat::N3) => &["text/n3", "text/rdf+n3"],
        }
    }
}

impl fmt::Display for ReplyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{name}`; choose from {}", known_names())]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

fn known_names() -> String {
    let names: Vec<&str> = ReplyFormat::all().map(ReplyFormat::name).collect();
    names.join(", ")
}

impl FromStr for ReplyFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<ReplyFormat, UnknownFormat> {
        let found = ReplyFormat::all().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// The best format for what a client accepts (the text of an `Accept` header); `None` if it accepts none.
///
/// An empty text accepts everything. Of formats that are accepted equally, the first of [`ResultFormat::ALL`] or [`GraphFormat::ALL`] wins.
pub fn negotiate(accept: &str, for_graph: bool) -> Option<ReplyFormat> {
    let ranges: Vec<MediaRange<'_>> = accept.split(',').filter_map(MediaRange::parse).collect();
    let mut formats =
        ReplyFormat::all().filter(|format| matches!(format, ReplyFormat::Graph(_)) == for_graph);
    if accept.trim().is_empty() {
        return formats.next();
    }
    let mut best: Option<(u16, ReplyFormat)> = None;
    for format in formats {
        let quality = quality(&ranges, format);
        if quality > best.map_or(0, |(best, _)| best) {
            best = Some((quality, format));
        }
    }
    best.map(|(_, format)| format)
}

/// The preference of a client for a format: the most specific of all matching ranges decides.
fn quality(ranges: &[MediaRange<'_>], format: ReplyFormat) -> u16 {
    let of_type = |(position, media_type): (usize, &&str)| {
        let fitting = ranges.iter().filter_map(|range| Some((range.specificity(media_type)?, range.quality)));
        // `text/*` requests a format whose own type is text, not one that is also known as `text/xml`.
        fitting.filter(|&(specificity, _)| position == 0 || specificity == EXACT).max()
    };
    let asked = format.asked_as().iter().enumerate().filter_map(of_type);
    // `*/*;q=0.1, application/json` requests JSON by its other name.
    asked.max().map_or(0, |(_, quality)| quality)
}

/// The specificity of a range that names one media type.
const EXACT: u8 = 2;

/// One part of an `Accept` header.
struct MediaRange<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// In thousandths.
    quality: u16,
}

impl<'a> MediaRange<'a> {
    /// `None` for malformed parts, which clients do send.
    fn parse(text: &'a str) -> Option<MediaRange<'a>> {
        let mut parts = text.split(';');
        let (kind, subtype) = parts.next()?.trim().split_once('/')?;
        let mut quality = 1000;
        for parameter in parts {
            if let Some((name, value)) = parameter.split_once('=')
                && name.trim().eq_ignore_ascii_case("q")
            {
                let value: f32 = value.trim().parse().ok()?;
                quality = crate::cast::thousandths(value);
            }
        }
        Some(MediaRange { kind: kind.trim(), subtype: subtype.trim(), quality })
    }

    fn specificity(&self, media_type: &str) -> Option<u8> {
        let (kind, subtype) = media_type.split_once('/')?;
        match (self.kind, self.subtype) {
            ("*", "*") => Some(0),
            (mine, "*") if mine.eq_ignore_ascii_case(kind) => Some(1),
            (mine, sub) if mine.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => {
                Some(EXACT)
            }
            _ => None,
        }
    }
}

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// A graph cannot be written as a table, nor a table as a graph.
    #[error("{} cannot be written as {format}", if *.is_graph { "a graph" } else { "a table or a truth value" })]
    WrongKind {
        /// The requested format.
        format: ReplyFormat,
        /// Whether the results are a graph.
        is_graph: bool,
    },
    /// XML cannot represent some characters.
    #[error("the character U+{:04X} of {text:?} cannot be written in XML", *.character as u32)]
    NotInXml {
        /// The character.
        character: char,
        /// The text that contains it, or its beginning.
        text: String,
    },
    /// RDF/XML writes predicates as element names.
    #[error("the predicate <{predicate}> cannot be written in RDF/XML: it does not end in a name")]
    NoName {
        /// The IRI.
        predicate: String,
    },
    /// Writing failed, or the format cannot represent a term.
    #[error("the results could not be written")]
    Io(#[from] io::Error),
}

/// Writes results.
pub fn write(results: &Results, format: ReplyFormat, mut out: &mut dyn Write) -> Result<(), FormatError> {
    match (results, format) {
        (Results::Boolean(value), ReplyFormat::Results(format)) => {
            QueryResultsSerializer::from_format(results_format(format))
                .serialize_boolean_to_writer(&mut out, *value)?;
        }
        (Results::Solutions { variables, rows }, ReplyFormat::Results(ResultFormat::Csv)) => {
            write_csv(variables, rows, out)?;
        }
        (Results::Solutions { variables, rows }, ReplyFormat::Results(format)) => {
            let serializer = QueryResultsSerializer::from_format(results_format(format));
            let mut writer = serializer.serialize_solutions_to_writer(&mut out, variables.clone())?;
            for row in rows {
                if format == ResultFormat::Xml {
                    row.iter().flatten().try_for_each(check_for_xml)?;
                }
                let bound = variables.iter().zip(row).filter_map(|(v, term)| Some((v, term.as_ref()?)));
                writer.serialize(bound)?;
            }
            writer.finish()?;
        }
        (Results::Graph(triples), ReplyFormat::Graph(format)) => write_graph(triples, format, out)?,
        (results, format) => {
            return Err(FormatError::WrongKind { format, is_graph: matches!(results, Results::Graph(_)) });
        }
    }
    Ok(())
}

fn results_format(format: ResultFormat) -> QueryResultsFormat {
    match format {
        ResultFormat::Json => QueryResultsFormat::Json,
        ResultFormat::Xml => QueryResultsFormat::Xml,
        ResultFormat::Csv => QueryResultsFormat::Csv,
        ResultFormat::Tsv => QueryResultsFormat::Tsv,
    }
}

/// Does not use `sparesults`, which writes IRIs with commas unquoted.
fn write_csv(variables: &[Variable], rows: &[Vec<Option<Term>>], out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<&str> = variables.iter().map(|variable| variable.as_str()).collect();
    write!(out, "{}\r\n", names.join(","))?;
    for row in rows {
        for (column, term) in row.iter().enumerate() {
            if column > 0 {
                out.write_all(b",")?;
            }
            let text = match term {
                None => String::new(),
                Some(Term::NamedNode(iri)) => iri.as_str().to_owned(),
                Some(Term::Literal(literal)) => literal.value().to_owned(),
                Some(term @ (Term::BlankNode(_) | Term::Triple(_))) => term.to_string(),
            };
            if text.contains([',', '"', '\n', '\r']) {
                write!(out, "\"{}\"", text.replace('"', "\"\""))?;
            } else {
                out.write_all(text.as_bytes())?;
            }
        }
        out.write_all(b"\r\n")?;
    }
    Ok(())
}

fn write_graph(triples: &[Triple], format: GraphFormat, mut out: &mut dyn Write) -> Result<(), FormatError> {
    let mut serializer = RdfSerializer::from_format(match format {
        GraphFormat::NTriples => RdfFormat::NTriples,
        GraphFormat::Turtle => RdfFormat::Turtle,
        GraphFormat::RdfXml => RdfFormat::RdfXml,
        GraphFormat::JsonLd => RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() },
        GraphFormat::N3 => RdfFormat::N3,
    });
    if format != GraphFormat::NTriples {
        let known = [
            ("rdf", touchstone_kb::RDF),
            ("rdfs", touchstone_kb::RDFS),
            ("owl", touchstone_kb::OWL),
            ("skos", touchstone_kb::SKOS),
            ("xsd", touchstone_kb::XSD),
        ];
        for (prefix, iri) in known {
            serializer = serializer.with_prefix(prefix, iri).map_err(io::Error::other)?;
        }
    }
    let mut writer = serializer.for_writer(&mut out);
    for triple in triples {
        if format == GraphFormat::RdfXml {
            check_for_rdf_xml(triple)?;
        }
        writer.serialize_triple(triple)?;
    }
    writer.finish()?;
    Ok(())
}

/// `oxrdfxml` would write an element without a name.
fn check_for_rdf_xml(triple: &Triple) -> Result<(), FormatError> {
    let iri = triple.predicate.as_str();
    let tail = iri.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).next();
    if !tail.is_some_and(|tail| tail.contains(|c: char| c.is_alphabetic() || c == '_')) {
        return Err(FormatError::NoName { predicate: iri.to_owned() });
    }
    match &triple.object {
        Term::Triple(inner) => check_for_rdf_xml(inner),
        object => check_for_xml(object),
    }
}

/// XML 1.0 does not allow control characters, not even escaped.
fn check_for_xml(term: &Term) -> Result<(), FormatError> {
    let text = match term {
        Term::Literal(literal) => literal.value(),
        Term::Triple(triple) => return check_for_xml(&triple.object),
        Term::NamedNode(_) | Term::BlankNode(_) => return Ok(()),
    };
    let impossible = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    match text.chars().find(|&c| impossible(c)) {
        Some(character) => Err(FormatError::NotInXml { character, text: text.chars().take(60).collect() }),
        None => Ok(()),
    }
}
