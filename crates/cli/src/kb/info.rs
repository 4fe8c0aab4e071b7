//! `touchstone kb info`.

use crate::open_kb::KbArg;
use crate::output::{self, count};
use anyhow::Result;
use clap::Args;
use touchstone_kb::Kb;
use touchstone_kb::info::{KbInfo, SchemaInfo};
use touchstone_terminal::Table;

#[derive(Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    kb: KbArg,
    /// Also list all classes, relations, attributes and qualifier keys
    #[arg(long)]
    schema: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &InfoArgs) -> Result<()> {
    let kb = args.kb.open()?;
    let info = KbInfo::of(&kb, args.schema);
    if args.json {
        return output::json(&info);
    }
    output::text(readable(&info))?;
    info.schema.as_ref().map_or(Ok(()), |schema| output::text(readable_schema(&kb, schema)))
}

fn readable(info: &KbInfo<'_>) -> Table {
    let mut table = Table::new(&[info.name, ""]);
    for (key, value) in info.rows() {
        table.add_row([key, &value]);
    }
    table
}

fn readable_schema(kb: &Kb, schema: &SchemaInfo<'_>) -> String {
    let or_dash = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let label_of = |id: Option<&str>| or_dash(id.and_then(|id| kb.node(id)).map(|node| kb.label(node)));
    let mut classes = Table::new(&["class", "id", "under", "members", "domain"])
        .whole(&["id"])
        .optional(&["domain", "under"]);
    for c in &schema.classes {
        let parents: Vec<String> = c.parents.iter().map(|id| label_of(Some(id))).collect();
        classes.add_row([c.label, c.id, &parents.join(", "), &count(c.members), &or_dash(c.domain)]);
    }
    let mut relations = Table::new(&["relation", "id", "backwards", "from", "to", "facts", "domain"])
        .whole(&["id"])
        .optional(&["domain", "backwards"]);
    for r in &schema.relations {
        let backwards = if r.symmetric { "(symmetric)" } else { r.inverse_label.unwrap_or("-") };
        let (from, to) = (label_of(r.from), label_of(r.to));
        relations.add_row([r.label, r.id, backwards, &from, &to, &count(r.facts), &or_dash(r.domain)]);
    }
    let mut attributes = Table::new(&["attribute", "id", "kind", "unit", "of", "facts", "domain"])
        .whole(&["id"])
        .optional(&["domain"]);
    for a in &schema.attributes {
        let (unit, of) = (or_dash(a.unit), label_of(a.from));
        attributes.add_row([a.label, a.id, a.kind, &unit, &of, &count(a.facts), &or_dash(a.domain)]);
    }
    let mut qualifiers = Table::new(&["qualifier", "id", "kind"]).whole(&["id"]);
    for q in &schema.qualifiers {
        qualifiers.add_row([q.label, q.id, q.kind]);
    }
    format!("\n{classes}\n\n{relations}\n\n{attributes}\n\n{qualifiers}\n")
}
