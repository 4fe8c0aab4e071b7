//! How much of the world a KB knows: which parts of the schema are complete, and as of when.

use crate::ids::{ClassId, Property};
use crate::store::Kb;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How complete the members of a class or the facts of a property are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Completeness {
    /// Everything that there is.
    Complete,
    /// Everything within a period, a region or above a threshold.
    Window,
    /// The main ones.
    Top,
    /// Some, by no rule that could be stated.
    Sample,
}

/// What is known about the completeness of a class, a relation or an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// How complete it is.
    #[serde(rename = "coverage")]
    pub completeness: Completeness,
    /// For windows and main ones: what is there, as a plural noun phrase in English ("U.S. presidential elections since 1976").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The year of facts that change and have no time of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Whether the times of facts are those of a survey or a prize, and not when the facts held.
    #[serde(default, skip_serializing_if = "is_false")]
    pub survey: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// The completeness of schema items by id. What is absent is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageTable {
    /// Of classes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, Coverage>,
    /// Of relations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<String, Coverage>,
    /// Of attributes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Coverage>,
}

impl CoverageTable {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of schema items whose completeness is known.
    pub fn len(&self) -> usize {
        self.classes.len() + self.relations.len() + self.attributes.len()
    }

    /// The latest year of facts that change.
    pub fn as_of(&self) -> Option<&str> {
        let all = self.classes.values().chain(self.relations.values()).chain(self.attributes.values());
        all.filter_map(|coverage| coverage.as_of.as_deref()).max()
    }
}

impl Kb {
    /// The completeness of a class; `None` if it is unknown.
    pub fn class_coverage(&self, class: ClassId) -> Option<&Coverage> {
        self.manifest().coverage.classes.get(self.node_id(self.class_node(class)))
    }

    /// The completeness of a relation or an attribute; `None` if it is unknown.
    pub fn property_coverage(&self, property: Property) -> Option<&Coverage> {
        let table = &self.manifest().coverage;
        match property {
            Property::Relation(relation) => table.relations.get(self.relation_id(relation)),
            Property::Attribute(attribute) => table.attributes.get(self.attribute_id(attribute)),
        }
    }
}
