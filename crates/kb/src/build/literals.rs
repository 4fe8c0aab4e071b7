//! The literals met during an import, each once.

use super::interner::Interner;
use crate::literal::{Literal, LiteralKind, NumberType};
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    text_start: u64,
    text_len: u32,
    tag: u32,
    kind: LiteralKind,
    number_type: NumberType,
}

/// A growing table of distinct literals.
#[derive(Default)]
pub(crate) struct LiteralTable {
    texts: Vec<u8>,
    entries: Vec<Entry>,
    tags: Interner,
    table: HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
}

fn hash(
    hasher: &hashbrown::DefaultHashBuilder,
    kind: LiteralKind,
    number_type: NumberType,
    tag: u32,
    text: &[u8],
) -> u64 {
    let mut h = hasher.build_hasher();
    h.write(text);
    h.write_u32(tag << 8 | (kind as u32) << 4 | number_type as u32);
    h.finish()
}

impl LiteralTable {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of the literal, new or not.
    pub(crate) fn intern(&mut self, literal: &Literal<'_>) -> u32 {
        let tag = self.tags.intern(literal.tag);
        let text = literal.text.as_bytes();
        let LiteralTable { texts, entries, table, hasher, .. } = self;
        let text_of = |e: &Entry| &texts[e.text_start as usize..][..e.text_len as usize];
        let wanted = hash(hasher, literal.kind, literal.number_type, tag, text);
        let found = table.find(wanted, |&id| {
            let e = &entries[id as usize];
            e.tag == tag
                && e.kind == literal.kind
                && e.number_type == literal.number_type
                && text_of(e) == text
        });
        if let Some(&id) = found {
            return id;
        }
        let id = entries.len() as u32;
        table.insert_unique(wanted, id, |&id| {
            let e = &entries[id as usize];
            hash(hasher, e.kind, e.number_type, e.tag, text_of(e))
        });
        entries.push(Entry {
            key: literal.key,
            text_start: texts.len() as u64,
            text_len: text.len() as u32,
            tag,
            kind: literal.kind,
            number_type: literal.number_type,
        });
        texts.extend_from_slice(text);
        id
    }

    pub(crate) fn get(&self, id: u32) -> Literal<'_> {
        let e = &self.entries[id as usize];
        let text = &self.texts[e.text_start as usize..][..e.text_len as usize];
        Literal {
            kind: e.kind,
            number_type: e.number_type,
            key: e.key,
            text: std::str::from_utf8(text).unwrap_or(""),
            tag: self.tags.get(e.tag),
        }
    }
}
