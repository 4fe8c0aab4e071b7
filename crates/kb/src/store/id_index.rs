//! Finds nodes and properties by id: by binary search at first, then by a hash table once enough searches were made.
//!
//! A store opens at once and most processes look up few ids, so the table is built only when the searches so far have cost about as
//! much as building it.

use super::columns::Strings;
use crate::cast::index32;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The cost of one search, in entries of the table.
const ENTRIES_PER_SEARCH: usize = 16;

#[derive(Default)]
pub(super) struct IdIndex {
    searches: AtomicUsize,
    table: OnceLock<Table>,
}

struct Table {
    hasher: DefaultHashBuilder,
    nodes: HashTable<u32>,
}

impl IdIndex {
    /// The place of an id in a sorted table.
    pub(super) fn find_in(&self, ids: &Strings, id: &str) -> Option<usize> {
        let n = ids.len();
        self.find(ids, [0..n, n..n], id)
    }

    /// The position of an id in a table of two sorted parts. The first part has priority.
    pub(super) fn find(&self, ids: &Strings, parts: [Range<usize>; 2], id: &str) -> Option<usize> {
        if let Some(table) = self.table.get() {
            return table.find(ids, id.as_bytes());
        }
        let [first, second] = parts;
        let searches = self.searches.fetch_add(1, Ordering::Relaxed);
        if searches > second.end / ENTRIES_PER_SEARCH {
            return self.table.get_or_init(|| Table::of(ids, second.end)).find(ids, id.as_bytes());
        }
        ids.find(first, id).or_else(|| ids.find(second, id))
    }
}

impl Table {
    fn of(ids: &Strings, n: usize) -> Table {
        let mut table = Table { hasher: DefaultHashBuilder::default(), nodes: HashTable::with_capacity(n) };
        for node in 0..n {
            let id = ids.bytes(node);
            if table.find(ids, id).is_none() {
                let Table { hasher, nodes } = &mut table;
                nodes.insert_unique(hasher.hash_one(id), index32(node), |&node| {
                    hasher.hash_one(ids.bytes(node as usize))
                });
            }
        }
        table
    }

    fn find(&self, ids: &Strings, id: &[u8]) -> Option<usize> {
        let is_same = |&node: &u32| ids.bytes(node as usize) == id;
        self.nodes.find(self.hasher.hash_one(id), is_same).map(|&node| node as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::columns::path_of;

    #[test]
    fn the_table_finds_what_the_search_finds() {
        // Two sorted parts; `b` is in both.
        let ids = ["a", "b", "d", "Q9", "b", "c"];
        let ids = {
            let mut ids = ids;
            ids[..4].sort_unstable();
            ids
        };
        let mut starts = vec![0u64];
        starts.extend(ids.iter().scan(0, |end, id| {
            *end += id.len() as u64;
            Some(*end)
        }));
        let dir = tempfile::tempdir().expect("a folder");
        let bytes: Vec<u8> = starts.iter().flat_map(|start| start.to_le_bytes()).collect();
        std::fs::write(path_of(dir.path(), "id.starts"), bytes).expect("written");
        std::fs::write(path_of(dir.path(), "id.bytes"), ids.concat()).expect("written");
        let table = Strings::open(dir.path(), "id").expect("a table");
        let index = IdIndex::default();
        for round in 0..3 {
            for (id, place) in
                [("a", Some(1)), ("b", Some(2)), ("c", Some(5)), ("Q9", Some(0)), ("x", None), ("", None)]
            {
                assert_eq!(index.find(&table, [0..4, 4..6], id), place, "{id} in round {round}");
            }
        }
        assert!(index.table.get().is_some(), "after this number of searches the table is built");
    }
}
