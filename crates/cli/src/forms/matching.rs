//! `touchstone match`.

use super::each_record;
use crate::args::KnowledgeArgs;
use crate::output::{percent, report_reasons};
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use touchstone_datasets::ReasonCounts;
use touchstone_datasets::pairs::{Equality, PairMatcher};
use touchstone_terminal::Table;

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

pub(crate) fn run(args: &MatchArgs) -> Result<Outcome> {
    let opened = args.known.open()?;
    let known = opened.context();
    if args.legacy && args.mode != Mode::Official {
        bail!("--legacy repeats a mistake of the official evaluator; give --mode official");
    }
    let equality = match (args.mode, known.ontology()) {
        (Mode::Official, Some(ontology)) => Equality::Official { ontology, legacy: args.legacy },
        (Mode::Official, None) => bail!(
            "official exact match needs the ontology: give --ontology DIR with fb_roles, fb_types and reverse_properties"
        ),
        (Mode::Canonical, _) => Equality::Canonical { knowledge: known.knowledge().without_suggestions() },
    };
    let matcher = PairMatcher { equality };
    let (mut total, mut equal) = (0usize, 0usize);
    let (mut broken, mut different) = (ReasonCounts::default(), ReasonCounts::default());
    each_record(
        &args.file,
        |record| matcher.verdict(record),
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
                Err(error) => {
                    if args.json {
                        output::json_line(&error)?;
                    }
                    broken.add(&format!("line {}", error.line), error.to_string());
                }
            }
            Ok(())
        },
    )?;
    if !args.json {
        let mut table = Table::new(&["pairs", "equal", "share"]);
        table.add_row([output::count(total), output::count(equal), percent(equal, total)]);
        output::text(&table)?;
        report_reasons(&different, "that differ");
    }
    report_reasons(&broken, "that are not pairs; expected {\"id\", \"gold\", \"predicted\"}");
    if total == 0 {
        note!("there is no pair in {}", args.file);
    }
    Outcome::found(broken.total() == 0 && total > 0)
}
