//! The commands about logical forms: `convert`, `shape`, `match`, `level`.

pub(crate) mod convert;
pub(crate) mod level;
pub(crate) mod matching;
pub(crate) mod shape;

use crate::output;
use crate::progress::Bar;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use rayon::prelude::*;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use touchstone_benchmark::Question;
use touchstone_datasets::{Format, Item, Record, Records};
use touchstone_kb::Progress;
use touchstone_logic::Language;

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Guessed from the records
    Auto,
    /// GrailQA: graph_query, s_expression
    Grailqa,
    /// ComplexWebQuestions: sparql
    Cwq,
    /// WebQSP: Parses with Sparql
    Webqsp,
    /// KQA Pro: program, sparql
    Kqapro,
    /// LC-QuAD: sparql_query
    Lcquad,
    /// QALD: query with sparql
    Qald,
    /// S-expressions, one a line or in JSON
    Sexpr,
    /// SPARQL queries, as text or in JSON
    Sparql,
    /// KoPL programs, one a line or in JSON
    Kopl,
}

impl FormatName {
    pub(crate) fn format(self) -> Format {
        match self {
            FormatName::Auto => Format::Any,
            FormatName::Grailqa => Format::GrailQa,
            FormatName::Cwq => Format::Cwq,
            FormatName::Webqsp => Format::WebQsp,
            FormatName::Kqapro => Format::KqaPro,
            FormatName::Lcquad => Format::LcQuad,
            FormatName::Qald => Format::Qald,
            FormatName::Sexpr => Format::Plain(Language::Sexpr),
            FormatName::Sparql => Format::Plain(Language::Sparql),
            FormatName::Kopl => Format::Plain(Language::Kopl),
        }
    }
}

/// Number of records that are read ahead: memory stays bounded, whatever the size of the file.
const BATCH: usize = 4096;

/// A file must be there, where nothing else than a file makes sense.
pub(crate) fn must_exist(file: &str) -> Result<()> {
    if file != "-" && !Path::new(file).exists() {
        bail!("there is no file `{}`", output::shortened(file));
    }
    Ok(())
}

/// Reads the records of a file (`-` is standard input), works on them in parallel, and hands on the results in the order of the file.
pub(crate) fn each_record<T: Send>(
    file: &str,
    work: impl Fn(&Record) -> T + Sync,
    mut hand_on: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let bar = Bar::new();
    let questions = questions_of(file);
    let path = questions.as_deref().unwrap_or(Path::new(file));
    let reader: Box<dyn BufRead + Send + '_> = if file == "-" {
        bar.stage("reading standard input", None);
        Box::new(std::io::BufReader::new(std::io::stdin()))
    } else if path.is_dir() {
        bail!("{file} is a folder without a benchmark; give a file, or the folder of a benchmark");
    } else if !path.exists() && looks_like_a_form(file) {
        Box::new(file.as_bytes())
    } else if !path.exists() {
        bail!("there is no file `{}`, and it is not a logical form either", output::shortened(file));
    } else {
        bar.stage(&format!("reading {file}"), path.metadata().ok().map(|meta| meta.len()));
        touchstone_kb::import::open(path, &bar)?
    };
    let mut records = Records::new(reader);
    loop {
        let mut batch: Vec<Record> = Vec::new();
        for record in records.by_ref().take(BATCH) {
            batch.push(record.with_context(|| format!("cannot read {file}"))?);
        }
        if batch.is_empty() {
            return Ok(());
        }
        for result in batch.par_iter().map(&work).collect::<Vec<T>>() {
            hand_on(result)?;
        }
        if bar.cancelled() {
            bail!("stopped");
        }
    }
}

/// The file with the questions of a benchmark, given by its folder or itself.
pub(crate) fn questions_of(file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    let folder =
        if path.is_dir() { path } else { path.parent().filter(|_| path.ends_with("questions.jsonl"))? };
    let questions = folder.join("questions.jsonl");
    (folder.join("benchmark.json").is_file() && questions.is_file()).then_some(questions)
}

/// The question of a record, if it is a line of a benchmark of ours.
pub(crate) fn own_question(record: &Record) -> Option<Question> {
    let may_be = record.json && record.text.contains("\"schema_items\"");
    if may_be { serde_json::from_str(&record.text).ok() } else { None }
}

/// A logical form given in place of a file.
fn looks_like_a_form(text: &str) -> bool {
    text.contains(['(', '{', '[']) || text.contains("<arg>") || text.contains("<func>")
}

/// A question of a record, or its line and what is wrong.
pub(crate) fn item(format: Format, record: &Record) -> Result<Item, (String, String)> {
    format.item(record).map_err(|error| (record.line.to_string(), error.to_string()))
}

/// The reasons why records were left out, most frequent first.
#[derive(Default)]
pub(crate) struct Reasons {
    counts: std::collections::BTreeMap<String, (usize, String)>,
    pub(crate) total: usize,
}

impl Reasons {
    pub(crate) fn add(&mut self, id: &str, reason: String) {
        self.total += 1;
        // Line and column differ from record to record.
        let general = match reason.split_once(": ") {
            Some((place, rest)) if place.starts_with("line ") => {
                rest.split(" in `").next().unwrap_or(rest).to_owned()
            }
            _ => reason,
        };
        self.counts.entry(general).or_insert_with(|| (0, id.to_owned())).0 += 1;
    }

    /// How often each occurred.
    pub(crate) fn by_reason(&self) -> std::collections::BTreeMap<String, u64> {
        self.counts.iter().map(|(reason, (count, _))| (reason.clone(), *count as u64)).collect()
    }

    /// Reports the ten most frequent.
    pub(crate) fn tell(&self, what: &str) {
        if self.total == 0 {
            return;
        }
        output::note(&format!("{} {what}:", output::counted(self.total as u64, "record", "records")));
        let mut sorted: Vec<_> = self.counts.iter().collect();
        sorted.sort_by_key(|(reason, (count, _))| (std::cmp::Reverse(*count), *reason));
        for (reason, (count, id)) in sorted.iter().take(10) {
            output::note(&format!("  {} {reason} (first: {id})", output::count(*count)));
        }
        if sorted.len() > 10 {
            output::note(&format!("  and {} other reasons", sorted.len() - 10));
        }
    }
}

/// A share of a whole in percent.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}
