//! `touchstone lexicon`.

use crate::output::counted;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::english::{LexiconFilter, ListedEntries, lexicon_toml};

/// Arguments of `touchstone lexicon`.
#[derive(Args)]
pub(crate) struct LexiconArgs {
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    kb: String,
    /// A lexicon to complete with derived words
    #[arg(long, value_name = "FILE.toml")]
    lexicon: Option<PathBuf>,
    /// Only words that were derived from labels that may sound wrong
    #[arg(long)]
    doubtful: bool,
    /// The most doubtful entries first, then those that are used most
    #[arg(long)]
    worst_first: bool,
    /// Maximum number of entries
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Write the TOML to a file instead of standard output
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Replace the file even if Touchstone did not write it
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LexiconArgs) -> Result<Outcome> {
    let kb = crate::open_kb::open_kb(&args.kb)?;
    let lexicon = super::lexicon(args.lexicon.as_deref(), &kb)?;
    let filter = LexiconFilter { doubtful: args.doubtful, worst_first: args.worst_first, limit: args.limit };
    let ListedEntries { entries, all, doubtful } = lexicon.listed(&kb, filter);
    if args.json {
        output::json(&entries)?;
    } else {
        let toml = lexicon_toml(&entries);
        match &args.out {
            Some(path) => {
                output::write_file(output::file(path, args.force)?, toml.as_bytes())?;
                say!("{} written to {}", counted(entries.len(), "entry", "entries"), path.display())?;
            }
            None => output::text(toml)?,
        }
    }
    match doubtful {
        0 => note!("All {} look right", counted(all, "entry", "entries")),
        _ => note!(
            "{} of {} are derived from labels that may sound wrong; edit them and give the file to --lexicon",
            output::count(doubtful),
            counted(all, "entry", "entries")
        ),
    }
    Outcome::found(!entries.is_empty())
}
