//! The manifest of a store: its metadata for users and benchmarks, in JSON.

use super::verify;
use crate::counts::{counted, grouped};
use crate::coverage::CoverageTable;
use crate::error::{KbError, Result};
use crate::vocabulary::RdfVocabulary;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The version of the store's layout that this program writes and reads.
pub const STORE_FORMAT: u64 = 2;

/// Counts of everything in a KB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Entities.
    pub entities: u64,
    /// Classes.
    pub classes: u64,
    /// Relations.
    pub relations: u64,
    /// Attributes.
    pub attributes: u64,
    /// Qualifier keys.
    pub qualifiers: u64,
    /// Distinct literals.
    pub literals: u64,
    /// Facts whose value is an entity or a class.
    pub relational_facts: u64,
    /// Facts whose value is a literal.
    pub literal_facts: u64,
    /// Facts with at least one qualifier.
    pub qualified_facts: u64,
    /// Names (labels and aliases) in the name index.
    pub names: u64,
}

/// For people: the numbers of entities, classes, properties and facts.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.relational_facts + self.literal_facts;
        let parts = [
            counted(self.entities, "entity", "entities"),
            counted(self.classes, "class", "classes"),
            counted(self.relations, "relation", "relations"),
            counted(self.attributes, "attribute", "attributes"),
            counted(facts, "fact", "facts"),
        ];
        write!(f, "{} ({} with qualifiers)", parts.join(", "), grouped(self.qualified_facts))
    }
}

/// `manifest.json` of a compiled KB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KbManifest {
    /// The version of the layout, [`STORE_FORMAT`].
    pub touchstone_store: u64,
    /// A short name.
    pub name: String,
    /// The hash of the content; the same content has the same fingerprint, whatever the order of import.
    pub fingerprint: String,
    /// The source of the data.
    pub source: String,
    /// The licence of the data.
    pub license: String,
    /// The base of the IRIs of ids that are not absolute IRIs; empty if all ids are IRIs or blank nodes.
    pub base: String,
    /// The language of labels and descriptions; empty if they have none.
    pub lang: String,
    /// The IRIs for type, label, ... in the *direct* RDF view.
    pub vocabulary: RdfVocabulary,
    /// The namespace of RDF datatypes that are units, if it is not Touchstone's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_namespace: Option<String>,
    /// The sources of facts.
    pub sources: Vec<String>,
    /// The counts of everything.
    pub counts: Counts,
    /// How complete the schema items are, as far as it is known.
    #[serde(default, skip_serializing_if = "CoverageTable::is_empty")]
    pub coverage: CoverageTable,
}

/// Only the version, to reject a store of another version before anything else is read.
#[derive(Deserialize)]
struct VersionOnly {
    touchstone_store: u64,
}

impl KbManifest {
    /// Reads the manifest of a store.
    pub(crate) fn read(dir: &Path) -> Result<KbManifest> {
        let path = dir.join(verify::MANIFEST);
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                KbError::NotAStore { path: dir.to_path_buf(), missing: verify::MANIFEST.to_owned() }
            }
            _ => KbError::io("read", &path)(error),
        })?;
        let damaged = |e: serde_json::Error| KbError::damaged(&path, format!("it is not a manifest ({e})"));
        let version: VersionOnly = serde_json::from_slice(&bytes).map_err(damaged)?;
        if version.touchstone_store != STORE_FORMAT {
            return Err(KbError::UnknownVersion {
                path: dir.to_path_buf(),
                found: version.touchstone_store,
                supported: STORE_FORMAT,
            });
        }
        serde_json::from_slice(&bytes).map_err(damaged)
    }

    /// The manifest as it is written.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}
