//! The data that an executor would have loaded: names, concepts, records in file order, types of keys.

use super::Compat;
use super::error::{Exception, Fault, raise};
use super::value::Value;
use crate::budget::Budget;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use touchstone_kb::{
    AttributeId, ClassId, FactId, FileRecord, Kb, NodeId, Property, Qualifier, QualifierId, RelationId,
    ValueKind,
};

/// How the values of a key are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyType {
    Text,
    Quantity,
    Time,
}

/// A record of a node: an attribute, or a relation from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) property: Property,
    pub(super) backward: bool,
    pub(super) value: touchstone_kb::Value,
    place: Place,
}

/// Where the qualifiers of an entry are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the imported file.
    File(FileRecord),
    /// In the store, which does not keep the file order.
    Fact(FactId),
}

/// A KB as an executor sees it.
pub(super) struct FileView<'k> {
    pub(super) kb: &'k Kb,
    pub(super) compat: Compat,
    /// Types of keys that were looked up.
    key_types: HashMap<String, KeyType>,
    /// All described nodes, computed on first use: sorting them takes longer than most programs.
    everything: Option<Vec<NodeId>>,
}

impl<'k> FileView<'k> {
    pub(super) fn new(kb: &'k Kb, compat: Compat) -> FileView<'k> {
        FileView { kb, compat, key_types: HashMap::new(), everything: None }
    }

    /// Whether the file describes a node; others are only mentioned.
    pub(super) fn is_described(&self, node: NodeId) -> bool {
        self.kb.node_rank(node).is_some()
    }

    pub(super) fn is_concept(&self, node: NodeId) -> bool {
        self.kb.as_class(node).is_some()
    }

    /// The order in which the executor visits nodes: KOPL reads concepts first, RULE entities.
    fn place(&self, node: NodeId) -> (bool, bool, u32) {
        let late = self.is_concept(node) == (self.compat == Compat::Rule);
        match self.kb.node_rank(node) {
            Some(rank) => (false, late, rank),
            None => (true, late, node.0),
        }
    }

    /// The nodes in file order, without duplicates: our order for Python's sets.
    pub(super) fn as_set(&self, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.sort_by_cached_key(|&node| self.place(node));
        nodes
    }

    /// All described entities and concepts.
    pub(super) fn everything(&mut self) -> Vec<NodeId> {
        if let Some(all) = &self.everything {
            return all.clone();
        }
        let all = self.as_set(self.kb.nodes().filter(|&node| self.is_described(node)).collect());
        self.everything = Some(all.clone());
        all
    }

    /// The entities and concepts with exactly this name.
    pub(super) fn named(&self, name: &str, budget: &Budget<'_>) -> Result<Vec<NodeId>, Fault> {
        let has_name = |&node: &NodeId| {
            let label = self.kb.label_literal(node);
            label.is_some_and(|label| self.kb.literal(label).text() == name) && self.is_described(node)
        };
        // Blank names are not in any index.
        let found: Vec<NodeId> = if name.trim().is_empty() {
            budget.spend(self.kb.n_nodes() as u64)?;
            self.kb.nodes().filter(has_name).collect()
        } else {
            self.kb.nodes_named(name).into_iter().filter(has_name).collect()
        };
        budget.spend(found.len() as u64 + 1)?;
        Ok(self.as_set(found))
    }

    /// The name; `KeyError` for a node that is not described.
    pub(super) fn name(&self, node: NodeId) -> Result<String, Fault> {
        if self.is_described(node) {
            return Ok(self.kb.label(node).to_owned());
        }
        raise(Exception::KeyError, format!("{} is not described", self.kb.node_id(node)))
    }

    /// Whether a node is below a concept. Entities are members; KOPL also counts the concepts below it.
    pub(super) fn is_member(&self, node: NodeId, concept: ClassId) -> bool {
        match self.kb.as_class(node) {
            Some(class) if self.compat == Compat::Kopl => {
                self.kb.ancestors(class).any(|above| above == concept)
            }
            Some(_) => false,
            None => self.kb.is_member(node, concept),
        }
    }

    pub(super) fn attribute(&self, key: &str) -> Option<AttributeId> {
        let by_label = || self.kb.attributes().find(|&attribute| self.kb.attribute_label(attribute) == key);
        self.kb.attribute(key).or_else(by_label)
    }

    pub(super) fn relation(&self, name: &str) -> Option<RelationId> {
        let by_label = || self.kb.relations().find(|&relation| self.kb.relation_label(relation) == name);
        self.kb.relation(name).or_else(by_label)
    }

    pub(super) fn qualifier_key(&self, key: &str) -> Option<QualifierId> {
        let by_label = || self.kb.qualifier_keys().find(|&known| self.kb.qualifier_label(known) == key);
        self.kb.qualifier_key(key).or_else(by_label)
    }

    /// The records at a node, in file order.
    pub(super) fn entries(&self, node: NodeId, budget: &Budget<'_>) -> Result<Vec<Entry>, Fault> {
        let kb = self.kb;
        let mut entries: Vec<Entry> = if kb.keeps_file_order() {
            let entry = |record: FileRecord| {
                let FileRecord { property, backward, value, .. } = record;
                Entry { property, backward, value, place: Place::File(record) }
            };
            kb.records(node).map(entry).collect()
        } else {
            let entry = |fact: touchstone_kb::Fact, backward, value| Entry {
                property: fact.property,
                backward,
                value,
                place: Place::Fact(fact.id),
            };
            let own = kb.facts_about(node).map(|fact| entry(fact, false, fact.value));
            let others =
                kb.facts_to(node).map(|fact| entry(fact, true, touchstone_kb::Value::Node(fact.subject)));
            own.chain(others).collect()
        };
        budget.spend(entries.len() as u64 + 1)?;
        if self.compat == Compat::Kopl && self.is_concept(node) {
            // KOPL adds a record to a concept only if the concept does not have it yet.
            let mut seen = HashSet::new();
            entries.retain(|entry| {
                let qualifiers: Vec<Qualifier> = self.all_qualifiers(entry);
                seen.insert((entry.property, entry.backward, entry.value, qualifiers))
            });
        }
        Ok(entries)
    }

    /// Whether a node has any records of an attribute: a single look-up in the store.
    pub(super) fn has_attribute(&self, node: NodeId, attribute: Option<AttributeId>) -> bool {
        attribute.is_some_and(|attribute| !self.kb.facts_of(node, Property::Attribute(attribute)).is_empty())
    }

    /// The records of an attribute at a node, with their values; empty without an attribute.
    pub(super) fn attribute_entries(
        &self,
        node: NodeId,
        attribute: Option<AttributeId>,
        budget: &Budget<'_>,
    ) -> Result<Vec<(Entry, Value<'k>)>, Fault> {
        budget.spend(1)?;
        let Some(attribute) = attribute else { return Ok(Vec::new()) };
        let property = Property::Attribute(attribute);
        if !self.has_attribute(node, Some(attribute)) {
            return Ok(Vec::new());
        }
        let entries = self.entries(node, budget)?.into_iter().filter(|entry| entry.property == property);
        Ok(entries.map(|entry| (entry, self.value(entry.value))).collect())
    }

    /// A value of the KB; nodes, which KQA Pro does not have as qualifier values, are replaced by their names.
    fn value(&self, value: touchstone_kb::Value) -> Value<'k> {
        match value {
            touchstone_kb::Value::Literal(literal) => Value::of_literal(self.kb.literal(literal)),
            touchstone_kb::Value::Node(node) => Value::Text(self.kb.label(node).into()),
        }
    }

    fn all_qualifiers(&self, entry: &Entry) -> Vec<Qualifier> {
        match &entry.place {
            Place::File(record) => self.kb.record_qualifiers(record).collect(),
            Place::Fact(fact) => self.kb.fact_qualifiers(*fact).collect(),
        }
    }

    /// The values of an entry under a qualifier key, in file order.
    pub(super) fn qualifiers(&self, entry: &Entry, key: QualifierId) -> Vec<Value<'k>> {
        let all = self.all_qualifiers(entry).into_iter();
        all.filter(|qualifier| qualifier.key == key).map(|qualifier| self.value(qualifier.value)).collect()
    }

    /// The type of an attribute or qualifier key: that of the value which the executor reads last.
    pub(super) fn key_type(&mut self, key: &str, budget: &Budget<'_>) -> Result<KeyType, Fault> {
        if let Some(&known) = self.key_types.get(key) {
            return Ok(known);
        }
        let (attribute, qualifier) = (self.attribute(key), self.qualifier_key(key));
        let kinds: Vec<Option<KeyType>> = [
            attribute.map(|attribute| self.kb.attribute_kind(attribute)),
            qualifier.map(|qualifier| self.kb.qualifier_kind(qualifier)),
        ]
        .into_iter()
        .flatten()
        .filter(|&kind| kind != ValueKind::Unknown)
        .map(type_of_kind)
        .collect();
        let found = match kinds[..] {
            [] => None,
            [Some(only)] => Some(only),
            [Some(a), Some(b)] if a == b => Some(a),
            _ => self.last_type(attribute, qualifier, budget)?,
        };
        match found {
            Some(found) => {
                self.key_types.insert(key.to_owned(), found);
                Ok(found)
            }
            None => raise(Exception::KeyError, format!("no value has the key `{key}`")),
        }
    }

    /// Reads everything, as the executor does at start-up. KOPL reads entity by entity; RULE reads all attributes
    /// before all relations.
    fn last_type(
        &self,
        attribute: Option<AttributeId>,
        qualifier: Option<QualifierId>,
        budget: &Budget<'_>,
    ) -> Result<Option<KeyType>, Fault> {
        let mut entities: Vec<NodeId> =
            self.kb.nodes().filter(|&node| !self.is_concept(node) && self.is_described(node)).collect();
        entities.sort_by_key(|&node| Reverse(self.kb.node_rank(node)));
        // Backwards, so that the first value found is the one read last.
        let passes: &[(bool, bool)] = match self.compat {
            Compat::Kopl => &[(true, true)],
            Compat::Rule => &[(false, true), (true, false)],
        };
        for &(attributes, relations) in passes {
            for &node in &entities {
                for entry in self.entries(node, budget)?.iter().rev() {
                    let is_attribute = matches!(entry.property, Property::Attribute(_));
                    if !(if is_attribute { attributes } else { relations }) {
                        continue;
                    }
                    let under = |key: QualifierId| self.qualifiers(entry, key).pop();
                    if let Some(value) = qualifier.and_then(under) {
                        return Ok(Some(type_of_value(&value)));
                    }
                    if attribute.is_some_and(|attribute| entry.property == Property::Attribute(attribute)) {
                        return Ok(Some(type_of_value(&self.value(entry.value))));
                    }
                }
            }
        }
        Ok(None)
    }
}

fn type_of_kind(kind: ValueKind) -> Option<KeyType> {
    match kind {
        ValueKind::Text | ValueKind::Boolean | ValueKind::Entity => Some(KeyType::Text),
        ValueKind::Quantity => Some(KeyType::Quantity),
        ValueKind::Time => Some(KeyType::Time),
        ValueKind::Unknown | ValueKind::Mixed => None,
    }
}

fn type_of_value(value: &Value<'_>) -> KeyType {
    match value {
        Value::Text(_) => KeyType::Text,
        Value::Quantity { .. } => KeyType::Quantity,
        Value::Year(_) | Value::Date(_) => KeyType::Time,
    }
}
