//! The small files of a model besides its network.

use crate::error::TrainError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Files by name: vocabularies and sub-words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFiles(pub BTreeMap<String, Vec<u8>>);

impl ModelFiles {
    /// Adds a file with JSON.
    pub fn add_json(&mut self, name: &str, value: &impl Serialize) {
        let mut bytes = serde_json::to_vec(value).unwrap_or_default();
        bytes.push(b'\n');
        self.0.insert(name.to_owned(), bytes);
    }

    /// Adds a file with a text.
    pub fn add_text(&mut self, name: &str, text: String) {
        self.0.insert(name.to_owned(), text.into_bytes());
    }

    /// The text of a file; `folder` is named in messages.
    pub fn text(&self, name: &str, folder: &Path) -> Result<&str, TrainError> {
        let path = folder.join(name);
        let bytes = self.0.get(name).ok_or_else(|| TrainError::damaged(&path, "the file is missing"))?;
        std::str::from_utf8(bytes).map_err(|_| TrainError::damaged(&path, "the file is not UTF-8"))
    }

    /// What a file with JSON holds.
    pub fn json<T: DeserializeOwned>(&self, name: &str, folder: &Path) -> Result<T, TrainError> {
        serde_json::from_str(self.text(name, folder)?)
            .map_err(|error| TrainError::damaged(&folder.join(name), error.to_string()))
    }
}
