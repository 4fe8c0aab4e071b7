//! Requests to systems on the web: bounded in time and size, tried again when it may help, no more of them in a second than allowed.

use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use touchstone_engine::budget::Cancel;
use touchstone_protocol::retry_after;
use ureq::Agent;

/// How to ask.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// How long one reply may take.
    pub timeout: Duration,
    /// How often to try again what may pass.
    pub retries: u32,
    /// How long to wait the first time, if the server does not say; doubled every time.
    pub back_off: Duration,
    /// No wait is longer, whatever the server says.
    pub longest_wait: Duration,
    /// How many requests a second, for all workers together.
    pub rate: Option<f64>,
    /// Ends waits.
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

/// Longer replies are no replies.
const MAX_REPLY: u64 = 16 << 20;

/// How often waits look whether they were stopped.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A client.
pub(crate) struct Web {
    agent: Agent,
    settings: WebSettings,
    /// When the next request may be sent.
    next: Mutex<Instant>,
}

/// A request.
pub(crate) struct Request<'r> {
    pub(crate) url: &'r str,
    pub(crate) content_type: &'r str,
    /// Sent as a bearer token, and to no other host.
    pub(crate) key: Option<&'r str>,
    pub(crate) body: &'r str,
    /// Whether it belongs to a question that was begun.
    pub(crate) goes_on: bool,
}

/// A reply with a good status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) content_type: String,
    pub(crate) text: String,
}

/// Why there is no reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WebError {
    /// The user stopped the run.
    Stopped,
    /// What went wrong, for people.
    Failed(String),
}

enum Failure {
    Passing(String, Option<Duration>),
    Final(String),
}

impl Web {
    pub(crate) fn new(settings: WebSettings) -> Web {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // Another address would be asked by GET, without the question: what it says would be no answer.
            .max_redirects(0)
            .timeout_global(Some(settings.timeout))
            .user_agent(concat!("touchstone/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Web { agent, settings, next: Mutex::new(Instant::now()) }
    }

    /// Sends a request until there is a reply, or trying again is of no use.
    pub(crate) fn post(&self, request: &Request<'_>) -> Result<Reply, WebError> {
        let mut attempt = 0;
        loop {
            self.wait_for_turn(request.goes_on || attempt > 0)?;
            let (error, asked) = match self.once(request) {
                Ok(reply) => return Ok(reply),
                Err(Failure::Final(error)) => return Err(WebError::Failed(error)),
                Err(Failure::Passing(error, asked)) => (error, asked),
            };
            if attempt >= self.settings.retries {
                let tried = if attempt == 0 { String::new() } else { format!(" ({} attempts)", attempt + 1) };
                return Err(WebError::Failed(error + &tried));
            }
            let doubled = self.settings.back_off.saturating_mul(1 << attempt.min(16));
            let wait = asked.unwrap_or(doubled.min(self.settings.longest_wait));
            if wait > self.settings.longest_wait {
                return Err(WebError::Failed(format!("{error}; it asks for a wait of {} s", wait.as_secs())));
            }
            tracing::debug!(attempt, wait_ms = wait.as_millis() as u64, %error, "trying again");
            self.sleep(wait)?;
            attempt += 1;
        }
    }

    fn once(&self, request: &Request<'_>) -> Result<Reply, Failure> {
        let mut sent = self.agent.post(request.url).header("content-type", request.content_type);
        if let Some(key) = request.key {
            sent = sent.header("authorization", format!("Bearer {key}"));
        }
        let response = sent.send(request.body).map_err(|error| self.failure(&error))?;
        let status = response.status().as_u16();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        let (content_type, wait) = (header("content-type"), header("retry-after"));
        if (300..400).contains(&status) {
            let to: String = header("location").chars().filter(|c| !c.is_control()).take(200).collect();
            return Err(Failure::Final(format!(
                "status {status}: the server redirects to `{to}`; redirects are not followed, so give the final address"
            )));
        }
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(MAX_REPLY + 1);
        let read = body.read_to_end(&mut bytes);
        if (200..300).contains(&status) {
            // A connection that breaks may hold the next time.
            read.map_err(|error| match error.get_ref().and_then(|inner| inner.downcast_ref()) {
                Some(timeout @ ureq::Error::Timeout(_)) => self.failure(timeout),
                _ => Failure::Passing(format!("the reply breaks off: {error}"), None),
            })?;
            if bytes.len() as u64 > MAX_REPLY {
                return Err(Failure::Final("the reply is longer than 16 MB".to_owned()));
            }
            let text =
                String::from_utf8(bytes).map_err(|_| Failure::Final("the reply is no UTF-8".to_owned()))?;
            return Ok(Reply { content_type, text });
        }
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(key) = request.key {
            // Some servers say the key again.
            text = text.replace(key, "***");
        }
        let start: String = text.chars().take(200).collect();
        let message = format!("status {status}: {}", start.trim());
        match status {
            501 | 505 => Err(Failure::Final(message)),
            408 | 429 | 500..=599 => Err(Failure::Passing(message, retry_after(&wait, SystemTime::now()))),
            _ => Err(Failure::Final(message)),
        }
    }

    fn failure(&self, error: &ureq::Error) -> Failure {
        match error {
            ureq::Error::Timeout(_) => {
                Failure::Final(format!("no answer within {} s", self.settings.timeout.as_secs_f32()))
            }
            ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => {
                Failure::Passing(format!("the connection fails: {error}"), None)
            }
            other => Failure::Final(other.to_string()),
        }
    }

    /// Waits until a request may be sent.
    fn wait_for_turn(&self, has_begun: bool) -> Result<(), WebError> {
        // What has begun is finished.
        if !has_begun && self.settings.stop.is_cancelled() {
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
            let nap = wait.min(LOOK_EVERY);
            std::thread::sleep(nap);
            wait -= nap;
        }
        Ok(())
    }
}
