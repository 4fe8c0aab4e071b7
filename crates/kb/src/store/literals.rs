//! Literals by id. Ids are in the order of values: by family; quantities by unit and number; times by time; texts by text.

use super::columns::{Strings, check_below, check_len, path_of};
use super::kb::Kb;
use super::mapping::Column;
use crate::cast::index32;
use crate::error::Result;
use crate::ids::LiteralId;
use crate::literal::{Literal, LiteralFamily, LiteralKind, NumberType};
use crate::time::Time;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct LiteralColumns {
    text: Strings,
    kind: Column<u8>,
    number_type: Column<u8>,
    key: Column<u64>,
    tag: Column<u32>,
    tags: Strings,
    /// The first literal of each family.
    families: [u32; 4],
    /// By unit, in the order of their tags: its quantities.
    units: Arc<[(u32, Range<u32>)]>,
}

impl LiteralColumns {
    pub(super) fn open(dir: &Path) -> Result<LiteralColumns> {
        let kind: Column<u8> = Column::open(&path_of(dir, "literal_kind"))?;
        let families =
            [LiteralFamily::Boolean, LiteralFamily::Quantity, LiteralFamily::Time, LiteralFamily::Text];
        let begin = |family| index32(kind.partition_point(|&kind| kind_of(kind).family() < family));
        let families = families.map(begin);
        let tag: Column<u32> = Column::open(&path_of(dir, "literal_tag"))?;
        let quantities = families[LiteralFamily::Quantity as usize]..families[LiteralFamily::Time as usize];
        Ok(LiteralColumns {
            families,
            units: units(&tag, quantities).into(),
            text: Strings::open(dir, "literal_text")?,
            kind,
            number_type: Column::open(&path_of(dir, "literal_number_type"))?,
            key: Column::open(&path_of(dir, "literal_key"))?,
            tag,
            tags: Strings::open(dir, "tag")?,
        })
    }

    pub(super) fn check(&self, dir: &Path, n: usize) -> Result<()> {
        self.text.check(dir, "literal_text", n)?;
        check_len(dir, "literal_kind", self.kind.len(), n)?;
        check_len(dir, "literal_number_type", self.number_type.len(), n)?;
        check_len(dir, "literal_key", self.key.len(), n)?;
        check_len(dir, "literal_tag", self.tag.len(), n)?;
        self.tags.check(dir, "tag", self.tags.len())?;
        check_below(dir, "literal_tag", &self.tag, self.tags.len())
    }
}

/// The blocks of quantities with the same unit. (A damaged file is detected later; here it must only not panic.)
fn units(tags: &[u32], quantities: Range<u32>) -> Vec<(u32, Range<u32>)> {
    let (mut units, mut start) = (Vec::new(), quantities.start as usize);
    let end = tags.len().min(quantities.end as usize);
    while start < end {
        let tag = tags[start];
        let next = start + tags[start..end].partition_point(|&other| other <= tag).max(1);
        units.push((tag, index32(start)..index32(next)));
        start = next;
    }
    units
}

#[inline]
fn kind_of(kind: u8) -> LiteralKind {
    LiteralKind::from_u8(kind).unwrap_or(LiteralKind::Text)
}

/// The first position of a range that does not pass, where those that pass come first.
fn partition(range: Range<usize>, passes: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if passes(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl Kb {
    /// Units, languages and datatypes of literals, sorted; the first is empty.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        (0..self.literals.tags.len()).map(|tag| self.literals.tags.get(tag))
    }

    /// The number of distinct literals.
    pub fn n_literals(&self) -> usize {
        self.literals.kind.len()
    }

    /// A literal. Inlined, so that unused columns are not read.
    #[inline]
    pub fn literal(&self, id: LiteralId) -> Literal<'_> {
        let (columns, i) = (&self.literals, id.index());
        Literal {
            kind: kind_of(columns.kind[i]),
            number_type: NumberType::from_u8(columns.number_type[i]).unwrap_or_default(),
            key: columns.key[i],
            text: columns.text.get(i),
            // Most literals have no tag; the first tag is empty.
            tag: if columns.tag[i] == 0 { "" } else { columns.tags.get(columns.tag[i] as usize) },
        }
    }

    /// The text of a literal.
    pub fn literal_text(&self, id: LiteralId) -> &str {
        self.literals.text.get(id.index())
    }

    /// The text of a literal as bytes: the cheapest way to compare it.
    pub fn literal_bytes(&self, id: LiteralId) -> &[u8] {
        self.literals.text.bytes(id.index())
    }

    /// The family of a literal, without its text.
    #[inline]
    pub fn literal_family(&self, id: LiteralId) -> LiteralFamily {
        kind_of(self.literals.kind[id.index()]).family()
    }

    /// The unit of a quantity, without its text; empty if it has none.
    pub fn literal_unit(&self, id: LiteralId) -> Option<&str> {
        let tag = self.literals.tag[id.index()] as usize;
        let is_quantity = self.literal_family(id) == LiteralFamily::Quantity;
        is_quantity.then(|| if tag == 0 { "" } else { self.literals.tags.get(tag) })
    }

    /// The number of a quantity, without its text.
    #[inline]
    pub fn literal_number(&self, id: LiteralId) -> Option<f64> {
        let is_quantity = kind_of(self.literals.kind[id.index()]) == LiteralKind::Quantity;
        is_quantity.then(|| f64::from_bits(self.literals.key[id.index()]))
    }

    /// The point in time of a time, without its text.
    #[inline]
    pub fn literal_time(&self, id: LiteralId) -> Option<Time> {
        let kind = kind_of(self.literals.kind[id.index()]);
        (kind.family() == LiteralFamily::Time)
            .then(|| Time::from_key(self.literals.key[id.index()].cast_signed(), kind.precision()))
    }

    /// The literals of a family; of quantities only those with this unit.
    pub fn literals_of(&self, family: LiteralFamily, unit: &str) -> Range<u32> {
        let at = family as usize;
        let begin = self.literals.families[at];
        let end = self.literals.families.get(at + 1).map_or(index32(self.n_literals()), |&next| next);
        if family != LiteralFamily::Quantity {
            return begin..end;
        }
        match self.tag(unit).map(|tag| self.literals.units.binary_search_by_key(&tag, |(tag, _)| *tag)) {
            Some(Ok(at)) => self.literals.units[at].1.clone(),
            Some(Err(at)) => {
                let next = self.literals.units.get(at).map_or(end, |(_, block)| block.start);
                next..next
            }
            None => end..end,
        }
    }

    /// The number of a unit, language or datatype. The empty one is the first.
    fn tag(&self, tag: &str) -> Option<u32> {
        if tag.is_empty() {
            return Some(0);
        }
        self.literals.tags.find(0..self.literals.tags.len(), tag).map(index32)
    }

    /// Finds a literal that is the same in every respect.
    pub fn find_literal(&self, literal: &Literal<'_>) -> Option<LiteralId> {
        let at = self.literal_position(literal);
        (at < self.n_literals() && self.literal(LiteralId(index32(at))).storage_order(literal).is_eq())
            .then_some(LiteralId(index32(at)))
    }

    /// Whether any number has a type. Looks at all numbers.
    pub(crate) fn has_number_of_type(&self, number_type: NumberType) -> bool {
        self.literals.number_type.contains(&(number_type as u8))
    }

    /// The number of literals that sort before this one. Ids are in value order within quantities of a
    /// unit, within times, and within texts, so this turns a bound into a bound on ids.
    pub fn literal_position(&self, literal: &Literal<'_>) -> usize {
        partition(self.with_same_key(literal), |at| {
            self.literal(LiteralId(index32(at))).storage_order(literal).is_lt()
        })
    }

    /// A range that contains the position of a literal: all literals with its number, time or text, found without reading the other columns.
    fn with_same_key(&self, literal: &Literal<'_>) -> Range<usize> {
        let columns = &self.literals;
        let family = literal.kind.family();
        let known = family != LiteralFamily::Quantity || self.tag(literal.tag).is_some();
        if !known || family == LiteralFamily::Boolean {
            return 0..self.n_literals();
        }
        let block = self.literals_of(family, literal.tag);
        let order = |at: usize| match family {
            LiteralFamily::Quantity => {
                f64::from_bits(columns.key[at]).total_cmp(&f64::from_bits(literal.key))
            }
            LiteralFamily::Time => columns.key[at].cast_signed().cmp(&literal.key.cast_signed()),
            _ => columns.text.bytes(at).cmp(literal.text.as_bytes()),
        };
        let from = partition(block.start as usize..block.end as usize, |at| order(at).is_lt());
        // Few literals have the same: a scan is enough.
        let to = (from..block.end as usize).take_while(|&at| order(at).is_eq()).count();
        from..from + to
    }
}
