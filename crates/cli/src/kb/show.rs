//! `touchstone kb show`: the page of an entity or class.

use super::hit_table;
use crate::Outcome;
use crate::open_kb::KbArg;
use crate::output::{self, count};
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use touchstone_kb::entity_page::{EntityPage, FactGroup, NodeSummary, NotFound};
use touchstone_kb::{Kb, NodeId};
use touchstone_terminal::{Table, width, wrapped};

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// A name or an id
    name: String,
    #[command(flatten)]
    kb: KbArg,
    /// Show all facts, not only the first of each property
    #[arg(long)]
    all: bool,
    /// Show where each fact comes from
    #[arg(long)]
    sources: bool,
    /// Print JSON (always all facts)
    #[arg(long)]
    json: bool,
}

/// Facts shown of each property unless all are asked for.
const FACTS_SHOWN: usize = 5;
/// Candidates listed for an ambiguous name unless all are asked for.
const CANDIDATES_SHOWN: usize = 10;

impl ShowArgs {
    /// Maximum number of facts to show of each property.
    fn shown(&self) -> usize {
        if self.all { usize::MAX } else { FACTS_SHOWN }
    }
}

pub(crate) fn run(args: &ShowArgs) -> Result<Outcome> {
    if args.name.trim().is_empty() {
        anyhow::bail!("give the name or the id of an entity or class");
    }
    let kb = args.kb.open()?;
    let nodes = kb.nodes_meant_by(&args.name);
    let Some((&node, others)) = nodes.split_first() else { return not_found(&kb, args) };
    if args.json {
        output::json(&EntityPage::of(&kb, node, others))?;
    } else {
        output::text(page(&kb, node, args) + &candidates(&kb, others, args.all))?;
    }
    Ok(Outcome::Done)
}

fn not_found(kb: &Kb, args: &ShowArgs) -> Result<Outcome> {
    let hits = kb.find_names(&args.name, 5);
    if args.json {
        output::json(&NotFound::with(kb, &hits))?;
        return Ok(Outcome::NothingFound);
    }
    let name = output::shortened(&args.name);
    note!("{} has no entity or class with the name or id `{name}`", kb.manifest().name);
    if !hits.is_empty() {
        note!("did you mean:\n{}\n", hit_table(kb, &hits));
    }
    Ok(Outcome::NothingFound)
}

fn page(kb: &Kb, node: NodeId, args: &ShowArgs) -> String {
    let page = EntityPage::of(kb, node, &[]);
    let mut text = format!("{}  [{}]\n", page.label, page.id);
    for (key, value) in page.lines(kb, node, args.shown()) {
        text.push_str(&wrapped(&format!("{key:>12}  {value}"), "              ", width()));
    }
    for (title, to) in [("Facts", false), ("Facts that link here", true)] {
        let groups = FactGroup::all(kb, node, to);
        if !groups.is_empty() {
            let _ = writeln!(text, "\n{}", fact_table(kb, title, &groups, args, to));
        }
    }
    text
}

fn fact_table(kb: &Kb, title: &str, groups: &[FactGroup], args: &ShowArgs, to: bool) -> Table {
    let mut table = Table::new(&[title, "", ""]);
    for row in groups.iter().flat_map(|group| group.rows(kb, to, args.shown(), args.sources)) {
        table.add_row(row);
    }
    table
}

fn candidates(kb: &Kb, others: &[NodeId], all: bool) -> String {
    let Some(&first) = others.first() else { return String::new() };
    let mut table = Table::new(&["Others with this name", "what", "facts"]);
    let shown = if all { others.len() } else { CANDIDATES_SHOWN.min(others.len()) };
    for node in others[..shown].iter().map(|&other| NodeSummary::of(kb, other)) {
        table.add_row([node.id, &node.gist(), &count(node.facts)]);
    }
    let left = others.len() - shown;
    let more = if left > 0 { format!("... and {left} more (--all)\n") } else { String::new() };
    let hint = format!("Show one of them with: touchstone kb show {}", kb.node_id(first));
    format!("\n{table}\n{more}{}", wrapped(&hint, "  ", width()))
}
