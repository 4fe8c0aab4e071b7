//! The messages of a system's errors.

use serde::Serialize;

/// A message, and how often it occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorMessage {
    /// The message.
    pub message: String,
    /// How often it occurred.
    pub n: usize,
}

/// The messages of errors, each once, in the order of their first occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorMessages(Vec<ErrorMessage>);

/// Maximum number of messages: systems may put anything into them, so no two may be the same.
const MAX_MESSAGES: usize = 100;

impl ErrorMessages {
    /// Adds the error of a prediction.
    pub(crate) fn add(&mut self, message: &str) {
        let known = self.0.iter().position(|known| known.message == message);
        match known {
            Some(at) => self.0[at].n += 1,
            None if self.0.len() < MAX_MESSAGES => {
                self.0.push(ErrorMessage { message: message.to_owned(), n: 1 });
            }
            None => {}
        }
    }

    /// The messages, and how often each occurred.
    pub fn iter(&self) -> impl Iterator<Item = &ErrorMessage> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted() {
        let mut messages = ErrorMessages::default();
        for error in ["time-out", "oops", "time-out"] {
            messages.add(error);
        }
        let counted: Vec<(&str, usize)> = messages.iter().map(|e| (e.message.as_str(), e.n)).collect();
        assert_eq!(counted, [("time-out", 2), ("oops", 1)]);
    }
}
