#![doc = include_str!("../README.md")]

pub mod endpoint;
mod retry_after;
pub mod server;

pub use endpoint::{Endpoint, EndpointError, EndpointSettings};
pub use retry_after::retry_after;
pub use server::{ServeError, ServeOptions, Served, serve};
