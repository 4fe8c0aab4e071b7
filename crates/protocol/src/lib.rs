#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

pub mod endpoint;
mod named_engine;
mod retry_after;
pub mod server;

pub use endpoint::{Endpoint, EndpointError, EndpointSettings};
pub use named_engine::{EngineNameError, named_engine};
pub use retry_after::retry_after;
pub use server::{
    ConnectionCounts, ConnectionLimits, ServeError, ServeOptions, Served, accept, host_name, is_local_host,
    listen, serve,
};
