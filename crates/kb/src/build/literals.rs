//! The distinct literals of an import.

use super::interner::Interner;
use crate::cast::{index32, to_usize};
use crate::literal::{Literal, LiteralFamily, LiteralKind, NumberType};
use hashbrown::HashTable;
use rayon::prelude::*;
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
    texts: String,
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

    /// The number of the literal, which is added if it is new.
    pub(crate) fn intern(&mut self, literal: &Literal<'_>) -> u32 {
        // `en-GB` and `en-gb` are the same language; RDF parsers write the latter.
        let tag = if literal.kind == LiteralKind::LanguageText
            && !literal.tag.bytes().all(|b| !b.is_ascii_uppercase())
        {
            self.tags.intern(&literal.tag.to_ascii_lowercase())
        } else {
            self.tags.intern(literal.tag)
        };
        let text = literal.text.as_bytes();
        let LiteralTable { texts, entries, table, hasher, .. } = self;
        let text_of = |e: &Entry| &texts.as_bytes()[to_usize(e.text_start)..][..e.text_len as usize];
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
        let id = index32(entries.len());
        table.insert_unique(wanted, id, |&id| {
            let e = &entries[id as usize];
            hash(hasher, e.kind, e.number_type, e.tag, text_of(e))
        });
        entries.push(Entry {
            key: literal.key,
            text_start: texts.len() as u64,
            text_len: index32(text.len()),
            tag,
            kind: literal.kind,
            number_type: literal.number_type,
        });
        texts.push_str(literal.text);
        id
    }

    pub(crate) fn get(&self, id: u32) -> Literal<'_> {
        let e = &self.entries[id as usize];
        let text = &self.texts[to_usize(e.text_start)..][..e.text_len as usize];
        Literal { kind: e.kind, number_type: e.number_type, key: e.key, text, tag: self.tags.get(e.tag) }
    }

    /// The distinct tags of some literals, sorted; always includes the empty one.
    pub(crate) fn sorted_tags(&self, literals: &[u32]) -> Vec<&str> {
        let mut used = vec![false; self.tags.len()];
        for &id in literals {
            used[self.entries[id as usize].tag as usize] = true;
        }
        let used = used.iter().enumerate().filter(|&(_, &used)| used);
        let mut tags: Vec<&str> = used.map(|(tag, _)| self.tags.get(index32(tag))).chain([""]).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// By tag: its position in a sorted list of tags.
    pub(crate) fn tag_ranks(&self, sorted: &[&str]) -> Vec<u32> {
        let rank = |tag: u32| sorted.binary_search(&self.tags.get(tag)).map_or(0, index32);
        (0..index32(self.tags.len())).map(rank).collect()
    }

    /// The tag of a literal.
    pub(crate) fn tag_of(&self, id: u32) -> u32 {
        self.entries[id as usize].tag
    }

    /// The literals that are kept, in the order of literal ids.
    pub(crate) fn sorted(&self, keep: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
        // Comparing literals accesses scattered memory; a number that decides almost every comparison is
        // computed once for each.
        let mut tags: Vec<&str> = (0..index32(self.tags.len())).map(|tag| self.tags.get(tag)).collect();
        tags.sort_unstable();
        let rank_of_tag = self.tag_ranks(&tags);
        let mut keyed: Vec<(u128, u32)> = (0..index32(self.len()))
            .into_par_iter()
            .filter(|&id| keep(id))
            .map(|id| (self.sort_key(id, &rank_of_tag), id))
            .collect();
        keyed.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.get(a.1).storage_order(&self.get(b.1)))
        });
        keyed.into_iter().map(|(_, id)| id).collect()
    }

    /// A number whose order agrees with [`Literal::storage_order`] wherever two of them differ.
    fn sort_key(&self, id: u32, rank_of_tag: &[u32]) -> u128 {
        let entry = &self.entries[id as usize];
        let family = entry.kind.family();
        let rest: u128 = match family {
            LiteralFamily::Boolean => u128::from(entry.key),
            LiteralFamily::Quantity => {
                // The bits of floats compare like integers once negative ones are flipped.
                let ordered = if entry.key >> 63 == 1 { !entry.key } else { entry.key | 1 << 63 };
                u128::from(rank_of_tag[entry.tag as usize]) << 64 | u128::from(ordered)
            }
            LiteralFamily::Time => u128::from(entry.key ^ 1 << 63),
            LiteralFamily::Text => {
                let text = &self.texts.as_bytes()[to_usize(entry.text_start)..][..entry.text_len as usize];
                let mut prefix = [0u8; 16];
                let n = text.len().min(14);
                prefix[2..2 + n].copy_from_slice(&text[..n]);
                u128::from_be_bytes(prefix)
            }
        };
        (family as u128) << 120 | rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_keys_agree_with_the_order_of_literals() {
        let mut table = LiteralTable::default();
        let texts = ["", "a", "a\0", "abcdefghijklmn", "abcdefghijklmnop", "abcdefghijklmno", "é"];
        for text in texts {
            for language in ["", "de", "en"] {
                table.intern(&Literal::language_text(text, language));
            }
        }
        for number in ["-1e300", "-2.5", "-2", "0", "0.0", "1e-9", "3", "3.0", "1e300"] {
            for unit in ["", "kg", "m"] {
                table.intern(&Literal::quantity(number, unit).expect("a number"));
            }
        }
        for year in ["-500", "-1", "0", "1", "1990", "1991"] {
            table.intern(&Literal::year(year).expect("a year"));
        }
        table.intern(&Literal::date("1990-05-06").expect("a date"));
        table.intern(&Literal::boolean(true));
        table.intern(&Literal::boolean(false));
        let sorted = table.sorted(|_| true);
        assert_eq!(sorted.len(), table.len());
        assert!(sorted.is_sorted_by(|&a, &b| table.get(a).storage_order(&table.get(b)).is_lt()));
    }
}
