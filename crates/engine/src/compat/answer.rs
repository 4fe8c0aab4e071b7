//! What an executor hands back, and what the published prediction script writes down.

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
