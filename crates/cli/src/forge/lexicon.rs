//! `touchstone lexicon`.

use crate::output::counted;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::english::{LexiconEntry, lexicon_toml, worst_first};

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
    let mut entries: Vec<LexiconEntry> = lexicon.entries(&kb);
    let (n_all, n_doubtful) =
        (entries.len(), entries.iter().filter(|entry| !entry.doubts.is_empty()).count());
    entries.retain(|entry| !args.doubtful || !entry.doubts.is_empty());
    if args.worst_first {
        worst_first(&mut entries);
    }
    entries.truncate(args.limit.unwrap_or(usize::MAX));
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
    note!(
        "{} of {} are derived from labels that may sound wrong; edit them and give the file to --lexicon",
        output::count(n_doubtful),
        counted(n_all, "entry", "entries")
    );
    Outcome::found(!entries.is_empty())
}
