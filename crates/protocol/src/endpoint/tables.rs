//! Reads results in JSON and XML.

use super::Endpoint;
use super::error::EndpointError;
use super::meter::Meter;
use super::retry::Failure;
use super::transport::Reply;
use super::virtuoso;
use oxrdf::{Term, Variable};
use sparesults::{QueryResultsFormat, QueryResultsParser, ReaderQueryResultsParserOutput};
use std::io::{self, Read};

/// The result of a `SELECT`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointRows {
    /// The columns.
    pub variables: Vec<Variable>,
    /// The rows, each as long as there are columns.
    pub rows: Vec<Vec<Option<Term>>>,
    /// The bytes charged to the budget for it, for [`Budget::release`](touchstone_engine::budget::Budget::release) when it is dropped.
    pub bytes: u64,
}

/// The server's answer to one request.
pub(super) struct Page {
    pub(super) table: EndpointRows,
    /// The result of an `ASK`, if it was one.
    pub(super) boolean: Option<bool>,
    /// The number of rows after which the server truncates results, if it reports it.
    pub(super) cap: Option<u64>,
    pub(super) is_virtuoso: bool,
}

const ACCEPT: &str = "application/sparql-results+json, application/sparql-results+xml;q=0.8";
/// Maximum number of bytes to read after the end of an answer so that the connection can be reused.
const DREGS: u64 = 64 << 10;

impl Endpoint {
    /// One request for a table or a boolean, as often as needed.
    pub(super) fn fetch(&self, text: &str, meter: &Meter<'_>) -> Result<Page, EndpointError> {
        let page = self.with_retries(meter, |attempt| {
            let reply = self.send(text, ACCEPT, attempt, meter)?;
            self.read_page(reply, attempt, meter)
        })?;
        meter.accept();
        Ok(page)
    }

    fn read_page(&self, reply: Reply, attempt: u32, meter: &Meter<'_>) -> Result<Page, Failure> {
        let format = match reply.media_type().as_str() {
            "application/sparql-results+json" | "application/json" | "text/json" => QueryResultsFormat::Json,
            "application/sparql-results+xml" | "application/xml" | "text/xml" => QueryResultsFormat::Xml,
            other => return Err(self.wrong_type(other, "SPARQL results in JSON or XML").into()),
        };
        self.check_charset(&reply)?;
        let cap = reply.header("x-sparql-maxrows").and_then(|cap| cap.trim().parse().ok());
        let is_virtuoso = reply.is_virtuoso();
        let mut page = Page { table: EndpointRows::default(), boolean: None, cap, is_virtuoso };
        let mut body = meter.reader(reply.body);
        let bytes: &mut dyn Read =
            if is_virtuoso { &mut virtuoso::PlainLabels::new(&mut body) } else { &mut body };
        let unreadable = |error: &dyn ToString| self.unreadable(error.to_string(), attempt, meter);
        match QueryResultsParser::from_format(format).for_reader(bytes).map_err(|error| unreadable(&error))? {
            ReaderQueryResultsParserOutput::Boolean(value) => page.boolean = Some(value),
            ReaderQueryResultsParserOutput::Solutions(solutions) => {
                page.table.variables = solutions.variables().to_vec();
                for solution in solutions {
                    let solution = solution.map_err(|error| unreadable(&error))?;
                    meter.row()?;
                    let values = solution.values().iter().cloned();
                    page.table.rows.push(if is_virtuoso {
                        values.map(|value| value.map(virtuoso::tidy)).collect()
                    } else {
                        values.collect()
                    });
                }
            }
        }
        // The answer is complete already; a failure here only costs the connection.
        let _ = io::copy(&mut body.take(DREGS), &mut io::sink());
        Ok(page)
    }

    pub(super) fn wrong_type(&self, found: &str, expected: &'static str) -> EndpointError {
        let found = if found.is_empty() { "without a content type" } else { found };
        EndpointError::ContentType { url: self.shown(), found: found.to_owned(), expected }
    }

    pub(super) fn check_charset(&self, reply: &Reply) -> Result<(), EndpointError> {
        match reply.foreign_charset() {
            None => Ok(()),
            Some(charset) => Err(self.wrong_type(&format!("text in {charset}"), "text in UTF-8")),
        }
    }
}

impl Page {
    /// The answer to an `ASK`. Virtuoso returns a table with a column `__ASK_RETVAL`, which has a row if the answer is yes.
    pub(super) fn truth(&self) -> Option<bool> {
        if self.boolean.is_some() {
            return self.boolean;
        }
        let [column] = self.table.variables.as_slice() else { return None };
        if column.as_str() != "__ASK_RETVAL" {
            return None;
        }
        Some(match self.table.rows.first().and_then(|row| row.first()) {
            Some(Some(Term::Literal(value))) => !matches!(value.value(), "0" | "false"),
            _ => false,
        })
    }

    /// The number in a table of one number.
    pub(super) fn number(&self) -> Option<u64> {
        match self.table.rows.as_slice() {
            [row] => match row.as_slice() {
                [Some(Term::Literal(value))] => value.value().parse().ok(),
                _ => None,
            },
            _ => None,
        }
    }
}
