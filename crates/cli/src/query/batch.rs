//! `touchstone query --batch`: many queries in parallel, results in the order of the queries.

use super::{LanguageName, QueryArgs, show};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Outcome as Ran, Session, Settings};
use touchstone_kb::Progress;

/// How many queries are read ahead: memory stays bounded, whatever the size of the file.
const CHUNK: usize = 1024;

pub(super) fn run(
    session: &Session<'_>,
    file: &str,
    out: &Path,
    settings: &Settings,
    args: &QueryArgs,
) -> Result<Outcome> {
    let reserved = if out == Path::new("-") { None } else { Some(output::file(out, args.force)?) };
    let bar = Bar::new();
    let cancel = bar.cancel();
    let input: Box<dyn BufRead + Send + '_> = if file == "-" {
        bar.stage("running standard input", None);
        Box::new(std::io::BufReader::new(std::io::stdin()))
    } else {
        let path = Path::new(file);
        if !path.is_file() {
            bail!("there is no file `{}`", output::shortened(file));
        }
        bar.stage(&format!("running {file}"), path.metadata().ok().map(|meta| meta.len()));
        touchstone_kb::import::open(path, &bar)?
    };
    let threads = args.jobs.unwrap_or(0);
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let work = |output: &mut dyn Write| -> Result<()> {
        let mut lines = input.split(b'\n').enumerate();
        loop {
            let mut chunk: Vec<(usize, Vec<u8>)> = Vec::new();
            for (number, line) in lines.by_ref() {
                let line = line.with_context(|| format!("cannot read {file}"))?;
                if !line.trim_ascii().is_empty() {
                    chunk.push((number + 1, line));
                }
                if chunk.len() == CHUNK {
                    break;
                }
            }
            if chunk.is_empty() {
                return Ok(());
            }
            let results: Vec<(&'static str, Vec<u8>)> = pool.install(|| {
                let one = |(number, line): &(usize, Vec<u8>)| {
                    answered(session, *number, line, settings, args, &cancel)
                };
                chunk.par_iter().map(one).collect()
            });
            if bar.cancelled() {
                bail!("stopped; nothing was written");
            }
            for (outcome, line) in results {
                *counts.entry(outcome).or_default() += 1;
                output.write_all(&line)?;
                output.write_all(b"\n")?;
            }
        }
    };
    match reserved {
        None => {
            let mut stdout = BufWriter::new(output::data());
            work(&mut stdout)?;
            stdout.flush()?;
        }
        // Aside first: whoever finds the file finds all of it.
        Some(file) => {
            let mut writer = BufWriter::new(file);
            work(&mut writer)?;
            writer
                .into_inner()
                .map_err(|error| error.into_error())
                .context("cannot write the results")?
                .commit()?;
        }
    }
    drop(bar);
    let total: u64 = counts.values().sum();
    if args.json {
        let counts: serde_json::Map<String, Json> =
            counts.iter().map(|(k, n)| ((*k).to_owned(), json!(n))).collect();
        output::note(&serde_json::to_string(&json!({ "queries": total, "outcomes": counts }))?);
    } else {
        let parts: Vec<String> =
            counts.iter().map(|(k, &n)| format!("{} {}", output::count(n), k.replace('_', " "))).collect();
        output::note(&format!("{}: {}", output::counted(total, "query", "queries"), parts.join(", ")));
    }
    let all = counts.get("answered").copied().unwrap_or(0) == total;
    Ok(if all && total > 0 { Outcome::Done } else { Outcome::NothingFound })
}

/// One line of the file.
fn answered(
    session: &Session<'_>,
    number: usize,
    line: &[u8],
    settings: &Settings,
    args: &QueryArgs,
    cancel: &Cancel,
) -> (&'static str, Vec<u8>) {
    let bad = |id: Option<&Json>, why: String| {
        let id = id.cloned().unwrap_or(Json::Null);
        let line = json!({ "id": id, "outcome": "unparsable", "error": format!("line {number}: {why}") });
        ("unparsable", line.to_string().into_bytes())
    };
    let record: Json = match serde_json::from_slice(line) {
        Ok(record) => record,
        Err(error) => return bad(None, format!("no JSON: {error}")),
    };
    let id = record.get("id");
    let Some(query) = record.get("query").and_then(Json::as_str) else {
        return bad(
            id,
            "there is no text `query`; a line is {\"id\": ..., \"lang\": ..., \"query\": ...}".to_owned(),
        );
    };
    let language = match record.get("lang").map(|lang| lang.as_str().unwrap_or("?")) {
        None | Some("auto") => args.run.language(query),
        Some("sexpr") => LanguageName::Sexpr.of(query),
        Some("kopl") => LanguageName::Kopl.of(query),
        Some("sparql") => LanguageName::Sparql.of(query),
        Some(other) => {
            return bad(id, format!("the language `{other}` is none of auto, sexpr, kopl, sparql"));
        }
    };
    let reply = session.run(language, query, settings, cancel);
    let word = match &reply.outcome {
        Ran::Answered(_) => "answered",
        other => other.word(),
    };
    let id = Some(id.unwrap_or(&Json::Null));
    match serde_json::to_vec(&show::AsJson { reply: &reply, id }) {
        Ok(line) => (word, line),
        Err(error) => bad(id, error.to_string()),
    }
}
