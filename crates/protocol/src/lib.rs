//! SPARQL over HTTP: a client for endpoints, and a server.
//!
//! [`Endpoint`] is an [`Engine`](touchstone_engine::Engine): whatever a session runs, it can run on a server that holds the KB.
//! [`serve`] offers a KB to every client of the SPARQL 1.1 protocol.

pub mod endpoint;
mod retry_after;
pub mod server;

pub use endpoint::{Endpoint, EndpointError, EndpointSettings};
pub use retry_after::retry_after;
pub use server::{ServeError, ServeOptions, Served, serve};
