#![allow(dead_code)]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use touchstone_logic::{KeyKind, Vocabulary};

pub(crate) use touchstone_testing::shared_data;

pub(crate) fn json(path: &Path) -> Json {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

pub(crate) fn lines(path: &Path) -> Vec<Json> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The kinds of KQA Pro's keys.
pub(crate) struct KqaProKeys(BTreeMap<String, KeyKind>);

impl KqaProKeys {
    pub(crate) fn load() -> KqaProKeys {
        let Some(path) = shared_data("kqapro/schema.json") else { return KqaProKeys(BTreeMap::new()) };
        let schema = json(&path);
        let mut kinds = BTreeMap::new();
        for (kind, keys) in schema["keyType"].as_object().unwrap() {
            let kind = match kind.as_str() {
                "quantity" => KeyKind::Number,
                "date" => KeyKind::Time,
                _ => KeyKind::Text,
            };
            kinds.extend(keys.as_array().unwrap().iter().map(|key| (key.as_str().unwrap().to_owned(), kind)));
        }
        KqaProKeys(kinds)
    }
}

impl Vocabulary for KqaProKeys {
    fn key_kind(&self, key: &str) -> Option<KeyKind> {
        self.0.get(key).copied()
    }
}
