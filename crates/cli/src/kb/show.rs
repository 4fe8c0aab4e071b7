//! `touchstone kb show`: the page of an entity or class.

use super::hit_table;
use crate::Outcome;
use crate::open_kb::KbArg;
use crate::output::{self, count};
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use touchstone_kb::entity_page::{EntityPage, FactGroup, Named, NodeSummary, NotFound};
use touchstone_kb::{Fact, Kb, NodeId, Value};
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
    let mut line = |key: &str, value: &str| {
        if !value.is_empty() {
            let line = format!("{key:>12}  {value}");
            text.push_str(&wrapped(&line, "              ", width()));
        }
    };
    let labels = |classes: &[Named<'_>]| classes.iter().map(|c| c.label).collect::<Vec<_>>().join(", ");
    line("", page.description.unwrap_or_default());
    line("also called", &page.aliases.join(" · "));
    line("is a", &labels(&page.classes));
    if let (Some(place), Some(class)) = (&page.class, kb.as_class(node)) {
        line("class under", &labels(&place.parents));
        line("above", &labels(&place.children));
        let shown = if args.all { place.members } else { FACTS_SHOWN.min(place.members) };
        let names: Vec<&str> = kb.members(class)[..shown].iter().map(|&m| kb.label(NodeId(m))).collect();
        let more = if place.members > shown { ", ..." } else { "" };
        line("members", &format!("{}: {}{more}", count(place.members), names.join(", ")));
    }
    for (title, to) in [("Facts", false), ("Facts that lead here", true)] {
        let groups = FactGroup::all(kb, node, to);
        if !groups.is_empty() {
            let _ = writeln!(text, "\n{}", fact_table(kb, title, &groups, args, to));
        }
    }
    text
}

fn fact_table(kb: &Kb, title: &str, groups: &[FactGroup], args: &ShowArgs, to: bool) -> Table {
    let mut table = Table::new(&[title, "", ""]);
    for FactGroup { name, facts } in groups {
        let shown = if args.all { facts.len() } else { FACTS_SHOWN.min(facts.len()) };
        for (at, fact) in facts[..shown].iter().enumerate() {
            let value = if to { Value::Node(fact.subject) } else { fact.value };
            let mut details = qualifiers(kb, fact);
            if let (true, Some(source)) = (args.sources, kb.fact_source(fact.id)) {
                let _ = write!(details, "{}[{source}]", if details.is_empty() { "" } else { "; " });
            }
            table.add_row([if at == 0 { name } else { "" }, &value_text(kb, value), &details]);
        }
        if shown < facts.len() {
            table.add_row(["", &format!("... and {} more (--all)", count(facts.len() - shown)), ""]);
        }
    }
    table
}

fn value_text(kb: &Kb, value: Value) -> String {
    match value {
        Value::Node(node) => kb.label(node).to_owned(),
        Value::Literal(literal) => kb.literal(literal).to_string(),
    }
}

fn qualifiers(kb: &Kb, fact: &Fact) -> String {
    let parts = kb
        .fact_qualifiers(fact.id)
        .map(|q| format!("{}: {}", kb.qualifier_label(q.key), value_text(kb, q.value)));
    parts.collect::<Vec<_>>().join("; ")
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
