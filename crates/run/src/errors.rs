//! How many errors of a system are too many.

use serde_json::Value as Json;
use std::str::FromStr;

/// The highest number or share of questions that may come to an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorLimit {
    /// A number of questions.
    Count(usize),
    /// A share of the questions, from 0 to 1.
    Share(f64),
}

/// A text that is not a limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a number of questions, like 5, nor a share, like 10%")]
pub struct NotALimit(String);

impl FromStr for ErrorLimit {
    type Err = NotALimit;

    fn from_str(text: &str) -> Result<ErrorLimit, NotALimit> {
        let wrong = || NotALimit(text.to_owned());
        match text.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
                (0.0..=100.0)
                    .contains(&percent)
                    .then_some(ErrorLimit::Share(percent / 100.0))
                    .ok_or_else(wrong)
            }
            None => text.parse().map(ErrorLimit::Count).map_err(|_| wrong()),
        }
    }
}

impl std::fmt::Display for ErrorLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ErrorLimit::Count(count) => write!(f, "{count}"),
            ErrorLimit::Share(share) => write!(f, "{} %", share * 100.0),
        }
    }
}

impl ErrorLimit {
    /// Whether so many errors are too many.
    pub fn is_exceeded(self, errors: usize, questions: usize) -> bool {
        match self {
            ErrorLimit::Count(most) => errors > most,
            ErrorLimit::Share(most) => errors as f64 > most * questions as f64,
        }
    }
}

/// The messages of errors, each once, in the order in which they came first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorMessages(Vec<(String, usize)>);

/// Messages that are told apart; systems may put anything into theirs.
const KEPT: usize = 100;

impl ErrorMessages {
    /// Adds the error of a reply.
    pub fn add(&mut self, reply: &Json) {
        let error = &reply["error"];
        let message = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        let known = self.0.iter().position(|(known, _)| *known == message);
        match known {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < KEPT => self.0.push((message, 1)),
            None => {}
        }
    }

    /// The messages, and how often each came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(message, n)| (message.as_str(), *n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn limits_are_counts_or_shares() {
        let limit = |text: &str| text.parse::<ErrorLimit>();
        assert_eq!(limit("5"), Ok(ErrorLimit::Count(5)));
        assert_eq!(limit("12.5%"), Ok(ErrorLimit::Share(0.125)));
        for wrong in ["", "%", "-1", "101%", "many", "0.5"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        assert!(ErrorLimit::Share(0.1).is_exceeded(3, 3) && !ErrorLimit::Share(0.1).is_exceeded(1, 10));
        assert!(ErrorLimit::Count(0).is_exceeded(1, 100) && !ErrorLimit::Count(0).is_exceeded(0, 0));
        assert!(!ErrorLimit::Share(1.0).is_exceeded(3, 3));
    }

    #[test]
    fn messages_are_counted() {
        let mut messages = ErrorMessages::default();
        for error in [json!("time-out"), json!({ "code": 1 }), json!("time-out")] {
            messages.add(&json!({ "error": error }));
        }
        assert_eq!(messages.iter().collect::<Vec<_>>(), [("time-out", 2), ("{\"code\":1}", 1)]);
    }
}
