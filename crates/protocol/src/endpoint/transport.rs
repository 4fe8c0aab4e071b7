//! One exchange with the server: the request, redirects, and the meaning of the status.

use super::Endpoint;
use super::address::{Address, form};
use super::error::EndpointError;
use super::meter::{Meter, ReadFailure};
use super::retry::Failure;
use super::settings::Method;
use super::virtuoso;
use crate::retry_after::retry_after;
use std::io::Read;
use std::time::{Duration, SystemTime};
use touchstone_engine::budget::Limit;
use ureq::http::Response;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER, SERVER};
use ureq::{Agent, Body, BodyReader};

/// Maximum length of an address, for `GET`: servers and proxies are known to accept it.
const LONGEST_ADDRESS: usize = 2000;
const MOST_REDIRECTS: usize = 5;
/// How many bytes of an error page are read, and how many are shown.
const MESSAGE_BYTES: u64 = 16 << 10;
const MESSAGE_LINES: usize = 6;
const MESSAGE_CHARACTERS: usize = 600;
/// Number of connections kept for reuse: the largest sensible number of threads for one server.
const IDLE_CONNECTIONS: usize = 16;

/// An answer with a status of success.
pub(super) struct Reply {
    headers: HeaderMap,
    pub(super) body: BodyReader<'static>,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The media type, in lower case, without parameters.
    pub(super) fn media_type(&self) -> String {
        let value = self.header(CONTENT_TYPE.as_str()).unwrap_or("");
        value.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
    }

    /// The character set, if the reply names another one than UTF-8.
    pub(super) fn foreign_charset(&self) -> Option<String> {
        let value = self.header(CONTENT_TYPE.as_str())?.to_ascii_lowercase();
        let charset = value.split(';').find_map(|part| part.trim().strip_prefix("charset="))?;
        let charset = charset.trim_matches('"');
        (!["utf-8", "utf8", "us-ascii", "ascii"].contains(&charset)).then(|| charset.to_owned())
    }

    pub(super) fn is_virtuoso(&self) -> bool {
        self.header(SERVER.as_str()).is_some_and(|server| server.starts_with("Virtuoso"))
    }
}

/// What all requests share.
pub(super) fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        // Redirects are followed here: the query is sent again, credentials only to the same origin.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections_per_host(IDLE_CONNECTIONS)
        .max_idle_connections(IDLE_CONNECTIONS)
        .user_agent(concat!("touchstone/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

impl Endpoint {
    /// Sends a query, and returns the answer if its status is success.
    pub(super) fn send(
        &self,
        text: &str,
        accept: &str,
        attempt: u32,
        meter: &Meter<'_>,
    ) -> Result<Reply, Failure> {
        let mut pairs = vec![("query", text)];
        if let Some(graph) = &self.settings.default_graph {
            pairs.push(("default-graph-uri", graph));
        }
        let parameters = form(&pairs);
        let mut address = self.address.clone();
        for _ in 0..=MOST_REDIRECTS {
            let response = self.request(&address, &parameters, accept, attempt, meter)?;
            let status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return self.judge(response, attempt, meter);
            }
            let location =
                response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("");
            let next = address.follow(location)?;
            let refused = |reason| self.redirected(&next, reason);
            if status == 303 {
                return Err(refused("the target is another page, not the answer to the query"));
            }
            if address.is_encrypted() && !next.is_encrypted() {
                return Err(refused("the target is not encrypted"));
            }
            address = next;
        }
        Err(self.redirected(&address, "too many redirects"))
    }

    fn redirected(&self, to: &Address, reason: &'static str) -> Failure {
        EndpointError::Redirect { url: self.shown(), to: to.shown().to_owned(), reason }.into()
    }

    fn request(
        &self,
        address: &Address,
        parameters: &str,
        accept: &str,
        attempt: u32,
        meter: &Meter<'_>,
    ) -> Result<Response<Body>, Failure> {
        meter.budget().look()?;
        let timeout = self.time_allowed(meter);
        // Credentials are not sent to other hosts.
        let secret = self.credentials.header().filter(|_| address.same_place(&self.address));
        let short = address.with_parameters(parameters);
        let sent = if self.settings.method == Method::GetIfShort && short.len() <= LONGEST_ADDRESS {
            let mut request = self.agent.get(short).header(ACCEPT, accept);
            if let Some(secret) = secret {
                request = request.header(AUTHORIZATION, secret);
            }
            request.config().timeout_global(Some(timeout)).build().call()
        } else {
            let mut request = self
                .agent
                .post(address.as_uri())
                .header(ACCEPT, accept)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            if let Some(secret) = secret {
                request = request.header(AUTHORIZATION, secret);
            }
            request.config().timeout_global(Some(timeout)).build().send(parameters)
        };
        sent.map_err(|error| match error {
            ureq::Error::Timeout(_) => self.timed_out(meter),
            ureq::Error::Io(_)
            | ureq::Error::ConnectionFailed
            | ureq::Error::HostNotFound
            | ureq::Error::Protocol(_) => self.broken(error.to_string(), attempt),
            error => Failure::Permanent(self.connection(error.to_string(), attempt)),
        })
    }

    /// The time for one request.
    fn time_allowed(&self, meter: &Meter<'_>) -> Duration {
        // Not zero, which has another meaning for the HTTP client.
        self.settings.timeout.min(meter.time_left()).max(Duration::from_millis(1))
    }

    /// Whether the time of the request or of the budget is up.
    fn timed_out(&self, meter: &Meter<'_>) -> Failure {
        // The clocks are not read at the same instant, so a very short remaining time counts as none.
        if meter.time_left() < Duration::from_millis(5) {
            return meter.budget().stopped(Limit::Time).into();
        }
        EndpointError::Timeout { url: self.shown(), after: self.settings.timeout }.into()
    }

    fn connection(&self, message: String, attempts: u32) -> EndpointError {
        EndpointError::Connection { url: self.shown(), attempts, message }
    }

    fn broken(&self, message: String, attempt: u32) -> Failure {
        Failure::Temporary { error: self.connection(message, attempt), wait: None }
    }

    /// Why an answer could not be read: the error of the reader is more precise than that of the parser.
    pub(super) fn unreadable(&self, message: String, attempt: u32, meter: &Meter<'_>) -> Failure {
        match meter.take_failure() {
            Some(ReadFailure::Stopped(stopped)) => stopped.into(),
            Some(ReadFailure::Timeout) => self.timed_out(meter),
            Some(ReadFailure::Broken(message)) => self.broken(message, attempt),
            None => EndpointError::Malformed { url: self.shown(), message }.into(),
        }
    }

    fn judge(&self, response: Response<Body>, attempt: u32, meter: &Meter<'_>) -> Result<Reply, Failure> {
        let (head, body) = response.into_parts();
        let reply = Reply { headers: head.headers, body: body.into_with_config().limit(u64::MAX).reader() };
        let status = head.status.as_u16();
        if status == 200 {
            // Virtuoso returns what it found within its time limit as if it were complete.
            let state = reply.header("x-sql-state").or(reply.header("x-sparql-anytime"));
            return match state.map(str::to_owned) {
                None => Ok(reply),
                Some(state) => {
                    let message = shortened(reply.header("x-sql-message").unwrap_or("incomplete results"));
                    Err(EndpointError::Interrupted { url: self.shown(), state, message }.into())
                }
            };
        }
        let asked =
            reply.header(RETRY_AFTER.as_str()).and_then(|header| retry_after(header, SystemTime::now()));
        let is_page = reply.media_type().contains("html");
        let mut bytes = Vec::new();
        // An error page need not be read completely.
        let _ = meter.reader(reply.body.take(MESSAGE_BYTES)).read_to_end(&mut bytes);
        if let Some(ReadFailure::Stopped(stopped)) = meter.take_failure() {
            return Err(stopped.into());
        }
        let text = String::from_utf8_lossy(&bytes);
        let message = shortened(&if is_page { without_tags(&text) } else { text.into_owned() });
        let state = virtuoso::state_of(&message).unwrap_or("");
        if virtuoso::is_interruption(state) {
            let state = state.to_owned();
            return Err(EndpointError::Interrupted { url: self.shown(), state, message }.into());
        }
        let passing = matches!(status, 429 | 502 | 503 | 504) || virtuoso::is_passing(state);
        let error = EndpointError::Status { url: self.shown(), status, attempts: attempt, message };
        Err(if passing { Failure::Temporary { error, wait: asked } } else { Failure::Permanent(error) })
    }
}

/// A message, shortened to a few lines. Virtuoso repeats the query below its message.
fn shortened(text: &str) -> String {
    let text = text.split("\n\nSPARQL query:").next().unwrap_or("");
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MESSAGE_LINES).collect();
    let mut out: String =
        lines.join("\n").chars().filter(|c| *c == '\n' || !c.is_control()).take(MESSAGE_CHARACTERS).collect();
    if out.is_empty() {
        out.push_str("no message");
    }
    out
}

/// The approximate text of a web page.
fn without_tags(page: &str) -> String {
    let mut out = String::new();
    for piece in page.split('<') {
        out.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_short() {
        let long =
            "Virtuoso 37000 Error SP030: SPARQL compiler, line 2: syntax error\n\nSPARQL query:\nSELECT * {";
        assert_eq!(shortened(long), "Virtuoso 37000 Error SP030: SPARQL compiler, line 2: syntax error");
        assert_eq!(shortened(""), "no message");
        assert_eq!(shortened(&"x".repeat(5000)).len(), MESSAGE_CHARACTERS);
        assert_eq!(shortened("a\u{1b}[31mb\n\n\nc"), "a[31mb\nc");
        assert_eq!(shortened(&without_tags("<html><h1>Not Found</h1>\n<p>here</html>")), "Not Found\nhere");
    }
}
