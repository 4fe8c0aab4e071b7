//! `touchstone cache`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::{Args, Subcommand};
use touchstone_run::{Cache, CacheInfo};

/// Subcommands of `touchstone cache`.
#[derive(Subcommand)]
pub(crate) enum CacheCommand {
    /// Where replies are kept, and how many.
    Info(InfoArgs),
    /// What a reply is found by: everything that influences it. Predictions name theirs under `cache`.
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
                output::json(&info)?;
            } else {
                let CacheInfo { folder, replies, bytes } = &info;
                let replies = output::counted(*replies, "reply", "replies");
                output::prose(&format!(
                    "{replies}, {:.1} MB, in {}; to forget them, remove the folder",
                    *bytes as f64 / 1e6,
                    folder.display()
                ))?;
            }
            Ok(Outcome::Done)
        }
        CacheCommand::Explain(args) => {
            let Some(kept) = Cache::new(&folder).get(&args.key) else {
                output::note(&format!("no reply is kept under `{}`", output::shortened(&args.key)));
                return Ok(Outcome::NothingFound);
            };
            if args.json {
                output::json(&kept)?;
                return Ok(Outcome::Done);
            }
            let mut table = output::table(&["part of the key", "value"]);
            let key = &kept.key;
            let asked = serde_json::to_string(&key.asked)?;
            for (name, value) in
                [("system", &key.system), ("version", &key.version), ("KB", &key.kb), ("question", &asked)]
            {
                table.add_row([name, value.as_str()]);
            }
            table.add_row(["reply", &serde_json::to_string(&kept.reply)?]);
            output::text(&table.to_string())?;
            Ok(Outcome::Done)
        }
    }
}
