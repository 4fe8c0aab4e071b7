//! The fingerprint: a hash of the content, in an order that the content itself determines.
//!
//! It covers ids, names, descriptions, classes, the schema, literals, facts, qualifiers and the triples of an
//! RDF file that are none of these; it does not
//! cover the name of the KB, its licence, how complete it is, the sources of single facts, the order of the
//! file it was made from, nor the layout of the store.

use crate::cast::index32;

/// Feeds content into the fingerprint.
pub(crate) struct ContentHasher {
    hasher: blake3::Hasher,
    block: Vec<u8>,
}

const BLOCK: usize = 1 << 16;

impl ContentHasher {
    pub(crate) fn new() -> ContentHasher {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"touchstone kb content 1");
        ContentHasher { hasher, block: Vec::with_capacity(BLOCK) }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.block.len() + bytes.len() > BLOCK {
            self.hasher.update(&self.block);
            self.block.clear();
        }
        if bytes.len() > BLOCK {
            self.hasher.update(bytes);
        } else {
            self.block.extend_from_slice(bytes);
        }
    }

    /// Begins a part of the content.
    pub(crate) fn section(&mut self, name: &str) {
        self.u32(u32::MAX);
        self.text(name);
    }

    pub(crate) fn u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }

    pub(crate) fn numbers(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|&n| self.u32(n));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.u32(index32(text.len()));
        self.write(text.as_bytes());
    }

    fn finish(mut self) -> blake3::Hash {
        self.hasher.update(&self.block);
        self.hasher.finalize()
    }
}

impl Default for ContentHasher {
    fn default() -> Self {
        Self::new()
    }
}

/// The fingerprint of the parts of a KB's content: 32 hexadecimal digits.
pub(crate) fn fingerprint(parts: impl IntoIterator<Item = ContentHasher>) -> String {
    let mut all = blake3::Hasher::new();
    for part in parts {
        all.update(part.finish().as_bytes());
    }
    all.finalize().to_hex()[..32].to_owned()
}
