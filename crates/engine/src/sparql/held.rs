//! Counts the memory in the evaluator's buffers.
//!
//! Rows consist of terms, and our code creates, copies and drops terms: so the number of live terms shows how much memory the
//! evaluation on this thread holds, whatever the evaluator does with them.

use super::watchdog::{checkpoint, request_stop_of_current};
use crate::budget::Limit;
use oxrdf::Term;
use spareval::ExpressionTerm;
use std::cell::Cell;
use std::hash::{Hash, Hasher};

/// A term in a row, with its share of the row's overhead.
const BYTES_OF_TERM: u64 = 48;

thread_local! {
    static HELD: Cell<u64> = const { Cell::new(0) };
    static MOST: Cell<u64> = const { Cell::new(u64::MAX) };
}

#[inline]
fn hold(bytes: u64) {
    let held = HELD.get().saturating_add(bytes);
    HELD.set(held);
    if held > MOST.get() {
        request_stop_of_current(Limit::Memory);
    }
    checkpoint();
}

#[inline]
fn release(bytes: u64) {
    HELD.set(HELD.get().saturating_sub(bytes));
}

/// While this lives, the evaluation on this thread may hold this much memory.
pub(super) struct Allowance {
    outer: (u64, u64),
}

impl Allowance {
    pub(super) fn begin(most: u64) -> Allowance {
        Allowance { outer: (HELD.replace(0), MOST.replace(most)) }
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        HELD.set(self.outer.0);
        MOST.set(self.outer.1);
    }
}

/// Part of every term. The evaluator copies terms whenever it makes a row, so its own loops are also stopped here.
#[derive(Debug)]
pub(super) struct Alive(());

impl Alive {
    #[inline]
    pub(super) fn new() -> Alive {
        hold(BYTES_OF_TERM);
        Alive(())
    }
}

impl Clone for Alive {
    #[inline]
    fn clone(&self) -> Alive {
        Alive::new()
    }
}

impl Drop for Alive {
    #[inline]
    fn drop(&mut self) {
        release(BYTES_OF_TERM);
    }
}

impl PartialEq for Alive {
    fn eq(&self, _: &Alive) -> bool {
        true
    }
}

impl Eq for Alive {}

impl Hash for Alive {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A term with its texts, which are counted once.
pub(super) struct HeldTerm {
    term: Term,
    /// The value of the term, if it is small and known: sorting reads it repeatedly.
    value: Option<ExpressionTerm>,
    bytes: u64,
}

impl HeldTerm {
    pub(super) fn new(term: Term, value: Option<ExpressionTerm>) -> HeldTerm {
        let bytes = term_bytes(&term) + size_of::<HeldTerm>() as u64;
        let held = HeldTerm { term, value, bytes };
        hold(bytes);
        held
    }

    pub(super) fn term(&self) -> &Term {
        &self.term
    }

    pub(super) fn value(&self) -> ExpressionTerm {
        self.value.clone().unwrap_or_else(|| self.term.clone().into())
    }
}

impl Drop for HeldTerm {
    fn drop(&mut self) {
        release(self.bytes);
    }
}

impl PartialEq for HeldTerm {
    fn eq(&self, other: &HeldTerm) -> bool {
        self.term == other.term
    }
}

impl Eq for HeldTerm {}

impl Hash for HeldTerm {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.term.hash(state);
    }
}

/// The size of a term without its texts.
const SLOT: u64 = size_of::<Option<Term>>() as u64;

/// Approximate size of a row in bytes.
pub(crate) fn row_bytes(row: &[Option<Term>]) -> u64 {
    SLOT + row.iter().map(|term| term.as_ref().map_or(SLOT, term_bytes)).sum::<u64>()
}

/// Approximate size of a term in bytes.
pub(super) fn term_bytes(term: &Term) -> u64 {
    let texts = match term {
        Term::NamedNode(iri) => iri.as_str().len(),
        Term::BlankNode(blank) => blank.as_str().len(),
        Term::Literal(literal) => {
            literal.value().len() + literal.datatype().as_str().len() + literal.language().map_or(0, str::len)
        }
        // Subject and predicate are IRIs of typical length.
        Term::Triple(triple) => return 2 * SLOT + 128 + term_bytes(&triple.object),
    };
    SLOT + texts as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_not_held() {
        let allowance = Allowance::begin(1 << 20);
        let terms = vec![Alive::new(); 100];
        let text = HeldTerm::new(oxrdf::Literal::new_simple_literal("x".repeat(1000)).into(), None);
        assert!(HELD.get() > 100 * BYTES_OF_TERM + 1000);
        drop(terms);
        drop(text);
        assert_eq!(HELD.get(), 0);
        drop(allowance);
        assert_eq!(MOST.get(), u64::MAX);
    }
}
