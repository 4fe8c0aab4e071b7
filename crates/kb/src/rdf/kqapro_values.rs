//! Value nodes of KQA Pro's graph: their triples, and which of them have a given number, text, unit or time.

use super::{KqaProPredicate as Pred, KqaProView, RdfTerm, RdfTriple, Triples};
use crate::cast::index32;
use crate::ids::{FactId, LiteralId, Value};
use crate::literal::{Literal, LiteralKind};
use crate::store::Fact;
use crate::time::{Precision, Time};

impl KqaProView<'_> {
    /// The triples of a value node.
    pub(super) fn literal_triples(
        &self,
        node: RdfTerm,
        id: LiteralId,
    ) -> impl Iterator<Item = RdfTriple> + use<> {
        let literal = self.kb.literal(id);
        let mut parts: [Option<(Pred, RdfTerm)>; 2] = [None, None];
        match (literal.number(), literal.as_time()) {
            (Some(number), _) => {
                parts = [
                    Some((Pred::Value, RdfTerm::Double(number.to_bits()))),
                    Some((Pred::Unit, self.unit_term(literal.unit()))),
                ];
            }
            (None, Some(time)) => {
                parts[0] = Some((Pred::Year, RdfTerm::Integer(time.year())));
                if time.precision() >= Precision::Day {
                    parts[1] = Some((Pred::Date, RdfTerm::Date(time.key_at(Precision::Day))));
                }
            }
            (None, None) => {
                let text = match literal.kind() {
                    LiteralKind::Boolean => RdfTerm::Literal(id),
                    _ => self.text_term(id),
                };
                parts[0] = Some((Pred::Value, text));
            }
        }
        parts
            .into_iter()
            .flatten()
            .map(move |(predicate, value)| [node, RdfTerm::Predicate(predicate), value])
    }

    pub(super) fn value_node_triples(&self, fact: Fact) -> impl Iterator<Item = RdfTriple> + '_ {
        let literal = match fact.value {
            Value::Literal(literal) => Some((RdfTerm::ValueOf(fact.id), literal)),
            Value::Node(_) => None,
        };
        literal.into_iter().flat_map(|(node, literal)| self.literal_triples(node, literal))
    }

    pub(super) fn qualifier_value_triples(&self, position: usize) -> impl Iterator<Item = RdfTriple> + '_ {
        let literal = match self.kb.qualifier_at(position).value {
            Value::Literal(literal) => Some(literal),
            Value::Node(_) => None,
        };
        let node = RdfTerm::QualifierValueOf(index32(position));
        literal.into_iter().flat_map(move |literal| self.literal_triples(node, literal))
    }

    /// Value nodes with this number, text, unit, year or date; all of them if it is not given.
    pub(super) fn value_nodes_with(&self, object: Option<RdfTerm>) -> Triples<'_> {
        let ranges = self.literal_ranges(object);
        let in_ranges = move |id: LiteralId, ranges: &[std::ops::Range<usize>]| {
            ranges.iter().any(|r| r.contains(&id.index()))
        };
        let for_facts = ranges.clone();
        let facts = self.kb.attributes().flat_map(move |attribute| {
            let by_value = self.kb.facts_by_value(attribute);
            for_facts.clone().into_iter().flat_map(move |range| {
                by_value.positions(range).filter_map(move |at| self.kb.fact(FactId(by_value.facts[at])))
            })
        });
        let facts = facts.flat_map(|fact| self.value_node_triples(fact));
        let qualifiers = self.kb.all_qualifier_positions().filter(move |&position| {
            matches!(self.kb.qualifier_at(position).value, Value::Literal(id) if in_ranges(id, &ranges))
        });
        Box::new(facts.chain(qualifiers.flat_map(|position| self.qualifier_value_triples(position))))
    }

    /// The ranges of literal ids that a value node with this object can have.
    pub(super) fn literal_ranges(&self, object: Option<RdfTerm>) -> Vec<std::ops::Range<usize>> {
        let n = self.kb.n_literals();
        let time_range = |from: i64, to: i64| {
            let bound = |key: i64| {
                let probe = Literal {
                    kind: LiteralKind::Year,
                    number_type: Default::default(),
                    key: key.cast_unsigned(),
                    text: "",
                    tag: "",
                };
                self.kb.literal_position(&probe)
            };
            bound(from)..bound(to)
        };
        match object {
            Some(RdfTerm::Integer(year)) => {
                match (Time::year_only(year), Time::year_only(year.saturating_add(1))) {
                    (Some(from), Some(to)) => vec![time_range(from.key(), to.key())],
                    _ => Vec::new(),
                }
            }
            Some(RdfTerm::Date(day)) => vec![time_range(day, day + (1 << 27))],
            Some(RdfTerm::Double(bits)) => {
                let units = self.kb.tags();
                let bound = |unit: &str, bits: u64, text: &'static str| {
                    let probe = Literal {
                        kind: LiteralKind::Quantity,
                        number_type: Default::default(),
                        key: bits,
                        text,
                        tag: unit,
                    };
                    self.kb.literal_position(&probe)
                };
                let ranges = units.map(|unit| bound(unit, bits, "")..bound(unit, bits, "\u{10ffff}"));
                ranges.filter(|range| !range.is_empty()).collect()
            }
            // A text may be the unit of any quantity; the rest is filtered.
            _ => std::iter::once(0..n).collect(),
        }
    }
}
