//! All tests of the engines, in one program, because linking takes most of the time.
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
mod exact;
mod kopl_peer;
mod native_differential;
mod programs;
mod programs_planned;
mod real_data;
mod shortcuts;
mod sparql_differential;
mod sparql_formats;
mod sparql_hostile;
mod sparql_support;
mod support;
