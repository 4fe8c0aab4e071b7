//! Values in the notation of KB lines, outside KB lines.

use crate::export::value_json;
use crate::ids::Value;
use crate::import::find_value;
use crate::store::Kb;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A value as KB lines write those of qualifiers (`docs/kb-lines.md`): a node as `{"id": ...}`. It is checked only when it is looked up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineValue(serde_json::Value);

impl LineValue {
    /// A value of a KB.
    pub fn of(kb: &Kb, value: Value) -> LineValue {
        LineValue(value_json(kb, value))
    }

    /// The value in a KB; `None` if the KB does not have it, or if it is not a value at all.
    pub fn find(&self, kb: &Kb) -> Option<Value> {
        find_value(kb, &self.0)
    }
}

impl fmt::Display for LineValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
