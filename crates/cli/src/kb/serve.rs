//! `touchstone kb serve`: a KB as a SPARQL endpoint.

use crate::open_kb::KbArg;
use crate::output::{count, counted};
use crate::progress::Bar;
use anyhow::{Context, Result};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use touchstone_engine::Session;
use touchstone_engine::budget::Limits;
use touchstone_protocol::{ConnectionLimits, ServeOptions, serve};

/// Arguments of `touchstone kb serve`.
#[derive(Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    kb: KbArg,
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address to listen on; anything but loopback opens the KB to the network
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    bind: IpAddr,
    /// Let web pages of this origin query the KB; `*` for all origins
    #[arg(long, value_name = "ORIGIN")]
    cors: Option<String>,
    /// Maximum number of seconds for a query
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    max_time: f64,
    /// Maximum number of answers to a query
    #[arg(long, default_value_t = Limits::default().rows, value_name = "N")]
    max_rows: u64,
    /// Maximum number of queries that run at once [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Maximum number of open connections; others wait until one is closed
    #[arg(long, default_value_t = ConnectionLimits::default().at_once, value_name = "N")]
    max_connections: usize,
    /// Seconds until an idle connection, or one that has not sent a whole header, is closed
    #[arg(long, default_value_t = ConnectionLimits::default().header_time.as_secs_f64(), value_name = "SECONDS")]
    header_time: f64,
    /// Maximum number of seconds for the body of a request
    #[arg(long, default_value_t = ServeOptions::default().body_time.as_secs_f64(), value_name = "SECONDS")]
    body_time: f64,
    /// Seconds until a client that does not read its reply is disconnected
    #[arg(long, default_value_t = ConnectionLimits::default().idle_time.as_secs_f64(), value_name = "SECONDS")]
    idle_time: f64,
}

/// A time limit from the command line.
fn seconds(option: &str, value: f64) -> Result<Duration> {
    let seconds = Duration::try_from_secs_f64(value).ok().filter(|time| !time.is_zero());
    seconds.with_context(|| format!("--{option} {value}: give a number of seconds above 0"))
}

pub(crate) fn run(args: &ServeArgs) -> Result<()> {
    let defaults = ServeOptions::default();
    let options = ServeOptions {
        address: SocketAddr::new(args.bind, args.port),
        limits: Limits {
            rows: args.max_rows,
            time: seconds("max-time", args.max_time)?,
            ..Limits::default()
        },
        at_once: args.jobs.unwrap_or(defaults.at_once),
        connections: ConnectionLimits {
            at_once: args.max_connections,
            header_time: seconds("header-time", args.header_time)?,
            idle_time: seconds("idle-time", args.idle_time)?,
        },
        body_time: seconds("body-time", args.body_time)?,
        cors: args.cors.clone(),
        ..defaults
    };
    // The server lives as long as the program.
    let kb = Box::leak(Box::new(args.kb.open()?));
    let session = Box::leak(Box::new(Session::new(kb)));
    let bar = Bar::new();
    let served = serve(session, &options, &bar.cancel(), |address| {
        note!(
            "SPARQL at http://{address}/sparql (plain triples) and http://{address}/kqapro/sparql; Ctrl-C stops"
        );
        if !address.ip().is_loopback() {
            note!("anyone who can reach this machine can query the KB");
        }
    })?;
    let connections = counted(served.connections, "connection", "connections");
    note!("stopped after {connections}, at most {} of them at once", count(served.most_connections));
    Ok(())
}
