//! The web application over HTTP: a real server on a loopback port, every route of the table.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod asking;
mod client;
mod hostile;
mod pages;
mod security;
mod twins;
