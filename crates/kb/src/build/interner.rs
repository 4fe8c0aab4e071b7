//! Strings to dense numbers, in the order of first appearance.

use crate::cast::{index32, to_usize};
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// A growing dictionary. Memory: the bytes of each distinct string plus about 16 bytes. The name table of
/// `touchstone_logic`'s ontology stores the hashes as well, which would be too much for the nodes of a large KB.
pub(crate) struct Interner {
    bytes: Vec<u8>,
    starts: Vec<u64>,
    table: HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            bytes: Vec::new(),
            starts: vec![0],
            table: HashTable::new(),
            hasher: hashbrown::DefaultHashBuilder::default(),
        }
    }
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }

    /// The number of the string, which is added if it is new.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        self.intern_bytes(text.as_bytes())
    }

    pub(crate) fn intern_bytes(&mut self, bytes: &[u8]) -> u32 {
        let hash = self.hash(bytes);
        let Interner { bytes: all, starts, table, hasher } = self;
        let slice = |id: u32| &all[to_usize(starts[id as usize])..to_usize(starts[id as usize + 1])];
        if let Some(&id) = table.find(hash, |&id| slice(id) == bytes) {
            return id;
        }
        let id = index32(starts.len() - 1);
        table.insert_unique(hash, id, |&id| {
            let mut h = hasher.build_hasher();
            h.write(slice(id));
            h.finish()
        });
        all.extend_from_slice(bytes);
        starts.push(all.len() as u64);
        id
    }

    /// The number of the string, if it is known.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        let bytes = text.as_bytes();
        self.table.find(self.hash(bytes), |&id| self.bytes_of(id) == bytes).copied()
    }

    /// The same numbers for renamed strings; a string that would become equal to another is not renamed.
    pub(crate) fn renamed(&self, rename: impl Fn(&str) -> String) -> Interner {
        let mut renamed = Interner::default();
        for id in 0..index32(self.len()) {
            let new = rename(self.get(id));
            let is_taken = renamed.find(&new).is_some();
            renamed.intern(if is_taken { self.get(id) } else { &new });
        }
        debug_assert_eq!(renamed.len(), self.len());
        renamed
    }

    pub(crate) fn bytes_of(&self, id: u32) -> &[u8] {
        let id = id as usize;
        &self.bytes[to_usize(self.starts[id])..to_usize(self.starts[id + 1])]
    }

    pub(crate) fn get(&self, id: u32) -> &str {
        std::str::from_utf8(self.bytes_of(id)).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;

    #[test]
    fn same_string_same_number() {
        let mut interner = Interner::default();
        let numbers: Vec<u32> = ["a", "", "b", "a", "ab", ""].map(|s| interner.intern(s)).into();
        assert_eq!(numbers, [0, 1, 2, 0, 3, 1]);
        assert_eq!(interner.get(3), "ab");
        assert_eq!(interner.find("b"), Some(2));
        assert_eq!(interner.find("c"), None);
        assert_eq!(interner.len(), 4);
    }
}
