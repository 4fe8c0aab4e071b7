//! The triples of an RDF file that are not facts of the model, exactly as written. Stores that were not
//! imported from RDF have none.
//!
//! Terms are numbered: nodes and literals of the model by their ids, everything else by its place in a sorted list
//! of texts: IRIs, blank nodes (`_:x`) and triple terms (`<<( ... )>>`, as N-Triples writes them).

use super::columns::{Strings, check_len, path_of};
use super::facts::LITERAL_BIT;
use super::kb::Kb;
use super::manifest::Counts;
use super::mapping::Column;
use crate::cast::{index32, to_usize};
use crate::error::{KbError, Result};
use crate::ids::{AttributeId, LiteralId, NodeId};
use std::ops::Range;
use std::path::Path;

/// Marks a term that is not part of the model.
pub(crate) const OTHER_BIT: u32 = 1 << 30;

/// A term of an asserted triple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AssertedTerm {
    /// A node of the model.
    Node(NodeId),
    /// A literal.
    Literal(LiteralId),
    /// Another term, by its place in the list of texts.
    Other(u32),
}

impl AssertedTerm {
    fn from_code(code: u32) -> AssertedTerm {
        match code {
            literal if literal & LITERAL_BIT != 0 => AssertedTerm::Literal(LiteralId(literal & !LITERAL_BIT)),
            other if other & OTHER_BIT != 0 => AssertedTerm::Other(other & !OTHER_BIT),
            node => AssertedTerm::Node(NodeId(node)),
        }
    }

    fn code(self) -> u32 {
        match self {
            AssertedTerm::Node(node) => node.0,
            AssertedTerm::Literal(literal) => literal.0 | LITERAL_BIT,
            AssertedTerm::Other(other) => other | OTHER_BIT,
        }
    }
}

/// The columns of asserted triples.
#[derive(Clone)]
pub(crate) struct AssertedColumns {
    term: Strings,
    /// Subject, predicate, object; sorted.
    triple: Column<u32>,
    /// Positions of triples, by predicate, object, subject.
    by_predicate: Column<u32>,
    /// Positions of triples, by object, predicate, subject.
    by_object: Column<u32>,
    /// By attribute: whether the file states the unit of its plain numbers.
    unit: Column<u8>,
}

impl AssertedColumns {
    /// Opens the columns; a store that was not imported from RDF has none.
    pub(super) fn open(dir: &Path) -> Result<Option<AssertedColumns>> {
        // If the list of checksums has the file but it is missing, the store is reported as damaged.
        if !path_of(dir, "asserted_triple").exists() {
            return Ok(None);
        }
        Ok(Some(AssertedColumns {
            term: Strings::open(dir, "asserted_term")?,
            triple: Column::open(&path_of(dir, "asserted_triple"))?,
            by_predicate: Column::open(&path_of(dir, "asserted_by_predicate"))?,
            by_object: Column::open(&path_of(dir, "asserted_by_object"))?,
            unit: Column::open(&path_of(dir, "asserted_unit"))?,
        }))
    }

    pub(super) fn check(&self, dir: &Path, counts: &Counts) -> Result<()> {
        self.term.check(dir, "asserted_term", self.term.len())?;
        check_len(dir, "asserted_triple", self.triple.len(), self.len() * 3)?;
        check_len(dir, "asserted_unit", self.unit.len(), to_usize(counts.attributes))?;
        let (n_nodes, n_literals) = (counts.entities + counts.classes, counts.literals);
        let known = |code: u32| match AssertedTerm::from_code(code) {
            AssertedTerm::Node(node) => u64::from(node.0) < n_nodes,
            AssertedTerm::Literal(literal) => u64::from(literal.0) < n_literals,
            AssertedTerm::Other(other) => (other as usize) < self.term.len(),
        };
        let fits = |[subject, predicate, object]: [u32; 3]| {
            (subject | predicate) & LITERAL_BIT == 0 && [subject, predicate, object].into_iter().all(known)
        };
        if !(0..self.len()).all(|at| fits(self.codes(at))) {
            let reason = "it refers to terms that do not exist";
            return Err(KbError::damaged(&path_of(dir, "asserted_triple"), reason));
        }
        for (name, column) in
            [("asserted_by_predicate", &self.by_predicate), ("asserted_by_object", &self.by_object)]
        {
            check_len(dir, name, column.len(), self.len())?;
            super::columns::check_below(dir, name, column, self.len())?;
        }
        Ok(())
    }

    /// The number of triples.
    pub(crate) fn len(&self) -> usize {
        self.triple.len() / 3
    }

    fn codes(&self, at: usize) -> [u32; 3] {
        [self.triple[at * 3], self.triple[at * 3 + 1], self.triple[at * 3 + 2]]
    }

    /// The text of a term that is not part of the model.
    pub(crate) fn text(&self, other: u32) -> &str {
        self.term.get(other as usize)
    }

    /// The term with a text, if it is not part of the model.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.term.find(0..self.term.len(), text).map(index32)
    }

    /// The triples that match a pattern.
    pub(crate) fn matching(
        &self,
        subject: Option<AssertedTerm>,
        predicate: Option<AssertedTerm>,
        object: Option<AssertedTerm>,
    ) -> impl Iterator<Item = [AssertedTerm; 3]> + '_ {
        let wanted = [subject, predicate, object].map(|term| term.map(AssertedTerm::code));
        let (index, range) = self.range(wanted);
        let position = move |at: usize| match index {
            Index::Subject => at,
            Index::Predicate => self.by_predicate[at] as usize,
            Index::Object => self.by_object[at] as usize,
        };
        let fits = move |triple: &[u32; 3]| {
            wanted.iter().zip(triple).all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == *found))
        };
        let triples = range.map(move |at| self.codes(position(at))).filter(fits);
        triples.map(|triple| triple.map(AssertedTerm::from_code))
    }

    /// The number of triples with a predicate, or with a predicate and an object.
    pub(crate) fn count(&self, predicate: AssertedTerm, object: Option<AssertedTerm>) -> usize {
        self.range([None, Some(predicate.code()), object.map(AssertedTerm::code)]).1.len()
    }

    /// The distinct predicates of triples whose object is not a literal.
    pub(crate) fn linking_predicates(&self) -> Vec<AssertedTerm> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.len() {
            // Literals sort after all nodes: the first object of a predicate decides.
            let [_, predicate, object] = self.codes(self.by_predicate[at] as usize);
            if object & LITERAL_BIT == 0 {
                found.push(AssertedTerm::from_code(predicate));
            }
            at = self.range([None, Some(predicate), None]).1.end.max(at + 1);
        }
        found
    }

    /// The part of an index that contains the triples that match a pattern, and perhaps more.
    fn range(&self, wanted: [Option<u32>; 3]) -> (Index, Range<usize>) {
        let n = self.len();
        match wanted {
            [Some(subject), predicate, object] => {
                let key = |at: usize| self.codes(at);
                let object = object.filter(|_| predicate.is_some());
                (Index::Subject, prefix(n, key, [Some(subject), predicate, object]))
            }
            [None, Some(predicate), object] => {
                let key = |at: usize| {
                    let [subject, predicate, object] = self.codes(self.by_predicate[at] as usize);
                    [predicate, object, subject]
                };
                (Index::Predicate, prefix(n, key, [Some(predicate), object, None]))
            }
            [None, None, Some(object)] => {
                let key = |at: usize| {
                    let [subject, predicate, object] = self.codes(self.by_object[at] as usize);
                    [object, predicate, subject]
                };
                (Index::Object, prefix(n, key, [Some(object), None, None]))
            }
            [None, None, None] => (Index::Subject, 0..n),
        }
    }
}

#[derive(Clone, Copy)]
enum Index {
    Subject,
    Predicate,
    Object,
}

/// The positions whose sorted keys begin with the given numbers.
fn prefix(n: usize, key: impl Fn(usize) -> [u32; 3], wanted: [Option<u32>; 3]) -> Range<usize> {
    let order = |at: usize| {
        let given = wanted.iter().zip(key(at)).map_while(|(wanted, found)| wanted.map(|w| found.cmp(&w)));
        given.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    let search = |low: usize, before: &dyn Fn(usize) -> bool| {
        let (mut low, mut high) = (low, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    };
    let start = search(0, &|at| order(at).is_lt());
    start..search(start, &|at| order(at).is_le())
}

impl Kb {
    /// Whether the KB holds the triples of an RDF file exactly as written: facts, and everything that
    /// is not part of the model. The *direct* view then shows these triples and no others.
    pub fn is_exact_rdf(&self) -> bool {
        self.asserted.is_some()
    }

    /// The number of triples of the RDF file that are not facts.
    pub fn n_asserted(&self) -> usize {
        self.asserted.as_ref().map_or(0, AssertedColumns::len)
    }

    /// The unit of the numbers that the *direct* view writes without a unit for an attribute: the usual one, but
    /// only if the RDF file itself states it.
    pub fn plain_unit(&self, attribute: AttributeId) -> &str {
        match &self.asserted {
            Some(asserted) if asserted.unit[attribute.index()] == 0 => "",
            _ => self.attribute_unit(attribute),
        }
    }
}
