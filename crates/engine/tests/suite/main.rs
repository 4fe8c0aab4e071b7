//! All tests of the engines, in one program: linking is what takes time.
#![allow(
    missing_docs,
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::allow_attributes
)]

mod compat;
mod embedded;
mod endpoint_loopback;
mod endpoint_servers;
mod endpoint_support;
mod engines;
mod exact;
mod kopl_peer;
mod programs;
mod programs_planned;
mod real_data;
mod server;
mod shortcuts;
mod sparql_differential;
mod sparql_formats;
mod sparql_hostile;
mod sparql_support;
mod support;
mod w3c;
