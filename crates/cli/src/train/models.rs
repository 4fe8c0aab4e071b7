//! `touchstone models`.

use super::scales;
use crate::output::{self, count};
use anyhow::Result;
use clap::Args;
use touchstone_kb::counts::abbreviated;
use touchstone_models::systems;
use touchstone_terminal::Table;
use touchstone_train::settings::ModelScale;
use touchstone_train::{SystemInfo, TrainingCost, system_named};

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
    let mut table = Table::new(&["system", "learns", "smoke", "small", "paper"]);
    for system in &systems {
        let about = system.about();
        let learns = about.needs.form.map_or("answers", |form| form.short());
        let [smoke, small, paper] = ModelScale::ALL.map(|scale| size_and_time(&system.cost(scale)));
        table.add_row([about.name, learns, &smoke, &small, &paper]);
    }
    output::text(&table)?;
    for system in &systems {
        let about = system.about();
        output::item(&format!("{}: {}. {}.", about.name, about.description, about.paper), 2)?;
    }
    let small = systems.first().map_or(0, |system| system.cost(ModelScale::Small).words);
    output::prose(&format!(
        "For each scale: the number of parameters, and the expected time of training on two cores. Parameters grow with the vocabulary: at \
         `small` they are counted with {} words on each side. `touchstone models SYSTEM` lists the settings of a system.",
        count(small)
    ))
}

/// The number of parameters, and the expected time on two cores.
fn size_and_time(cost: &TrainingCost) -> String {
    let time = cost.time.split(" on two cores").next().unwrap_or_default();
    format!("{}, {time}", abbreviated(cost.parameters))
}
