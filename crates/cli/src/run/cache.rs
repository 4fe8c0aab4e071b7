//! `touchstone cache`.

use crate::{Outcome, done, output};
use anyhow::Result;
use clap::{Args, Subcommand};
use touchstone_run::{Cache, CacheInfo};
use touchstone_terminal::Table;

/// Subcommands of `touchstone cache`.
#[derive(Subcommand)]
pub(crate) enum CacheCommand {
    /// Where replies are kept, and how many.
    Info(InfoArgs),
    /// Show everything that the key of a cached reply depends on. Predictions name theirs under `cache`.
    Explain(ExplainArgs),
}

/// Arguments of `touchstone cache info`.
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `touchstone cache explain`.
#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// The value of `cache` in a prediction
    #[arg(value_name = "KEY")]
    key: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: &CacheCommand) -> Result<Outcome> {
    let folder = touchstone_kb::cache_dir().join("replies");
    match command {
        CacheCommand::Info(args) => {
            let info = Cache::new(&folder).info();
            if args.json {
                return done(output::json(&info));
            }
            let CacheInfo { folder, replies, bytes } = &info;
            let (replies, size) = (output::counted(*replies, "reply", "replies"), output::megabytes(*bytes));
            done(output::prose(&format!(
                "{replies}, {size}, in {}; delete the folder to clear the cache",
                folder.display()
            )))
        }
        CacheCommand::Explain(args) => {
            let Some(kept) = Cache::new(&folder).get(&args.key) else {
                note!("no cached reply has the key `{}`", output::shortened(&args.key));
                return Ok(Outcome::NothingFound);
            };
            if args.json {
                return done(output::json(&kept));
            }
            let mut table = Table::new(&["part of the key", "value"]);
            let key = &kept.key;
            table.add_row(["system", &key.system]);
            table.add_row(["version", &key.version]);
            table.add_row(["KB", &key.kb]);
            table.add_row(["question", &serde_json::to_string(&key.asked)?]);
            table.add_row(["reply", &serde_json::to_string(&kept.reply)?]);
            done(output::text(&table))
        }
    }
}
