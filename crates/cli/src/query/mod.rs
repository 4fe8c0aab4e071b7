//! `touchstone query`: run logical forms.

mod batch;

use crate::progress::Bar;
use crate::session_args::SessionArgs;
use crate::{Outcome, reply};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_engine::sparql::ReplyFormat;
use touchstone_engine::{Session, query_text};

/// Arguments of `touchstone query`.
#[derive(Args)]
pub(crate) struct QueryArgs {
    /// The query; `-` reads it from standard input; a file name reads the file
    #[arg(value_name = "QUERY|FILE|-", required_unless_present = "batch", conflicts_with = "batch")]
    query: Option<String>,
    #[command(flatten)]
    session: SessionArgs,
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

pub(crate) fn run(args: &QueryArgs) -> Result<Outcome> {
    let mut settings = args.session.settings()?;
    settings.trace = args.trace;
    let format = args.format.as_deref().map(|name| name.parse::<ReplyFormat>()).transpose()?;
    settings.terms = format.is_some();
    let kb = crate::open_kb::open_kb(&args.session.kb)?;
    let session = Session::new(&kb);
    if let (Some(batch), Some(out)) = (&args.batch, &args.out) {
        let session = session.without_suggestions();
        return batch::run(&session, batch, out, settings, args);
    }
    let text = query_text(args.query.as_deref().unwrap_or("-"))?;
    // Ctrl-C stops the query, not only the program.
    let bar = Bar::new();
    let reply = session.run(args.session.language(&text), &text, &settings, &bar.cancel());
    drop(bar);
    match (args.json, format) {
        (true, _) => reply::json(&reply),
        (_, Some(format)) => reply::formatted(&reply, format),
        _ => reply::table(&reply, args.all),
    }
}
