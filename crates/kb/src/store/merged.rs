//! Iterators over stored items together with the changes of an overlay.

use std::iter::Peekable;

/// Stored items, or those of an overlay.
pub(super) enum Either<A, B> {
    Stored(A),
    Changed(B),
}

impl<T, A: Iterator<Item = T>, B: Iterator<Item = T>> Iterator for Either<A, B> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self {
            Either::Stored(stored) => stored.next(),
            Either::Changed(changed) => changed.next(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Either::Stored(stored) => stored.size_hint(),
            Either::Changed(changed) => changed.size_hint(),
        }
    }
}

impl<T, A: ExactSizeIterator<Item = T>, B: ExactSizeIterator<Item = T>> ExactSizeIterator for Either<A, B> {}

/// A sorted list without the removed items, and with the added ones.
pub(super) struct Merged<'d, I: Iterator<Item = u32>> {
    stored: Peekable<I>,
    gone: &'d [u32],
    new: &'d [u32],
    left: usize,
}

impl<'d, I: ExactSizeIterator<Item = u32>> Merged<'d, I> {
    pub(super) fn new(stored: I, (gone, new): (&'d [u32], &'d [u32])) -> Self {
        let left = stored.len() + new.len() - gone.len();
        Merged { stored: stored.peekable(), gone, new, left }
    }
}

impl<I: Iterator<Item = u32>> Iterator for Merged<'_, I> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        while let (Some(stored), Some((first, rest))) = (self.stored.peek(), self.gone.split_first())
            && stored == first
        {
            self.gone = rest;
            self.stored.next();
        }
        let item = match (self.stored.peek(), self.new.split_first()) {
            (Some(stored), Some((first, rest))) if first < stored => {
                self.new = rest;
                Some(*first)
            }
            (None, Some((first, rest))) => {
                self.new = rest;
                Some(*first)
            }
            _ => self.stored.next(),
        };
        self.left -= usize::from(item.is_some());
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator<Item = u32>> ExactSizeIterator for Merged<'_, I> {}
