//! What an executor hands back, and what the published prediction script writes down.

use super::error::CompatError;
use std::fmt;

/// The answer as the executor returns it: texts only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompatAnswer {
    /// A list, perhaps empty: KOPL's `What`, `SelectAmong` and queries.
    List(Vec<String>),
    /// One text: everything else. Nothing at all is the text `None`.
    Text(String),
}

impl fmt::Display for CompatAnswer {
    /// A list as in JSON, a text as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompatAnswer::List(texts) => write!(f, "{texts:?}"),
            CompatAnswer::Text(text) => f.write_str(text),
        }
    }
}

/// The line that the published prediction script writes for an outcome: the first element of a list, `None` if it is
/// empty, and `no` after an exception. `None` here if a limit of ours was reached: the script has nothing to say to that.
pub fn prediction(outcome: &Result<CompatAnswer, CompatError>) -> Option<&str> {
    match outcome {
        Ok(CompatAnswer::Text(text)) => Some(text),
        Ok(CompatAnswer::List(texts)) => Some(texts.first().map_or("None", String::as_str)),
        Err(CompatError::Raised { .. }) => Some("no"),
        Err(CompatError::Stopped(_)) => None,
    }
}
