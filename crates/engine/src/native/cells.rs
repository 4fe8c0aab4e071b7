//! Terms in rows: small codes, equal if and only if the RDF terms are.

use hashbrown::HashMap;
use oxrdf::Term;
use spareval::ExpressionTerm;
use touchstone_kb::rdf::{RdfTerm, RdfView};

/// The number of a variable in rows. Variables of different scopes have different numbers, even if they have the same name.
pub(super) type Slot = usize;

/// A set of slots.
pub(super) type Slots = u128;

/// Maximum number of variables of a query.
pub(super) const MOST_SLOTS: usize = 128;

/// The set of one slot.
pub(super) fn one(slot: Slot) -> Slots {
    1 << slot
}

/// The slots of a set, in their order.
pub(super) fn slots_of(set: Slots) -> impl Iterator<Item = Slot> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let slot = rest.trailing_zeros() as Slot;
            rest &= rest - 1;
            slot
        })
    })
}

/// The value of a variable in a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Cell {
    /// No value.
    Unbound,
    /// A term of the view.
    Term(RdfTerm),
    /// A term that the view does not have, as a position in [`Terms`].
    Made(u32),
}

/// Terms that the view does not have, and the values of terms.
pub(super) struct Terms<'v> {
    pub(super) view: &'v dyn RdfView,
    made: Vec<Term>,
    codes: HashMap<Term, u32>,
    values: HashMap<Cell, ExpressionTerm>,
}

/// Maximum number of values that are cached.
const MOST_REMEMBERED: usize = 1 << 16;

impl<'v> Terms<'v> {
    pub(super) fn new(view: &'v dyn RdfView) -> Terms<'v> {
        Terms { view, made: Vec::new(), codes: HashMap::new(), values: HashMap::new() }
    }

    /// The code of a term.
    pub(super) fn cell(&mut self, term: Term) -> Cell {
        match self.view.encode(&term) {
            // `"01"^^xsd:integer` has the code of `"1"^^xsd:integer`, but is another term.
            Some(code) if self.view.decode(code) == term => Cell::Term(code),
            _ => {
                let next = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
                let made = &mut self.made;
                let code = *self.codes.entry(term).or_insert_with_key(|term| {
                    made.push(term.clone());
                    next
                });
                Cell::Made(code)
            }
        }
    }

    /// The term of a code; `None` if there is no value.
    pub(super) fn term(&self, cell: Cell) -> Option<Term> {
        match cell {
            Cell::Unbound => None,
            Cell::Term(code) => Some(self.view.decode(code)),
            Cell::Made(at) => self.made.get(at as usize).cloned(),
        }
    }

    /// The value of a term; `None` if there is none.
    pub(super) fn value(&mut self, cell: Cell) -> Option<ExpressionTerm> {
        match cell {
            Cell::Unbound => return None,
            // Numbers need not be written and read again.
            Cell::Term(RdfTerm::Double(bits)) => {
                return Some(ExpressionTerm::DoubleLiteral(f64::from_bits(bits).into()));
            }
            Cell::Term(RdfTerm::Integer(number)) => {
                return Some(ExpressionTerm::IntegerLiteral(number.into()));
            }
            _ => {}
        }
        if let Some(value) = self.values.get(&cell) {
            return Some(value.clone());
        }
        let value = ExpressionTerm::from(self.term(cell)?);
        if self.values.len() >= MOST_REMEMBERED {
            self.values.clear();
        }
        self.values.insert(cell, value.clone());
        Some(value)
    }
}

/// Rows of the same variables.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) slots: Vec<Slot>,
    /// The slots that have a value in every row.
    pub(super) certain: Slots,
    cells: Vec<Cell>,
    len: usize,
}

impl Table {
    /// Without rows.
    pub(super) fn new(slots: Vec<Slot>) -> Table {
        let certain = slots.iter().fold(0, |set, &slot| set | one(slot));
        Table { slots, certain, cells: Vec::new(), len: 0 }
    }

    /// Adds a row with a cell for each slot.
    pub(super) fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        for (at, cell) in cells.into_iter().enumerate() {
            if cell == Cell::Unbound {
                self.certain &= !one(self.slots[at]);
            }
            self.cells.push(cell);
        }
        self.len += 1;
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A row.
    pub(super) fn row(&self, at: usize) -> &[Cell] {
        let width = self.slots.len();
        &self.cells[at * width..(at + 1) * width]
    }

    /// The set of all slots.
    pub(super) fn possible(&self) -> Slots {
        self.slots.iter().fold(0, |set, &slot| set | one(slot))
    }
}
