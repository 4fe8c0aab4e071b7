//! The messages of a system's errors.

/// The messages of errors, each once, in the order in which they came first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorMessages(Vec<(String, usize)>);

/// Maximum number of messages: systems may put anything into theirs, so that no two are the same.
const MAX_MESSAGES: usize = 100;

impl ErrorMessages {
    /// Adds the error of a prediction.
    pub fn add(&mut self, message: &str) {
        let known = self.0.iter().position(|(known, _)| known == message);
        match known {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < MAX_MESSAGES => self.0.push((message.to_owned(), 1)),
            None => {}
        }
    }

    /// The messages, and how often each occurred.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(message, n)| (message.as_str(), *n))
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
        assert_eq!(messages.iter().collect::<Vec<_>>(), [("time-out", 2), ("oops", 1)]);
    }
}
