//! `touchstone models`.

use super::scales;
use crate::output::{self, count};
use anyhow::Result;
use clap::Args;
use touchstone_kb::counts::abbreviated;
use touchstone_models::systems;
use touchstone_terminal::Table;
use touchstone_train::settings::ModelScale;
use touchstone_train::{SystemInfo, system_named};

/// Arguments of `touchstone models`.
#[derive(Args)]
pub(crate) struct ModelsArgs {
    /// List the settings of this system; without it list all systems
    #[arg(value_name = "SYSTEM")]
    system: Option<String>,
    /// The scale whose settings are listed
    #[arg(long, default_value = "small", value_parser = scales())]
    scale: ModelScale,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ModelsArgs) -> Result<()> {
    let systems = systems();
    if let Some(name) = &args.system {
        let system = system_named(&systems, name)?;
        if args.json {
            return output::json(&SystemInfo::of(system));
        }
        let about = system.about();
        output::prose(&format!("{}: {}. {}.", about.name, about.description, about.paper))?;
        say!("# scale {}; change settings with --set or --config", args.scale)?;
        return output::text(system.settings(args.scale).to_string());
    }
    if args.json {
        let rows: Vec<SystemInfo> = systems.iter().map(|system| SystemInfo::of(&**system)).collect();
        return output::json(&rows);
    }
    let mut table = Table::new(&["system", "learns", "parameters", "small", "paper"]);
    for system in &systems {
        let about = system.about();
        let learns = about.needs.form.map_or("answers", |form| form.words());
        let [smoke, small, paper] = ModelScale::ALL.map(|scale| system.cost(scale).parameters);
        let smoke = format!("smoke {}", abbreviated(smoke));
        table.add_row([
            about.name,
            learns.split(" (").next().unwrap_or_default(),
            &smoke,
            &abbreviated(small),
            &abbreviated(paper),
        ]);
    }
    output::text(&table)?;
    for system in &systems {
        let about = system.about();
        output::item(&format!("{}: {}. {}.", about.name, about.description, about.paper), 2)?;
    }
    let small = systems.first().map_or(0, |system| system.cost(ModelScale::Small).words);
    output::prose(&format!(
        "Parameters grow with the vocabulary: at `small` they are counted with {} words on each side. `smoke` trains in seconds, `small` in \
         about three minutes on two cores, `paper` in days to weeks. `touchstone models SYSTEM` lists the settings of a system.",
        count(small)
    ))
}
