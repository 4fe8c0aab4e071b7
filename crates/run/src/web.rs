//! Requests to web services: limited in time, size and rate, and retried if that may help.

use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use touchstone_engine::budget::Cancel;
use touchstone_protocol::retry_after;
use ureq::Agent;

/// How requests are sent.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// Time limit of one reply.
    pub timeout: Duration,
    /// Maximum number of retries of a request that failed in a way that may be temporary.
    pub retries: u32,
    /// The wait before the first retry, if the server does not ask for one; doubled after each retry.
    pub back_off: Duration,
    /// Maximum wait before a retry, whatever the server asks for.
    pub longest_wait: Duration,
    /// Maximum number of requests per second, for all workers together.
    pub rate: Option<f64>,
    /// Interrupts waits.
    pub stop: Cancel,
}

impl Default for WebSettings {
    fn default() -> WebSettings {
        WebSettings {
            timeout: Duration::from_secs(60),
            retries: 4,
            back_off: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            rate: None,
            stop: Cancel::default(),
        }
    }
}

/// Maximum number of bytes of a reply.
const MAX_REPLY: u64 = 16 << 20;

/// How often waits check whether the run was stopped.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// A client.
pub(crate) struct Web {
    agent: Agent,
    settings: WebSettings,
    /// The time at which the next request may be sent.
    next: Mutex<Instant>,
}

/// A request.
pub(crate) struct Request<'r> {
    pub(crate) url: &'r str,
    pub(crate) content_type: &'r str,
    /// Sent as a bearer token; never sent to another host.
    pub(crate) key: Option<&'r str>,
    pub(crate) body: &'r str,
    /// Whether it continues a question for which a request was sent before.
    pub(crate) continues: bool,
}

/// A reply with a success status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) content_type: String,
    pub(crate) text: String,
}

/// Why there is no reply from a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// The user stopped the run.
    #[error("the run was stopped")]
    Stopped,
    /// No reply arrived in time.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// The time limit.
        seconds: f32,
    },
    /// The connection fails.
    #[error("the connection failed: {0}")]
    Connection(#[source] Box<ureq::Error>),
    /// The request cannot be sent.
    #[error("{0}")]
    Request(#[source] Box<ureq::Error>),
    /// The connection broke in the middle of the reply.
    #[error("the reply was cut off: {0}")]
    Incomplete(#[source] std::io::Error),
    /// The server redirects the request.
    #[error(
        "status {status}: the server redirects to `{location}`; redirects are not followed, so give the final address"
    )]
    Redirect {
        /// The status.
        status: u16,
        /// The address that it redirects to.
        location: String,
    },
    /// The server reports an error.
    #[error("status {status}: {message}")]
    Status {
        /// The status.
        status: u16,
        /// The first characters of the body.
        message: String,
    },
    /// The reply is too long.
    #[error("the reply is longer than 16 MB")]
    TooLong,
    /// The reply is not text.
    #[error("the reply is not UTF-8")]
    NotUtf8,
    /// All attempts failed.
    #[error("{error} ({attempts} attempts)")]
    Attempts {
        /// The last error.
        #[source]
        error: Box<WebError>,
        /// The number of attempts.
        attempts: u32,
    },
    /// The server asks for a longer wait than allowed.
    #[error("{error}; the server says to wait {} s", .wait.as_secs())]
    LongWait {
        /// The error that it reports.
        #[source]
        error: Box<WebError>,
        /// The wait that it asks for.
        wait: Duration,
    },
}

/// A failed attempt.
struct Failure {
    error: WebError,
    /// Whether another attempt may succeed.
    is_temporary: bool,
    /// The wait that the server asks for.
    wait: Option<Duration>,
}

impl Failure {
    fn permanent(error: WebError) -> Failure {
        Failure { error, is_temporary: false, wait: None }
    }

    fn temporary(error: WebError, wait: Option<Duration>) -> Failure {
        Failure { error, is_temporary: true, wait }
    }
}

impl Web {
    pub(crate) fn new(settings: WebSettings) -> Web {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // A redirected POST becomes a GET without the question, so its reply would not be an answer.
            .max_redirects(0)
            .timeout_global(Some(settings.timeout))
            .user_agent(concat!("touchstone/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Web { agent, settings, next: Mutex::new(Instant::now()) }
    }

    /// Sends a request until there is a reply, or another attempt cannot succeed.
    pub(crate) fn post(&self, request: &Request<'_>) -> Result<Reply, WebError> {
        let mut attempt = 0;
        loop {
            self.wait_for_turn(request.continues || attempt > 0)?;
            let Failure { error, is_temporary, wait } = match self.post_once(request) {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            if !is_temporary {
                return Err(error);
            }
            if attempt >= self.settings.retries {
                let (error, attempts) = (Box::new(error), attempt + 1);
                return Err(if attempt == 0 { *error } else { WebError::Attempts { error, attempts } });
            }
            let doubled = self.settings.back_off.saturating_mul(1 << attempt.min(16));
            let wait = wait.unwrap_or(doubled.min(self.settings.longest_wait));
            if wait > self.settings.longest_wait {
                return Err(WebError::LongWait { error: Box::new(error), wait });
            }
            tracing::debug!(attempt, wait_ms = wait.as_secs_f64() * 1e3, %error, "retrying");
            self.sleep(wait)?;
            attempt += 1;
        }
    }

    fn post_once(&self, request: &Request<'_>) -> Result<Reply, Failure> {
        let mut sent = self.agent.post(request.url).header("content-type", request.content_type);
        if let Some(key) = request.key {
            sent = sent.header("authorization", format!("Bearer {key}"));
        }
        let response = sent.send(request.body).map_err(|error| self.failure(error))?;
        let status = response.status().as_u16();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        let (content_type, wait) = (header("content-type"), header("retry-after"));
        if (300..400).contains(&status) {
            let location = header("location").chars().filter(|c| !c.is_control()).take(200).collect();
            return Err(Failure::permanent(WebError::Redirect { status, location }));
        }
        let mut bytes = Vec::new();
        let read = response.into_body().into_reader().take(MAX_REPLY + 1).read_to_end(&mut bytes);
        if (200..300).contains(&status) {
            read.map_err(|error| self.read_failure(error))?;
            if bytes.len() as u64 > MAX_REPLY {
                return Err(Failure::permanent(WebError::TooLong));
            }
            let text = String::from_utf8(bytes).map_err(|_| Failure::permanent(WebError::NotUtf8))?;
            return Ok(Reply { content_type, text });
        }
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(key) = request.key {
            // Some servers repeat the key.
            text = text.replace(key, "***");
        }
        let start: String = text.chars().take(200).collect();
        let error = WebError::Status { status, message: start.trim().to_owned() };
        Err(match status {
            501 | 505 => Failure::permanent(error),
            408 | 429 | 500..=599 => Failure::temporary(error, retry_after(&wait, SystemTime::now())),
            _ => Failure::permanent(error),
        })
    }

    fn timed_out(&self) -> Failure {
        Failure::permanent(WebError::TimedOut { seconds: self.settings.timeout.as_secs_f32() })
    }

    fn failure(&self, error: ureq::Error) -> Failure {
        match error {
            ureq::Error::Timeout(_) => self.timed_out(),
            error @ (ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_)) => {
                Failure::temporary(WebError::Connection(Box::new(error)), None)
            }
            other => Failure::permanent(WebError::Request(Box::new(other))),
        }
    }

    /// A broken connection may work the next time.
    fn read_failure(&self, error: std::io::Error) -> Failure {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
        match inner {
            Some(ureq::Error::Timeout(_)) => self.timed_out(),
            _ => Failure::temporary(WebError::Incomplete(error), None),
        }
    }

    /// Waits until a request may be sent.
    fn wait_for_turn(&self, was_started: bool) -> Result<(), WebError> {
        // Finish a question for which a request was already sent.
        if !was_started && self.settings.stop.is_cancelled() {
            return Err(WebError::Stopped);
        }
        let Some(rate) = self.settings.rate else { return Ok(()) };
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = (*next).max(Instant::now());
            *next = turn + Duration::from_secs_f64(1.0 / rate);
            turn
        };
        self.sleep(turn.saturating_duration_since(Instant::now()))
    }

    fn sleep(&self, mut wait: Duration) -> Result<(), WebError> {
        while !wait.is_zero() {
            if self.settings.stop.is_cancelled() {
                return Err(WebError::Stopped);
            }
            let nap = wait.min(CHECK_EVERY);
            std::thread::sleep(nap);
            wait -= nap;
        }
        Ok(())
    }
}
