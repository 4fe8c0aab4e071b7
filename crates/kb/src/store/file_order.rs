//! The records of the imported file, in the order of the file, if the importer keeps it.
//!
//! Useful for: reproducing programs that work on the file itself. Not useful for: anything else;
//! facts are sorted, have no repetitions and are found faster.

use super::columns::{check_below, check_len, check_starts, path_of};
use super::facts::LITERAL_BIT;
use super::kb::{ABSENT, Kb};
use super::manifest::Counts;
use super::mapping::Column;
use super::qualifiers::Qualifier;
use crate::cast::to_usize;
use crate::error::{KbError, Result};
use crate::ids::{LiteralId, NodeId, Property, QualifierId, Value};
use std::ops::Range;
use std::path::Path;

/// Marks the property of a record that the file has at the value of its fact.
pub(crate) const BACKWARD_BIT: u32 = 1 << 31;

/// A fact as written in the file, at its subject or at its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileRecord {
    /// Its place in the table of records.
    pub position: u32,
    /// The property.
    pub property: Property,
    /// Whether the file has it at the value of the fact, not at the subject.
    pub backward: bool,
    /// The other end: the value, or, `backward`, the subject.
    pub value: Value,
}

#[derive(Clone)]
pub(super) struct FileOrderColumns {
    node_rank: Column<u32>,
    start: Column<u32>,
    property: Column<u32>,
    value: Column<u32>,
    qualifier_start: Column<u32>,
    qualifier_key: Column<u32>,
    qualifier_value: Column<u32>,
}

impl FileOrderColumns {
    /// Opens the columns; most stores have none.
    pub(super) fn open(dir: &Path) -> Result<Option<FileOrderColumns>> {
        let column = |name: &str| Column::open(&path_of(dir, name));
        // If the list of checksums has the file but it is missing, the store is reported as damaged.
        if !path_of(dir, "node_rank").exists() {
            return Ok(None);
        }
        Ok(Some(FileOrderColumns {
            node_rank: column("node_rank")?,
            start: column("record_start")?,
            property: column("record_property")?,
            value: column("record_value")?,
            qualifier_start: column("record_qualifier_start")?,
            qualifier_key: column("record_qualifier_key")?,
            qualifier_value: column("record_qualifier_value")?,
        }))
    }

    pub(super) fn check(&self, dir: &Path, counts: &Counts) -> Result<()> {
        let n_nodes = to_usize(counts.entities + counts.classes);
        let (n_relations, n_literals) = (to_usize(counts.relations), to_usize(counts.literals));
        let n_records = self.property.len();
        check_len(dir, "node_rank", self.node_rank.len(), n_nodes)?;
        check_starts(dir, "record_start", &self.start, n_nodes, n_records)?;
        check_len(dir, "record_value", self.value.len(), n_records)?;
        let n_qualifiers = self.qualifier_key.len();
        check_starts(dir, "record_qualifier_start", &self.qualifier_start, n_records, n_qualifiers)?;
        check_len(dir, "record_qualifier_value", self.qualifier_value.len(), n_qualifiers)?;
        check_below(dir, "record_qualifier_key", &self.qualifier_key, to_usize(counts.qualifiers))?;
        let n_properties = n_relations + to_usize(counts.attributes);
        let known = |&property: &u32| {
            let code = (property & !BACKWARD_BIT) as usize;
            code < n_relations || code < n_properties && property & BACKWARD_BIT == 0
        };
        if !self.property.iter().all(known) {
            let reason = "it refers to properties that do not exist";
            return Err(KbError::damaged(&path_of(dir, "record_property"), reason));
        }
        let fits = |(&property, &value): (&u32, &u32)| {
            let is_relation = ((property & !BACKWARD_BIT) as usize) < n_relations;
            (value as usize) < if is_relation { n_nodes } else { n_literals }
        };
        if !self.property.iter().zip(self.value.iter()).all(fits) {
            let reason = "it refers to items that do not exist";
            return Err(KbError::damaged(&path_of(dir, "record_value"), reason));
        }
        let fits = |&value: &u32| {
            let limit = if value & LITERAL_BIT != 0 { n_literals } else { n_nodes };
            ((value & !LITERAL_BIT) as usize) < limit
        };
        if !self.qualifier_value.iter().all(fits) {
            let reason = "it refers to items that do not exist";
            return Err(KbError::damaged(&path_of(dir, "record_qualifier_value"), reason));
        }
        Ok(())
    }
}

impl Kb {
    /// Whether the store has the records of its file in their order.
    pub fn keeps_file_order(&self) -> bool {
        self.file_order.is_some()
    }

    /// The position of a node among those that the file describes; `None` if it is only mentioned. If the
    /// order of the file is not kept, the node's number.
    pub fn node_rank(&self, node: NodeId) -> Option<u32> {
        match &self.file_order {
            Some(order) => Some(order.node_rank[node.index()]).filter(|&rank| rank != ABSENT),
            None => Some(node.0),
        }
    }

    /// The records that the file has at a node, in its order and with all repetitions. Those of a class are
    /// the records of others about it. There are none if the order of the file is not kept.
    pub fn records(&self, node: NodeId) -> impl Iterator<Item = FileRecord> + '_ {
        let order = self.file_order.as_ref();
        order.into_iter().flat_map(move |order| {
            let range = order.start[node.index()]..order.start[node.index() + 1];
            range.map(move |position| {
                let code = order.property[position as usize];
                let property = self.property_of_code(code & !BACKWARD_BIT);
                let value = order.value[position as usize];
                let value = match property {
                    Property::Relation(_) => Value::Node(NodeId(value)),
                    Property::Attribute(_) => Value::Literal(LiteralId(value)),
                };
                FileRecord { position, property, backward: code & BACKWARD_BIT != 0, value }
            })
        })
    }

    /// The qualifiers of a record, by key; under each key in the order of the file.
    pub fn record_qualifiers(&self, record: &FileRecord) -> impl Iterator<Item = Qualifier> + '_ {
        let at = record.position as usize;
        let order = self.file_order.as_ref();
        order.into_iter().flat_map(move |order| {
            let range: Range<u32> = order.qualifier_start[at]..order.qualifier_start[at + 1];
            range.map(move |at| {
                let value = order.qualifier_value[at as usize];
                let index = value & !LITERAL_BIT;
                let is_literal = value & LITERAL_BIT != 0;
                Qualifier {
                    key: QualifierId(order.qualifier_key[at as usize]),
                    value: if is_literal {
                        Value::Literal(LiteralId(index))
                    } else {
                        Value::Node(NodeId(index))
                    },
                }
            })
        })
    }
}
