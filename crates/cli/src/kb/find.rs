//! `touchstone kb find`.

use crate::Outcome;
use crate::open_kb::KbArg;
use crate::output;
use anyhow::Result;
use clap::Args;
use touchstone_kb::entity_page::NodeSummary;
use touchstone_kb::{Kb, NameHit};

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
        anyhow::bail!("give a name to look for, and a limit of 1 at least");
    }
    let kb = args.kb.open()?;
    let hits = kb.find_names(&args.name, args.limit);
    if args.json {
        output::json(&NodeSummary::of_hits(&kb, &hits))?;
    } else if hits.is_empty() {
        output::note(&format!(
            "nothing in {} is called anything like `{}`",
            kb.manifest().name,
            output::shortened(&args.name)
        ));
    } else {
        output::text(&hit_table(&kb, &hits))?;
    }
    Ok(if hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// Hits as a table.
pub(super) fn hit_table(kb: &Kb, hits: &[NameHit]) -> String {
    let mut table =
        output::table(&["name", "what", "match", "facts", "id"]).whole(&["id"]).optional(&["match"]);
    for (hit, node) in hits.iter().zip(NodeSummary::of_hits(kb, hits)) {
        let label = node.label;
        let name = if hit.name == label { label.to_owned() } else { format!("{label} ({})", hit.name) };
        table.add_row([name.as_str(), &node.gist(), hit.matched.name(), &output::count(node.facts), node.id]);
    }
    format!("{table}\n")
}
