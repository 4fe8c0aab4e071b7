//! `touchstone kb serve`: a KB as a SPARQL endpoint.

use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use touchstone_engine::Session;
use touchstone_engine::budget::Limits;
use touchstone_engine::server::{ServeOptions, serve};

/// Arguments of `touchstone kb serve`.
#[derive(Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    choice: super::KbChoice,
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address; others than loopback open the KB to the network
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    bind: IpAddr,
    /// Pages of this origin may ask; `*` for all
    #[arg(long, value_name = "ORIGIN")]
    cors: Option<String>,
    /// Seconds that a query may take
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    max_time: f64,
    /// Answers that a query may have
    #[arg(long, default_value_t = Limits::default().rows, value_name = "N")]
    max_rows: u64,
    /// Queries that run at once [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

pub(crate) fn run(args: &ServeArgs) -> Result<Outcome> {
    if !(args.max_time > 0.0 && args.max_time.is_finite()) {
        bail!("--max-time {} is no number of seconds", args.max_time);
    }
    // The server lives as long as the program.
    let kb = Box::leak(Box::new(args.choice.open()?));
    let session = Box::leak(Box::new(Session::new(kb)));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = ServeOptions {
        address: SocketAddr::new(args.bind, args.port),
        limits: Limits {
            rows: args.max_rows,
            time: Duration::try_from_secs_f64(args.max_time).unwrap_or(Duration::MAX),
            ..Limits::default()
        },
        at_once: args.jobs.unwrap_or(cores),
        cors: args.cors.clone(),
    };
    let bar = Bar::new();
    serve(session, &options, &bar.cancel(), |address| {
        output::note(&format!(
            "SPARQL at http://{address}/sparql (plain triples) and http://{address}/kqapro/sparql; Ctrl-C stops"
        ));
        if !address.ip().is_loopback() {
            output::note("everybody who can reach this machine can ask");
        }
    })?;
    Ok(Outcome::Done)
}
