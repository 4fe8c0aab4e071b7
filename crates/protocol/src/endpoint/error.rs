//! Errors of endpoints, with their details and without secrets.

use std::time::Duration;
use touchstone_engine::budget::Stopped;

/// Why there is no answer. Addresses are shown without their query part; credentials are never shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The address cannot be used.
    #[error("endpoint address {url}: {reason}")]
    Address {
        /// The address, without user, password and query part.
        url: String,
        /// What is wrong, and how to correct it.
        reason: String,
    },
    /// The credentials in the environment cannot be used.
    #[error("credentials: {reason}")]
    Credentials {
        /// What is wrong; it names variables, not their values.
        reason: String,
    },
    /// The text is not a query that can be sent, or not of the expected kind.
    #[error("not {expected}: {found}")]
    Query {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The connection failed or broke, also when it was tried again.
    #[error("{url}: {message} ({})", tries(*attempts))]
    Connection {
        /// The endpoint.
        url: String,
        /// The number of attempts.
        attempts: u32,
        /// The error of the last attempt.
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
    /// The server refused the request, or failed.
    #[error("{url}: HTTP status {status} ({}): {message}", tries(*attempts))]
    Status {
        /// The endpoint.
        url: String,
        /// The status.
        status: u16,
        /// The number of attempts.
        attempts: u32,
        /// The server's message, shortened.
        message: String,
    },
    /// The server redirects to an address that is not followed.
    #[error("{url}: redirected to {to}: {reason}")]
    Redirect {
        /// The endpoint.
        url: String,
        /// The target, without its query part.
        to: String,
        /// Why it is not followed.
        reason: &'static str,
    },
    /// The answer is in an unknown format; often it is a web page.
    #[error("{url}: the answer is {found}, not {expected}: is this the address of a SPARQL endpoint?")]
    ContentType {
        /// The endpoint.
        url: String,
        /// The media type received.
        found: String,
        /// What was requested.
        expected: &'static str,
    },
    /// The answer cannot be read.
    #[error("{url}: the answer cannot be read: {message}")]
    Malformed {
        /// The endpoint.
        url: String,
        /// The parser's message.
        message: String,
    },
    /// The server stopped the query because of its own time limit. Anything that it sent is incomplete and was discarded.
    #[error("{url}: the server interrupted the query ({state}): {message}")]
    Interrupted {
        /// The endpoint.
        url: String,
        /// Its SQL state, such as S1TAT.
        state: String,
        /// The server's message, shortened.
        message: String,
    },
    /// The server truncates results, and the remaining rows could not be obtained.
    #[error("{url}: the result was truncated at {received} of {} rows: {reason}", expected.map_or("more".to_owned(), |n| n.to_string()))]
    Capped {
        /// The endpoint.
        url: String,
        /// The rows received.
        received: u64,
        /// The number of rows that exist, if the server reported it.
        expected: Option<u64>,
        /// The server's maximum number of rows, if it reported one.
        cap: Option<u64>,
        /// Why the remaining rows could not be obtained.
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
