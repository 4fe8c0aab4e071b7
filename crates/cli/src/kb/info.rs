//! `touchstone kb info`.

use crate::open_kb::KbArg;
use crate::output;
use anyhow::Result;
use clap::Args;
use touchstone_kb::Kb;
use touchstone_kb::info::{KbInfo, SchemaInfo, SchemaTable};
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
    let tables = schema.tables(kb).map(|SchemaTable { headings, optional, rows }| {
        let mut table = Table::new(headings).whole(&["id"]).optional(optional);
        rows.iter().for_each(|row| table.add_row(row));
        table.to_string()
    });
    format!("\n{}\n", tables.join("\n\n"))
}
