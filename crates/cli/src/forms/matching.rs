//! `touchstone match`.

use crate::args::KnowledgeArgs;
use crate::output::{percent, report_reasons};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use touchstone_datasets::RecordInput;
use touchstone_datasets::pairs::{Equality, PairCounts, PairMatcher};
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
    let input = RecordInput::file_or_form(&args.file)?;
    let counts = matcher.match_all(&input, &Bar::new(), |verdict| match verdict {
        _ if !args.json => Ok(()),
        Ok(verdict) => output::json_line(verdict),
        Err(error) => output::json_line(error),
    })?;
    let PairCounts { total, equal, different, broken } = counts;
    if !args.json {
        let mut table = Table::new(&["pairs", "equal", "share"]);
        table.add_row([output::count(total), output::count(equal), percent(equal, total)]);
        output::text(&table)?;
        report_reasons(&different, "that differ");
    }
    report_reasons(&broken, "that are not pairs; expected {\"id\", \"gold\", \"predicted\"}");
    if total == 0 {
        note!("no pairs found in {}", args.file);
    }
    Outcome::found(broken.total() == 0 && total > 0)
}
