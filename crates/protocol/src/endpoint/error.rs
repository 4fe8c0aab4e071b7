//! What can go wrong with an endpoint, with the figures and without secrets.

use std::time::Duration;
use touchstone_engine::budget::Stopped;

/// Why there is no answer. Addresses are shown without query part; credentials never are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The address cannot be used.
    #[error("endpoint address {url}: {reason}")]
    Address {
        /// The address, without user, password and query part.
        url: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The credentials in the environment cannot be used.
    #[error("credentials: {reason}")]
    Credentials {
        /// What is wrong: names of variables only.
        reason: String,
    },
    /// The text is not a query that can be sent, or not one of the kind that was asked for.
    #[error("not {expected}: {found}")]
    Query {
        /// What was needed.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// No connection, or it broke, and trying again did not help.
    #[error("{url}: {message} ({})", tries(*attempts))]
    Connection {
        /// The endpoint.
        url: String,
        /// How often it was tried.
        attempts: u32,
        /// What the last attempt said.
        message: String,
    },
    /// No complete answer within the time allowed for one request.
    #[error("{url}: no answer within {:.1} s", after.as_secs_f64())]
    Timeout {
        /// The endpoint.
        url: String,
        /// The time allowed.
        after: Duration,
    },
    /// The server refused, or failed.
    #[error("{url}: HTTP status {status} ({}): {message}", tries(*attempts))]
    Status {
        /// The endpoint.
        url: String,
        /// The status.
        status: u16,
        /// How often it was tried.
        attempts: u32,
        /// The server's words, cut.
        message: String,
    },
    /// The server sends us somewhere we do not go.
    #[error("{url}: redirected to {to}: {reason}")]
    Redirect {
        /// The endpoint.
        url: String,
        /// Where to, without query part.
        to: String,
        /// Why not.
        reason: &'static str,
    },
    /// The answer is in a format that is not understood; often a web page.
    #[error("{url}: the answer is {found}, not {expected}: is this the address of a SPARQL endpoint?")]
    ContentType {
        /// The endpoint.
        url: String,
        /// The media type received.
        found: String,
        /// What was asked for.
        expected: &'static str,
    },
    /// The answer cannot be read.
    #[error("{url}: the answer cannot be read: {message}")]
    Malformed {
        /// The endpoint.
        url: String,
        /// What the parser said.
        message: String,
    },
    /// The server stopped the query because of a time limit of its own. What it sent, if anything, is incomplete and was dropped.
    #[error("{url}: the server interrupted the query ({state}): {message}")]
    Interrupted {
        /// The endpoint.
        url: String,
        /// Its SQL state, like S1TAT.
        state: String,
        /// The server's words, cut.
        message: String,
    },
    /// The server cuts results, and the rest could not be had.
    #[error("{url}: the result was cut at {received} of {} rows: {reason}", expected.map_or("more".to_owned(), |n| n.to_string()))]
    Capped {
        /// The endpoint.
        url: String,
        /// The rows received.
        received: u64,
        /// The rows there are, if the server said so.
        expected: Option<u64>,
        /// The server's cap, if it said so.
        cap: Option<u64>,
        /// Why the rest could not be had.
        reason: String,
    },
    /// A limit of the budget, or a cancellation.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl EndpointError {
    /// One word for files and JSON output.
    pub fn word(&self) -> &'static str {
        match self {
            EndpointError::Address { .. } => "address",
            EndpointError::Credentials { .. } => "credentials",
            EndpointError::Query { .. } => "query",
            EndpointError::Connection { .. } => "connection",
            EndpointError::Timeout { .. } => "timeout",
            EndpointError::Status { .. } => "status",
            EndpointError::Redirect { .. } => "redirect",
            EndpointError::ContentType { .. } => "content-type",
            EndpointError::Malformed { .. } => "malformed",
            EndpointError::Interrupted { .. } => "interrupted",
            EndpointError::Capped { .. } => "capped",
            EndpointError::Stopped(stopped) => stopped.limit.word(),
        }
    }
}

fn tries(attempts: u32) -> String {
    if attempts == 1 { "tried once".to_owned() } else { format!("tried {attempts} times") }
}
