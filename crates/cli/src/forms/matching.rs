//! `touchstone match`.

use super::{KnowledgeArgs, Known, Reasons, each_record, percent};
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use touchstone_datasets::{Format, Record};
use touchstone_logic::Knowledge;
use touchstone_logic::Ontology;
use touchstone_logic::equal::{Canonical, OfficialMatcher};

#[derive(Args)]
pub(crate) struct MatchArgs {
    /// Lines of {"id", "gold", "predicted"}, or `-` for standard input
    #[arg(value_name = "PAIRS.jsonl|-")]
    file: String,
    /// What equal means: `official` is GrailQA's exact match, `canonical` is ours, across languages
    #[arg(long, value_enum, default_value_t = Mode::Canonical)]
    mode: Mode,
    /// With `official`: repeat the known mistake of the published evaluator
    #[arg(long)]
    legacy: bool,
    #[command(flatten)]
    known: KnowledgeArgs,
    /// Print a JSON line {"id", "equal", "why"} for each pair
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Official,
    Canonical,
}

#[derive(Deserialize)]
struct Pair {
    #[serde(alias = "qid")]
    id: Option<serde_json::Value>,
    #[serde(alias = "s_expression")]
    gold: serde_json::Value,
    #[serde(alias = "logical_form", alias = "pred")]
    predicted: serde_json::Value,
}

#[derive(Serialize)]
struct VerdictJson {
    id: String,
    equal: bool,
    why: Option<String>,
}

pub(crate) fn run(args: &MatchArgs) -> Result<Outcome> {
    let known = args.known.open()?;
    if args.mode == Mode::Official && known.ontology.is_none() {
        bail!(
            "official exact match needs the ontology: give --ontology DIR with fb_roles, fb_types and reverse_properties"
        );
    }
    if args.legacy && args.mode != Mode::Official {
        bail!("--legacy repeats a mistake of the official evaluator; give --mode official");
    }
    let knowledge = known.knowledge();
    let (mut total, mut equal) = (0usize, 0usize);
    let (mut broken, mut different) = (Reasons::default(), Reasons::default());
    each_record(
        &args.file,
        |record| verdict(args, record, &known, &knowledge),
        |result| {
            total += 1;
            match result {
                Ok(verdict) => {
                    equal += usize::from(verdict.equal);
                    if args.json {
                        output::json_line(&verdict)?;
                    }
                    if !verdict.equal {
                        different.add(&verdict.id, verdict.why.unwrap_or_else(|| "different".to_owned()));
                    }
                }
                Err((line, error)) => {
                    if args.json {
                        output::json_line(&serde_json::json!({"line": line, "error": error}))?;
                    }
                    broken.add(&format!("line {line}"), error);
                }
            }
            Ok(())
        },
    )?;
    if !args.json {
        let mut table = output::table(&["pairs", "equal", "share"]);
        table.add_row([output::count(total), output::count(equal), percent(equal, total)]);
        output::text(&format!("{table}\n"))?;
        different.tell("that differ");
    }
    broken.tell("that are not pairs; expected {\"id\", \"gold\", \"predicted\"}");
    if total == 0 {
        output::note(&format!("there is no pair in {}", args.file));
    }
    Ok(if broken.total > 0 || total == 0 { Outcome::NothingFound } else { Outcome::Done })
}

fn verdict(
    args: &MatchArgs,
    record: &Record,
    known: &Known,
    knowledge: &Knowledge<'_>,
) -> Result<VerdictJson, (usize, String)> {
    let pair: Pair = serde_json::from_str(&record.text)
        .map_err(|_| (record.line, "no object with `gold` and `predicted`".to_owned()))?;
    let id = pair.id.map_or_else(
        || record.line.to_string(),
        |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned),
    );
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if pair.predicted.is_null() {
        return Ok(VerdictJson {
            id,
            equal: false,
            why: Some("predicted: there is no prediction".to_owned()),
        });
    }
    let (gold, predicted) = (text(&pair.gold), text(&pair.predicted));
    let (equal, why) = match (args.mode, &known.ontology) {
        (Mode::Official, Some(ontology)) => official(ontology, args.legacy, &gold, &predicted),
        _ => canonical(record.line, &gold, &predicted, known, knowledge),
    };
    Ok(VerdictJson { id, equal, why })
}

/// Whether a text is something else than an S-expression, which the official reader would take for one token.
fn is_other_language(text: &str) -> bool {
    !text.trim_start().starts_with('(') && text.trim().contains(char::is_whitespace)
}

fn official(ontology: &Ontology, legacy: bool, gold: &str, predicted: &str) -> (bool, Option<String>) {
    for (side, text) in [("gold", gold), ("predicted", predicted)] {
        if is_other_language(text) {
            return (
                false,
                Some(format!(
                    "{side}: official compares S-expressions; give --mode canonical for other languages"
                )),
            );
        }
    }
    let verdict = OfficialMatcher::new(ontology).legacy(legacy).explain(gold, predicted);
    (verdict.equal, verdict.why)
}

fn canonical(
    line: usize,
    gold: &str,
    predicted: &str,
    known: &Known,
    knowledge: &Knowledge<'_>,
) -> (bool, Option<String>) {
    let form = |text: &str| {
        let record = Record { line, text: text.to_owned(), json: false };
        let item = Format::Any.item(&record).map_err(|error| error.to_string())?;
        let reading = item.source.read(knowledge).map_err(|error| error.to_string())?;
        Ok::<_, String>(Canonical::of(&reading.query, known.inverses()))
    };
    match (form(gold), form(predicted)) {
        (Ok(gold), Ok(predicted)) => {
            let verdict = gold.compare(&predicted);
            (verdict.equal, verdict.why)
        }
        (Err(error), _) => (false, Some(format!("gold: {error}"))),
        (_, Err(error)) => (false, Some(format!("predicted: {error}"))),
    }
}
