//! `touchstone query` and `touchstone shell`: run logical forms.

mod batch;
mod complete;
pub(crate) mod shell;
mod show;

use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use touchstone_engine::budget::Limits;
use touchstone_engine::compat::Compat;
use touchstone_engine::sparql::ReplyFormat;
use touchstone_engine::{AutoEngine, EmbeddedEngine, Engine, Session, Settings, SparevalEngine, View};
use touchstone_logic::Language;
use touchstone_protocol::{Endpoint, EndpointSettings};

/// Arguments of `touchstone query`.
#[derive(Args)]
pub(crate) struct QueryArgs {
    /// The query; `-` reads it from standard input; a file name reads the file
    #[arg(value_name = "QUERY|FILE|-", required_unless_present = "batch", conflicts_with = "batch")]
    query: Option<String>,
    #[command(flatten)]
    run: RunArgs,
    /// Show every step with its rows and time
    #[arg(long)]
    trace: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A format of SPARQL results: sparql-json, sparql-xml, csv, tsv; for graphs: nt, ttl, rdfxml
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "batch"])]
    format: Option<String>,
    /// Show all answers, not only the first hundred
    #[arg(long)]
    all: bool,
    /// Run the queries of a file: lines of {"id": ..., "lang": ..., "query": ...}
    #[arg(long, value_name = "FILE.jsonl", requires = "out")]
    batch: Option<String>,
    /// Where to write the results of a batch, in the order of the queries; `-` is standard output
    #[arg(long, value_name = "FILE.jsonl", requires = "batch")]
    out: Option<PathBuf>,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long, requires = "out")]
    force: bool,
    /// Number of queries of a batch that run at once [default: one for each core]
    #[arg(long, value_name = "N", requires = "batch")]
    jobs: Option<usize>,
}

/// How queries are run: for `query` and `shell`.
#[derive(Args, Clone)]
pub(crate) struct RunArgs {
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    pub(crate) kb: String,
    /// The language of the query
    #[arg(long, value_enum, default_value_t = LanguageName::Auto)]
    lang: LanguageName,
    /// What runs the query: auto, embedded, spareval, endpoint:URL (a SPARQL server that holds the KB; see docs/running-queries.md)
    #[arg(long, default_value = "auto", value_name = "ENGINE")]
    pub(crate) engine: String,
    /// The graph of the endpoint to query, if it holds several (Virtuoso does)
    #[arg(long, value_name = "IRI")]
    default_graph: Option<String>,
    /// Get results of an endpoint in pages of this size [default: only results that the server cuts]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    page_size: Option<u32>,
    /// Run KoPL programs as a published executor does, mistakes included
    #[arg(long, value_enum)]
    compat: Option<CompatName>,
    /// The graph that SPARQL queries refer to
    #[arg(long, value_enum, default_value_t = ViewName::Auto)]
    view: ViewName,
    /// Maximum number of seconds for a query
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    max_time: f64,
    /// Maximum number of operations for a query
    #[arg(long, default_value_t = Limits::default().operations, value_name = "N")]
    max_operations: u64,
    /// Maximum number of answers to a query
    #[arg(long, default_value_t = Limits::default().rows, value_name = "N")]
    max_rows: u64,
    /// Maximum number of megabytes that a query may hold in memory
    #[arg(long, default_value_t = Limits::default().memory >> 20, value_name = "MB")]
    max_memory: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageName {
    /// Guessed from the query
    Auto,
    /// S-expressions
    Sexpr,
    /// KoPL programs
    Kopl,
    /// SPARQL
    Sparql,
}

impl LanguageName {
    /// The language; none for `auto`.
    fn language(self) -> Option<Language> {
        match self {
            LanguageName::Auto => None,
            LanguageName::Sexpr => Some(Language::Sexpr),
            LanguageName::Kopl => Some(Language::Kopl),
            LanguageName::Sparql => Some(Language::Sparql),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompatName {
    /// The PyPI package KoPL 0.0.5
    Kopl,
    /// The rule executor of KQA Pro's baselines
    Rule,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ViewName {
    /// Guessed from the query
    Auto,
    /// Plain triples
    Direct,
    /// KQA Pro's graph: values and facts are nodes
    Kqapro,
}

impl RunArgs {
    /// How the arguments say to run a query.
    pub(crate) fn settings(&self) -> Result<Settings> {
        if !(self.max_time >= 0.0 && self.max_time.is_finite()) {
            bail!("--max-time {} is not a number of seconds", self.max_time);
        }
        Ok(Settings {
            engine: self.engine(&self.engine)?,
            view: match self.view {
                ViewName::Auto => None,
                ViewName::Direct => Some(View::Direct),
                ViewName::Kqapro => Some(View::KqaPro),
            },
            compat: self.compat.map(|compat| match compat {
                CompatName::Kopl => Compat::Kopl,
                CompatName::Rule => Compat::Rule,
            }),
            limits: Limits {
                operations: self.max_operations,
                rows: self.max_rows,
                memory: self.max_memory.saturating_mul(1 << 20),
                time: Duration::try_from_secs_f64(self.max_time).unwrap_or(Duration::MAX),
            },
            ..Settings::default()
        })
    }

    /// The engine with a name.
    pub(crate) fn engine(&self, name: &str) -> Result<Arc<dyn Engine>> {
        Ok(match name {
            "auto" => Arc::new(AutoEngine),
            "embedded" => Arc::new(EmbeddedEngine),
            "spareval" => Arc::new(SparevalEngine),
            other => match other.strip_prefix("endpoint:") {
                Some(url) => {
                    let settings = EndpointSettings {
                        timeout: Duration::try_from_secs_f64(self.max_time).unwrap_or(Duration::MAX),
                        page_size: self.page_size.map(|rows| rows as usize),
                        default_graph: self.default_graph.clone(),
                        ..Default::default()
                    };
                    Arc::new(Endpoint::new(url, settings)?)
                }
                None => {
                    bail!("there is no engine `{other}`; there are auto, embedded, spareval and endpoint:URL")
                }
            },
        })
    }

    pub(crate) fn language(&self, text: &str) -> Language {
        self.lang.language().unwrap_or_else(|| Language::guess(text))
    }
}

pub(crate) fn run(args: &QueryArgs) -> Result<Outcome> {
    let mut settings = args.run.settings()?;
    settings.trace = args.trace;
    let format = args.format.as_deref().map(|name| name.parse::<ReplyFormat>()).transpose()?;
    settings.terms = format.is_some();
    let kb = crate::open_kb::open_kb(&args.run.kb)?;
    let session = Session::new(&kb);
    if let (Some(batch), Some(out)) = (&args.batch, &args.out) {
        let session = session.without_suggestions();
        return batch::run(&session, batch, out, settings, args);
    }
    let text = read_query(args.query.as_deref().unwrap_or("-"))?;
    // Ctrl-C stops the query, not only the program.
    let bar = Bar::new();
    let reply = session.run(args.run.language(&text), &text, &settings, &bar.cancel());
    drop(bar);
    match (args.json, format) {
        (true, _) => show::json(&reply),
        (_, Some(format)) => show::formatted(&reply, format),
        _ => show::table(&reply, args.all),
    }
}

/// The text of a query: given, in a file, or on standard input.
fn read_query(query: &str) -> Result<String> {
    if query == "-" {
        let mut text = String::new();
        // A longer text is something else that was piped in by mistake.
        std::io::stdin()
            .take(MAX_QUERY + 1)
            .read_to_string(&mut text)
            .context("cannot read standard input")?;
        if text.len() as u64 > MAX_QUERY {
            bail!("the query is longer than {} MB", MAX_QUERY >> 20);
        }
        return Ok(text);
    }
    let path = Path::new(query);
    if query.len() < 1000 && path.is_file() {
        let length = path.metadata().map_or(0, |meta| meta.len());
        if length > MAX_QUERY {
            bail!("{query} is longer than {} MB: is it a batch? Then give --batch", MAX_QUERY >> 20);
        }
        return std::fs::read_to_string(path).with_context(|| format!("cannot read {query}"));
    }
    Ok(query.to_owned())
}

const MAX_QUERY: u64 = 4 << 20;

/// How an outcome ends the program.
fn ended(reply: &touchstone_engine::Reply) -> Result<Outcome> {
    use touchstone_engine::Outcome as Ran;
    match &reply.outcome {
        Ran::Answered(answers) if answers.is_empty() => Ok(Outcome::NothingFound),
        Ran::Answered(_) => Ok(Outcome::Done),
        Ran::OverBudget(_) => Ok(Outcome::NothingFound),
        Ran::Unparsable(message) | Ran::Failed(message) => bail!("{message}"),
    }
}

fn notes(reply: &touchstone_engine::Reply) {
    for note in &reply.notes {
        output::note(&format!("note: {note}"));
    }
}
