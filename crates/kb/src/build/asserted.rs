//! Triples of an RDF file that are not facts of the model, kept exactly as they were written: names in all
//! languages, types, the schema, reifiers. Together with the facts they are the triples of the file.

use super::builder::{KbBuilder, LITERAL_BIT, RawNode, RawValue};
use super::compile::{ABSENT, Numbers};
use super::sorter::{Sorter, Spill};
use crate::cast::index32;
use crate::error::{KbError, Result};
use crate::store::asserted::OTHER_BIT;
use crate::store::fingerprint::ContentHasher;
use crate::store::writer::StoreWriter;
use rayon::prelude::*;

/// Triples under provisional numbers: two nodes and a value. Predicates and quoted triples are nodes here, too;
/// those that are not part of the model get separate numbers when the store is written.
pub(crate) type RawTriples = Spill<[u32; 3]>;

impl KbBuilder {
    /// Keeps the triples given to [`KbBuilder::assert_triple`]; the graph then consists of these and the facts.
    pub(crate) fn keep_asserted(&mut self) {
        self.asserted = Some(Spill::new(&self.workspace));
    }

    /// Discards them.
    pub(crate) fn forget_asserted(&mut self) {
        self.asserted = None;
    }

    /// Keeps a triple as it was written, if triples are kept.
    pub(crate) fn assert_triple(
        &mut self,
        subject: RawNode,
        predicate: &str,
        object: RawValue,
    ) -> Result<()> {
        if self.asserted.is_none() {
            return Ok(());
        }
        let predicate = self.node(predicate)?;
        match &mut self.asserted {
            Some(triples) => triples.push([subject.0, predicate.0, object.0]),
            None => Ok(()),
        }
    }

    /// Writes the triples, and the terms in them that are not part of the model; returns their part of the
    /// fingerprint.
    pub(crate) fn write_asserted(
        &mut self,
        numbers: &Numbers,
        writer: &StoreWriter,
    ) -> Result<Option<ContentHasher>> {
        let Some(mut triples) = self.asserted.take() else { return Ok(None) };
        if numbers.n_nodes() >= OTHER_BIT as usize {
            return Err(KbError::TooMany { what: "entities and classes", limit: OTHER_BIT.into() });
        }
        let mut content = ContentHasher::new();
        let mut other = vec![ABSENT; self.nodes.len()];
        triples.for_each(|&[subject, predicate, object]| {
            for node in [subject, predicate, object] {
                if node & LITERAL_BIT == 0 && numbers.node[node as usize] == ABSENT {
                    other[node as usize] = 0;
                }
            }
            Ok(())
        })?;
        let mut order: Vec<u32> = (0..index32(other.len())).filter(|&n| other[n as usize] == 0).collect();
        order.par_sort_unstable_by(|&a, &b| self.nodes.bytes_of(a).cmp(self.nodes.bytes_of(b)));
        if order.len() >= OTHER_BIT as usize {
            return Err(KbError::TooMany { what: "terms outside the model", limit: OTHER_BIT.into() });
        }
        for (position, &node) in order.iter().enumerate() {
            other[node as usize] = index32(position) | OTHER_BIT;
        }
        writer.write_strings("asserted_term", order.iter().map(|&node| self.nodes.get(node)))?;
        content.section("asserted terms");
        order.iter().for_each(|&node| content.text(self.nodes.get(node)));

        let number = |raw: u32| match RawValue(raw) {
            value if value.is_literal() => numbers.value(value),
            value => match numbers.node[value.index()] {
                ABSENT => other[value.index()],
                node => node,
            },
        };
        let mut sorter: Sorter<[u32; 3]> = Sorter::new(&self.workspace);
        triples.into_each(|triple| sorter.push(triple.map(number)))?;
        let mut by_predicate: Sorter<[u32; 4]> = Sorter::new(&self.workspace);
        let mut by_object: Sorter<[u32; 4]> = Sorter::new(&self.workspace);
        let mut column = writer.column::<u32>("asserted_triple")?;
        let (mut last, mut n) = (None, 0u32);
        content.section("asserted triples");
        sorter.for_each(|triple| {
            if last == Some(*triple) {
                return Ok(());
            }
            last = Some(*triple);
            let [subject, predicate, object] = *triple;
            column.extend(triple)?;
            content.numbers(triple);
            by_predicate.push([predicate, object, subject, n])?;
            by_object.push([object, predicate, subject, n])?;
            let limit = u32::MAX / 3;
            n = n
                .checked_add(1)
                .filter(|&n| n < limit)
                .ok_or(KbError::TooMany { what: "triples outside the model", limit: limit.into() })?;
            Ok(())
        })?;
        column.finish()?;
        for (name, sorter) in [("asserted_by_predicate", by_predicate), ("asserted_by_object", by_object)] {
            let mut column = writer.column::<u32>(name)?;
            sorter.for_each(|&[_, _, _, position]| column.push(position))?;
            column.finish()?;
        }
        let stated = |&raw: &u32| u8::from(self.property_info[raw as usize].unit.is_some());
        let stated: Vec<u8> = numbers.attribute_order.iter().map(stated).collect();
        writer.write("asserted_unit", &stated)?;
        Ok(Some(content))
    }
}
