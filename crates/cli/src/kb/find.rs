//! `touchstone kb find`.

use super::KbChoice;
use crate::Outcome;
use crate::output;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use touchstone_kb::{Kb, NameHit, NodeId};

#[derive(Args)]
pub(crate) struct FindArgs {
    /// A name, or the beginning of one, or something like one
    name: String,
    #[command(flatten)]
    kb: KbChoice,
    /// Maximum number of hits
    #[arg(long, short = 'n', default_value_t = SHOWN, value_name = "N")]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Hits that are listed unless another number is asked for.
const SHOWN: usize = 10;

impl FindArgs {
    /// What a KB calls something like this.
    pub(crate) fn of(name: &str, kb: &str, json: bool) -> FindArgs {
        FindArgs { name: name.to_owned(), kb: KbChoice { kb: kb.to_owned() }, limit: SHOWN, json }
    }
}

/// A node in a list.
#[derive(Serialize)]
pub(crate) struct HitJson<'a> {
    id: &'a str,
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    description: Option<&'a str>,
    classes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    facts: usize,
}

pub(crate) fn hit_json<'a>(kb: &'a Kb, node: NodeId, hit: Option<&'a NameHit>) -> HitJson<'a> {
    HitJson {
        id: kb.node_id(node),
        label: kb.label(node),
        name: hit.map(|hit| hit.name.as_str()),
        description: kb.description(node),
        classes: kb.classes_of(node).map(|class| kb.label(kb.class_node(class))).collect(),
        matched: hit.map(|hit| hit.matched.name()),
        score: hit.map(|hit| (hit.score * 1000.0).round() / 1000.0),
        facts: kb.degree(node),
    }
}

pub(crate) fn run(args: &FindArgs) -> Result<Outcome> {
    if args.name.trim().is_empty() || args.limit == 0 {
        anyhow::bail!("give a name to look for, and a limit of 1 at least");
    }
    let kb = args.kb.open()?;
    let hits = kb.find_names(&args.name, args.limit);
    if args.json {
        output::json(&hits.iter().map(|hit| hit_json(&kb, hit.node, Some(hit))).collect::<Vec<_>>())?;
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
pub(crate) fn hit_table(kb: &Kb, hits: &[NameHit]) -> String {
    let mut table =
        output::table(&["name", "what", "match", "facts", "id"]).whole(&["id"]).optional(&["match"]);
    for hit in hits {
        let label = kb.label(hit.node);
        let name = if hit.name == label { label.to_owned() } else { format!("{label} ({})", hit.name) };
        table.add_row([
            name,
            what(kb, hit.node),
            hit.matched.name().to_owned(),
            output::count(kb.degree(hit.node)),
            kb.node_id(hit.node).to_owned(),
        ]);
    }
    format!("{table}\n")
}

/// What a node is: its description, else its classes.
pub(crate) fn what(kb: &Kb, node: NodeId) -> String {
    match kb.description(node) {
        Some(description) => description.to_owned(),
        None if kb.as_class(node).is_some() => "class".to_owned(),
        None => {
            let classes: Vec<&str> = kb.classes_of(node).map(|c| kb.label(kb.class_node(c))).collect();
            classes.join(", ")
        }
    }
}
