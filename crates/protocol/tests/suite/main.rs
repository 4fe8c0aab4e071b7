//! All tests of the protocol, in one program: linking is what takes time.
#![allow(
    missing_docs,
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::allow_attributes
)]

mod endpoint_loopback;
mod endpoint_servers;
mod endpoint_support;
mod engines;
mod real_data;
mod server;
#[path = "../../../engine/tests/suite/support/mod.rs"]
mod support;
mod w3c;
