//! `touchstone kb find`.

use crate::Outcome;
use crate::open_kb::KbArg;
use crate::output;
use anyhow::Result;
use clap::Args;
use touchstone_kb::entity_page::NodeSummary;

#[derive(Args)]
pub(crate) struct FindArgs {
    /// A name, the beginning of one, or one with typing errors
    name: String,
    #[command(flatten)]
    kb: KbArg,
    /// Maximum number of hits
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &FindArgs) -> Result<Outcome> {
    if args.name.trim().is_empty() || args.limit == 0 {
        anyhow::bail!("give a name to look for, and a limit of at least 1");
    }
    let kb = args.kb.open()?;
    let hits = kb.find_names(&args.name, args.limit);
    if args.json {
        output::json(&NodeSummary::of_hits(&kb, &hits))?;
    } else if hits.is_empty() {
        let name = output::shortened(&args.name);
        note!("no name in {} resembles `{name}`", kb.manifest().name);
    } else {
        output::text(super::hit_table(&kb, &hits))?;
    }
    Outcome::found(!hits.is_empty())
}
