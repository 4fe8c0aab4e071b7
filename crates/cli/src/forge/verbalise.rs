//! `touchstone verbalise`.

use crate::output;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_forge::english::verbalise_form;

/// Arguments of `touchstone verbalise`.
#[derive(Args)]
pub(crate) struct VerbaliseArgs {
    /// A logical form
    #[arg(value_name = "QUERY")]
    query: String,
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    kb: String,
    /// Seed that chooses among phrasings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ask for one thing, not for several
    #[arg(long)]
    one: bool,
    /// Words for the KB, instead of those that come with it or are derived from its labels
    #[arg(long, value_name = "FILE.toml")]
    lexicon: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &VerbaliseArgs) -> Result<()> {
    let kb = crate::open_kb::open_kb(&args.kb)?;
    let lexicon = super::lexicon(args.lexicon.as_deref(), &kb)?;
    let verbalised = verbalise_form(&args.query, &kb, &lexicon, !args.one, args.seed)?;
    if args.json { output::json(&verbalised) } else { output::text(&verbalised.text) }
}
