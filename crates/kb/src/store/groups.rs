//! Facts in groups: those of one node with one property are adjacent.

use super::columns::{Rows, check_below, check_starts, path_of};
use super::mapping::Column;
use crate::error::Result;
use std::ops::Range;
use std::path::Path;

/// Two-level rows: node -> group (one property) -> entries.
#[derive(Clone)]
pub(super) struct Groups {
    of_node: Column<u32>,
    pub(super) property: Column<u32>,
    pub(super) start: Column<u32>,
    pub(super) by_property: Rows,
}

impl Groups {
    pub(super) fn open(dir: &Path, name: &str) -> Result<Groups> {
        Ok(Groups {
            of_node: Column::open(&path_of(dir, &format!("{name}_groups")))?,
            property: Column::open(&path_of(dir, &format!("{name}_group_property")))?,
            start: Column::open(&path_of(dir, &format!("{name}_group_start")))?,
            by_property: Rows::open(dir, &format!("{name}_by_property"))?,
        })
    }

    pub(super) fn check(
        &self,
        dir: &Path,
        name: &str,
        n_nodes: usize,
        n_properties: usize,
        n_entries: usize,
    ) -> Result<()> {
        let n_groups = self.property.len();
        check_starts(dir, &format!("{name}_groups"), &self.of_node, n_nodes, n_groups)?;
        check_below(dir, &format!("{name}_group_property"), &self.property, n_properties)?;
        check_starts(dir, &format!("{name}_group_start"), &self.start, n_groups, n_entries)?;
        self.by_property.check(dir, &format!("{name}_by_property"), n_properties, n_groups)
    }

    #[inline]
    pub(super) fn groups(&self, node: usize) -> Range<usize> {
        self.of_node[node] as usize..self.of_node[node + 1] as usize
    }

    /// The properties of a node's groups, sorted.
    #[inline]
    pub(super) fn properties(&self, node: usize) -> &[u32] {
        &self.property[self.groups(node)]
    }

    /// All entries of a node.
    #[inline]
    pub(super) fn entries_of_node(&self, node: usize) -> Range<usize> {
        let groups = self.groups(node);
        self.start[groups.start] as usize..self.start[groups.end] as usize
    }

    #[inline]
    pub(super) fn entries_of_group(&self, group: usize) -> Range<usize> {
        self.start[group] as usize..self.start[group + 1] as usize
    }

    /// The entries of a node with one property.
    #[inline]
    pub(super) fn entries(&self, node: usize, property: u32) -> Range<usize> {
        let groups = self.groups(node);
        let properties = &self.property[groups.clone()];
        // Few properties: a scan is faster than a binary search.
        let found = if properties.len() <= 16 {
            properties.iter().position(|&p| p == property)
        } else {
            properties.binary_search(&property).ok()
        };
        match found {
            Some(at) => self.entries_of_group(groups.start + at),
            None => 0..0,
        }
    }
}
