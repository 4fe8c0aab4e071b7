//! Remembers a literal for each literal, for those that were asked for.

use crate::ids::LiteralId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const PAGE: usize = 1024;

/// A literal by literal, in pages that are made when they are first needed: most literals are never asked for. Shared by threads.
pub(super) struct LiteralMemo {
    pages: Vec<OnceLock<Box<[AtomicU32]>>>,
}

impl LiteralMemo {
    /// Empty, for a number of literals.
    pub(super) fn new(n_literals: usize) -> LiteralMemo {
        LiteralMemo { pages: (0..n_literals.div_ceil(PAGE)).map(|_| OnceLock::new()).collect() }
    }

    /// What is remembered of a literal; if nothing is, what `find` gives, from then on.
    pub(super) fn get_or_insert_with(&self, of: LiteralId, find: impl FnOnce() -> LiteralId) -> LiteralId {
        let Some(page) = self.pages.get(of.index() / PAGE) else { return find() };
        let page = page.get_or_init(|| (0..PAGE).map(|_| AtomicU32::new(0)).collect());
        let place = &page[of.index() % PAGE];
        // One more than the id. Threads that find it at the same time store the same: no order is needed.
        match place.load(Ordering::Relaxed).checked_sub(1) {
            Some(known) => LiteralId(known),
            None => {
                let found = find();
                place.store(found.0.wrapping_add(1), Ordering::Relaxed);
                found
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_once() {
        let memo = LiteralMemo::new(3000);
        for id in [0, 1, 1023, 1024, 2999] {
            assert_eq!(memo.get_or_insert_with(LiteralId(id), || LiteralId(id + 7)), LiteralId(id + 7));
            assert_eq!(memo.get_or_insert_with(LiteralId(id), || unreachable!()), LiteralId(id + 7));
        }
        assert_eq!(memo.get_or_insert_with(LiteralId(9999), || LiteralId(1)), LiteralId(1));
    }
}
