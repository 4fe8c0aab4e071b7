//! Many queries in parallel; the results are written in the order of the queries.

use crate::budget::Cancel;
use crate::reply::Reply;
use crate::session::{Session, Settings};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::Path;
use thiserror::Error;
use touchstone_kb::counts::{counted, grouped};
use touchstone_kb::{KbError, Progress, shortened};
use touchstone_logic::Language;

/// Number of queries that are read ahead; it bounds memory, whatever the size of the file.
const CHUNK: usize = 4096;

/// Settings of a batch.
#[derive(Clone, Default)]
pub struct BatchConfig {
    /// Settings of each query.
    pub settings: Settings,
    /// The language of queries that do not name one; guessed from each query if absent.
    pub language: Option<Language>,
    /// Number of concurrent queries; one per core if absent.
    pub jobs: Option<usize>,
}

/// The number of queries in a batch, and their outcomes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BatchSummary {
    /// The number of queries.
    pub queries: u64,
    /// The number of queries with each outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
}

impl fmt::Display for BatchSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcomes = self.outcomes.iter();
        let parts: Vec<String> =
            outcomes.map(|(word, &n)| format!("{} {}", grouped(n), word.replace('_', " "))).collect();
        write!(f, "{}: {}", counted(self.queries, "query", "queries"), parts.join(", "))
    }
}

impl BatchSummary {
    /// Whether there were queries, and all of them completed.
    pub fn all_answered(&self) -> bool {
        self.queries > 0 && self.outcomes.get("answered") == Some(&self.queries)
    }
}

/// Why a batch was not completed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BatchError {
    /// There is no file with this name.
    #[error("there is no file `{}`", shortened(.0))]
    NoFile(String),
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] KbError),
    /// The queries cannot be read.
    #[error("cannot read the queries")]
    Read(#[source] io::Error),
    /// The results cannot be written.
    #[error("cannot write the results")]
    Write(#[source] io::Error),
    /// The threads that run queries could not be started.
    #[error("cannot start threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// It was cancelled.
    #[error("stopped; nothing was written")]
    Cancelled,
}

/// A line of results.
#[derive(Serialize)]
struct Line<'l> {
    id: &'l Json,
    #[serde(flatten)]
    result: LineResult<'l>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LineResult<'l> {
    Reply(&'l Reply),
    NotAQuery { outcome: &'static str, error: &'l str },
}

/// Opens a file of queries, compressed or not; `-` is standard input.
pub fn open_batch<'p>(file: &str, progress: &'p dyn Progress) -> Result<Box<dyn BufRead + 'p>, BatchError> {
    if file == "-" {
        progress.stage("running standard input", None);
        return Ok(Box::new(io::BufReader::new(io::stdin())));
    }
    let path = Path::new(file);
    if !path.is_file() {
        return Err(BatchError::NoFile(file.to_owned()));
    }
    progress.stage(&format!("running {file}"), path.metadata().ok().map(|meta| meta.len()));
    Ok(touchstone_kb::import::open(path, progress)?)
}

/// Runs queries from lines of `{"id": ..., "lang": ..., "query": ...}` and writes one line of results for each.
pub fn run_batch(
    session: &Session<'_>,
    config: &BatchConfig,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<BatchSummary, BatchError> {
    let threads = config.jobs.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut summary = BatchSummary::default();
    let mut lines = (1..).zip(input.split(b'\n'));
    loop {
        let mut chunk: Vec<(usize, Vec<u8>)> = Vec::new();
        for (number, line) in lines.by_ref() {
            let line = line.map_err(BatchError::Read)?;
            if !line.trim_ascii().is_empty() {
                chunk.push((number, line));
            }
            if chunk.len() == CHUNK {
                break;
            }
        }
        if chunk.is_empty() {
            return Ok(summary);
        }
        let results: Vec<(&'static str, Vec<u8>)> = pool.install(|| {
            let one = |(number, line): &(usize, Vec<u8>)| run_line(session, config, *number, line, cancel);
            // One at a time: a slow query must not keep others waiting.
            chunk.par_iter().with_max_len(1).map(one).collect()
        });
        if progress.cancelled() {
            return Err(BatchError::Cancelled);
        }
        for (outcome, line) in results {
            summary.queries += 1;
            *summary.outcomes.entry(outcome).or_default() += 1;
            output.write_all(&line).and_then(|()| output.write_all(b"\n")).map_err(BatchError::Write)?;
        }
    }
}

/// The word for the outcome of a line, and its line of results.
fn run_line(
    session: &Session<'_>,
    config: &BatchConfig,
    number: usize,
    line: &[u8],
    cancel: &Cancel,
) -> (&'static str, Vec<u8>) {
    let record: Result<Json, _> = serde_json::from_slice(line);
    let id = record.as_ref().ok().and_then(|record| record.get("id")).unwrap_or(&Json::Null);
    let written = record.as_ref().map_err(|error| format!("not JSON: {error}")).and_then(|record| {
        let (language, query) = read_line(record, config.language)?;
        let reply = session.run(language, query, &config.settings, cancel);
        let line = Line { id, result: LineResult::Reply(&reply) };
        let line = serde_json::to_vec(&line).map_err(|error| error.to_string())?;
        Ok((reply.outcome.word(), line))
    });
    written.unwrap_or_else(|why: String| {
        let (outcome, error) = ("unparsable", format!("line {number}: {why}"));
        let line = Line { id, result: LineResult::NotAQuery { outcome, error: &error } };
        (outcome, serde_json::to_vec(&line).unwrap_or_default())
    })
}

/// The language and the text of a query.
fn read_line(record: &Json, default: Option<Language>) -> Result<(Language, &str), String> {
    let query = record.get("query").and_then(Json::as_str).ok_or_else(|| {
        "the text `query` is missing; a line is {\"id\": ..., \"lang\": ..., \"query\": ...}".to_owned()
    })?;
    let language = match record.get("lang").map(|lang| lang.as_str().unwrap_or("?")) {
        None | Some("auto") => default.unwrap_or_else(|| Language::guess(query)),
        Some("sexpr") => Language::Sexpr,
        Some("kopl") => Language::Kopl,
        Some("sparql") => Language::Sparql,
        Some(other) => return Err(format!("the language `{other}` is not one of auto, sexpr, kopl, sparql")),
    };
    Ok((language, query))
}
