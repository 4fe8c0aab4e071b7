//! The result of an executor, as the published prediction script writes it.

use std::fmt;

/// The answer as the executor returns it: texts only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompatAnswer {
    /// A list, possibly empty: KOPL's `What`, `SelectAmong` and queries.
    List(Vec<String>),
    /// One text: everything else. The absence of a result is the text `None`.
    Text(String),
}

impl fmt::Display for CompatAnswer {
    /// A list as JSON, a text as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompatAnswer::List(texts) => write!(f, "{texts:?}"),
            CompatAnswer::Text(text) => f.write_str(text),
        }
    }
}
