//! Terms in rows: small codes, equal if and only if the RDF terms are.

use hashbrown::HashMap;
use oxrdf::Term;
use oxrdf::vocab::xsd;
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
    /// By bits: the cells of computed numbers.
    doubles: HashMap<u64, Cell>,
    /// The cells of computed texts.
    texts: HashMap<String, Cell>,
    values: HashMap<Cell, ExpressionTerm>,
}

/// Maximum number of values that are cached.
const MOST_REMEMBERED: usize = 1 << 16;

impl<'v> Terms<'v> {
    pub(super) fn new(view: &'v dyn RdfView) -> Terms<'v> {
        Terms {
            view,
            made: Vec::new(),
            codes: HashMap::new(),
            doubles: HashMap::new(),
            texts: HashMap::new(),
            values: HashMap::new(),
        }
    }

    /// The code of a term.
    pub(super) fn cell(&mut self, term: Term) -> Cell {
        match self.view.encode(&term) {
            // `"01"^^xsd:integer` has the code of `"1"^^xsd:integer`, but is another term.
            Some(code) if self.view.decode(code) == term => Cell::Term(code),
            _ => self.made(term),
        }
    }

    /// The code of a term that the view does not have.
    fn made(&mut self, term: Term) -> Cell {
        let next = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
        let made = &mut self.made;
        let code = *self.codes.entry(term).or_insert_with_key(|term| {
            made.push(term.clone());
            next
        });
        Cell::Made(code)
    }

    /// The code of a computed value.
    pub(super) fn cell_of_value(&mut self, value: ExpressionTerm) -> Cell {
        let number = match value {
            ExpressionTerm::DoubleLiteral(number) => number,
            ExpressionTerm::StringLiteral(text) => return self.cell_of_text(text),
            other => return self.cell(other.into()),
        };
        let number_value = f64::from(number);
        let bits = number_value.to_bits();
        if let Some(&known) = self.doubles.get(&bits) {
            return known;
        }
        // Looking a number up takes longer than the rest of a superlative, and most KBs have none of this type.
        let is_certainly_new = number_value.is_finite() && !self.view.has_doubles();
        let term = Term::from(ExpressionTerm::DoubleLiteral(number));
        let cell = if is_certainly_new { self.made(term) } else { self.cell(term) };
        self.doubles.insert(bits, cell);
        self.values.insert(cell, ExpressionTerm::DoubleLiteral(number));
        cell
    }

    /// Looking a text up takes long, and many are computed again and again, such as the year of a date.
    fn cell_of_text(&mut self, text: String) -> Cell {
        if let Some(&known) = self.texts.get(&text) {
            return known;
        }
        let cell = self.cell(ExpressionTerm::StringLiteral(text.clone()).into());
        if self.texts.len() < MOST_REMEMBERED {
            self.texts.insert(text, cell);
        }
        cell
    }

    /// The term of a code; `None` if there is no value.
    pub(super) fn term(&self, cell: Cell) -> Option<Term> {
        match cell {
            Cell::Unbound => None,
            Cell::Term(code) => Some(self.view.decode(code)),
            Cell::Made(at) => self.made.get(at as usize).cloned(),
        }
    }

    /// The text of a number that is written in the shortest way, which is then also the text of its value. Most numbers are, and need not be
    /// read and written again, which takes longer than anything else in a superlative.
    pub(super) fn written_number(&self, cell: Cell) -> Option<String> {
        let Cell::Term(code @ RdfTerm::Literal(_)) = cell else { return None };
        let Term::Literal(literal) = self.view.decode(code) else { return None };
        let is_number = matches!(literal.datatype(), xsd::DECIMAL | xsd::INTEGER);
        (is_number && is_shortest(literal.value())).then(|| literal.destruct().0)
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

/// Whether a number has neither zeros nor signs that could be left out, and few enough digits for exact arithmetic.
fn is_shortest(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(|fraction| all_digits(fraction) && !fraction.ends_with('0'))
        && digits.len() <= 16
        && number != "-0"
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

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::Literal;

    #[test]
    fn shortest_numbers_are_written_like_their_values() {
        for number in
            ["0", "7", "-7", "120", "0.5", "-0.25", "1234567.875", "-0", "007", "1.50", "+1", ".5", "5.", ""]
        {
            for datatype in [xsd::DECIMAL, xsd::INTEGER] {
                let term = Term::from(Literal::new_typed_literal(number, datatype));
                let value = Term::from(ExpressionTerm::from(term.clone()));
                let is_integer = datatype == xsd::INTEGER && number.contains('.');
                if is_shortest(number) && !is_integer {
                    assert_eq!(value, term);
                }
            }
        }
        assert!(["0", "-7", "0.5", "1234567.875"].into_iter().all(is_shortest));
        assert!(!["-0", "007", "1.50", "+1", ".5", "5.", "", "1e3"].into_iter().any(is_shortest));
    }
}
