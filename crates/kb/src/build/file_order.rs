//! The records of a file in their original order, for formats whose programs depend on it.
//!
//! A store sorts facts and keeps each once. KQA Pro's published executors take the first or the last record of
//! an entity, count repeated ones, and see a relation only from the entity it is written at. So this importer
//! keeps, in addition to the facts, what was read, in the order in which it was read.

use super::builder::{KbBuilder, LITERAL_BIT, RawNode, RawProperty, RawQualifier, RawValue};
use super::compile::{ABSENT, Numbers, set_pairs};
use super::interner::Interner;
use super::sorter::{Sorter, Spill};
use crate::cast::{index32, index32_of};
use crate::error::{KbError, Result};
use crate::store::BACKWARD_BIT;
use crate::store::writer::StoreWriter;
use bytemuck::{Pod, Zeroable};

/// The records read so far, in their order.
pub(crate) struct FileOrder {
    /// Lists of qualifiers, neither sorted nor without repetitions; number 0 is the empty one.
    lists: Interner,
    records: Spill<RawRecord>,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawRecord {
    node: u32,
    property: u32,
    value: u32,
    list: u32,
    backward: u32,
}

impl KbBuilder {
    /// Keeps the order of the nodes that are declared and of the facts given to [`KbBuilder::record`].
    pub(crate) fn keep_file_order(&mut self) {
        let mut lists = Interner::default();
        lists.intern("");
        self.file_order = Some(FileOrder { lists, records: Spill::new(&self.workspace) });
    }

    /// Adds a fact that the file writes at `node`: as its subject, or, `backward`, as its value.
    /// `qualifiers` is sorted in place.
    pub(crate) fn record(
        &mut self,
        node: RawNode,
        property: RawProperty,
        value: RawValue,
        backward: bool,
        qualifiers: &mut [(RawQualifier, RawValue)],
    ) -> Result<()> {
        debug_assert!(!(backward && value.is_literal()));
        if let Some(order) = &mut self.file_order {
            let pairs = qualifiers.iter().flat_map(|(key, value)| [key.0, value.0]);
            let bytes: Vec<u8> = pairs.flat_map(u32::to_le_bytes).collect();
            let list = order.lists.intern_bytes(&bytes);
            let (property, value, backward) = (property.0, value.0, u32::from(backward));
            order.records.push(RawRecord { node: node.0, property, value, list, backward })?;
        }
        let (subject, value) = if backward { (RawNode(value.0), node.into()) } else { (node, value) };
        self.fact(subject, property, value, qualifiers, None)
    }

    /// Writes the columns with the order of the file, if it is kept.
    pub(crate) fn write_file_order(&mut self, numbers: &Numbers, writer: &StoreWriter) -> Result<()> {
        let Some(FileOrder { lists, records }) = self.file_order.take() else { return Ok(()) };
        let mut ranks = vec![ABSENT; numbers.n_nodes()];
        for (rank, &node) in self.declared.iter().enumerate() {
            let place = &mut ranks[numbers.node[node as usize] as usize];
            if *place == ABSENT {
                *place = index32(rank);
            }
        }
        writer.write("node_rank", &ranks)?;
        if records.len() >= u64::from(LITERAL_BIT) {
            return Err(KbError::TooMany { what: "records in one file", limit: LITERAL_BIT.into() });
        }
        let mut sorter = Sorter::<[u32; 5]>::new(&self.workspace);
        let n_relations = index32(numbers.relation_order.len());
        let mut position = 0;
        records.into_each(|record| {
            let value = RawValue(record.value);
            let property = record.property as usize;
            let (mut property, end) = if value.is_literal() {
                (n_relations + numbers.attribute[property], numbers.literal[value.index()])
            } else {
                (numbers.relation[property], numbers.node[value.index()])
            };
            if record.backward != 0 {
                property |= BACKWARD_BIT;
            }
            let node = numbers.node[record.node as usize];
            sorter.push([node, position, property, end, record.list])?;
            // Classes have no records in the file: every loader of the format gives them the other end's.
            if !value.is_literal() && self.is_class[value.index()] {
                sorter.push([end, position, property ^ BACKWARD_BIT, node, record.list])?;
            }
            position += 1;
            Ok(())
        })?;
        write_records(sorter, &lists, numbers, writer)
    }
}

fn write_records(
    sorter: Sorter<[u32; 5]>,
    lists: &Interner,
    numbers: &Numbers,
    writer: &StoreWriter,
) -> Result<()> {
    let mut starts = vec![0u32; numbers.n_nodes() + 1];
    let mut properties = writer.column::<u32>("record_property")?;
    let mut values = writer.column::<u32>("record_value")?;
    let mut qualifier_starts = writer.column::<u32>("record_qualifier_start")?;
    let mut keys = writer.column::<u32>("record_qualifier_key")?;
    let mut qualifier_values = writer.column::<u32>("record_qualifier_value")?;
    qualifier_starts.push(0)?;
    sorter.for_each(|&[node, _, property, value, list]| {
        starts[node as usize + 1] += 1;
        properties.push(property)?;
        values.push(value)?;
        for (key, value) in set_pairs(lists.bytes_of(list)) {
            keys.push(numbers.qualifier[key as usize])?;
            qualifier_values.push(numbers.value(RawValue(value)))?;
        }
        qualifier_starts.push(index32_of(keys.len()))
    })?;
    for node in 1..starts.len() {
        starts[node] += starts[node - 1];
    }
    writer.write("record_start", &starts)?;
    properties.finish()?;
    values.finish()?;
    qualifier_starts.finish()?;
    keys.finish()?;
    qualifier_values.finish().map(drop)
}
