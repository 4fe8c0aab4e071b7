//! `touchstone studio`: the web application.

use crate::open_kb::KbArg;
use crate::output::counted;
use crate::progress::Bar;
use crate::run::opened_systems;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use touchstone_engine::budget::Limits;
use touchstone_studio::{Studio, StudioFolder, StudioOptions, serve_studio};

/// Arguments of `touchstone studio`.
#[derive(Args)]
pub(crate) struct StudioArgs {
    /// The folder of the studio: stored queries and feedback. A new or empty one is set up
    #[arg(long, value_name = "DIR", default_value = "touchstone-studio")]
    dir: PathBuf,
    #[command(flatten)]
    kb: KbArg,
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// A system for the ask page with its name there, such as mine=command:./mine or model=model:DIR; repeat it for several
    #[arg(long = "system", value_name = "NAME=SYSTEM")]
    systems: Vec<String>,
    /// The benchmark that the systems of --system are made for; some learn from its training split
    #[arg(long, value_name = "DIR")]
    benchmark: Option<PathBuf>,
    /// Maximum number of seconds for a query
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    max_time: f64,
    /// Maximum number of operations for a query
    #[arg(long, default_value_t = Limits::default().operations, value_name = "N")]
    max_operations: u64,
    /// Maximum number of answers to a query
    #[arg(long, default_value_t = Limits::default().rows, value_name = "N")]
    max_rows: u64,
    /// Maximum number of megabytes that a query may hold in memory
    #[arg(long, default_value_t = Limits::default().memory >> 20, value_name = "MB")]
    max_memory: u64,
    /// Answer requests to this host name, too; for a tunnel or a proxy on this machine
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Open the studio in the browser
    #[arg(long)]
    open: bool,
}

pub(crate) fn run(args: &StudioArgs) -> Result<()> {
    let time = Duration::try_from_secs_f64(args.max_time).ok().filter(|time| !time.is_zero());
    let time =
        time.with_context(|| format!("--max-time {}: give a number of seconds above 0", args.max_time))?;
    let systems: Vec<(String, String)> =
        args.systems.iter().map(|system| named_system(system)).collect::<Result<_>>()?;
    // The server lives as long as the program.
    let kb = Box::leak(Box::new(args.kb.open()?));
    let folder = StudioFolder::open(&args.dir, &kb.manifest().fingerprint)?;
    if let Some(other) = folder.other_kb() {
        note!("{} was used with another KB before (fingerprint {other})", args.dir.display());
    }
    let options = StudioOptions {
        address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), args.port),
        limits: Limits {
            operations: args.max_operations,
            rows: args.max_rows,
            memory: args.max_memory.saturating_mul(1 << 20),
            time,
        },
        hosts: args.hosts.clone(),
        ..StudioOptions::default()
    };
    let (benchmark, kb_name) = (args.benchmark.clone(), args.kb.name().to_owned());
    let shared: &'static touchstone_kb::Kb = kb;
    let open_systems = move || {
        let opened = opened_systems(shared, &kb_name, benchmark, &systems);
        opened.map_err(|error| {
            note!("the ask page cannot be used: {error:#}");
            format!("{error:#}")
        })
    };
    let bar = Bar::new();
    let studio = Studio::new(shared, folder);
    let served = serve_studio(studio, &options, Box::new(open_systems), &bar.cancel(), |address| {
        let address = format!("http://{address}/");
        note!("the studio is at {address} (only for this machine); Ctrl-C stops it");
        if args.open {
            crate::run::demo::open(address.as_ref());
        }
    })?;
    note!("stopped after {}", counted(served.all, "connection", "connections"));
    Ok(())
}

/// A system with its name: `NAME=SYSTEM`.
fn named_system(text: &str) -> Result<(String, String)> {
    match text.split_once('=') {
        Some((name, system)) if !name.trim().is_empty() && !system.is_empty() => {
            Ok((name.trim().to_owned(), system.to_owned()))
        }
        _ => bail!("--system {text}: write it like mine=command:./mine"),
    }
}

#[cfg(test)]
mod tests {
    use super::named_system;

    #[test]
    fn systems_have_names() {
        let (name, system) = named_system("mine=command:./mine --x=1").expect("a name");
        assert_eq!((name.as_str(), system.as_str()), ("mine", "command:./mine --x=1"));
        assert!(
            named_system("nearest").is_err()
                && named_system("=nearest").is_err()
                && named_system("a=").is_err()
        );
    }
}
